package recording

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"docent/agent/chat"
	"docent/agent/tool"
	"docent/payload"
)

// FromStored returns the recording of a stored conversation: its messages, its steps of reasoning, and its events without a
// message, each oldest first. It has the messages and files of the user, the events, and the replies of the agent. For replies
// with reasoning, it also has the answers of the model and the results of the tools. Tools of docent itself, such as those for
// documents, have no results, because a replay calls them.
func FromStored(name string, messages []chat.Message, steps []chat.Reasoning, events []chat.Event) Recording {
	out := Recording{Name: name}
	messages = slices.Clone(messages)
	for _, e := range events {
		messages = append(messages, chat.Message{Turn: e.Turn, IsUser: true, Type: eventType, ClientID: e.Name, Content: e.Data})
	}
	turns := map[int64]bool{}
	for _, m := range messages {
		turns[m.Turn] = true
	}
	var w writer
	for _, m := range inTurns(messages, steps) {
		for len(steps) > 0 && steps[0].Seq < m.Seq {
			if turns[steps[0].Turn] { // otherwise a later message has replaced the turn
				out.Lines = append(out.Lines, w.step(steps[0])...)
			}
			steps = steps[1:]
		}
		if m.IsUser {
			out.Lines = append(out.Lines, inputOf(m)...)
			continue
		}
		if text, ok := w.written(m); ok {
			out.Lines = append(out.Lines, Line{Kind: Model, Text: text})
		}
		out.Lines = append(out.Lines, lineOf(m))
	}
	return out
}

// eventType is the type of an event among the messages. ClientID is then its name, and Content its data or nil.
const eventType = "event"

// inTurns puts each message of the user before the replies and steps of its turn, so in the order in which the agent handled
// them. A message that arrives during an earlier turn is stored before the end of that turn, and a later message that fits the
// state is handled first. A message without replies and steps stands before those of later messages.
func inTurns(messages []chat.Message, steps []chat.Reasoning) []chat.Message {
	out := slices.Clone(messages)
	for i, m := range out {
		if !m.IsUser {
			continue
		}
		own, later := int64(math.MaxInt64), int64(math.MaxInt64)
		entry := func(seq, turn int64) {
			if seq > m.Seq && turn == m.Turn {
				own = min(own, seq)
			}
			if seq > m.Seq && turn >= m.Turn {
				later = min(later, seq)
			}
		}
		for _, r := range messages {
			if !r.IsUser {
				entry(r.Seq, r.Turn)
			}
		}
		for _, s := range steps {
			entry(s.Seq, s.Turn)
		}
		if out[i].Seq = own; own == math.MaxInt64 {
			out[i].Seq = later
		}
	}
	slices.SortStableFunc(out, func(a, b chat.Message) int {
		if a.Seq != b.Seq || !a.IsUser && !b.IsUser {
			return cmp.Compare(a.Seq, b.Seq)
		}
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a.Turn, b.Turn))
	})
	return out
}

// rank puts messages of the user before others.
func rank(m chat.Message) int {
	if m.IsUser {
		return 0
	}
	return 1
}

// inputOf returns the line of a message of the user, or none for a file without content.
func inputOf(m chat.Message) []Line {
	if m.Type == eventType {
		return []Line{eventLine(m)}
	}
	line := Line{Kind: User, Text: plain(m.Content)}
	switch {
	case m.Type == payload.TypeFile:
		file, err := payload.DecodeFile(m.Content)
		if err != nil { // its content is gone
			return nil
		}
		content, err := file.Bytes()
		if err != nil {
			return nil
		}
		line = Line{Kind: UploadedFile, Text: strings.ReplaceAll(file.Name, " ", "_") + " " + file.Type + " " + string(content)}
	case m.Sender != "":
		line.Kind = Peer
	}
	return []Line{line}
}

// eventLine returns the line of an event.
func eventLine(m chat.Message) Line {
	var data bytes.Buffer
	if err := json.Compact(&data, m.Content); err != nil { // it has none
		data.Reset()
	}
	if m.ClientID == chat.EventUI {
		return Line{Kind: Action, Text: data.String()}
	}
	return Line{Kind: Event, Text: strings.TrimSpace(m.ClientID + " " + data.String())}
}

