package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// chance is a source of randomness for several goroutines.
type chance struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (c *chance) n(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.r.IntN(n)
}

// pause waits for up to 30 ms. ctx may be nil.
func (c *chance) pause(ctx context.Context) error {
	select {
	case <-time.After(time.Duration(c.n(30)) * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// flaky is a slow store that sometimes fails, before or after the operation.
type flaky struct {
	*agenttest.Store
	*chance
	one atomic.Int32 // one call in so many fails; 0 means none
}

var errFlaky = fault.New(fault.Unavailable, "test_sentence", "the store does not answer")

func (f *flaky) fails() bool {
	one := f.one.Load()
	return one > 0 && f.n(int(one)) == 0
}

func (f *flaky) around(ctx context.Context, do func() error) error {
	if err := f.pause(ctx); err != nil {
		return err
	}
	if f.fails() {
		return errFlaky
	}
	if err := do(); err != nil {
		return err
	}
	if err := f.pause(ctx); err != nil {
		return err
	}
	if f.fails() {
		return errFlaky
	}
	return nil
}

func (f *flaky) Receive(ctx context.Context, in journal.Incoming) (r journal.Receipt, err error) {
	err = f.around(ctx, func() error { r, err = f.Store.Receive(ctx, in); return err })
	return r, err
}

func (f *flaky) CommitTurn(ctx context.Context, turn journal.TurnRecord) (w journal.Written, err error) {
	err = f.around(ctx, func() error { w, err = f.Store.CommitTurn(ctx, turn); return err })
	return w, err
}

func (f *flaky) ResetSession(ctx context.Context, session, fence int64) (seq int64, err error) {
	err = f.around(ctx, func() error { seq, err = f.Store.ResetSession(ctx, session, fence); return err })
	return seq, err
}

// tape is a client of docent.v1 that keeps the stored frames.
type tape struct {
	mu     sync.Mutex
	last   int64 // newest sequence number
	have   map[int64]payload.Frame
	synced *payload.Synced
	opened session.Opened
	gone   bool // the session has left memory
	faults []string
}

func newTape() *tape { return &tape{have: map[int64]payload.Frame{}} }

func (p *tape) Opened(o session.Opened) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened, p.synced = o, nil
	if o.Seq < p.last {
		p.faults = append(p.faults, fmt.Sprintf("the session is at %d, and the client at %d", o.Seq, p.last))
	}
}

// Gone implements session.Leaver.
func (p *tape) Gone(error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
}

// left reports, once, whether the session has left memory. The client then comes back.
func (p *tape) left() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.gone
	p.gone = false
	return left
}

func (p *tape) forget(seq int64) {
	for have := range p.have {
		if have <= seq {
			delete(p.have, have)
		}
	}
	p.last = max(p.last, seq)
}

// add keeps a stored frame.
func (p *tape) add(f payload.Frame, seq int64) {
	if seq != p.last+1 {
		p.faults = append(p.faults, fmt.Sprintf("after %d comes %d: %s %s", p.last, seq, f.Action, f.Message))
	}
	p.last, p.have[seq] = seq, f
}

func (p *tape) Deliver(d session.Delivery) {
	if d.Audience == session.Plain {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f := d.Frame
	decode := func(to any) {
		if err := json.Unmarshal(f.Message, to); err != nil {
			p.faults = append(p.faults, err.Error())
		}
	}
	switch {
	case f.Action == payload.SyncedAction:
		p.synced = &payload.Synced{}
		decode(p.synced)
		if p.synced.Seq < p.last || p.synced.Turns == nil {
			p.faults = append(p.faults, fmt.Sprintf("at %d comes synced %s", p.last, f.Message))
		}
		p.last = p.synced.Seq // a reset with an unknown outcome removed the missing entries
	case f.Action == payload.SessionResetAction:
		var r payload.SessionReset
		decode(&r)
		p.forget(r.Seq)
	case p.synced == nil && f.Action != payload.TurnSnapshotAction:
		p.faults = append(p.faults, fmt.Sprintf("before synced comes %s %s", f.Action, f.Message))
	case f.Action == payload.AckAction:
		var ack payload.Ack
		decode(&ack)
		if !ack.Duplicate || ack.Seq > p.last { // of a repeated message with an unknown outcome
			p.add(f, ack.Seq)
		}
	case f.Seq != 0:
		p.add(f, f.Seq)
	}
}

// open joins the session and catches up, at first with all stored entries.
func (p *tape) open(ctx context.Context, rt *session.Runtime, pause func()) (*session.Subscription, error) {
	p.mu.Lock()
	after := p.last
	p.mu.Unlock()
	sub, err := rt.Open(ctx, session.OpenRequest{ID: "S", After: &after}, p)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.forget(p.opened.ResetSeq)
	p.mu.Unlock()
	err = sub.CatchUp(ctx, func(e journal.Entry) bool {
		pause()
		p.mu.Lock()
		defer p.mu.Unlock()
		f := e.Frame()
		p.add(f, f.Seq)
		return true
	})
	if err != nil {
		sub.Close()
		return nil, err
	}
	return sub, nil
}

// check compares the tape with the store.
func (p *tape) check(t *testing.T, name string, store *agenttest.Store) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.faults) > 0 {
		t.Errorf("%s: %s", name, strings.Join(p.faults[:min(3, len(p.faults))], "; "))
		return
	}
	stored := store.Record("S")
	if len(stored) != len(p.have) {
		t.Errorf("%s has %d entries of %d", name, len(p.have), len(stored))
	}
	for _, e := range stored {
		want := e.Frame()
		got, ok := p.have[want.Seq]
		switch {
		case !ok:
			t.Errorf("%s misses %d: %s %s", name, want.Seq, want.Action, want.Message)
		case got.Action == payload.AckAction:
			if want.Action != payload.UserMessage && want.Action != payload.UserFile || got.ID != want.ID || got.Replaces != want.Replaces {
				t.Errorf("%s: acknowledged %s of %s", name, got.ID, want.Action)
			}
		case want.Action == payload.ErrorAction && got.Action == want.Action: // the store has less of it
		case got.Action != want.Action || string(got.Message) != string(want.Message),
			*got.Turn != *want.Turn || got.ID != want.ID || got.Replaces != want.Replaces:
			t.Errorf("%s: %d is %s %s, stored is %s %s", name, want.Seq, got.Action, got.Message, want.Action, want.Message)
		}
	}
}

