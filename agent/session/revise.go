package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// Revision asks to answer anew from a turn on: what was said in that turn and
// after it is no part of the conversation any more, but stays in its record. The
// session's state and variables stay as they are.
type Revision struct {
	// Turn is the turn; it must have begun with a message of a user and not have
	// been replaced.
	Turn int64
	// ID is as in Message.
	ID string
	// Content is what the user says now, as of Message.Options; nil for the same
	// again, with the same options.
	Content json.RawMessage
	// Wait is as in Message.
	Wait bool
}

// Revise stores a message that replaces a turn and those after it, stops those of
// them that run or wait, and queues its own turn; it returns when the message is
// stored and acknowledged. Errors are as of Send, and fault.Invalid if the content
// is blank or the turn did not begin with a message of a user, fault.NotFound
// (journal.ErrNoTurn) if there is none of that number, fault.Conflict if it was replaced
// already.
func (s *Subscription) Revise(ctx context.Context, r Revision) error {
	if r.Turn < 1 {
		return fault.New(fault.Invalid, "turn_number_missing", "which turn? They count from 1")
	}
	in := Message{ID: r.ID, Content: r.Content, Wait: r.Wait, Human: true, Options: true}.arrival()
	switch {
	case r.Content == nil:
		var err error
		if in, err = s.again(ctx, r); err != nil {
			return err
		}
	case strings.TrimSpace(in.event.Text) == "":
		return fault.New(fault.Invalid, "new_message_empty", "the new message is empty")
	}
	in.caller, in.replaces = s, r.Turn
	return in.store(ctx, s.c)
}

// again is the message that began a turn, on its way into the store once more.
func (s *Subscription) again(ctx context.Context, r Revision) (arrival, error) {
	c := s.c
	c.mu.Lock()
	latest := c.latest
	c.mu.Unlock()
	first, err := c.store.Messages(ctx, journal.MessageQuery{Turn: r.Turn, Bytes: 1}) // which is one
	if err != nil {
		return arrival{}, fmt.Errorf("turn %d of session %s: %w", r.Turn, c.key.ID, err)
	}
	switch {
	case len(first) == 0 && r.Turn > latest: // it may begin now
		return arrival{}, fault.Wrap(fault.NotFound, journal.ErrNoTurn, "no_turn", "there is no turn %d", r.Turn)
	case len(first) == 0, !first[0].IsUser: // the store refuses it, and knows why
		first = []agent.ChatMessage{{Content: json.RawMessage(`""`)}}
	}
	_, err = payload.ReadAskOptions(first[0].Content) // a BAF client may have meant something else
	in := Message{ID: r.ID, Content: first[0].Content, Wait: r.Wait, Human: true, Options: err == nil}.arrival()
	if first[0].Type == payload.TypeFile {
		file, err := payload.DecodeFile(first[0].Content)
		if err != nil {
			return arrival{}, fmt.Errorf("the file of turn %d: %w", r.Turn, err)
		}
		in.event = agent.Event{Name: agent.EventFile, Text: file.Name, File: &file, Human: true}
	}
	return in, nil
}
