package session

import (
	"context"
	"fmt"

	"docent/agent"
	"docent/agent/session/journal"
)

// Progress is what a session is doing.
type Progress struct {
	// Running is the turn that runs; 0 if none does.
	Running int64
	// Waiting are the turns that wait, oldest first.
	Waiting []int64
}

// Progress tells what the session is doing.
func (s *Subscription) Progress() Progress {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	var p Progress
	if t := c.current; t != nil && len(t.turns) > 0 {
		p.Running = t.turns[0]
	}
	for _, w := range c.waitingLocked() {
		p.Waiting = append(p.Waiting, w.Event.Turn)
	}
	return p
}

// Recent returns the newest messages of the session as it is now, oldest first:
// at most limit of them, and at most RuntimeConfig.ReplayLimit. Content of more
// than MaxHistoryContent is left out.
func (s *Subscription) Recent(ctx context.Context, limit int) ([]agent.ChatMessage, error) {
	c := s.c
	if err := c.ask(ctx, nil, nothing); err != nil { // waits for a reset
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	messages, err := c.rt.cfg.Store.Messages(ctx, c.record.RowID, journal.MessageQuery{
		Last: min(limit, c.rt.cfg.ReplayLimit), MaxContent: agent.MaxHistoryContent,
	})
	if err != nil {
		return nil, fmt.Errorf("messages of session %s: %w", c.key.ID, err)
	}
	return messages, nil
}
