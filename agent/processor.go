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
		c.about(t, p)
		text := c.chain(ctx, t.session.as(aProcessor), c.rt.machine.agent.heard, p.event.Text)
		c.about(t, nil)
		if ctx.Err() == nil {
			c.processed(p, text)
		}
	}
}

// processed sets what the machine sees of an event's text.
func (c *conversation) processed(p *pending, text string) {
	c.mu.Lock() // Session.Events reads it
	defer c.mu.Unlock()
	p.event.Text, p.processed = text, true
}

// processReply runs the agent processors on a reply, unless one of them says it.
func (c *conversation) processReply(ctx context.Context, s *Session, text string) string {
	if s.role == aRewriter || len(c.rt.machine.agent.said) == 0 {
		return text
	}
	return c.chain(ctx, s.as(aRewriter), c.rt.machine.agent.said, text)
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
			err = Recovered(v, debug.Stack())
		}
	}()
	return p(withSession(ctx, s), s, text)
}
