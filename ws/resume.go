package ws

import (
	"context"

	"docent/agent/session"
	"docent/payload"
)

// catchUp sends what was stored while the client was away, as fast as it reads.
// What happens meanwhile it hears after that.
func (c *connection) catchUp(ctx context.Context) error {
	return c.sub.CatchUp(ctx, func(e session.Entry) bool {
		frame, ok := replayed(e)
		return !ok || c.sendPatiently(ctx, frame)
	})
}

// replay sends what was stored before the client joined, as fast as it reads.
func (c *connection) replay(ctx context.Context) error {
	for e, err := range c.sub.Record(ctx) {
		if err != nil {
			return err
		}
		frame, ok := replayed(e)
		if ok && !c.sendPatiently(ctx, c.shown(frame)) {
			return nil
		}
	}
	return nil
}

// replayed is the frame that shows an entry again; false if it is not shown.
func replayed(e session.Entry) (payload.Frame, bool) {
	if e.Message != nil {
		return session.Replay(*e.Message)
	}
	return session.ReplayStep(*e.Step)
}
