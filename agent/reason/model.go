package reason

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"docent/internal/fault"
	"docent/rag"
)

// maxWritten bounds what a model may write in one step, in bytes; more is cut
// off.
const maxWritten = 256 << 10

// thinking is the phase of a turn that waits for the model.
const thinking = "thinking"

var (
	errModelTimeout = errors.New("timeout of one model call")
	errWritten      = errors.New("the model writes without end")
)

// think asks the model once. What it writes goes out as it comes: it may become
// the answer, and if it does not, the answer replaces it.
func (u *run) think(ctx context.Context) (*llms.ContentChoice, error) {
	system, err := u.system(ctx)
	if err != nil {
		return nil, err
	}
	messages := append([]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, system)}, u.before...)
	messages = append(messages, u.dialogue...)
	u.show(ctx, thinking)

	call := ctx
	if u.o.ModelTimeout > 0 {
		var cancel context.CancelFunc
		call, cancel = context.WithTimeoutCause(ctx, u.o.ModelTimeout, errModelTimeout)
		defer cancel()
	}
	var written strings.Builder
	options := []llms.CallOption{llms.WithStreamingFunc(func(_ context.Context, piece []byte) error {
		if written.Len()+len(piece) > maxWritten {
			return errWritten
		}
		if written.Len() == 0 && len(piece) > 0 {
			u.show(ctx, string(rag.Answering))
		}
		written.Write(piece)
		return u.s.Stream(ctx, string(piece))
	})}
	if len(u.offered) > 0 {
		options = append(options, llms.WithTools(u.offered))
	}
	resp, err := u.model.GenerateContent(call, messages, options...)
	switch {
	case ctx.Err() != nil:
		u.keep(written.String())
		return nil, context.Cause(ctx)
	case errors.Is(err, errWritten):
		return &llms.ContentChoice{Content: written.String(), StopReason: "length"}, nil
	case err != nil && errors.Is(context.Cause(call), errModelTimeout):
		u.keep(written.String())
		return nil, fault.Wrap(fault.Unavailable, err, "the model %s did not answer within %v", u.name, u.o.ModelTimeout)
	case err != nil:
		u.keep(written.String())
		return nil, fmt.Errorf("reason with %s: %w", u.name, err)
	case resp == nil || len(resp.Choices) == 0 || resp.Choices[0] == nil:
		return &llms.ContentChoice{}, nil
	}
	choice := resp.Choices[0]
	if usage := rag.UsageOf(choice); usage != nil {
		u.s.AddUsage(usage.Prompt, usage.Completion)
	}
	if len(choice.Content) > maxWritten { // of a model that does not stream
		choice.Content, choice.StopReason = strings.ToValidUTF8(choice.Content[:maxWritten], ""), "length"
	}
	if choice.FuncCall != nil && len(choice.ToolCalls) == 0 { // of langchaingo's older models
		choice.ToolCalls = []llms.ToolCall{{Type: "function", FunctionCall: choice.FuncCall}}
	}
	return choice, nil
}

// show tells what the run is doing; that it cannot be told is no reason to stop.
func (u *run) show(ctx context.Context, phase string) {
	if err := u.s.Status(ctx, phase); err != nil && ctx.Err() == nil {
		u.log(ctx, "phase not shown", err)
	}
}
