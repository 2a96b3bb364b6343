package agent

import (
	"context"
	"runtime/debug"

	"docent/agent/chat"
	"docent/internal/errlog"
)

// process runs the user processors on new text events.
func (t *Turn) process(ctx context.Context, queue []*chat.Pending) {
	processors := t.part().heard
	if len(processors) == 0 {
		return
	}
	for _, p := range queue {
		if p.Processed() || p.Event.Name != EventText {
			continue
		}
		t.about(p)
		text := t.chain(ctx, t.session.as(aProcessor), processors, p.Event.Text)
		t.about(nil)
		if ctx.Err() == nil {
			p.Process(text)
		}
	}
}

// processReply runs the agent processors on a reply. It does nothing if a processor says the reply.
func (s *Session) processReply(ctx context.Context, text string) string {
	all := s.turn.part().said
	if s.role == aRewriter || len(all) == 0 {
		return text
	}
	return s.turn.chain(ctx, s.as(aRewriter), all, text)
}

// chain runs processors in order. A processor that fails does not change the text.
func (t *Turn) chain(ctx context.Context, s *Session, all []Processor, text string) string {
	for i, p := range all {
		out, err := callProcessor(ctx, s, p, text)
		if err != nil {
			if ctx.Err() == nil {
				t.log(ctx, "processor failed", err, append([]any{"processor", i, "state", t.at.name}, errlog.OwnText(err)...)...)
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
			err = errlog.Recovered(v, debug.Stack())
		}
	}()
	return p(withSession(ctx, s), s, text)
}
