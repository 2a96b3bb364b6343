package ws_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/internal/sqlitetest"
	"docent/payload"
	"docent/store/sqlite"
	"docent/ws"
)

// resume connects as a docent.v1 client that has all entries up to a seq. It
// returns the frames until synced: welcome first, synced last.
func (s *site) resume(path string, last int64) (*peer, payload.Welcome, []frame) {
	s.t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	p := s.dial(path+separator+"protocol=docent.v1", nil)
	p.say(fmt.Sprintf(`{"action":"hello","message":{"last_seq":%d}}`, last))
	var w payload.Welcome
	var frames []frame
	for {
		f := p.next()
		frames = append(frames, f)
		if len(frames) == 1 {
			if err := json.Unmarshal(f.Message, &w); err != nil || f.Action != payload.WelcomeAction {
				s.t.Fatalf("first comes %s", f.raw)
			}
		}
		if f.Action == payload.SyncedAction {
			return p, w, frames
		}
	}
}

// told formats each frame as one line, for comparison.
func told(frames []frame) string {
	var lines []string
	for _, f := range frames {
		line := string(f.Action)
		if f.Seq != 0 {
			line += fmt.Sprintf(" %d", f.Seq)
		}
		if f.History {
			line += " again"
		}
		if f.ID != "" {
			line += " id " + f.ID
		}
		if f.Action != payload.WelcomeAction {
			line += " " + string(f.Message)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// gated streams the pieces that it receives, and then replies with all of them.
func gated(begun chan<- struct{}, pieces <-chan string) *agent.Agent {
	a := agent.New("gated")
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	answer.Body(func(ctx context.Context, s *agent.Session) error {
		all := ""
		for {
			select {
			case piece, ok := <-pieces:
				if !ok {
					return s.Reply(ctx, all)
				}
				all += piece
				if err := s.Stream(ctx, piece); err != nil {
					return err
				}
				begun <- struct{}{}
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	})
	greet.OnMessage().GoTo(answer)
	answer.OnMessage().GoTo(answer)
	return a
}

// A client that resumes during an answer gets the missed entries, the streamed
// text so far, and then the rest of the stream.
func TestResumeStreaming(t *testing.T) {
	t.Parallel()
	begun, pieces := make(chan struct{}), make(chan string)
	s := serve(t, setup{agent: gated(begun, pieces)})
	first, _ := s.hello("/?session_id=S")
	first.say(`{"action":"user_message","message":"talk","id":"m1"}`)
	first.until(payload.AckAction)
	pieces <- "one "
	<-begun
	first.until(payload.DeltaAction)
	first.conn.CloseNow()
	pieces <- "two "
	<-begun
	const snapshot = `turn_snapshot {"turn":1,"n":2,"text":"one two ","steps":[]}` + "\n" + `synced {"seq":1,"turns":[{"turn":1,"state":"running"}]}`
	again, w, frames := s.resume("/?session_id=S", 1)
	if got := told(frames); got != "welcome\n"+snapshot || !w.Resumed || w.Seq != 1 {
		t.Errorf("who has the question gets\n%s", got)
	}
	fresh, _, frames := s.resume("/?session_id=S", 0)
	if got := told(frames); got != "welcome\nuser_message 1 again id m1 \"talk\"\n"+snapshot {
		t.Errorf("who has nothing gets\n%s", got)
	}
	pieces <- "three"
	<-begun
	for _, p := range []*peer{again, fresh} {
		if f := p.next(); f.Action != payload.DeltaAction || f.N != 3 || string(f.Message) != `{"text":"three"}` {
			t.Errorf("then comes %s", f.raw)
		}
	}
	close(pieces)
	for _, p := range []*peer{again, fresh} {
		if f := p.next(); f.Seq != 2 || f.History || string(f.Message) != `"one two three"` {
			t.Errorf("then comes %s", f.raw)
		}
		if got := p.finished(1); got != payload.Done {
			t.Errorf("the turn is %s", got)
		}
	}
	_, _, frames = s.resume("/?session_id=S", 2)
	if got := told(frames); got != "welcome\nsynced {\"seq\":2,\"turns\":[]}" {
		t.Errorf("who has all gets\n%s", got)
	}
}

// A last_seq beyond the latest belongs to another database, so everything is
// sent. A reset is reported in the welcome, or live with session_reset.
func TestResumeElsewhere(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: echoAgent()})
	p, _ := s.hello("/?session_id=S")
	p.say(`{"action":"user_message","message":"one","id":"m1"}`)
	p.finished(1)
	const all = "welcome\nuser_message 1 again id m1 \"one\"\nagent_reply_str 2 again \"one\"\nsynced {\"seq\":2,\"turns\":[]}"
	other, w, frames := s.resume("/?session_id=S", 99)
	if got := told(frames); got != all || w.Seq != 2 || w.ResetSeq != 0 {
		t.Errorf("beyond the end: %+v\n%s", w, got)
	}
	p.say(`{"action":"reset"}`)
	for _, c := range []*peer{p, other} {
		if f := c.until(payload.SessionResetAction); string(f.Message) != `{"seq":2}` {
			t.Errorf("a reset is told by %s", f.raw)
		}
	}
	p.say(`{"action":"user_message","message":"two"}`)
	p.until(payload.TurnFinishedAction)
	for _, last := range []int64{0, 1, 2} {
		_, w, frames := s.resume("/?session_id=S", last)
		if got := told(frames); w.ResetSeq != 2 || w.Seq != 4 ||
			got != "welcome\nuser_message 3 again \"two\"\nagent_reply_str 4 again \"two\"\nsynced {\"seq\":4,\"turns\":[]}" {
			t.Errorf("after %d: %+v\n%s", last, w, got)
		}
	}
	if _, w, frames := s.resume("/?session_id=N", 0); w.Resumed || told(frames) != "welcome\nsynced {\"seq\":0,\"turns\":[]}" {
		t.Errorf("a new session: %+v\n%s", w, told(frames))
	}
}

// After a restart of the server, a client can also resume with only the last seq.
func TestResumeRestart(t *testing.T) {
	t.Parallel()
	path := sqlitetest.Path(t)
	up := func() (*site, func()) {
		db, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		s := serve(t, setup{agent: echoAgent(), store: db})
		return s, func() {
			s.stop()
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	s, down := up()
	p, _ := s.hello("/?session_id=S")
	for turn := range int64(3) {
		p.say(fmt.Sprintf(`{"action":"user_message","message":"m%d","id":"m%d"}`, turn, turn))
		p.finished(turn + 1)
	}
	var running sync.WaitGroup
	running.Go(down)
	if code := p.closed(); code != ws.CloseGoingAway.Code {
		t.Errorf("closed with %d", code)
	}
	running.Wait()
	s, down = up()
	p, w, frames := s.resume("/?session_id=S", 3)
	const want = "welcome\nagent_reply_str 4 again \"m1\"\nuser_message 5 again id m2 \"m2\"\nagent_reply_str 6 again \"m2\"\nsynced {\"seq\":6,\"turns\":[]}"
	if got := told(frames); got != want || !w.Resumed || w.Seq != 6 {
		t.Errorf("%+v\n%s", w, got)
	}
	p.conn.CloseNow()
	down()
}

// A long replay is sent as fast as the client reads. New entries follow it.
func TestResumeLong(t *testing.T) {
	t.Parallel()
	const turns = 30
	s := serve(t, setup{agent: talker(t, 1, 100<<10), config: ws.Config{Burst: 1000}}) // 3 MB in all against an outbox of 1 MB
	p, _ := s.hello("/?session_id=S")
	for turn := range int64(turns) {
		p.say(`{"action":"user_message","message":"talk"}`)
		p.finished(turn + 1)
	}
	again := s.dial("/?session_id=S&protocol=docent.v1", nil)
	again.say(`{"action":"hello","message":{"last_seq":0}}`)
	again.until(payload.WelcomeAction)
	p.say(`{"action":"user_message","message":"talk"}`)
	p.finished(turns + 1)
	seq := int64(0)
	for synced := false; seq < 2*turns+2 || !synced; {
		f := again.next()
		if f.Action == payload.SyncedAction {
			synced = true
			continue
		}
		if f.Seq == 0 {
			continue
		}
		if seq++; f.Seq != seq || f.History == synced {
			t.Fatalf("%d comes after %d, synced is %v: %.100s", f.Seq, seq-1, synced, f.raw)
		}
	}
}

// tab is a client that repeatedly loses its connection.
type tab struct {
	s    *site
	p    *peer
	seen []string // the stored entries, in order
}

// take reads a frame. It reports whether the tab now has the given number of
// entries.
func (c *tab) take(want int) bool {
	f := c.p.next()
	seq, kind := f.Seq, f.Action
	if f.Action == payload.AckAction {
		var a payload.Ack
		if err := json.Unmarshal(f.Message, &a); err != nil || a.Duplicate {
			return len(c.seen) >= want
		}
		seq, kind = a.Seq, payload.UserMessage
	}
	if seq != 0 {
		if seq != int64(len(c.seen)+1) {
			c.s.t.Errorf("%d comes after %d: %s", seq, len(c.seen), f.raw)
		}
		c.seen = append(c.seen, string(kind))
	}
	return len(c.seen) >= want
}

// come connects and resumes from the state of the tab.
func (c *tab) come() {
	if c.p != nil {
		c.p.conn.CloseNow()
	}
	c.p = c.s.dial("/?session_id=S&protocol=docent.v1", nil)
	c.p.say(fmt.Sprintf(`{"action":"hello","message":{"last_seq":%d}}`, len(c.seen)))
}

// Tabs that reconnect during turns finally have every stored entry, in order and
// once.
func TestResumeCuts(t *testing.T) {
	t.Parallel()
	const turns, tabs = 20, 3
	store := agenttest.NewStore()
	s := serve(t, setup{agent: everything(t), store: store, config: ws.Config{Burst: 1000}})
	speaker, _ := s.hello("/?session_id=S")
	stored := turns * (1 + len(everythingSaid))
	var running sync.WaitGroup
	for i := range tabs {
		running.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			c := &tab{s: s}
			for done := false; !done; {
				c.come()
				for range 1 + random.IntN(40) {
					if done = c.take(stored); done {
						break
					}
				}
			}
			c.p.conn.CloseNow()
		})
	}
	for turn := range int64(turns) {
		speaker.say(fmt.Sprintf(`{"action":"user_message","message":"go","id":"m%d"}`, turn))
		speaker.finished(turn + 1)
	}
	running.Wait()
	if got := len(store.Record("S")); got != stored {
		t.Errorf("%d are stored, want %d", got, stored)
	}
}

// Tabs of one session receive the same stored entries and the same streamed text.
// The text may arrive in different pieces.
func TestTabs(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{config: ws.Config{Burst: 1000}})
	var tabs [3]*peer
	for i := range tabs {
		tabs[i], _, _ = s.resume("/?session_id=S", 0)
	}
	const turns = 5
	go func() {
		for i := range turns {
			tabs[i%len(tabs)].say(fmt.Sprintf(`{"action":"user_message","message":"a question of %d words","id":"m%d"}`, i, i))
		}
	}()
	var heard [len(tabs)][]string
	for i, p := range tabs {
		streamed := ""
		for finished := 0; finished < turns; {
			f := p.next()
			switch f.Action {
			case payload.DeltaAction:
				var d payload.Delta
				if err := json.Unmarshal(f.Message, &d); err != nil {
					t.Fatal(err)
				}
				streamed += d.Text
			case payload.AckAction: // for its own message; the others receive the message itself
				var a payload.Ack
				if err := json.Unmarshal(f.Message, &a); err != nil {
					t.Fatal(err)
				}
				heard[i] = append(heard[i], fmt.Sprintf("%d of %d: %s", a.Seq, *f.Turn, f.ID))
			case payload.UserMessage:
				heard[i] = append(heard[i], fmt.Sprintf("%d of %d: %s", f.Seq, *f.Turn, f.ID))
			case payload.TurnFinishedAction:
				finished++
				heard[i] = append(heard[i], f.raw)
			default:
				if f.Seq > 1 { // the first one is the greeting, which may come before hello
					heard[i] = append(heard[i], f.raw)
				}
			}
		}
		heard[i] = append(heard[i], streamed)
		if got, want := strings.Join(heard[i], "\n"), strings.Join(heard[0], "\n"); got != want || streamed == "" {
			t.Errorf("tab %d heard\n%s\nthe first\n%s", i, got, want)
		}
	}
}

// Two sockets send each message three times with the same id. It is answered
// once.
func TestExactlyOnce(t *testing.T) {
	t.Parallel()
	const messages = 20
	store := agenttest.NewStore()
	s := serve(t, setup{agent: echoAgent(), store: store, config: ws.Config{Burst: 1000}})
	one, _ := s.hello("/?session_id=S")
	two, _ := s.hello("/?session_id=S")
	var running sync.WaitGroup
	for _, p := range []*peer{one, two} {
		running.Go(func() {
			for i := range messages {
				for range 3 {
					p.say(fmt.Sprintf(`{"action":"user_message","message":"m%d","id":"m%d"}`, i, i))
				}
			}
		})
		running.Go(func() {
			acks := map[string]int{}
			over := map[int64]bool{}
			for n := 0; n < 3*messages || len(over) < messages; {
				switch f := p.next(); f.Action {
				case payload.AckAction:
					acks[f.ID]++
					n++
				case payload.ErrorAction: // busy: the client may send it again
					p.say(fmt.Sprintf(`{"action":"user_message","message":%q,"id":%q}`, f.ID, f.ID))
				case payload.TurnFinishedAction:
					over[*f.Turn] = true
				}
			}
			for id, n := range acks {
				if n != 3 {
					t.Errorf("%s is acknowledged %d times", id, n)
				}
			}
		})
	}
	running.Wait()
	one.conn.CloseNow()
	two.conn.CloseNow()
	s.stop()
	said := map[string]int{}
	_, stored, _ := store.Stored("S")
	for _, m := range stored {
		said[fmt.Sprint(m.IsUser, string(m.Content))]++
	}
	for key, n := range said {
		if n != 1 {
			t.Errorf("%s is stored %d times", key, n)
		}
	}
	if len(said) != 2*messages {
		t.Errorf("%d messages and answers are stored, want %d", len(said), 2*messages)
	}
}
