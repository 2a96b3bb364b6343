package agent

import (
	"context"
	"fmt"
	"slices"
	"time"

	"docent/internal/fault"
	"docent/payload"
)

// Bounds of what one turn may leave behind.
const (
	// MaxReplies bounds what one turn may say, in messages.
	MaxReplies = 100
	// MaxSteps bounds the steps of reasoning and task lists of one turn.
	MaxSteps = 5000
)

// record is what a turn leaves in the session's record: messages and steps in
// one order. It is guarded by its turn's mu.
type record struct {
	entries []*entry
	stored  int   // of entries, counted from the first
	sent    int   // of those, what clients have with its seq
	after   int64 // seq of the session when the turn last knew what is stored
	doubt   bool  // entries after stored may be stored all the same
	replies int   // messages among entries
	steps   int   // others
	shown   int64 // counts provisional frames
	timer   *time.Timer
	armed   bool           // the timer will flush
	talk    []*ChatMessage // what was said in the turn, by all
	resumed bool           // steps may be stored that are not among entries
	// earlier is the message that steps belong to which were stored before it
	// was known; earlierID the same if it was stored before the turn spoke.
	earlier   *entry
	earlierID int64
}

// entry is one thing in a turn's record. One of message and step is set.
type entry struct {
	message *ChatMessage
	step    *ReasoningRecord
	answer  *entry // of a step, the message that closed its loop
	linked  bool   // of a step, that its message is known
	shown   bool   // BAF's clients have it
	silent  bool   // they are not to have it
}

func (e *entry) id() int64 {
	if e.message != nil {
		return e.message.ID
	}
	return e.step.ID
}

// say adds a message.
func (r *record) say(m ChatMessage, silent bool) error {
	if r.replies >= MaxReplies {
		return fault.New(fault.Invalid, "a turn may have at most %d replies", MaxReplies)
	}
	r.add(m, silent)
	return nil
}

func (r *record) add(m ChatMessage, silent bool) {
	r.replies++
	r.entries = append(r.entries, &entry{message: &m, silent: silent})
	r.talk = append(r.talk, &m)
}

// stopped says that a turn was stopped, if it has said nothing. Reasoning that
// was cut short ends with it.
func (r *record) stopped(t *turn, now time.Time) {
	if t.number != 0 && r.replies == 0 {
		r.add(ChatMessage{Turn: t.number, ClientID: StoppedID, Type: payload.TypeStr, Content: marshaled("Stopped."), Time: now}, false)
	}
	r.link(t.began)
}

// apologize adds to what a turn said that it failed: the conversation would
// show a question without an answer otherwise. For what no event began nobody
// waits. Reasoning that was cut short ends with it.
func (r *record) apologize(t *turn, failed error, now time.Time) {
	if t.number != 0 {
		r.add(ChatMessage{Turn: t.number, ClientID: FailedID, Type: payload.TypeStr, Content: marshaled(apology(failed)), Time: now}, false)
	}
	r.link(t.began)
}

// link makes the newest message the one that all steps without one belong to.
func (r *record) link(began *pending) {
	var newest *entry
	for _, e := range slices.Backward(r.entries) {
		if e.message != nil && !e.message.IsUser {
			newest = e
			break
		}
	}
	if r.resumed {
		r.earlier = newest
	}
	for i, e := range r.entries {
		if e.step == nil || e.linked {
			continue
		}
		switch {
		case i >= r.stored && newest != nil:
			e.answer = newest
		case newest != nil:
			r.earlier, r.earlierID = newest, 0
		case began == nil || began.message.ID == 0:
			continue
		case i >= r.stored:
			e.step.ChatID = began.message.ID
		default:
			r.earlierID = began.message.ID
		}
		e.linked = true
	}
}

// batch are the entries that are not stored, as the store wants them.
func (r *record) batch() []Entry {
	fresh := r.entries[r.stored:]
	out := make([]Entry, len(fresh))
	for i, e := range fresh {
		out[i] = Entry{Message: e.message, Step: e.step}
		if e.answer == nil {
			continue
		}
		if at := slices.Index(fresh, e.answer); at >= 0 {
			out[i].Answer = at + 1
		} else {
			linked := *e.step
			linked.ChatID = e.answer.id()
			out[i].Step = &linked
		}
	}
	return out
}

