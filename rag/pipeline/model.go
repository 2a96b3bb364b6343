package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"docent/llm"
	"docent/rag"
	"docent/rag/text"
)

// Limits of a question that a model rewrites. A longer text is no question, and
// the user should not wait for it.
const (
	// maxRewriteBytes limits the question in bytes.
	maxRewriteBytes = 600
	// maxRewriteTokens limits the question in tokens.
	maxRewriteTokens = 200
	// rewriteTimeout limits the call.
	rewriteTimeout = 5 * time.Second
)

// loopCheckBytes is the length of text after which docent checks again whether
// the model repeats itself.
const loopCheckBytes = 256

var errRambles = fmt.Errorf("the model wrote more than %d bytes", maxRewriteBytes)

// rewrite lets the model rewrite the question so that it stands on its own.
func (a *answering) rewrite(ctx context.Context) (string, error) {
	messages, err := rewriteMessages(a.req)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, rewriteTimeout)
	defer cancel()
	var written strings.Builder
	for delta, err := range a.rewriter().Chat(ctx, llm.Request{Messages: messages, MaxTokens: maxRewriteTokens}) {
		switch {
		case err != nil:
			return "", fmt.Errorf("rewrite question: %w", err)
		case delta.Answer != nil && delta.Answer.StopReason == "length":
			return "", fmt.Errorf("rewrite question: it is not whole after %d tokens", maxRewriteTokens)
		}
		if delta.Restart {
			written.Reset()
		}
		if written.WriteString(delta.Text); written.Len() > maxRewriteBytes {
			return "", fmt.Errorf("rewrite question: %w", errRambles)
		}
	}
	question := strings.Join(strings.Fields(written.String()), " ")
	if question == "" {
		return "", errors.New("rewrite question: no text")
	}
	return question, nil
}

// write lets the model answer. If the request is too long for the model, write leaves out
// passages and turns. It returns false if the reader has left.
func (a *answering) write(ctx context.Context, yield func(rag.Part, error) bool) (bool, error) {
	if a.req.Failed != nil {
		return true, a.req.Failed
	}
	limit := a.pipeline.fits.limit(a.req.Model)
	for {
		messages, err := answerMessages(promptVersions[a.pipeline.cfg.Prompts], a.pipeline.cfg.Now(), a.req, a.wishes, a.found.Results)
		if err != nil {
			return true, err
		}
		size := sizeOf(messages)
		if limit > 0 && size >= limit && shorten(a) {
			continue
		}
		ok, err := writeOnce(ctx, a, messages, yield)
		if !errors.Is(err, llm.ErrTooLong) {
			return ok, err
		}
		a.pipeline.fits.refused(a.req.Model, size)
		if a.wrote || !shorten(a) {
			return ok, err
		}
	}
}

// writeOnce passes the pieces of an answer on as they arrive, and checks the whole.
func writeOnce(ctx context.Context, a *answering, messages []llm.Message, yield func(rag.Part, error) bool) (bool, error) {
	var written strings.Builder
	final := FinalText{Passages: len(a.found.Results), Names: namesOf(a.found.Results)}
	checked := 0                               // length of written at the last check for loops
	whole := &llm.Answer{StopReason: "length"} // if the model writes too much
	thinking := &thinking{}
	for delta, err := range a.model.Chat(ctx, llm.Request{Messages: messages}) {
		if err != nil {
			return true, fmt.Errorf("answer with %s: %w", a.req.Model, err)
		}
		if delta.Answer != nil {
			whole = delta.Answer
		}
		reasoning := delta.Reasoning
		if delta.Restart {
			reasoning = written.String() + reasoning
			written.Reset()
			checked, final = 0, FinalText{Passages: final.Passages, Names: final.Names}
			if !yield(rag.Part{Restart: true}, nil) {
				return false, nil
			}
		}
		if a.pipeline.cfg.ShowThinking {
			piece := thinking.add(reasoning, delta.Text != "" || delta.Answer != nil)
			if piece != "" && !yield(rag.Part{Thinking: piece}, nil) {
				return false, nil
			}
		}
		if written.Len()+len(delta.Text) > maxAnswerBytes {
			break
		}
		a.wrote = a.wrote || !a.whole && strings.TrimSpace(delta.Text) != ""
		if written.WriteString(delta.Text); delta.Text != "" && !yield(rag.Part{Delta: delta.Text}, nil) {
			return false, nil
		}
		if fresh := final.More(written.String()); fresh != "" && !yield(rag.Part{Final: fresh}, nil) {
			return false, nil
		}
		if written.Len()-checked < loopCheckBytes {
			continue
		}
		if checked = written.Len(); text.LoopLength(written.String()) > 0 {
			whole = &llm.Answer{StopReason: stopLoop}
			break
		}
	}
	if err := a.finish(ctx, written.String(), final.text, whole); err != nil {
		return true, err
	}
	a.out.Thinking = strings.TrimSpace(thinking.all.String())
	return true, nil
}

// finish checks the text of a model and makes the answer from it, which begins with the
// final text.
func (a *answering) finish(ctx context.Context, content, final string, whole *llm.Answer) error {
	w := a.written(content, whole.StopReason)
	w.Final, w.Note = final, shortenedNote(a)
	if whole.Model != "" {
		w.Model = whole.Model
	}
	out := Cite(a.pipeline.cfg.Static, w)
	out.Search, out.Timings, out.Usage = a.out.Search, a.out.Timings, (*rag.Usage)(whole.Usage)
	a.out = out
	called := len(whole.Calls) > 0 && !cites(out.Sentences) // docent offers no tools here; text without citations introduces the call
	if called || out.Text == CutNote(w.Language, whole.StopReason)+w.Note {
		return llm.EmptyError(a.req.Model, *whole) //nolint:wrapcheck // it names the model
	}
	judge{a}.written(ctx)
	return nil
}

// begun makes the answer that results from stopping the model after a text.
func (a *answering) begun(body string) rag.Answer {
	out := CiteBegun(a.pipeline.cfg.Static, a.written(body, ""))
	out.Search, out.Timings = a.out.Search, a.out.Timings
	return out
}

// written describes a text of the model.
func (a *answering) written(body, stopReason string) Written {
	return Written{
		Model: a.req.Model, Prompts: a.pipeline.cfg.Prompts, Question: a.req.Question, Language: NoteLanguage(a.wishes, a.req.Question),
		Text: body, StopReason: stopReason, Results: a.found.Results,
	}
}