// writer writes the answers of a model from the steps of reasoning.
type writer struct {
	reasoning bool               // a run has begun
	gaveUp    bool               // and reached its limit
	said      string             // text of the model before the next step
	open      []payload.ToolCall // calls without a result
	earlier   int                // the number of them that earlier runs left
}

// step returns the lines of a step: the calls of the model, the results of tools, and rejected answers.
func (w *writer) step(r chat.Reasoning) []Line {
	var step struct {
		Details struct {
			ToolCalls []payload.ToolCall `json:"tool_calls"`
			Name      string             `json:"name"`
			Content   string             `json:"content"`
			Text      string             `json:"text"`
		} `json:"details"`
	}
	if json.Unmarshal(r.Payload, &step) != nil {
		return nil
	}
	d := step.Details
	switch payload.StepKind(r.StepKind) {
	case payload.StepStarted:
		*w = writer{reasoning: true, open: w.open, earlier: len(w.open)}
	case payload.StepFinished:
		w.reasoning = false
	case payload.StepMaxSteps:
		w.gaveUp = true
	case payload.StepText:
		w.said = d.Text // of an answer, if a pushback follows
	case payload.StepPushback:
		return []Line{{Kind: Model, Text: w.said}}
	case payload.StepToolCalls:
		if !w.reasoning { // a call of a state, which no model makes
			return nil
		}
		var calls []string
		for _, c := range d.ToolCalls {
			if !slices.ContainsFunc(w.open[:w.earlier], func(o payload.ToolCall) bool { return o.ID == c.ID }) { // it waited for the user
				calls = append(calls, "call "+c.Name+" "+string(c.Arguments))
				w.open = append(w.open, c)
			}
		}
		if len(calls) > 0 {
			return []Line{{Kind: Model, Text: strings.Join(calls, "\n")}}
		}
	case payload.StepToolResult:
		if at := slices.IndexFunc(w.open, func(o payload.ToolCall) bool { return o.Name == d.Name }); at >= 0 {
			w.open = slices.Delete(w.open, at, at+1)
			w.earlier = min(w.earlier, len(w.open))
		}
		if d.Name != "" && !tool.IsBuiltIn(d.Name) {
			return []Line{{Kind: Tool, Text: d.Name + " " + d.Content}}
		}
	}
	return nil
}

// written returns the text of a reply that a model wrote in a run.
func (w *writer) written(m chat.Message) (text string, ok bool) {
	if !w.reasoning || w.gaveUp || m.Sentence.ID != "" || m.ClientID != "" {
		return "", false
	}
	return m.Text()
}

// String returns the recording as a file.
func (r Recording) String() string {
	var b strings.Builder
	for _, l := range r.Lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

// Unanswered returns the recording without answers of a model, so that another model answers. It has no lines Prompt, because
// only the Script sees requests. The results of tools are those of each part.
func (r Recording) Unanswered() Recording {
	lines := slices.DeleteFunc(slices.Clone(r.Lines), func(l Line) bool { return l.Kind == Model || l.Kind == Prompt })
	return Recording{Name: r.Name, Lines: lines, apart: true}
}

// Answered returns a recording whose parts each have the answers of a chat model. In a part without lines Model, they are the
// replies, for an agent that asks a model for each reply. A changed agent may ask for less in a part.
func (r Recording) Answered() Recording {
	out := Recording{Name: r.Name, apart: true}
	for _, p := range r.parts() {
		if p.input.Kind != "" {
			out.Lines = append(out.Lines, p.input)
		}
		out.Lines = append(out.Lines, p.script...)
		asked := slices.ContainsFunc(p.script, func(l Line) bool { return l.Kind == Model })
		for _, l := range p.want {
			if l.Kind == Agent && !asked {
				out.Lines = append(out.Lines, Line{Kind: Model, Text: l.Text})
			}
			out.Lines = append(out.Lines, l)
		}
	}
	return out
}