// links completes a turn's record with what earlier steps belong to.
func (r *record) links(into *TurnRecord) {
	into.LinkEarlierTo = r.earlierID
	if r.earlier == nil {
		return
	}
	if at := slices.Index(r.entries[r.stored:], r.earlier); at >= 0 {
		into.LinkEarlier = at + 1
	} else {
		into.LinkEarlierTo = r.earlier.id()
	}
}

// wrote takes over the ids and seqs of entries that are stored now.
func (r *record) wrote(entries []Entry) {
	for _, w := range entries {
		if r.stored == len(r.entries) {
			return
		}
		e := r.entries[r.stored]
		switch {
		case e.message != nil && w.Message != nil:
			e.message.ID, e.message.Seq = w.Message.ID, w.Message.Seq
			r.after = max(r.after, w.Message.Seq)
		case e.step != nil && w.Step != nil:
			e.step.ID, e.step.Seq = w.Step.ID, w.Step.Seq
			r.after = max(r.after, w.Step.Seq)
		}
		r.stored++
	}
}

// Attempts of a commit, and the pause before the second; it doubles.
const (
	commitAttempts = 4
	commitPause    = 100 * time.Millisecond
)

// commit writes a turn's record, with the entries of t if it is not nil. It
// tries again while the store does not answer, and goes on when the turn's own
// context has ended.
func (c *conversation) commit(ctx context.Context, t *turn, record TurnRecord) (Written, error) {
	ctx = context.WithoutCancel(ctx)
	pause := commitPause
	for attempt := 1; ; attempt++ {
		written, err := c.commitOnce(ctx, t, record)
		switch {
		case err == nil:
			return written, nil
		case fault.KindOf(err) == fault.NotFound:
			c.lose(err, nil)
			return Written{}, err
		case attempt == commitAttempts || !fault.KindOf(err).Retryable():
			return Written{}, fmt.Errorf("commit turn %d of session %s: %w", record.Turn, c.key.ID, err)
		}
		select {
		case <-time.After(pause):
		case <-c.rt.closing: // try at once, then give up
			attempt = commitAttempts - 1
		}
		pause *= 2
	}
}

func (c *conversation) commitOnce(ctx context.Context, t *turn, record TurnRecord) (Written, error) {
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	if t != nil {
		if err := c.resolve(ctx, t); err != nil {
			return Written{}, err
		}
		t.mu.Lock()
		record.Entries = t.record.batch()
		if !record.Partial {
			t.record.links(&record)
		}
		t.mu.Unlock()
	}
	written, err := c.rt.cfg.Store.CommitTurn(ctx, record)
	c.counted()
	if t == nil {
		return written, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil { // other commits are written once, however often they are tried
		t.record.doubt = t.record.doubt || len(record.Entries) > 0 && (record.Partial || record.Turn == 0)
	} else if !written.Repeated {
		t.record.wrote(written.Entries)
	}
	return written, err
}

// counted counts a commit.
func (c *conversation) counted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commits++
}

// resolve finds out whether entries are stored although writing them failed.
func (c *conversation) resolve(ctx context.Context, t *turn) error {
	t.mu.Lock()
	doubt, after := t.record.doubt, t.record.after
	t.mu.Unlock()
	if !doubt {
		return nil
	}
	query := MessageQuery{After: after, Turn: t.number}
	messages, err := c.rt.cfg.Store.Messages(ctx, c.record.RowID, query)
	if err != nil {
		return fmt.Errorf("look for what was said: %w", err)
	}
	steps, err := c.rt.cfg.Store.Steps(ctx, c.record.RowID, query)
	if err != nil {
		return fmt.Errorf("look for steps: %w", err)
	}
	messages = slices.DeleteFunc(messages, func(m ChatMessage) bool { return m.IsUser || m.Turn != t.number })
	steps = slices.DeleteFunc(steps, func(r ReasoningRecord) bool { return r.Turn != t.number })
	found := merge(messages, steps)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.record.doubt = false
	t.record.wrote(found)
	return nil
}

func (e Entry) seq() int64 {
	if e.Message != nil {
		return e.Message.Seq
	}
	return e.Step.Seq
}
