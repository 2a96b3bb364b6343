package approve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"docent/insight"
	"docent/internal/fault"
)

// link finds the passages of an answer in the present documents. Passages of the earlier answer stay, also if their documents changed,
// or if the reader of ctx may not read them. Other passages must be in documents that the reader may read.
func (w *Writer) link(ctx context.Context, a *insight.Approved, earlier []insight.Passage) error {
	var passages []insight.Passage
	for _, p := range a.Passages {
		known := slices.IndexFunc(earlier, func(e insight.Passage) bool { return e.Link == p.Link })
		doc, err := w.cfg.Read(ctx, p.Document)
		switch {
		case err == nil && p.Document != a.Document:
			if quote := locate(doc.Text, p.Quote); quote != "" {
				p.Quote, p.Revision = quote, doc.Revision
				passages = added(passages, p)
				continue
			}
		case err != nil && fault.KindOf(err) != fault.NotFound:
			return fmt.Errorf("read document %d below an answer: %w", p.Document, err)
		}
		if known < 0 {
			return NoPassage(p.Document)
		}
		passages = added(passages, earlier[known])
	}
	a.Passages = passages
	return nil
}

// NoPassage is the error for a passage that is not in a document, or that the reader may not read.
func NoPassage(document int64) error {
	return fault.New(fault.Invalid, "approved_passage_absent",
		"document %d has no such passage that you may read; copy the words from the text of the document", document)
}

// added adds a passage unless the list has it.
func added(list []insight.Passage, p insight.Passage) []insight.Passage {
	if slices.ContainsFunc(list, func(e insight.Passage) bool { return e.Link == p.Link }) {
		return list
	}
	return append(list, p)
}

// locate returns the part of a text that has the words of a quote, or "". White space does not count, nor do the first lines of a
// quote of table rows, which may repeat the header.
func locate(text, quote string) string {
	quote = strings.TrimSpace(quote)
	for quote != "" {
		if strings.Contains(text, quote) {
			return quote
		}
		if found := spaced(text, strings.Fields(quote)); found != "" {
			return found
		}
		first, rest, _ := strings.Cut(quote, "\n")
		if !strings.ContainsAny(first, "|\t") {
			return ""
		}
		quote = strings.TrimSpace(rest)
	}
	return ""
}

// spaced returns the part of a text that has the words with any white space between them, or "".
func spaced(text string, words []string) string {
	for from := 0; ; {
		at := strings.Index(text[from:], words[0])
		if at < 0 {
			return ""
		}
		start := from + at
		if n := prefix(text[start:], words); n > 0 {
			return text[start : start+n]
		}
		from = start + len(words[0])
	}
}

// prefix returns the length of the words at the beginning of a text, or 0.
func prefix(text string, words []string) int {
	rest := text
	for _, word := range words {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if !strings.HasPrefix(rest, word) {
			return 0
		}
		rest = rest[len(word):]
	}
	return len(text) - len(rest)
}