// chatty returns a body that does random things.
func chatty(c *chance) agent.Body {
	return func(ctx context.Context, s *agent.Session) error {
		for range 1 + c.n(6) {
			err := speak(ctx, s, c)
			if err != nil {
				return err
			}
			if err := c.pause(ctx); err != nil {
				return context.Cause(ctx)
			}
		}
		return nil
	}
}

func speak(ctx context.Context, s *agent.Session, c *chance) error {
	switch c.n(12) {
	case 0, 1:
		return s.Reply(ctx, s.Message())
	case 2:
		return s.ReplyReasoningStep(ctx, payload.ReasoningStep{Kind: payload.StepText, Summary: "hm"})
	case 3:
		return s.ReplyTaskList(ctx, []payload.Task{{Description: "do"}})
	case 4:
		return s.SaveMessage(ctx, payload.TypeMarkdown, false, "saved")
	case 5:
		return s.SaveMessage(ctx, payload.TypeStr, true, "said elsewhere")
	case 6:
		return s.SaveMessage(ctx, "unheard of", c.n(2) == 0, map[string]int{"n": 1})
	case 7:
		return s.SaveReasoningEvent(ctx, payload.ReasoningStep{Kind: payload.StepText, Summary: "quietly"})
	case 8:
		if err := s.Flush(ctx); err != nil && fault.KindOf(err) != fault.Unavailable {
			return err
		}
		return nil
	case 9:
		return s.Stream(ctx, "piece ")
	case 10:
		if c.n(4) == 0 {
			return errors.New("it failed")
		}
		return s.Set("n", c.n(9))
	default:
		if c.n(20) == 0 && s.Event().ID != 0 {
			return s.Reset(ctx)
		}
		return s.ReplyMarkdown(ctx, "*hm*")
	}
}

