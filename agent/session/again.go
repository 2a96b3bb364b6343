package session

import (
	"context"

	"docent/agent/session/journal"
)

// answerAgain sends an agent the replies to a request that it sent again after
// their turn: its connection broke before it heard them. What was said since it
// connected it has heard, such as when the request waited for it to come back.
func (c *conversation) answerAgain(ctx context.Context, s *Subscription, p *pending) {
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	messages, err := c.rt.cfg.Store.Messages(ctx, c.record.RowID, journal.MessageQuery{Turn: p.Event.Turn})
	if err != nil {
		c.logError(ctx, "answer again", err, "turn", p.Event.Turn)
		return
	}
	if s == nil {
		return
	}
	c.mu.Lock()
	since := s.since
	c.mu.Unlock()
	t := &turn{began: p}
	for _, m := range messages {
		frame, ok := journal.MessageFrame(m)
		if m.IsUser || !ok || m.Seq > since {
			continue
		}
		t.answering(&frame)
		s.listener.Deliver(Delivery{Audience: Plain, Frame: frame, Text: t.text(frame)})
	}
}
