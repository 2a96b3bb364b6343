package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"unicode/utf8"

	"docent/internal/fault"
	"docent/llm"
	"docent/rag"
	"docent/rag/retrieve"
	"docent/rag/text"
)

// quotesInstead reports whether docent answers with quotes after a failure of the model,
// and prepares the answer. It does unless the reader already has text of the model, or has reached a limit.
func quotesInstead(ctx context.Context, a *answering, err error) bool {
	var empty *llm.EmptyAnswerError
	if !a.pipeline.cfg.QuotesOnFailure || a.wrote && !errors.As(err, &empty) || ctx.Err() != nil || llm.Refused(err) {
		return false
	}
	a.pipeline.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "the model failed; docent answers with quotes",
		slog.String("model", a.req.Model), slog.String("reason", fault.Message(err)))
	timings := a.out.Timings
	a.out = rag.Answer{Model: rag.Extractive, Question: a.req.Question, Timings: timings}
	a.found, a.replied, a.parts, a.shown = retrieve.Retrieval{}, false, nil, 0
	a.model, a.failed = nil, err
	return true
}

// failureLine says in one line that the model failed. It is zero if it did not.
func failureLine(failed error) fault.Text {
	var empty *llm.EmptyAnswerError
	switch {
	case failed == nil:
		return fault.Text{}
	case errors.As(failed, &empty) && empty.Limit:
		return fault.NewText("quotes_after_limit",
			"The chat model reached its length limit before it wrote an answer, so docent quotes the documents. A higher --max-tokens gives the model more room.")
	case errors.As(failed, &empty) && empty.Called:
		return fault.NewText("quotes_after_call",
			"The chat model asked for a tool instead of an answer, so docent quotes the documents. Another --model may help.")
	case errors.As(failed, &empty) && empty.Reasoned:
		return fault.NewText("quotes_after_reasoning",
			"The chat model ended its reasoning without an answer, so docent quotes the documents. A higher --max-tokens or another --model may help.")
	case errors.Is(failed, llm.ErrTooLong):
		return fault.NewText("quotes_after_context", "The question does not fit the chat model, so docent quotes the documents.")
	case errors.Is(failed, llm.ErrFiltered):
		return fault.NewText("quotes_after_filter", "The content filter of the chat model refused the question, so docent quotes the documents.")
	default:
		return fault.NewText("quotes_after_failure", "The chat model does not answer right now, so docent quotes the documents.")
	}
}

// both joins two lines, of which the first may be zero.
func both(first, second fault.Text) fault.Text {
	switch {
	case first.IsZero():
		return second
	case second.IsZero():
		return first
	}
	return fault.NewText("two_sentences", "%s %s", first, second)
}

// fits remembers the size of the shortest request that was too long, by model. It has as
// many entries as there are models.
type fits struct {
	mu      sync.Mutex
	tooLong map[string]int // bytes
}

// limit returns the size of requests that are too long, or 0 if none were.
func (f *fits) limit(model string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tooLong[model]
}

func (f *fits) refused(model string, size int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tooLong == nil {
		f.tooLong = map[string]int{}
	}
	if was := f.tooLong[model]; was == 0 || size < was {
		f.tooLong[model] = size
	}
}

// sizeOf returns the size of messages in bytes.
func sizeOf(messages []llm.Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Text)
	}
	return n
}

// minPassageBytes is the length from which shorten does not cut the last passage further.
const minPassageBytes = 400

// shorten leaves out the older half of the turns and the worse half of the passages, or
// half of the text of the last passage. It returns false if nothing is left to leave out.
func shorten(a *answering) bool {
	turns, results := a.req.Turns, a.found.Results
	if a.shown == 0 {
		a.shown = len(results)
	}
	switch {
	case len(turns) > 0 || len(results) > 1:
		a.req.Turns = turns[(len(turns)+1)/2:]
		a.found.Results = results[:max(min(1, len(results)), len(results)/2)]
	case len(results) == 1 && len(results[0].Passage.Text) > minPassageBytes:
		short := results[0]
		short.Passage.Text = text.Cut(short.Passage.Text, len(short.Passage.Text)/2)
		if !utf8.ValidString(short.Passage.Text) {
			return false
		}
		a.found.Results = []retrieve.Result{short}
	default:
		return false
	}
	return true
}
