package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/agent/session/replica"
	"docent/internal/fault"
	"docent/payload"
)

// Revision asks for a new answer to a turn. The turn and all later turns no longer belong to the
// conversation, but stay in its record. The state and the variables of the session do not change.
type Revision struct {
	// Turn is the turn to replace. It must have begun with a user's message and must not be
	// replaced yet.
	Turn int64
	// ID has the same meaning as in Message.
	ID string
	// Content is the new message, with options as in Message.Options. nil repeats the old message
	// with its options.
	Content json.RawMessage
	// Wait has the same meaning as in Message.
	Wait bool
}

// Revise stores a message that replaces a turn and all later ones. It stops those that run or wait,
// queues the new turn, and returns after the acknowledgment. It fails like Send. It also fails with
// fault.Invalid if the content is blank or a user's message did not begin the turn. It fails with
// fault.NotFound (journal.ErrNoTurn) if the turn does not exist, and with fault.Conflict if the
// turn was replaced already.
func (s *Subscription) Revise(ctx context.Context, r Revision) error {
	if s.remote != nil {
		return s.remote.Call(ctx, replica.OpRevise, r, nil) //nolint:wrapcheck // the error is complete
	}
	if r.Turn < 1 {
		return fault.New(fault.Invalid, "turn_number_missing", "the number of the turn is missing; turns count from 1")
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

// again returns the message that began a turn, to be stored again.
func (s *Subscription) again(ctx context.Context, r Revision) (arrival, error) {
	c := s.c
	c.mu.Lock()
	latest := c.latest
	c.mu.Unlock()
	first, err := c.store.Messages(ctx, journal.MessageQuery{Turn: r.Turn, Bytes: 1}) // Bytes: 1 selects one message
	if err != nil {
		return arrival{}, fmt.Errorf("turn %d of session %s: %w", r.Turn, c.key.ID, err)
	}
	switch {
	case len(first) == 0 && r.Turn > latest: // the turn may begin now
		return arrival{}, fault.Wrap(fault.NotFound, journal.ErrNoTurn, "no_turn", "there is no turn %d", r.Turn)
	case len(first) == 0, !first[0].IsUser: // the store refuses it with the right error
		first = []chat.Message{{Content: json.RawMessage(`""`)}}
	}
	_, err = payload.ReadAskOptions(first[0].Content) // a BAF client may send other keys
	in := Message{ID: r.ID, Content: first[0].Content, Wait: r.Wait, Human: true, Options: err == nil}.arrival()
	if first[0].Type == payload.TypeFile {
		file, err := payload.DecodeFile(first[0].Content)
		if err != nil {
			return arrival{}, fmt.Errorf("the file of turn %d: %w", r.Turn, err)
		}
		in.event = chat.Event{Name: chat.EventFile, Text: file.Name, File: &file, Human: true}
	}
	return in, nil
}
