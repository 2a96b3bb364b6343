package ws_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/VictoriaMetrics/metrics"
	gorilla "github.com/gorilla/websocket"

	"docent/agent/agenttest"
	"docent/internal/fault"
	"docent/internal/wstest"
	"docent/payload"
	"docent/ws"
)

// halfSent sends only the beginning of a message.
func (p *peer) halfSent(text string) {
	p.t.Helper()
	w, err := p.conn.Writer(p.t.Context(), wstest.MessageText)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		p.t.Fatal(err)
	}
}

// A client with half-sent messages on all its connections does not prevent others
// from sending a file. It uses no more memory than its share.
func TestUploadShares(t *testing.T) {
	t.Parallel()
	const share = 1 << 20
	for name, text := range map[string]string{
		"files": `{"action":"user_file","message":{"base64":"`, "messages": `{"action":"user_message","message":"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := metrics.NewSet()
			s := guarded(t, setup{agent: reporter(), config: ws.Config{Metrics: set, UserBurst: 1000}.
				With(ws.Limits{UploadBytes: 2 * share, UserUploadBytes: share})})
			held := func() (n int64) {
				_, _ = fmt.Sscan(counted(set, "docent_ws_upload_bytes"), &n)
				return n
			}
			var half []*peer
			for range 8 { // the client sends 4 KiB at a time
				p := s.dial("/", bearer("ada"))
				p.halfSent(text + strings.Repeat("QUJD", 60<<10))
				half = append(half, p)
			}
			waitFor(t, "ada's share is taken", func() bool { return held() > share/2 })
			bob := s.dial("/?protocol=docent.v1", bearer("bob"))
			bob.say(`{"action":"hello"}`)
			bob.until(payload.SyncedAction)
			bob.say(`{"action":"user_file","message":{"name":"b","base64":"` + strings.Repeat("QUJD", 100<<10) + `"}}`)
			if got := bob.said(); got != `receive_file human=true "b" "file" 307200 bytes` {
				t.Error(got)
			}
			if n := held(); n > 2*share {
				t.Errorf("%d bytes are held", n)
			}
			// Ada gets an error after she exceeds her share.
			ada := s.dial("/?protocol=docent.v1", bearer("ada"))
			ada.say(`{"action":"hello"}`)
			ada.until(payload.SyncedAction)
			ada.say(`{"action":"user_file","message":{"base64":"` + strings.Repeat("QUJD", 200<<10) + `"}}`)
			if kind, words := ada.refused(true); kind != fault.Busy || !strings.HasPrefix(words, "too many files of yours") {
				t.Errorf("%s %s", kind, words)
			}
			for _, p := range half {
				p.conn.CloseNow()
			}
			bob.say(`{"action":"user_message","message":"hi"}`) // releases the memory of the file
			bob.said()
			waitFor(t, "all is let go", func() bool { return held() == 0 })
		})
	}
}

// A message that stops arriving ends its connection, even if pongs come. A
// message that arrives slowly may take long.
func TestStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := inMemory(t, agenttest.NewStore(), nil)
		join := func(token, session string) *listening {
			l := m.dial(token, session)
			l.conn.SetWriteDeadline(time.Now().Add(time.Hour)) // WriteControl has a deadline of its own
			return l
		}
		slow, stuck := join("ada", "S"), join("bob", "T")
		drip := func(l *listening, bytes int, until <-chan struct{}) (took time.Duration) {
			began := time.Now()
			w, err := l.conn.NextWriter(gorilla.TextMessage)
			if err == nil {
				_, err = io.WriteString(w, `{"action":"user_message","message":"`+strings.Repeat(" ", 100<<10))
			}
			piece := strings.Repeat(" ", bytes)
			for ; err == nil && time.Since(began) < 5*time.Minute; <-time.After(time.Second) {
				select {
				case <-until:
					return time.Since(began)
				default:
				}
				if err = l.conn.WriteControl(gorilla.PongMessage, nil, time.Now().Add(time.Minute)); err == nil && bytes > 0 {
					_, err = io.WriteString(w, piece)
				}
			}
			if err == nil {
				_, _ = io.WriteString(w, `."}`)
				_ = w.Close()
			}
			return time.Since(began)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for range stuck.frames { // until it is closed
			}
		}()
		if took := drip(stuck, 0, ended); took < 30*time.Second || took > 50*time.Second {
			t.Errorf("it took %s to close the connection", took)
		}
		<-ended
		if !gorilla.IsCloseError(stuck.ended, ws.CloseStalled.Code) {
			t.Errorf("ended with %v", stuck.ended)
		}
		stuck.conn.Close()
		drip(slow, 10<<10, nil)
		slow.until(payload.ErrorAction) // it was too long, and the server read it to its end
		slow.say(`{"action":"user_message","message":"here"}`)
		slow.until(payload.TurnFinishedAction)
		slow.conn.Close()
		m.stop()
	})
}
