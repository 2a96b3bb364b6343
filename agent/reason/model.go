package reason

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"docent/agent"
	"docent/internal/fault"
	"docent/llm"
	"docent/rag"
)

// maxWritten limits the text of a model in one step, in bytes. Longer text is cut off.
const maxWritten = 256 << 10

// thinking is the phase of a turn while it waits for the model.
const thinking = "thinking"

var errModelTimeout = errors.New("timeout of one model call")

// think calls the model once. Its text is streamed because it may be the answer. If it is not, the answer replaces it.
func (u *run) think(ctx context.Context) (*llm.Answer, error) {
	system, err := u.system(ctx)
	if err != nil {
		return nil, err
	}
	messages := append([]llm.Message{llm.Text(llm.System, system)}, u.before...)
	messages = append(messages, u.messages...)
	u.show(ctx, thinking)

	call := ctx
	if u.o.ModelTimeout > 0 {
		var cancel context.CancelFunc
		call, cancel = context.WithTimeoutCause(ctx, u.o.ModelTimeout, errModelTimeout)
		defer cancel()
	}
	var written strings.Builder
	answer, err := u.listen(ctx, u.model.Chat(call, llm.Request{Messages: messages, Tools: u.offered}), &written)
	for errors.Is(err, llm.ErrTooLong) && written.Len() == 0 && ctx.Err() == nil && u.shorten() {
		messages = slices.Concat(messages[:1], u.before, u.messages)
		answer, err = u.listen(ctx, u.model.Chat(call, llm.Request{Messages: messages, Tools: u.offered}), &written)
	}
	if err != nil && strings.TrimSpace(written.String()) == "" && !errors.Is(err, llm.ErrNoTools) && !llm.Refused(err) {
		err = &modelError{err}
	}
	switch {
	case ctx.Err() != nil:
		u.keep(written.String())
		return nil, context.Cause(ctx)
	case err != nil && errors.Is(context.Cause(call), errModelTimeout):
		u.keep(written.String())
		return nil, fault.Wrap(fault.Unavailable, err, "model_slow", "the model %s did not answer within %v", u.name, u.o.ModelTimeout)
	case err != nil:
		u.keep(written.String())
		return nil, fmt.Errorf("reason with %s: %w", u.name, err)
	}
	if usage := answer.Usage; usage != nil {
		u.s.AddUsage(usage.Prompt, usage.Completion)
	}
	return answer, nil
}

// shorten leaves out the older half of the conversation, and half of each output of a tool.
// It returns false if nothing is left to leave out.
func (u *run) shorten() bool {
	if n := len(u.before); n > 1 { // the last one is the question
		u.before = u.before[n/2:]
		return true
	}
	short := false
	for i := range u.messages {
		m := &u.messages[i]
		if n := u.static.Count(m.Text); m.Role == llm.ToolResult && n > remainderTokens {
			m.Text = u.cut(m.Text, max(n/2, remainderTokens))
			short = short || u.static.Count(m.Text) < n
		}
	}
	return short
}

// listen streams the text of an answer as it arrives and returns the whole. A text that is too long is cut off.
func (u *run) listen(ctx context.Context, deltas iter.Seq2[llm.Delta, error], written *strings.Builder) (*llm.Answer, error) {
	answer := &llm.Answer{}
	for delta, err := range deltas {
		if delta.Restart {
			written.Reset()
			agent.DropDraft(u.s)
		}
		switch {
		case err != nil:
			return nil, err
		case delta.Answer != nil:
			answer = delta.Answer
		case delta.Text == "":
		case written.Len()+len(delta.Text) > maxWritten:
			text := strings.ToValidUTF8((written.String() + delta.Text)[:maxWritten], "")
			return &llm.Answer{Text: text, StopReason: "length"}, nil
		default:
			if written.Len() == 0 {
				u.show(ctx, string(rag.Answering))
			}
			written.WriteString(delta.Text)
			if err := u.s.Stream(ctx, delta.Text); err != nil {
				return nil, err
			}
		}
	}
	return answer, nil
}

// show reports the progress of the run. It ignores errors, because the run can go on.
func (u *run) show(ctx context.Context, phase string) {
	if err := u.s.Status(ctx, phase); err != nil && ctx.Err() == nil {
		u.log(ctx, "phase not shown", err)
	}
}
