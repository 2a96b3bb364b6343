package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
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
	again   bool  // the turn was committed, and no answer came
	replies int   // messages among entries
	steps   int   // others
	runs    int   // of reasoning, that have begun and not finished
	shown   int64 // counts provisional frames
	timer   *time.Timer
	armed   bool                 // the timer will flush
	talk    []*agent.ChatMessage // what was said in the turn, by all
	draft   []byte               // what was streamed and clients have no reply or step for
	fresh   int                  // where of it begins what no reply was said for
	resumed bool                 // steps may be stored that are not among entries
	begun   *begun               // the answer that the newest of what was streamed is from
}

// begun is what an answer from documents is, if its turn is stopped now.
type begun struct {
	text   string // what was streamed of it
	answer payload.RAGMessage
}

// entry is one thing in a turn's record. One of message and step is set.
type entry struct {
	message *agent.ChatMessage
	step    *agent.ReasoningRecord
	answer  *entry // of a step, the message that closed its loop
	linked  bool   // of a step, that its message is known
	late    bool   // and that it was stored without it
	shown   bool   // BAF's clients have it
	silent  bool   // they are not to have it
}

func (e *entry) id() int64 {
	if e.message != nil {
		return e.message.ID
	}
	return e.step.ID
}

// room counts a step, and reports whether there is room for it. Every
// reasoning_started keeps room for its reasoning_finished.
func (r *record) room(kind payload.StepKind) bool {
	keep := r.runs
	switch {
	case kind == payload.StepStarted:
		keep++
	case kind == payload.StepFinished && r.runs > 0:
		keep--
	}
	if r.steps+keep >= MaxSteps {
		return false
	}
	r.steps++
	r.runs = keep
	return true
}

// say adds a message.
func (r *record) say(m agent.ChatMessage, silent bool) error {
	if r.replies >= MaxReplies {
		return fault.New(fault.Invalid, "a turn may have at most %d replies", MaxReplies)
	}
	r.add(m, silent)
	return nil
}

func (r *record) add(m agent.ChatMessage, silent bool) {
	r.fresh = len(r.draft)
	r.replies++
	r.entries = append(r.entries, &entry{message: &m, silent: silent})
	r.talk = append(r.talk, &m)
}

// maxDraft bounds the streamed text that a stopped turn keeps, in bytes.
const maxDraft = 64 << 10

// stream remembers a piece of a reply in the making.
func (r *record) stream(delta string) {
	if room := MaxSnapshotText - len(r.draft); room > 0 {
		r.draft = append(r.draft, delta[:min(room, len(delta))]...)
	}
}

// replaced forgets what was streamed and clients have a reply for.
func (r *record) replaced() { r.draft, r.fresh = r.draft[r.fresh:], 0 }

// is reports whether the answer is all that was streamed and not said; of what
// is very long not all is remembered.
func (b *begun) is(unsaid []byte) bool {
	return b != nil && len(unsaid) > 0 && strings.HasPrefix(b.text, string(unsaid))
}

// kept is what a turn that was stopped, or failed, keeps of what it has
// streamed: its type, and the message, which ends with the note if it is text.
// The type is "" if there is nothing to keep.
func (r *record) kept(note string) (chatType string, content json.RawMessage) {
	unsaid := r.draft[r.fresh:]
	text := rag.Unmarked(rag.Clean(strings.ToValidUTF8(string(unsaid[:min(len(unsaid), maxDraft)]), "")))
	if r.begun.is(unsaid) {
		content, err := payload.Marshal(r.begun.answer)
		switch {
		case r.begun.answer.Answer == "":
			text = ""
		case err == nil && agent.CheckWithin(content, agent.MaxJSONDepth, agent.MaxExponents) == nil: // else it is Markdown
			return payload.TypeRAG, content
		}
	}
	if text == "" {
		return "", nil
	}
	return payload.TypeMarkdown, agent.JSONString(text + note)
}

// stopped says that a turn was stopped, if it has said nothing, after what it
// has streamed: an answer from documents as one, else as Markdown. Reasoning that was cut short ends with it.
func (r *record) stopped(t *turn, now time.Time) {
	asked := !t.result.Stopped || t.began.message.Type != "" // else it was an event that waited, of which the record knows nothing
	if t.number != 0 && r.replies == 0 && asked {
		chatType, content := r.kept("\n\n*Stopped.*")
		if chatType == "" {
			chatType, content = payload.TypeStr, agent.JSONString("Stopped.")
		}
		r.add(agent.ChatMessage{Turn: t.number, ClientID: agent.StoppedID, Type: chatType, Content: content, Time: now}, false)
	}
	r.link(t.began)
}

