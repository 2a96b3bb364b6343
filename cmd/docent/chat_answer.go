package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"docent/client"
	"docent/cmd/docent/dialog"
	"docent/internal/lazyregexp"
	"docent/payload"
	"docent/rag"
	"docent/rag/order"
	"docent/rag/pipeline"
	"docent/rag/retrieve"
	"docent/rag/text"
)

// message returns a message with the choices of the user.
func (c *conversation) message(line string) any {
	if c.collection == "" && c.model == "" {
		return line
	}
	m := map[string]any{"message": line}
	if c.collection != "" {
		m["collections"] = []string{c.collection}
	}
	if c.model != "" {
		m["model"] = c.model
	}
	return m
}

// errStopped ends the wait for a server that does not answer.
var errStopped = errors.New("stopped")

// ask sends a message and prints the replies while they come. Ctrl-C stops the answer, and the second one the wait.
func (c *conversation) ask(ctx context.Context, line string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sent, over := make(chan int64, 1), make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { c.stop(ctx, sent, over, cancel) })
	defer watch.Wait()
	defer close(over)
	c.options, c.sent = nil, true
	receipt, err := c.session.Send(ctx, c.message(line))
	if err == nil {
		sent <- receipt.Turn
		err = c.follow(ctx, receipt.Turn)
	}
	if cause := context.Cause(ctx); errors.Is(cause, errStopped) {
		return cause
	}
	return err
}

// stop waits for Ctrl-C. It stops the turn that was sent, or cancels the wait for it.
func (c *conversation) stop(ctx context.Context, sent <-chan int64, over <-chan struct{}, cancel context.CancelCauseFunc) {
	select {
	case <-over:
		return
	case <-c.interrupts:
	}
	select {
	case turn := <-sent:
		if c.session.Stop(ctx, turn) == nil {
			select {
			case <-over:
				return
			case <-c.interrupts:
			}
		}
	default:
	}
	cancel(errStopped)
}

// follow prints the events of a turn until its end. Before a search, no citation is shown, because it may be invented.
func (c *conversation) follow(ctx context.Context, turn int64) error {
	stream := begun{}
	passages := 0 // that the answer may cite; the number is known when it ends
	for {
		var h heard
		select {
		case next, ok := <-c.events:
			if h = next; h.err != nil || !ok {
				return ended(h)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		switch e := h.event.(type) {
		case *client.Status:
			if e.Turn == turn && e.Phase == string(rag.Searching) {
				passages = retrieve.AnswerK
			}
		case *client.Step:
			if e.Step.Kind == payload.StepToolResult { // the tool may have searched
				passages = retrieve.AnswerK
			}
		case *client.Delta:
			if e.Turn == turn {
				_, _ = c.page.Write([]byte(stream.add(e.Text, passages))) // nothing can be done about an output that is gone
			}
		case *client.Reply:
			if e.Turn != turn { // such as the rest of the greeting
				c.reply(e.Entry, begun{})
				continue
			}
			c.reply(e.Entry, stream)
			stream = begun{}
		case *client.TurnFinished:
			if e.Turn == turn {
				c.endLine(stream)
				if e.Outcome == payload.Stopped {
					c.say("(stopped)")
				}
				return nil
			}
		default:
			if text := c.report(e); text != "" {
				c.endLine(stream)
				stream = begun{}
				c.say("%s", text)
			}
		}
	}
}

// endLine ends the line of an unfinished answer.
func (c *conversation) endLine(stream begun) {
	if stream.shown != "" && !strings.HasSuffix(stream.shown, "\n") {
		fmt.Fprintln(c.page)
	}
	_ = c.page.Flush() // nothing can be done about an output that is gone
}

// reply prints a reply, of which the stream has shown the beginning.
func (c *conversation) reply(e client.Entry, stream begun) {
	var rag payload.RAGMessage
	var options payload.Options
	switch {
	case e.Action == payload.ReplyRAG && json.Unmarshal(e.Message, &rag) == nil:
		rag = order.ByCitation(rag)
		c.last = &rag
		c.options = nil
		c.finish(stream, rag.Answer)
		_ = printEvidence(c.page, rag) // nothing can be done about an output that is gone
	case e.Action == payload.ReplyOptions && json.Unmarshal(e.Message, &options) == nil:
		c.endLine(stream)
		c.options = options
		for i, label := range options {
			c.say("  %d. %s", i+1, oneLine(label))
		}
	default:
		if e.Action == payload.ReplyDataFrame { // it must not continue a table
			fmt.Fprintln(c.page)
		}
		c.finish(stream, dialog.Text(e.Action, e.Message))
	}
	_ = c.page.Flush()
}

// finish prints a text. If the stream has shown its beginning, finish prints the rest. If the stream has shown another text,
// finish says so and prints the sentences from the first different one.
func (c *conversation) finish(stream begun, whole string) {
	whole = strings.TrimSpace(whole)
	rest, same := strings.CutPrefix(whole, stream.shown)
	if !same {
		c.endLine(stream)
		c.say("(docent corrected the answer. From here on, it is:)")
		rest = corrected(stream.shown, whole)
	}
	fmt.Fprintln(c.page, rest)
	_ = c.page.Flush()
}

// corrected returns the whole text from the first sentence that differs from the shown text, and at least its last one.
func corrected(shown, whole string) string {
	from := 0
	for _, s := range text.Sentences(whole, false) {
		from = s.Start
		if !strings.HasPrefix(shown, whole[:s.End]) {
			break
		}
	}
	return whole[from:]
}

// begun is the shown beginning of an answer.
type begun struct {
	raw   strings.Builder
	final pipeline.FinalText
	// kept is the final text so far, and shown its shown beginning with the numbers of [order.ByCitation].
	kept, shown string
}

// add returns the text to show after a delta: sentences that the answer keeps. The terminal does not know the passages.
// Therefore a sentence waits for the answer if docent changed it, if it cites a number above the probable number of passages,
// or if it may cite a document by its name. The following sentences wait, too.
func (b *begun) add(delta string, passages int) string {
	b.raw.WriteString(delta)
	b.final.Passages = passages
	fresh := b.final.More(b.raw.String())
	if fresh == "" {
		return ""
	}
	b.kept += fresh
	written, kept := order.Numbered(strings.TrimSpace(b.raw.String())), order.Numbered(b.kept)
	end := 0
	for _, s := range text.Sentences(kept, false) {
		if !strings.HasPrefix(written, kept[:s.End]) || mayName(kept[s.Start:s.End]) || text.DropSources(kept[:s.End], nil) != kept[:s.End] {
			break
		}
		end = s.End
	}
	if end <= len(b.shown) {
		return ""
	}
	rest := kept[len(b.shown):end]
	b.shown = kept[:end]
	return rest
}

var (
	codeSpan = lazyregexp.New("`[^`]*`")
	// nameInBrackets matches text in brackets, and the name of a file in parentheses.
	nameInBrackets = lazyregexp.New(`[\[【]|\([^()]*\.[A-Za-z]\w{0,5}\)`)
)

// mayName reports whether a sentence may cite a document by its name.
func mayName(sentence string) bool {
	return nameInBrackets.MatchString(codeSpan.ReplaceAllString(text.ResolveMarkers(sentence, 0), ""))
}
