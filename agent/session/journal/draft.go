package journal

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"docent/agent/chat"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag/text"
)

// Bounds of one turn's record.
const (
	// MaxReplies bounds the messages of one turn.
	MaxReplies = 100
	// MaxSteps bounds the steps of reasoning and task lists of one turn.
	MaxSteps = 5000
	// MaxStreamed bounds the streamed text that a draft holds, in bytes. It keeps
	// the beginning.
	MaxStreamed = 1 << 20
	// maxKept bounds the streamed text that a stopped turn stores, in bytes.
	maxKept = 64 << 10
)

// Draft is the record of a running turn, with its messages and steps in one order. Its methods must
// not run concurrently.
type Draft struct {
	// FlushAt is the time at which to store the draft before the end of its turn, or zero.
	FlushAt time.Time
	// Talk are the messages of the turn, by the user and the agent.
	Talk []*chat.Message
	// Resumed reports that the store may have steps that are not in the draft.
	Resumed bool

	entries []*Drafted
	stored  int    // number of stored entries, at the beginning
	sent    int    // number of entries that clients have with their sequence numbers, at the beginning
	replies int    // messages among entries
	steps   int    // steps among entries
	runs    int    // reasoning runs without their end
	shown   int64  // number of provisional frames
	text    []byte // streamed text that no sent reply or step contains
	fresh   int    // start of the text that no reply contains
	begun   *begun // the answer whose text was streamed last
}

// begun is the content of an answer from documents in case its turn stops now.
type begun struct {
	text   string // the streamed part of the text
	answer payload.RAGMessage
}

// Drafted is one entry of a draft. Either Message or Step is set.
type Drafted struct {
	Message *chat.Message
	Step    *chat.Reasoning
	// Shown reports that plain clients have the entry.
	Shown bool
	// Silent excludes plain clients from the entry.
	Silent bool

	answer *Drafted // the message that ended the reasoning of a step
	linked bool     // the message of the step is known
	late   bool     // the step was stored without its message
}

// Seq returns the entry's sequence number.
func (e *Drafted) Seq() int64 { return Entry{Message: e.Message, Step: e.Step}.Seq() }

// Frame returns the entry's frame.
func (e *Drafted) Frame() payload.Frame { return Entry{Message: e.Message, Step: e.Step}.Frame() }

func (e *Drafted) id() int64 {
	if e.Message != nil {
		return e.Message.ID
	}
	return e.Step.ID
}

// CheckRoom fails with fault.Invalid if the turn has MaxReplies messages.
func (d *Draft) CheckRoom() error {
	if d.replies >= MaxReplies {
		return fault.New(fault.Invalid, "turn_replies_full", "a turn may have at most %d replies", MaxReplies)
	}
	return nil
}

// Say adds a message of the agent. It does not check the room.
func (d *Draft) Say(m chat.Message, silent bool) {
	d.fresh = len(d.text)
	d.replies++
	d.entries = append(d.entries, &Drafted{Message: &m, Silent: silent})
	d.Talk = append(d.Talk, &m)
}

// Think adds a step of reasoning. It fails with fault.Invalid without room. Every reasoning_started
// reserves room for its reasoning_finished.
func (d *Draft) Think(step chat.Reasoning, silent bool) (*Drafted, error) {
	keep := d.runs
	switch kind := payload.StepKind(step.StepKind); {
	case kind == payload.StepStarted:
		keep++
	case kind == payload.StepFinished && d.runs > 0:
		keep--
	}
	if d.steps+keep >= MaxSteps {
		return nil, fault.New(fault.Invalid, "turn_steps_full", "a turn may have at most %d steps", MaxSteps)
	}
	d.steps++
	d.runs = keep
	e := &Drafted{Step: &step, Silent: silent}
	d.entries = append(d.entries, e)
	return e, nil
}

// Stream adds a piece of an incomplete reply.
func (d *Draft) Stream(delta string) {
	if room := MaxStreamed - len(d.text); room > 0 {
		d.text = append(d.text, delta[:min(room, len(delta))]...)
	}
}

// Begin sets the answer that the streamed text belongs to.
func (d *Draft) Begin(text string, answer payload.RAGMessage) { d.begun = &begun{text, answer} }

// Discard removes the streamed text.
func (d *Draft) Discard() { d.text, d.fresh, d.begun = nil, 0, nil }

// Replaced removes the streamed text that the latest reply contains. Later text stays.
func (d *Draft) Replaced() { d.text, d.fresh = d.text[d.fresh:], 0 }

