package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// Variables returns session variables as one JSON object.
func Variables(all map[string]json.RawMessage) (json.RawMessage, error) {
	clean := make(map[string]json.RawMessage, len(all))
	for name, value := range all {
		v, err := JSON(value)
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", name, err)
		}
		clean[Text(name)] = v
	}
	object, err := json.Marshal(clean)
	if err != nil {
		return nil, fmt.Errorf("variables: %w", err)
	}
	return object, nil
}

// Sessions returns the effective limit of a list of sessions.
func Sessions(limit int) int {
	if limit <= 0 {
		return DefaultSessions
	}
	return min(limit, MaxPage)
}

// Said returns the searchable text of a message; "" if it has none.
func Said(m chat.Message) string { return Fold(m.Said()) }

// SessionName returns the stored form of a display name.
func SessionName(name string) string { return payload.ReadableName(Text(name)) }

// Name returns the stored and the searchable form of a display name. Both are nil
// if the name does not change.
func Name(name *string) (stored, folded *string) {
	if name == nil {
		return nil, nil
	}
	text := SessionName(*name)
	lower := Fold(text)
	return &text, &lower
}

// Incoming returns the stored form of an incoming event. It sets Data to nil if
// Data equals the message's content; EventData restores it. It fails with
// fault.Invalid if the event cannot be stored.
func Incoming(in journal.Incoming, now time.Time) (journal.Incoming, error) {
	e := &in.Event
	if err := CheckClientID(in.ClientID); err != nil {
		return in, err
	}
	in.ClientID = Text(in.ClientID)
	if in.Type == "" {
		in.Content = nil
	} else {
		content, err := JSON(in.Content)
		if err != nil {
			return in, err
		}
		in.Type, in.Content, in.Sender = Text(in.Type), content, Text(in.Sender)
	}
	for _, field := range []struct {
		what string
		raw  *json.RawMessage
	}{{"data", &e.Data}, {"origin", &e.Origin}} {
		if len(*field.raw) == 0 {
			*field.raw = nil
			continue
		}
		clean, err := JSON(*field.raw)
		if err != nil {
			return in, fmt.Errorf("an event's %s: %w", field.what, err)
		}
		*field.raw = clean
	}
	if in.Type != "" && string(e.Data) == string(in.Content) {
		e.Data = nil
	}
	e.ID, e.Turn, e.Message, e.Begun, e.Handled = 0, 0, chat.Message{}, false, false
	e.Name, e.Info, e.Time = Text(e.Name), Text(e.Info), Time(e.Time, now)
	return in, nil
}

// EventData returns the data of an event; see Incoming.
func EventData(stored json.RawMessage, message chat.Message) json.RawMessage {
	if stored == nil {
		return message.Content
	}
	return stored
}

