package ws

import (
	"context"

	"docent/agent/session/journal"
	"docent/payload"
)

// catchUp sends the entries that were stored while the client was disconnected,
// as fast as it reads. New entries follow.
func (t *talk) catchUp(ctx context.Context) error {
	return t.c.Session().CatchUp(ctx, func(e journal.Entry) bool {
		frame, ok := replayed(e)
		return !ok || t.sendPatiently(ctx, frame)
	})
}

// replay sends the entries that were stored before the client joined, as fast as
// it reads.
func (t *talk) replay(ctx context.Context) error {
	for e, err := range t.c.Session().Record(ctx) {
		if err != nil {
			return err
		}
		frame, ok := replayed(e)
		if ok && !t.sendPatiently(ctx, frame) {
			return nil
		}
	}
	return nil
}

// replayed returns the frame of a stored entry, or false if clients do not see it.
func replayed(e journal.Entry) (payload.Frame, bool) {
	if e.Message != nil {
		return journal.Replay(*e.Message)
	}
	return journal.ReplayStep(*e.Step)
}