// Count counts a provisional frame and returns its number.
func (d *Draft) Count() int64 {
	d.shown++
	return d.shown
}

// Counted reports whether clients received provisional frames.
func (d *Draft) Counted() bool { return d.shown > 0 }

// Empty reports whether the draft has no entries.
func (d *Draft) Empty() bool { return len(d.entries) == 0 }

// Stored reports whether all entries are stored.
func (d *Draft) Stored() bool { return d.stored == len(d.entries) }

// is reports whether the answer contains all unsaid text. A draft keeps only the beginning of a
// very long text.
func (b *begun) is(unsaid []byte) bool {
	return b != nil && len(unsaid) > 0 && strings.HasPrefix(b.text, string(unsaid))
}

// kept returns the message that stores the streamed text of a turn that stopped
// or failed. Plain text ends with the note. The type is "" without such text.
func (d *Draft) kept(note string) (chatType string, content json.RawMessage) {
	unsaid := d.text[d.fresh:]
	text := text.Unmarked(text.Clean(strings.ToValidUTF8(string(unsaid[:min(len(unsaid), maxKept)]), "")))
	if d.begun.is(unsaid) {
		content, err := payload.Marshal(d.begun.answer)
		switch {
		case d.begun.answer.Answer == "":
			text = ""
		// Otherwise the text is stored as Markdown.
		case err == nil && chat.CheckWithin(content, chat.MaxJSONDepth, chat.MaxExponents) == nil:
			return payload.TypeRAG, content
		}
	}
	if text == "" {
		return "", nil
	}
	return payload.TypeMarkdown, chat.JSONString(text + note)
}

// Stop completes the record of a stopped turn. A turn without a reply stores its streamed text, or
// a note. Stop also ends open reasoning.
func (d *Draft) Stop(turn int64, asked *chat.Message, now time.Time) {
	if d.replies == 0 {
		chatType, content := d.kept("\n\n*Stopped.*")
		var sentence fault.Sentence
		if chatType == "" {
			stopped := fault.NewText("stopped", "Stopped.")
			chatType, content, sentence = payload.TypeStr, chat.JSONString(stopped.Message), stopped.Sentence
		}
		d.Say(chat.Message{
			Turn: turn, ClientID: chat.StoppedID, Type: chatType, Content: content, Sentence: sentence, Time: now,
		}, false)
	}
	d.Link(asked)
}

// Apologize completes the record of a failed turn with an apology. It first stores the streamed
// text, which people have already read. It also ends open reasoning.
func (d *Draft) Apologize(turn int64, asked *chat.Message, failed error, now time.Time) {
	if chatType, content := d.kept(""); chatType != "" && d.replies < MaxReplies {
		d.Say(chat.Message{Turn: turn, ClientID: chat.StoppedID, Type: chatType, Content: content, Time: now}, false)
	}
	text := Apology(failed)
	d.Say(chat.Message{
		Turn: turn, ClientID: chat.FailedID, Type: payload.TypeStr,
		Content: chat.JSONString(text.Message), Sentence: text.Sentence, Time: now,
	}, false)
	d.Link(asked)
}

// Link links all steps without a message to the newest message of the agent. Without such a
// message, it links them to asked, which may be nil.
func (d *Draft) Link(asked *chat.Message) {
	var newest *Drafted
	for _, e := range slices.Backward(d.entries) {
		if e.Message != nil && !e.Message.IsUser {
			newest = e
			break
		}
	}
	for i, e := range d.entries {
		if e.Step == nil || e.linked {
			continue
		}
		switch {
		case newest != nil:
			e.answer = newest
		case asked == nil || asked.ID == 0:
			continue
		default:
			e.Step.ChatID = asked.ID
		}
		e.linked, e.late = true, i < d.stored
	}
}

// Fill sets the record's entries to copies of the entries that are not stored. Unless the record is
// partial, Fill also links stored steps to their messages.
func (d *Draft) Fill(record *TurnRecord) {
	fresh := d.entries[d.stored:]
	record.Entries = make([]Entry, len(fresh))
	for i, e := range fresh {
		entry := e.copied()
		if at := slices.Index(fresh, e.answer); at >= 0 {
			entry.Answer = at + 1
		} else if e.answer != nil {
			entry.Step.ChatID = e.answer.id()
		}
		record.Entries[i] = entry
	}
	if !record.Partial {
		record.Links = d.links(fresh)
	}
}

// copied returns an entry that shares nothing with the draft.
func (e *Drafted) copied() Entry {
	if e.Message != nil {
		m := *e.Message
		return Entry{Message: &m}
	}
	step := *e.Step
	return Entry{Step: &step}
}