// Entries returns the stored form of a turn's entries, without ids and sequence
// numbers. It fails with fault.Invalid if an entry cannot be stored.
func Entries(turn journal.TurnRecord, now time.Time) ([]journal.Entry, error) {
	out := make([]journal.Entry, len(turn.Entries))
	said := func(position int) bool {
		return position == 0 || position > 0 && position <= len(out) && turn.Entries[position-1].Message != nil
	}
	for _, l := range turn.Links {
		if !said(l.Answer) {
			return nil, fault.New(fault.Invalid,
				"entry_answer_invalid", "entry %d is not a message of the turn, but earlier steps belong to it", l.Answer)
		}
	}
	for i, e := range turn.Entries {
		switch {
		case (e.Message == nil) == (e.Step == nil):
			return nil, fault.New(fault.Invalid, "entry_empty", "entry %d of a turn must be a message or a step", i+1)
		case !said(e.Answer):
			return nil, fault.New(fault.Invalid,
				"entry_step_answer_invalid", "entry %d is not a message of the turn, but step %d belongs to it", e.Answer, i+1)
		}
		out[i].Answer = e.Answer
		var err error
		if e.Message != nil {
			out[i].Message, err = message(*e.Message, turn.Turn, now)
		} else {
			out[i].Step, err = step(*e.Step, turn.Turn, now)
			if e.Answer > 0 {
				out[i].Step.ChatID = 0
			}
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return out, nil
}

func message(m chat.Message, turn int64, now time.Time) (*chat.Message, error) {
	if err := CheckClientID(m.ClientID); err != nil {
		return nil, err
	}
	content, err := JSON(m.Content)
	m.ID, m.Seq, m.Turn = 0, 0, turn
	m.ClientID, m.Type, m.Content, m.Time = Text(m.ClientID), Text(m.Type), content, Time(m.Time, now)
	if m.IsUser { // client ids are unique, and only received messages have one
		m.ClientID = ""
	}
	return &m, err
}

func step(r chat.Reasoning, turn int64, now time.Time) (*chat.Reasoning, error) {
	payload, err := JSON(r.Payload)
	r.ID, r.Seq, r.Turn = 0, 0, turn
	r.Kind, r.StepKind, r.Summary, r.Payload, r.Time = Text(r.Kind), Text(r.StepKind), Text(r.Summary), payload, Time(r.Time, now)
	if r.StepKind == "" { // a task list
		r.Step = 0
	}
	return &r, err
}

// Predictions returns the stored form of a turn's predictions.
func Predictions(turn journal.TurnRecord, now time.Time) []chat.Prediction {
	out := make([]chat.Prediction, len(turn.Predictions))
	for i, p := range turn.Predictions {
		if p.Score != p.Score { // SQLite cannot store NaN
			p.Score = 0
		}
		p.Message, p.Classifier, p.Intent, p.Time = Text(p.Message), Text(p.Classifier), Text(p.Intent), Time(p.Time, now)
		parameters := make([]chat.Parameter, len(p.Parameters))
		for k, q := range p.Parameters {
			if q.Value != nil {
				value := Text(*q.Value)
				q.Value = &value
			}
			q.Name, q.Info = Text(q.Name), Text(q.Info)
			parameters[k] = q
		}
		p.Parameters = parameters
		out[i] = p
	}
	return out
}

// Merge merges messages and steps, each ordered by sequence number.
func Merge(messages []chat.Message, steps []chat.Reasoning) []journal.Entry {
	var out []journal.Entry
	for len(messages)+len(steps) > 0 {
		if len(steps) == 0 || len(messages) > 0 && messages[0].Seq < steps[0].Seq {
			out = append(out, journal.Entry{Message: &messages[0]})
			messages = messages[1:]
		} else {
			out = append(out, journal.Entry{Step: &steps[0]})
			steps = steps[1:]
		}
	}
	return out
}

// Rewritten returns the result of a commit that wrote nothing. entries are the
// stored entries of its turn. If the commit repeats the session's last commit,
// Rewritten returns the result of that commit: the n entries after the sequence
// number.
func Rewritten(entries []journal.Entry, same bool, after int64, n int) journal.Written {
	entries = slices.DeleteFunc(entries, func(e journal.Entry) bool {
		if same {
			return e.Seq() <= after || e.Seq() > after+int64(n)
		}
		return e.Message != nil && e.Message.IsUser
	})
	return journal.Written{Entries: entries, Repeated: !same}
}

// CannotReplace returns the error for a message that cannot replace a turn.
// Either the turn does not exist, or it did not begin with a user's message, or
// another message has already replaced it.
func CannotReplace(turn int64, begun, spoken bool) error {
	if !spoken {
		return NotSpoken(turn, begun)
	}
	return fault.New(fault.Conflict, "turn_replaced", "turn %d was already replaced", turn)
}

// NotSpoken returns the error for a turn that no user's message began, or that does not exist.
func NotSpoken(turn int64, begun bool) error {
	if !begun {
		return fault.Wrap(fault.NotFound, journal.ErrNoTurn, "no_turn", "there is no turn %d", turn)
	}
	return fault.New(fault.Invalid, "turn_without_message", "turn %d did not begin with a user message", turn)
}

// TurnRunning returns the error for a turn that has not ended.
func TurnRunning(turn int64) error {
	return fault.New(fault.Conflict, "turn_running", "turn %d is still running", turn)
}

// CopyTooLong returns the error for a session that is too long to be copied.
func CopyTooLong() error {
	return fault.New(fault.Invalid,
		"copy_too_long", "the conversation is too long for a copy: it has more than %d MiB up to here", journal.MaxCopy>>20)
}

// Documents returns the stored form of the contents of documents. It fails with
// fault.Invalid if one cannot be stored.
func Documents(all []journal.Document) ([]string, error) {
	var out []string
	for _, d := range all {
		content, err := JSON(d.Content)
		if err != nil {
			return nil, fmt.Errorf("document of a session: %w", err)
		}
		out = append(out, string(content))
	}
	return out, nil
}
