package agent

import (
	"context"
	"runtime/debug"
)

// process runs the user processors on the text events that they have not seen.
func (c *conversation) process(ctx context.Context, t *turn, queue []*pending) {
	if len(c.rt.machine.agent.heard) == 0 {
		return
	}
	for _, p := range queue {
		if p.processed || p.event.Name != EventText {
			continue
		}
		t.mu.Lock()
		t.candidate = p
		t.mu.Unlock()
		text := c.chain(ctx, t.session, c.rt.machine.agent.heard, p.event.Text)
		t.mu.Lock()
		if ctx.Err() == nil {
			p.event.Text, p.processed = text, true
		}
		t.candidate = nil
		t.mu.Unlock()
	}
}

// processReply runs the agent processors on a reply.
func (c *conversation) processReply(ctx context.Context, s *Session, text string) string {
	return c.chain(ctx, s, c.rt.machine.agent.said, text)
}

// chain runs processors one after the other; one that fails changes nothing.
func (c *conversation) chain(ctx context.Context, s *Session, all []Processor, text string) string {
	for i, p := range all {
		out, err := callProcessor(ctx, s, p, text)
		if err != nil {
			if ctx.Err() == nil {
				c.logError(ctx, "processor failed", err, "processor", i)
			}
			continue
		}
		text = out
	}
	return text
}

func callProcessor(ctx context.Context, s *Session, p Processor, text string) (out string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = newPanicError(v, debug.Stack())
		}
	}()
	return p(withSession(ctx, s), s, text)
}