// apologize adds to what a turn said, and to what it has streamed since, that it
// failed: the conversation would show a question without an answer otherwise,
// and what people have read already would be gone. For what no event began
// nobody waits. Reasoning that was cut short ends with it.
func (r *record) apologize(t *turn, failed error, now time.Time) {
	if t.number != 0 {
		if chatType, content := r.kept(""); chatType != "" && r.replies < MaxReplies {
			r.add(agent.ChatMessage{Turn: t.number, ClientID: agent.StoppedID, Type: chatType, Content: content, Time: now}, false)
		}
		r.add(agent.ChatMessage{Turn: t.number, ClientID: agent.FailedID, Type: payload.TypeStr, Content: agent.JSONString(apology(failed)), Time: now}, false)
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
	for i, e := range r.entries {
		if e.step == nil || e.linked {
			continue
		}
		switch {
		case newest != nil:
			e.answer = newest
		case began == nil || began.message.ID == 0:
			continue
		default:
			e.step.ChatID = began.message.ID
		}
		e.linked, e.late = true, i < r.stored
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

// links are the messages of steps that were stored without them.
func (r *record) links() []Link {
	var out []Link
	fresh := r.entries[r.stored:]
	if r.resumed && len(fresh) > 0 { // the apology closes what was cut short
		out = append(out, Link{Answer: len(fresh)})
	}
	for _, e := range r.entries[:r.stored] {
		if !e.late {
			continue
		}
		l := Link{Step: e.step.ID, Chat: e.step.ChatID}
		if e.answer != nil {
			l.Answer = slices.Index(fresh, e.answer) + 1
			l.Chat = e.answer.id() // 0 if it is fresh
		}
		out = append(out, l)
	}
	return out
}

// wrote takes over the ids and seqs of entries that are stored now. Those found
// in the record of a session, in its order, may have others among them.
func (r *record) wrote(entries []Entry) {
	for _, w := range entries {
		if r.stored == len(r.entries) {
			return
		}
		e := r.entries[r.stored]
		if !e.is(w) {
			continue
		}
		if e.message != nil {
			e.message.ID, e.message.Seq = w.Message.ID, w.Message.Seq
		} else {
			e.step.ID, e.step.Seq = w.Step.ID, w.Step.Seq
			e.late = e.linked && w.Step.ChatID == 0 // it was told while it was written
		}
		r.after = max(r.after, w.seq())
		r.stored++
	}
}

// is reports whether an entry is the one that was stored so. Two of a turn that
// are alike in all this have the same order in both.
func (e *entry) is(w Entry) bool {
	if m := e.message; m != nil {
		return w.Message != nil && m.Type == w.Message.Type && m.IsUser == w.Message.IsUser && sameTime(m.Time, w.Message.Time)
	}
	r := e.step
	return w.Step != nil && r.Kind == w.Step.Kind && r.StepKind == w.Step.StepKind && sameTime(r.Time, w.Step.Time)
}

// sameTime compares as precisely as databases keep times.
func sameTime(a, b time.Time) bool {
	return a.Truncate(time.Microsecond).Equal(b.Truncate(time.Microsecond))
}

// Attempts of a commit, and the pause before the second; it doubles.
const (
	commitAttempts = 4
	commitPause    = 100 * time.Millisecond
)

// commit writes a turn's record, with the entries of t if it is not nil, and
// calls then, if it is not nil, in order. It tries again while the store does not
// answer, and goes on when the turn's own context has ended.
func (c *conversation) commit(ctx context.Context, t *turn, record TurnRecord, then func(Written) error) error {
	ctx = context.WithoutCancel(ctx)
	pause := commitPause
	for attempt := 1; ; attempt++ {
		err := c.commitOnce(ctx, t, record, then)
		switch {
		case err == nil:
			return nil
		case fault.KindOf(err) == fault.NotFound:
			c.lose(err, nil)
			return err
		case attempt == commitAttempts || !fault.KindOf(err).Retryable():
			return fmt.Errorf("commit turn %d of session %s: %w", record.Turn, c.key.ID, err)
		}
		select {
		case <-time.After(pause):
		case <-c.rt.closing: // try at once, then give up
			attempt = commitAttempts - 1
		}
		pause *= 2
	}
}

// commitOnce writes a turn's record and calls then, if it is not nil, in order.
func (c *conversation) commitOnce(ctx context.Context, t *turn, record TurnRecord, then func(Written) error) error {
	return c.inOrder(ctx, func() error {
		written, err := c.write(ctx, t, record)
		if err != nil || then == nil {
			return err
		}
		return then(written)
	})
}

func (c *conversation) write(ctx context.Context, t *turn, record TurnRecord) (Written, error) {
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	if t != nil {
		if err := c.resolve(ctx, t); err != nil {
			return Written{}, err
		}
		t.mu.Lock()
		record.Entries = t.record.batch()
		if !record.Partial {
			record.Links, record.Again = t.record.links(), t.record.again
		}
		t.mu.Unlock()
	}
	began := time.Now()
	written, err := c.rt.cfg.Store.CommitTurn(ctx, record)
	c.rt.meters.commits.Observe(time.Since(began))
	c.counted()
	if t == nil {
		return written, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil { // the end of a turn that an event began is written once, however often it is tried
		t.record.doubt = t.record.doubt || len(record.Entries) > 0 && (record.Partial || record.Turn == 0)
		t.record.again = t.record.again || !record.Partial
		return written, err
	}
	t.record.wrote(written.Entries) // of a repeated one, what is the turn's own
	return written, nil
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
	query := MessageQuery{After: after, Turn: t.number, MaxContent: NoContent}
	messages, err := c.rt.cfg.Store.Messages(ctx, c.record.RowID, query)
	if err != nil {
		return fmt.Errorf("look for what was said: %w", err)
	}
	steps, err := c.rt.cfg.Store.Steps(ctx, c.record.RowID, query)
	if err != nil {
		return fmt.Errorf("look for steps: %w", err)
	}
	messages = slices.DeleteFunc(messages, func(m agent.ChatMessage) bool { return m.Turn != t.number })
	steps = slices.DeleteFunc(steps, func(r agent.ReasoningRecord) bool { return r.Turn != t.number })
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