// babble lets a client do random things until the end. The client leaves and comes back.
func babble(ctx context.Context, rt *session.Runtime, p *tape, c *chance, name string) error {
	var sub *session.Subscription
	for n := range 25 {
		if err := c.pause(ctx); err != nil {
			return err
		}
		if sub != nil && p.left() {
			sub.Close()
			sub = nil
		}
		if sub == nil {
			var err error
			if sub, err = p.open(ctx, rt, func() { _ = c.pause(ctx) }); fault.KindOf(err) == fault.Unavailable && p.left() {
				continue
			} else if err != nil {
				return err
			}
		}
		id := fmt.Sprint(name, " ", n)
		var err error
		switch c.n(14) {
		case 0:
			sub.Close()
			sub = nil
		case 1:
			err = sub.Stop(ctx, int64(c.n(2)*c.n(10)))
		case 2:
			if c.n(4) == 0 {
				err = sub.Reset(ctx)
			}
		case 3:
			err = sub.Revise(ctx, session.Revision{Turn: int64(1 + c.n(10)), ID: id})
		case 4:
			err = sub.Revise(ctx, session.Revision{Turn: int64(1 + c.n(10)), ID: id, Content: quoted("better")})
		case 5:
			err = rt.Dispatch(ctx, "S", agent.Event{Name: "bell"})
		case 6:
			err = sub.SendFile(ctx, session.File{ID: id, File: payload.NewFile("a.txt", "", []byte("hi"))})
		case 7: // repeats the last message, if there was one
			before := fmt.Sprint(name, " ", n-1)
			err = sub.Send(ctx, session.Message{ID: before, Content: quoted("hi " + before), Human: true})
		default:
			err = sub.Send(ctx, session.Message{ID: id, Content: quoted("hi " + id), Human: true})
		}
		switch fault.KindOf(err) {
		case fault.Internal:
			if err != nil {
				return err
			}
		default: // busy, unavailable, or no turn to revise
		}
	}
	if sub == nil {
		var err error
		if sub, err = p.open(ctx, rt, func() {}); err != nil {
			return err
		}
	}
	context.AfterFunc(ctx, sub.Close)
	return nil
}

// Clients, bodies, and a flaky store run at the same time. Each streaming client receives each
// stored entry once, in the order of sequence numbers, even if it leaves and comes back.
func TestOneOrder(t *testing.T) {
	t.Parallel()
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	base := rand.Uint64()
	for i := range rounds {
		seed := base + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { oneOrder(t, seed) })
		})
	}
}

func oneOrder(t *testing.T, seed uint64) {
	c := &chance{r: rand.New(rand.NewPCG(seed, 0))}
	store := agenttest.NewStore()
	kept := &flaky{Store: store, chance: c}
	kept.one.Store([]int32{0, 8, 40}[c.n(3)])
	a := agent.New("chatty")
	one := a.State("one", agent.Initial)
	one.Body(chatty(c))
	one.OnEvent().GoTo(one)
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: kept, FlushAfter: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	tapes := map[string]*tape{}
	var wait sync.WaitGroup
	for _, name := range []string{"ada", "bob", "eve"} {
		p := newTape()
		tapes[name] = p
		wait.Go(func() {
			if err := babble(ctx, rt, p, c, name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	wait.Wait()
	kept.one.Store(0)
	<-time.After(10 * time.Minute)
	for name, p := range tapes {
		if !p.left() {
			continue
		}
		sub, err := p.open(ctx, rt, func() {})
		if err != nil {
			t.Fatalf("%s comes back: %v", name, err)
		}
		context.AfterFunc(ctx, sub.Close)
	}
	// Entries of a write with an unknown outcome arrive with the next stored entry.
	if err := rt.Dispatch(ctx, "S", agent.Event{Name: agent.EventText, Text: "last"}); err != nil {
		t.Errorf("at last: %v", err)
	}
	<-time.After(time.Minute)
	synctest.Wait()
	stop(t, rt)
	for name, p := range tapes {
		p.check(t, name, store)
	}
	leave()
}
