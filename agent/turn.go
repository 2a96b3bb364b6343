package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// question is a stored message that waits for its turn.
type question struct {
	message ChatMessage
	event   Event
	// history are the messages before it; fresh tells that nothing was said
	// between storing it and its turn.
	history []ChatMessage
	fresh   bool
}

// turn is what is made of one event, until it is committed.
type turn struct {
	number int64
	question

	state       *State
	vars        variables
	replies     []ChatMessage
	transitions []TransitionRecord
	usage       *payload.Usage
}

// count adds tokens of a model.
func (t *turn) count(u *rag.Usage) {
	if u == nil {
		return
	}
	if t.usage == nil {
		t.usage = &payload.Usage{}
	}
	t.usage.PromptTokens += u.Prompt
	t.usage.CompletionTokens += u.Completion
}

// errReset is why a turn's context ended when its session was reset.
var errReset = fault.New(fault.Canceled, "the conversation was reset")

// greet runs the initial state's body.
func (c *conversation) greet(ctx context.Context) {
	t := c.begin()
	err := c.enter(ctx, t, t.state.body)
	c.finish(ctx, t, err)
}

// answer runs the turn of a user's message.
func (c *conversation) answer(ctx context.Context, q question) {
	t := c.begin()
	t.number, t.question = q.message.Turn, q
	body := t.state.fallback
	if tr := t.state.transition(t.event); tr != nil {
		t.transitions = append(t.transitions, TransitionRecord{
			Source: t.state.name, Dest: tr.dest.name, Event: tr.event, Time: c.rt.cfg.Now(),
		})
		t.state = tr.dest
		body = tr.dest.body
	}
	err := c.enter(ctx, t, body)
	c.finish(ctx, t, err)
}

func (c *conversation) begin() *turn {
	return &turn{state: c.state, vars: variables{stored: c.record.Variables}}
}

// enter runs a body and contains its panics.
func (c *conversation) enter(ctx context.Context, t *turn, body Body) (err error) {
	if body == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = newPanicError(p, debug.Stack())
		}
	}()
	return body(ctx, &Session{conversation: c, turn: t})
}

// finish commits a turn, whether its body failed or not, and then sends what
// it said.
func (c *conversation) finish(ctx context.Context, t *turn, failed error) {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errReset): // what it did is about to be removed
		c.settle()
		c.end(t.number, payload.TurnFinished{Outcome: payload.Failed})
		return
	case errors.Is(cause, errInterrupted), errors.Is(cause, errDeleted): // it runs again after the restart, or never
		return
	}
	if failed != nil {
		c.logError(ctx, "state body failed", failed, "turn", t.number, "state", t.state.name)
	}
	replies, err := c.commit(ctx, TurnRecord{
		Session: c.record.RowID, Turn: t.number, Replies: c.withApology(t, failed), State: t.state.name,
		Set: t.vars.set, Delete: t.vars.removed(), Transitions: t.transitions,
	})
	if err != nil {
		c.logError(ctx, "commit turn", err, "turn", t.number)
		c.keep(t)
		c.settle()
		c.fail(t, err, nil)
		return
	}
	c.state, c.record.Variables = t.state, t.vars.merged()
	c.done = max(c.done, t.number)
	c.settle()
	c.say(replies)
	if n := len(replies); failed != nil && (n == 0 || replies[n-1].ClientID == FailedID) { // else it was answered elsewhere
		c.fail(t, failed, replies)
		return
	}
	c.end(t.number, payload.TurnFinished{Outcome: payload.Done, Usage: t.usage})
}

// settle tells that the turn at hand is over, before the clients hear of it: a
// message that is sent again from then on is sent after its turn.
func (c *conversation) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn = 0
}

// withApology adds to the replies of a turn that failed one that says so: the
// conversation would show a question without an answer otherwise. Nobody waits
// for a greeting.
func (c *conversation) withApology(t *turn, failed error) []ChatMessage {
	if failed == nil || t.number == 0 {
		return t.replies
	}
	content, err := payload.Marshal(apology(failed))
	if err != nil { // strings always encode
		return t.replies
	}
	return append(t.replies, ChatMessage{
		Turn: t.number, ClientID: FailedID, Type: payload.TypeStr, Content: content, Time: c.rt.cfg.Now(),
	})
}

// say sends replies that are stored, but for apologies, which fail sends.
func (c *conversation) say(replies []ChatMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range replies {
		c.seq = max(c.seq, m.Seq)
		if m.ClientID == FailedID {
			continue
		}
		if frame, ok := stored(m); ok {
			c.deliverLocked(Delivery{Frame: frame})
		}
	}
}

// fail tells the clients that a turn failed, with the apology's seq if that is
// among the replies stored.
func (c *conversation) fail(t *turn, err error, replies []ChatMessage) {
	var seq int64
	if n := len(replies); n > 0 && replies[n-1].ClientID == FailedID {
		seq = replies[n-1].Seq
	}
	for _, d := range Failure(err, t.message.ClientID) {
		d.Frame.Time, d.Frame.Turn, d.Frame.Seq = c.rt.cfg.Now(), &t.number, seq
		c.deliver(d)
	}
	c.end(t.number, payload.TurnFinished{Outcome: payload.Failed, Usage: t.usage})
}

// end tells the clients that stream that a turn is over. The greeting answers
// nothing, so nobody waits for its end.
func (c *conversation) end(turn int64, f payload.TurnFinished) {
	if turn != 0 {
		c.stream(turn, payload.TurnFinishedAction, f)
	}
}

// Attempts of a commit, and the pause before the second; it doubles.
const (
	commitAttempts = 4
	commitPause    = 100 * time.Millisecond
)

// commit writes a turn. It tries again while the store does not answer, and
// goes on when the turn's own context has ended.
func (c *conversation) commit(ctx context.Context, record TurnRecord) ([]ChatMessage, error) {
	ctx = context.WithoutCancel(ctx)
	pause := commitPause
	for attempt := 1; ; attempt++ {
		replies, err := c.commitOnce(ctx, record)
		switch {
		case err == nil:
			return replies, nil
		case fault.KindOf(err) == fault.NotFound:
			c.lose(err, nil)
			return nil, err
		case attempt == commitAttempts || !fault.KindOf(err).Retryable():
			return nil, fmt.Errorf("commit turn %d of session %s: %w", record.Turn, c.key.ID, err)
		}
		select {
		case <-time.After(pause):
		case <-c.rt.closing: // try at once, then give up
			attempt = commitAttempts - 1
		}
		pause *= 2
	}
}

func (c *conversation) commitOnce(ctx context.Context, record TurnRecord) ([]ChatMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	return c.rt.cfg.Store.CommitTurn(ctx, record)
}

// keep remembers a message whose turn could not be committed: sent again with
// its id, it is answered.
func (c *conversation) keep(t *turn) {
	if t.message.ClientID == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.failed = map[int64]ChatMessage{}
	}
	if len(c.failed) < c.rt.cfg.MailboxSize {
		c.failed[t.number] = t.message
	}
}

// errDeleted is why a conversation ends whose session has been deleted.
var errDeleted = fault.New(fault.NotFound, "the conversation was deleted")

// lose ends a conversation whose session has been deleted, and tells its clients
// but the one that gets err from its own call, if any.
func (c *conversation) lose(err error, caller *Subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		for _, s := range c.listeners {
			if l, ok := s.listener.(Leaver); ok && s != caller {
				l.Gone()
			}
		}
	}
	c.endLocked(err)
	for _, w := range c.queue {
		c.release(w)
	}
	c.queue = nil
	c.interrupt(errDeleted)
}
