package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docent/internal/wstest"
	"docent/rag/text"
)

// TestBadFrames sends malformed frames over many sockets in all protocols. The
// server does not panic, closes no socket, and stores nothing. The soak test
// runs longer.
func TestBadFrames(t *testing.T) {
	t.Parallel()
	fuzzFrames(t, 2*time.Second, 1)
}

// badDialect is how frames of one kind of client look.
type badDialect struct {
	path  string
	first string // the first message
	seeds []string
}

var badDialects = []badDialect{
	{"/", "", []string{
		`{"action":"user_message","message":"hello","history":false,"timestamp":null}`,
		`{"action":"user_message","message":{"message":"an object","a":[1,2,{"b":null}]}}`,
		`{"action":"agent_reply_str","message":"from an agent","correlation":"c1","hops":3}`,
		`{"action":"user_file","message":"{\"name\":\"a.txt\",\"type\":\"text/plain\",\"base64\":\"YQ==\"}"}`,
		`{"action":"user_voice","message":"UklGRgAAAABXQVZF"}`,
		`{"action":"user_set_variable","message":{"a":1,"b":"two"}}`,
		`{"action":"user_update_ui","message":{"screen":1}}`,
		`{"action":"user_gui_event","message":"{\"x\":1}"}`,
		`{"action":"fetch_user_messages","message":null}`,
		`{"action":"reset","message":null}`,
	}},
	{"/?protocol=docent.v1", `{"action":"hello","message":{"last_seq":0}}`, []string{
		`{"action":"hello","message":{"last_seq":3,"token":"x"}}`,
		`{"action":"user_message","message":"hello","id":"an id"}`,
		`{"action":"user_file","message":{"name":"a.txt","type":"text/plain","base64":"YQ=="},"id":"f1"}`,
		`{"action":"stop","message":{"turn":1}}`,
		`{"action":"regenerate","message":{"turn":1},"id":"r1"}`,
		`{"action":"edit","message":{"turn":2,"message":"other"},"id":"e1"}`,
		`{"action":"feedback","message":{"turn":1,"rating":50,"comment":"good"}}`,
		`{"action":"user_set_variable","message":{"a":1}}`,
		`{"action":"fetch_user_messages"}`,
		`{"action":"reset"}`,
	}},
	{"/agent_websocket", "", []string{
		`{"type":"query","content":"hello","timestamp":"2026-11-21T06:10:20.000Z"}`,
		`{"type":"command","content":"status"}`,
		`{"type":"command","content":"history"}`,
		`{"type":"command","content":"stop"}`,
		`{"type":"command","content":"reset"}`,
		`{"type":"human_feedback","content":{"rating":1,"comment":"yes"}}`,
		`{"content":"no type"}`,
	}},
}

// values take the place of others.
var values = []string{
	"null", "true", "-1", "0", "1e400", "9223372036854775808", "0.5", `""`, `"\u0000"`, `"\ud800"`, "[]", "{}", `[[[[[]]]]]`, "NaN",
	`"` + strings.Repeat("long ", 4000) + `"`, strings.Repeat("[", 2000), strings.Repeat(`{"a":`, 2000), "\xff\xfe", `"�"`,
}

// spoil makes a frame worse, or leaves it as it is.
func spoil(frame string, chance *rand.Rand) string {
	for range chance.IntN(4) {
		if frame == "" {
			return frame
		}
		i := chance.IntN(len(frame))
		j := i + chance.IntN(len(frame)-i)
		switch chance.IntN(7) {
		case 0:
			frame = frame[:i] + string([]byte{byte(chance.IntN(256))}) + frame[i+1:]
		case 1:
			frame = frame[:i]
		case 2:
			frame = frame[:i] + frame[j:]
		case 3:
			frame = frame[:j] + frame[i:]
		case 4: // another value
			if at := strings.LastIndex(frame[:i+1], ":"); at >= 0 {
				end := strings.IndexAny(frame[at:], ",}")
				if end < 0 {
					end = len(frame) - at
				}
				frame = frame[:at+1] + values[chance.IntN(len(values))] + frame[at+end:]
			}
		case 5: // another key
			frame = strings.Replace(frame, `"message"`, `"Message"`, 1)
		default:
			frame = frame[:i] + values[chance.IntN(len(values))] + frame[i:]
		}
	}
	return frame
}

