package rag

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"docent/internal/fault"
)

// Bounds of a question that a model rewrites. What goes beyond them is no
// question, and nobody is to wait for it.
const (
	// maxRewriteBytes bounds it in bytes; reading ends there.
	maxRewriteBytes = 600
	// maxRewriteTokens is how much the model is asked for.
	maxRewriteTokens = 200
	// rewriteTimeout is how long it may take.
	rewriteTimeout = 5 * time.Second
)

var errRambles = fmt.Errorf("the model wrote more than %d bytes", maxRewriteBytes)

// rewrite has the model make the question stand on its own.
func (a *answering) rewrite(ctx context.Context) (string, error) {
	messages, err := rewriteMessages(a.req)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, rewriteTimeout)
	defer cancel()
	read := 0
	resp, err := a.model.GenerateContent(ctx, messages, llms.WithMaxTokens(maxRewriteTokens), llms.WithStreamingFunc(func(_ context.Context, piece []byte) error {
		if read += len(piece); read > maxRewriteBytes {
			return errRambles
		}
		return nil
	}))
	if err != nil {
		return "", fmt.Errorf("rewrite question: %w", err)
	}
	if len(resp.Choices) == 0 {
		return "", errors.New("rewrite question: no answer")
	}
	choice := resp.Choices[0]
	question := strings.Join(strings.Fields(choice.Content), " ")
	switch {
	case question == "":
		return "", errors.New("rewrite question: no text")
	case len(choice.Content) > maxRewriteBytes: // of a model that does not stream
		return "", fmt.Errorf("rewrite question: %w", errRambles)
	case choice.StopReason == "length":
		return "", fmt.Errorf("rewrite question: it is not whole after %d tokens", maxRewriteTokens)
	}
	return question, nil
}

// write has the model answer, passes on what it writes as it comes, and checks
// the whole. It returns false if the reader has gone.
func (a *answering) write(ctx context.Context, yield func(Part, error) bool) (bool, error) {
	messages, err := answerMessages(a.req, a.found.Results)
	if err != nil {
		return false, err
	}
	s := startStream(ctx, a.model, messages)
	defer s.stop()
	var text strings.Builder
	whole := true
	for delta := range s.deltas {
		if text.Len()+len(delta) > maxAnswerBytes {
			whole = false
			break
		}
		text.WriteString(delta)
		if !yield(Part{Delta: delta}, nil) {
			return false, nil
		}
	}
	s.stop()
	choice := &llms.ContentChoice{StopReason: "length"}
	if whole {
		if s.err != nil {
			return false, fmt.Errorf("answer with %s: %w", a.req.Model, s.err)
		}
		choice = s.choice
	}
	content := text.String()
	if content == "" {
		content = choice.Content // a model that does not stream
	}
	return true, a.finish(content, choice)
}

// modelStream is a model call in a goroutine of its own.
type modelStream struct {
	// deltas gets the text as it comes and is closed at the end.
	deltas chan string
	cancel context.CancelFunc
	// choice and err are the outcome; they may be read once deltas is closed.
	choice *llms.ContentChoice
	err    error
}

// startStream starts a call; stop has to be called.
func startStream(ctx context.Context, model llms.Model, messages []llms.MessageContent) *modelStream {
	ctx, cancel := context.WithCancel(ctx)
	s := &modelStream{deltas: make(chan string), cancel: cancel}
	go func() {
		defer close(s.deltas)
		resp, err := model.GenerateContent(ctx, messages, llms.WithStreamingFunc(func(ctx context.Context, piece []byte) error {
			select {
			case s.deltas <- string(piece):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}))
		switch {
		case err != nil:
			s.err = err
		case ctx.Err() != nil:
			s.err = ctx.Err()
		case len(resp.Choices) == 0:
			s.err = fault.New(fault.Unavailable, "the model returned no answer; ask again")
		default:
			s.choice = resp.Choices[0]
		}
	}()
	return s
}

// stop ends the call and waits for its goroutine. It may be called again.
func (s *modelStream) stop() {
	s.cancel()
	for range s.deltas { //nolint:revive // what is still under way is not wanted
	}
}

// finish checks the text of a model and makes the answer from it.
func (a *answering) finish(content string, choice *llms.ContentChoice) error {
	out := Cite(a.rag.cfg.Static, a.written(content, choice.StopReason))
	out.Search, out.Timings, out.Usage = a.out.Search, a.out.Timings, UsageOf(choice)
	a.out = out
	if out.Text == CutNote(choice.StopReason) {
		return fault.New(fault.Unavailable, "the model %s returned an empty answer (finish reason %q); ask again", a.req.Model, choice.StopReason)
	}
	return nil
}

// begun makes the answer that results from stopping the model after a text.
func (a *answering) begun(text string) Answer {
	out := CiteBegun(a.rag.cfg.Static, a.written(text, ""))
	out.Search, out.Timings = a.out.Search, a.out.Timings
	return out
}

// written describes a text of the model.
func (a *answering) written(text, stopReason string) Written {
	return Written{Model: a.req.Model, Question: a.req.Question, Text: text, StopReason: stopReason, Results: a.found.Results}
}