// links returns the links of stored steps to their messages.
func (d *Draft) links(fresh []*Drafted) []Link {
	var out []Link
	if last := lastReply(fresh); d.Resumed && last > 0 { // it ends the interrupted reasoning, and that of this run
		return []Link{{Answer: last}}
	}
	for _, e := range d.entries[:d.stored] {
		if !e.late {
			continue
		}
		l := Link{Step: e.Step.ID, Chat: e.Step.ChatID}
		if e.answer != nil {
			l.Answer = slices.Index(fresh, e.answer) + 1
			l.Chat = e.answer.id() // 0 for a new message
		}
		out = append(out, l)
	}
	return out
}

// lastReply returns the position of the newest message of the agent, counted from 1, or 0.
func lastReply(entries []*Drafted) int {
	for i, e := range slices.Backward(entries) {
		if e.Message != nil && !e.Message.IsUser {
			return i + 1
		}
	}
	return 0
}

// Wrote sets the ids and sequence numbers of the stored entries.
func (d *Draft) Wrote(entries []Entry) {
	for _, w := range entries {
		e := d.entries[d.stored]
		if e.Message != nil {
			e.Message.ID, e.Message.Seq = w.Message.ID, w.Message.Seq
		} else {
			e.Step.ID, e.Step.Seq = w.Step.ID, w.Step.Seq
			e.late = e.linked && w.Step.ChatID == 0 // the message became known during the write
		}
		d.stored++
	}
}

// Unsent returns the stored entries that clients do not have. If another process committed the turn
// first, they include its entries.
func (d *Draft) Unsent(written Written) []*Drafted {
	fresh := slices.Clone(d.entries[d.sent:d.stored])
	if !written.Repeated {
		return fresh
	}
	var last int64
	if d.sent > 0 {
		last = d.entries[d.sent-1].Seq()
	}
	own := map[int64]bool{}
	for _, e := range d.entries[:d.stored] {
		own[e.Seq()] = true
	}
	for _, w := range written.Entries {
		if w.Seq() > last && !own[w.Seq()] {
			fresh = append(fresh, &Drafted{Message: w.Message, Step: w.Step})
		}
	}
	slices.SortStableFunc(fresh, func(a, b *Drafted) int { return cmp.Compare(a.Seq(), b.Seq()) })
	return fresh
}

// Sent records that clients have all stored entries.
func (d *Draft) Sent() { d.sent = d.stored }

// Silent reports whether the unsent entries contain no reply for plain clients.
func (d *Draft) Silent() bool {
	return !slices.ContainsFunc(d.entries[d.sent:], func(e *Drafted) bool { return e.Message != nil && !e.Silent })
}

// Steps adds the steps that are not stored, up to a time, to the stored ones. A zero time selects
// all. Steps whose message became known after they were stored get its id.
func (d *Draft) Steps(stored []chat.Reasoning, until time.Time) []chat.Reasoning {
	for _, e := range d.entries {
		if e.Step == nil || !until.IsZero() && e.Step.Time.After(until) {
			continue
		}
		step := *e.Step
		if e.answer != nil {
			step.ChatID = e.answer.id()
		}
		at := slices.IndexFunc(stored, func(r chat.Reasoning) bool { return step.ID != 0 && r.ID == step.ID })
		if at >= 0 {
			stored[at].ChatID = step.ChatID
		} else if step.ID == 0 {
			stored = append(stored, step)
		}
	}
	return stored
}

// Bounds of the steps in a payload.TurnSnapshot.
const (
	// MaxSnapshotSteps bounds the steps and task lists. A snapshot has the newest.
	MaxSnapshotSteps = 256
	// MaxSnapshotStepBytes bounds their total size in bytes.
	MaxSnapshotStepBytes = 1 << 20
)

// Snapshot returns the unsent part of the turn for clients that join now.
func (d *Draft) Snapshot(turn int64) payload.TurnSnapshot {
	out := payload.TurnSnapshot{Turn: turn, N: d.shown, Text: strings.ToValidUTF8(string(d.text), ""), Steps: []payload.SnapshotStep{}}
	size := 0
	for _, e := range slices.Backward(d.entries[d.sent:]) {
		if e.Step == nil || e.Silent {
			continue
		}
		if size += len(e.Step.Payload); size > MaxSnapshotStepBytes || len(out.Steps) == MaxSnapshotSteps {
			break
		}
		out.Steps = append(out.Steps, payload.SnapshotStep{Action: e.Frame().Action, Message: e.Step.Payload})
	}
	slices.Reverse(out.Steps)
	return out
}