// sockets of each dialect, in so many sessions each.
const (
	fuzzSockets  = 4
	fuzzSessions = 2
)

// fuzzFrames sends spoiled frames for a time.
func fuzzFrames(t *testing.T, length time.Duration, seed uint64) {
	t.Helper()
	t.Logf("seed %d", seed)
	p, at := serve(t, []string{"DOCENT_DATA=" + dataFolder(t), "DOCENT_RATE=1000000", "DOCENT_BURST=1000000"}, "--agent", yamlAgent(t, parrot))
	_ = join(t, at, "warm up", true).wait(t, "synced")
	goroutines := gauge(t, at, "go_goroutines")
	ctx, cancel := context.WithTimeout(t.Context(), length+patience)
	defer cancel()
	end := time.Now().Add(length)
	var sent atomic.Int64
	var all sync.WaitGroup
	for i, d := range badDialects {
		for k := range fuzzSockets {
			all.Go(func() {
				chance := rand.New(rand.NewPCG(seed, uint64(i*fuzzSockets+k)))
				separator := "?"
				if strings.Contains(d.path, "?") {
					separator = "&"
				}
				url := fmt.Sprintf("ws%s%s%ssession_id=fuzz%d-%d", strings.TrimPrefix(at, "http"), d.path, separator, i, k%fuzzSessions)
				if err := fuzzOne(ctx, url, d, end, chance, &sent); err != nil {
					t.Errorf("%s, socket %d: %v", d.path, k, err)
				}
			})
		}
	}
	kept := int64(0)
	if length > time.Minute {
		<-time.After(length / 4)
		kept = gauge(t, at, "process_resident_memory_bytes")
	}
	all.Wait()
	if strings.Contains(p.log.String(), "panic") {
		t.Errorf("the log has a panic:\n%s", text.Shorten(p.log.String(), 4000))
	}
	// Beside the client that warmed up, nobody is left.
	eventually(t, "all goroutines have ended", func() bool { return gauge(t, at, "go_goroutines") <= goroutines+5 })
	memory := gauge(t, at, "process_resident_memory_bytes")
	if kept > 0 && memory > kept+64<<20 {
		t.Errorf("the server has %d MB, and had %d", memory>>20, kept>>20)
	}
	t.Logf("%d frames; %d goroutines, %d MB", sent.Load(), gauge(t, at, "go_goroutines"), memory>>20)
}

// fuzzOne is one socket: whatever it sends, it is not closed.
func fuzzOne(ctx context.Context, url string, d badDialect, end time.Time, chance *rand.Rand, sent *atomic.Int64) error {
	c, _, err := wstest.Dial(ctx, url, nil)
	if err != nil {
		return err
	}
	c.SetReadLimit(-1)
	ended := make(chan error, 1)
	go func() { // whoever does not read is closed
		for {
			_, r, err := c.Reader(ctx)
			if err == nil {
				_, err = io.Copy(io.Discard, r)
			}
			if err != nil {
				ended <- err
				return
			}
		}
	}()
	defer func() {
		_ = c.CloseNow()
		<-ended
	}()
	if d.first != "" {
		if err := c.Write(ctx, wstest.MessageText, []byte(d.first)); err != nil {
			return err
		}
	}
	for time.Now().Before(end) {
		kind := wstest.MessageText
		if chance.IntN(20) == 0 {
			kind = wstest.MessageBinary
		}
		if err := c.Write(ctx, kind, []byte(spoil(d.seeds[chance.IntN(len(d.seeds))], chance))); err != nil {
			select {
			case err = <-ended:
				ended <- err
			default:
			}
			return fmt.Errorf("closed: %w", err)
		}
		if sent.Add(1)%50 == 0 {
			if err := c.Ping(ctx); err != nil { // also waits until the frames are read
				return fmt.Errorf("does not answer: %w", err)
			}
		}
	}
	return c.Ping(ctx)
}

// gauge reads a metric.
func gauge(t *testing.T, at, name string) int64 {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			f, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			return int64(f)
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}
