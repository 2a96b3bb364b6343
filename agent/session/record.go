package session

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/agent/session/queue"
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
// one order. The conversation's mu guards it.
type record struct {
	entries []*entry
	stored  int                  // of entries, counted from the first
	sent    int                  // of those, what clients have with its seq
	replies int                  // messages among entries
	steps   int                  // others
	runs    int                  // of reasoning, that have begun and not finished
	shown   int64                // counts provisional frames
	flushAt time.Time            // when it is stored although the turn goes on; zero if at its end
	talk    []*agent.ChatMessage // what was said in the turn, by all
	draft   []byte               // what was streamed and clients have no reply or step for
	fresh   int                  // where of it begins what no reply was said for
	resumed bool                 // steps may be stored that are not among entries
	begun   *begun               // the answer whose text was streamed last
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
		return fault.New(fault.Invalid, "turn_replies_full", "a turn may have at most %d replies", MaxReplies)
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
	asked := !t.result.Stopped || t.began.Message.Type != "" // else it was an event that waited, of which the record knows nothing
	if t.number != 0 && r.replies == 0 && asked {
		chatType, content := r.kept("\n\n*Stopped.*")
		var sentence fault.Sentence
		if chatType == "" {
			stopped := fault.NewText("stopped", "Stopped.")
			chatType, content, sentence = payload.TypeStr, agent.JSONString(stopped.Message), stopped.Sentence
		}
		r.add(agent.ChatMessage{
			Turn: t.number, ClientID: agent.StoppedID, Type: chatType, Content: content, Sentence: sentence, Time: now,
		}, false)
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
		text := journal.Apology(failed)
		r.add(agent.ChatMessage{
			Turn: t.number, ClientID: agent.FailedID, Type: payload.TypeStr,
			Content: agent.JSONString(text.Message), Sentence: text.Sentence, Time: now,
		}, false)
	}
	r.link(t.began)
}

// link makes the newest message the one that all steps without one belong to.
func (r *record) link(began *queue.Event) {
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
		case began == nil || began.Message.ID == 0:
			continue
		default:
			e.step.ChatID = began.Message.ID
		}
		e.linked, e.late = true, i < r.stored
	}
}

// batch are copies of the entries that are not stored, as the store wants them.
func (r *record) batch() []journal.Entry {
	fresh := r.entries[r.stored:]
	out := make([]journal.Entry, len(fresh))
	for i, e := range fresh {
		out[i] = e.copied()
		if e.answer == nil {
			continue
		}
		if at := slices.Index(fresh, e.answer); at >= 0 {
			out[i].Answer = at + 1
		} else {
			out[i].Step.ChatID = e.answer.id()
		}
	}
	return out
}

// copied is an entry that shares nothing with the record.
func (e *entry) copied() journal.Entry {
	if e.message != nil {
		m := *e.message
		return journal.Entry{Message: &m}
	}
	step := *e.step
	return journal.Entry{Step: &step}
}

// links are the messages of steps that were stored without them.
func (r *record) links() []journal.Link {
	var out []journal.Link
	fresh := r.entries[r.stored:]
	if r.resumed && len(fresh) > 0 { // the apology closes what was cut short
		out = append(out, journal.Link{Answer: len(fresh)})
	}
	for _, e := range r.entries[:r.stored] {
		if !e.late {
			continue
		}
		l := journal.Link{Step: e.step.ID, Chat: e.step.ChatID}
		if e.answer != nil {
			l.Answer = slices.Index(fresh, e.answer) + 1
			l.Chat = e.answer.id() // 0 if it is fresh
		}
		out = append(out, l)
	}
	return out
}

// wrote takes over the ids and seqs of the batch that is stored now.
func (r *record) wrote(entries []journal.Entry) {
	for _, w := range entries {
		e := r.entries[r.stored]
		if e.message != nil {
			e.message.ID, e.message.Seq = w.Message.ID, w.Message.Seq
		} else {
			e.step.ID, e.step.Seq = w.Step.ID, w.Step.Seq
			e.late = e.linked && w.Step.ChatID == 0 // it was told while it was written
		}
		r.stored++
	}
}

// commit writes a turn's record, with the entries of t if it is not nil.
func (c *conversation) commit(ctx context.Context, t *turn, record journal.TurnRecord) (journal.Written, error) {
	if t != nil {
		c.mu.Lock()
		record.Entries = t.record.batch()
		if !record.Partial {
			record.Links = t.record.links()
		}
		c.mu.Unlock()
	}
	written, err := c.store.Commit(ctx, record)
	if fault.KindOf(err) == fault.NotFound {
		c.lose(err, nil)
	}
	if err == nil && t != nil && !written.Repeated {
		c.mu.Lock()
		defer c.mu.Unlock()
		t.record.wrote(written.Entries)
	}
	return written, err //nolint:wrapcheck // it names the session
}
