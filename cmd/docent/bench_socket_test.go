package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/sync/errgroup"

	"docent/llm/llmtest"
	"docent/payload"
	loadtest "docent/tools/loadtest/load"
)

// socketQuestion is one that this project's documents answer.
const socketQuestion = "How is the address set that the server listens on?"

// serveBench starts a server, in a process of its own, with this project's
// documents, and returns the load test that puts load on it.
func serveBench(b *testing.B, env ...string) *loadtest.Test {
	b.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	data := b.TempDir()
	env = append(env, asProgram+"=1", "HOME="+data, "DOCENT_DATA="+data)
	ingest := command(b.Context(), exe, data, "ingest", "../../README.md", "../../docs")
	ingest.Env = env
	if out, err := ingest.CombinedOutput(); err != nil {
		b.Fatalf("docent ingest: %v\n%s", err, out)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	cmd := command(ctx, exe, data, "serve", "--addr", "127.0.0.1:0", "--rate", "100000", "--burst", "100000")
	cmd.Env = env
	log, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	drained := make(chan struct{})
	b.Cleanup(func() {
		cancel()
		<-drained
		_ = cmd.Wait() // killed
	})
	lines, at := bufio.NewScanner(log), ""
	for at == "" && lines.Scan() {
		at, _ = strings.CutPrefix(lines.Text(), "docent is at ")
	}
	go func() { // ends with the process
		defer close(drained)
		_, _ = io.Copy(io.Discard, log)
	}()
	return &loadtest.Test{URL: at, Question: socketQuestion, Scenario: "turns", Connections: 1, Users: 1, Duration: time.Second}
}

// asked returns the times to the first token and to the whole answer. Each user
// asks a number of questions, with a pause before each.
func asked(b *testing.B, l *loadtest.Test, users, questions int, thinking time.Duration) (first, whole times) {
	b.Helper()
	all, err := l.EnterAll(b.Context(), users)
	defer func() {
		for _, u := range all {
			u.Leave()
		}
	}()
	if err != nil {
		b.Fatal(err)
	}
	firsts, wholes := make([]times, users), make([]times, users)
	group, ctx := errgroup.WithContext(b.Context())
	for i, user := range all {
		group.Go(func() error {
			wait := thinking * time.Duration(i) / time.Duration(users) // users ask one after the other
			for range questions + 1 {
				if err := pause(ctx, wait); err != nil {
					return err
				}
				first, whole, err := user.Ask(ctx, l.Question)
				if err != nil {
					return err
				}
				firsts[i], wholes[i], wait = append(firsts[i], first), append(wholes[i], whole), thinking
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	for i := range all { // the first measurement includes one-time work
		first, whole = append(first, firsts[i][1:]...), append(whole, wholes[i][1:]...)
	}
	return first, whole
}

// BenchmarkFirstToken measures the time from a question to the first piece of its
// answer over a socket. It uses SQLite and a model over HTTP whose first token
// comes after 20 ms. 1, 10, and 100 users read for up to two seconds before they
// ask again. Model and users share the machine with the server.
func BenchmarkFirstToken(b *testing.B) {
	const takes = 20 * time.Millisecond
	reply := llmtest.Say(strings.SplitAfter("The address is set by a flag or in the environment, as the documents say [1].", " ")...)
	reply.Wait = func(ctx context.Context, piece int) error {
		if piece > 0 {
			return nil
		}
		return pause(ctx, takes)
	}
	var heard atomic.Int64
	model := llmtest.NewServer(func(int, llmtest.Request) llmtest.Reply {
		heard.Add(1)
		return reply
	})
	b.Cleanup(model.Close)
	l := serveBench(b, "DOCENT_LLM_URL="+model.URL, "DOCENT_MODEL=scripted")
	for b.Loop() {
		var of [3]times
		for i, group := range []struct {
			users, questions int
			thinking         time.Duration
		}{{1, 150, 50 * time.Millisecond}, {10, 25, 300 * time.Millisecond}, {100, 5, 2 * time.Second}} {
			of[i], _ = asked(b, l, group.users, group.questions, group.thinking)
			of[i].report(b, fmt.Sprintf("first_%d", group.users))
		}
		if asked := len(of[0]) + len(of[1]) + len(of[2]); int(heard.Load()) < asked {
			b.Fatalf("the model heard %d of %d questions", heard.Load(), asked)
		}
		one := of[0].median().Seconds()
		b.ReportMetric(of[1].median().Seconds()/one, "x_10_users")
		b.ReportMetric(of[2].median().Seconds()/one, "x_100_users")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSlowReaders measures how long ten users wait for quoted answers. It alternates
// between ten users alone and ten users beside 100 clients that ask much and read
// nothing. It also measures the server's memory for those clients.
func BenchmarkSlowReaders(b *testing.B) {
	const rounds, users, questions, slow = 3, 10, 50, 100
	l := serveBench(b)
	var p50, p99 [2][]float64
	var waits float64
	measure := func(i int) {
		_, whole := asked(b, l, users, questions, 20*time.Millisecond)
		p50[i], p99[i] = append(p50[i], ms(whole.median())), append(p99[i], ms(whole.quantile(0.99)))
	}
	long := &loadtest.Test{URL: l.URL + "?session_id=" + longSession, Question: l.Question, Scenario: "turns", Connections: 1, Users: 1, Duration: time.Second}
	asked(b, long, 1, 50, 0)
	measure(0) // what happens but once
	p50, p99 = [2][]float64{}, [2][]float64{}
	for b.Loop() {
		for range rounds {
			measure(0)
			conns := make([]*websocket.Conn, slow)
			var opening sync.WaitGroup
			for i := range conns {
				opening.Go(func() { conns[i] = deaf(b, l) })
			}
			opening.Wait()
			waits = max(waits, settledOutbox(b, l))
			measure(1)
			for _, c := range conns {
				_ = c.Close()
			}
		}
	}
	b.ReportMetric(middle(p50[0]), "ms_alone")
	b.ReportMetric(middle(p99[0]), "ms_alone_p99")
	b.ReportMetric(middle(p50[1]), "ms_beside")
	b.ReportMetric(middle(p99[1]), "ms_beside_p99")
	b.ReportMetric(middle(p99[1])/middle(p99[0]), "x_p99")
	b.ReportMetric(waits/1e6, "MB_outboxes")
	b.ReportMetric(0, "ns/op")
}

// longSession has a history that deaf clients ask for.
const longSession = "long"

// deaf is a client that repeatedly requests all messages and never reads. The
// system buffers little for it.
func deaf(b *testing.B, l *loadtest.Test) *websocket.Conn {
	b.Helper()
	dialer := websocket.Dialer{NetDialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, addr)
		if err == nil {
			err = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		}
		return c, err
	}}
	at, _, _ := strings.Cut(strings.Replace(l.URL, "http", "ws", 1), "?") // a client of BAF's frames
	c, resp, err := dialer.DialContext(b.Context(), at+"?session_id="+longSession, nil)
	if err != nil {
		b.Error(err)
		return nil
	}
	resp.Body.Close()
	say := func(action payload.Action, message any) {
		content, err := json.Marshal(message)
		if err != nil {
			b.Error(err)
		}
		data, err := json.Marshal(map[string]any{"action": action, "message": json.RawMessage(content)})
		if err != nil {
			b.Error(err)
		}
		if err := c.WriteMessage(websocket.TextMessage, data); err != nil {
			b.Error(err)
		}
	}
	for range 100 {
		say(payload.FetchUserMessages, nil)
	}
	return c
}

// settledOutbox waits until the server's queues for clients are not empty and
// have not changed for a second. It returns their size in bytes.
func settledOutbox(b *testing.B, l *loadtest.Test) (bytes float64) {
	b.Helper()
	for last := -1.0; bytes != last || bytes == 0; {
		last = bytes
		if err := pause(b.Context(), time.Second); err != nil {
			b.Fatal(err)
		}
		at, _, _ := strings.Cut(strings.Replace(l.URL, "ws", "http", 1), "?")
		resp, err := http.Get(strings.TrimSuffix(at, "/") + "/metrics")
		if err != nil {
			b.Fatal(err)
		}
		all, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(all)) {
			if value, ok := strings.CutPrefix(line, "docent_ws_outbox_bytes "); ok {
				if bytes, err = strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	return bytes
}

// pause waits, or fails when ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
