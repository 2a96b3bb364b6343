package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"docent/internal/fault"
	"docent/llm"
	"docent/rag"
)

// maxWritten bounds what a model may write in one step, in bytes; more is cut
// off.
const maxWritten = 256 << 10

// thinking is the phase of a turn that waits for the model.
const thinking = "thinking"

var errModelTimeout = errors.New("timeout of one model call")

// think asks the model once. What it writes goes out as it comes: it may become
// the answer, and if it does not, the answer replaces it.
func (u *run) think(ctx context.Context) (*llm.Answer, error) {
	system, err := u.system(ctx)
	if err != nil {
		return nil, err
	}
	messages := append([]llm.Message{llm.Text(llm.System, system)}, u.before...)
	messages = append(messages, u.dialogue...)
	u.show(ctx, thinking)

	call := ctx
	if u.o.ModelTimeout > 0 {
		var cancel context.CancelFunc
		call, cancel = context.WithTimeoutCause(ctx, u.o.ModelTimeout, errModelTimeout)
		defer cancel()
	}
	var written strings.Builder
	answer, err := u.listen(ctx, u.model.Chat(call, llm.Request{Messages: messages, Tools: u.offered}), &written)
	switch {
	case ctx.Err() != nil:
		u.keep(written.String())
		return nil, context.Cause(ctx)
	case err != nil && errors.Is(context.Cause(call), errModelTimeout):
		u.keep(written.String())
		return nil, fault.Wrap(fault.Unavailable, err, "the model %s did not answer within %v", u.name, u.o.ModelTimeout)
	case err != nil:
		u.keep(written.String())
		return nil, fmt.Errorf("reason with %s: %w", u.name, err)
	}
	u.s.turn.count(answer.Usage)
	return answer, nil
}

// listen passes on the text of an answer as it arrives and returns the whole. A
// text that is too long is cut off.
func (u *run) listen(ctx context.Context, deltas iter.Seq2[llm.Delta, error], written *strings.Builder) (*llm.Answer, error) {
	answer := &llm.Answer{}
	for delta, err := range deltas {
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

// show tells what the run is doing; that it cannot be told is no reason to stop.
func (u *run) show(ctx context.Context, phase string) {
	if err := u.s.Status(ctx, phase); err != nil && ctx.Err() == nil {
		u.log(ctx, "phase not shown", err)
	}
}
