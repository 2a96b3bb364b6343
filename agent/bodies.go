package agent

import (
	"context"
	"fmt"
	"strings"

	"docent/internal/errlog"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/text"
)

// Limits of the answer of Holdings.
const (
	maxShownCollections = 10
	maxShownTitles      = 5
	maxShownTitle       = 80 // characters
)

// Answering returns a body that answers a question from the documents. If Question is empty, it answers the text of the
// event. Without an event it says nothing. If the user's options have the headings of a brief, it writes a brief: it answers
// the question for each heading, and joins the answers.
func Answering(req rag.Request) Body { return answering(req, (*Session).RunRAG) }

// answer answers a question in a session, as Session.RunRAG does.
type answer func(*Session, context.Context, rag.Request) (payload.RAGMessage, error)

// answering returns the body of Answering with another source of answers.
func answering(req rag.Request, run answer) Body {
	return func(ctx context.Context, s *Session) error {
		switch {
		case req.Question == "" && s.Event().Name == "":
			return nil
		case req.Question == "" && strings.TrimSpace(s.Message()) == "":
			return s.Say(ctx, fault.NewText("question_was_empty", "Your message was empty. Ask me about your documents."))
		}
		if headings := s.AskOptions().Brief; len(headings) > 0 {
			return writeBrief(ctx, s, req, headings, run)
		}
		message, err := run(s, ctx, req)
		if err != nil {
			return err
		}
		return s.ReplyRAG(ctx, message)
	}
}

// Library lists the documents for Holdings. It is safe for concurrent use. corpus.Library includes it.
type Library interface {
	// Documents lists documents by ID, without Text.
	Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error)
	// Collections lists the collections by name.
	Collections(ctx context.Context) ([]corpus.CollectionInfo, error)
}

// Holdings returns a body that describes the documents: the number in each collection, and some titles.
func Holdings(library Library) Body {
	return func(ctx context.Context, s *Session) error {
		text, err := holdings(ctx, library)
		if err != nil {
			return errlog.Withhold(err)
		}
		return s.Say(ctx, text)
	}
}

func holdings(ctx context.Context, library Library) (fault.Text, error) {
	all, err := library.Collections(ctx)
	if err != nil {
		return fault.Text{}, fmt.Errorf("list collections: %w", err)
	}
	var lines fault.Text
	total, filled := 0, 0
	for _, c := range all {
		if c.Documents == 0 {
			continue
		}
		total += c.Documents
		if filled++; filled > maxShownCollections {
			continue
		}
		titles, err := someTitles(ctx, library, c)
		if err != nil {
			return fault.Text{}, err
		}
		lines = below(lines, fault.NewText("holdings_line", "- %s (%s): %s", c.Name, documents(c.Documents), titles))
	}
	if filled > maxShownCollections {
		lines = below(lines, otherCollections(filled-maxShownCollections))
	}
	if total == 0 {
		return fault.NewText("holdings_none", "I know of no documents yet. %s", rag.IngestHint()), nil
	}
	return fault.NewText("holdings", "I know %s in %s:\n%s\nAsk me about anything that is written in them.",
		documents(total), collections(filled), lines), nil
}

// below adds a line below others.
func below(lines, line fault.Text) fault.Text {
	if lines.IsZero() {
		return line
	}
	return fault.NewText("two_lines", "%s\n%s", lines, line)
}

func documents(n int) fault.Text {
	if n == 1 {
		return fault.NewText("one_document", "1 document")
	}
	return fault.NewText("many_documents", "%d documents", n)
}

func collections(n int) fault.Text {
	if n == 1 {
		return fault.NewText("one_collection", "1 collection")
	}
	return fault.NewText("many_collections", "%d collections", n)
}

func otherCollections(n int) fault.Text {
	if n == 1 {
		return fault.NewText("one_other_collection", "- and 1 other collection")
	}
	return fault.NewText("other_collections", "- and %d other collections", n)
}

// someTitles lists the titles of a collection's documents. If there are many, it lists the first ones.
func someTitles(ctx context.Context, library Library, c corpus.CollectionInfo) (fault.Text, error) {
	docs, err := library.Documents(ctx, corpus.DocumentFilter{Collection: c.Name, Status: corpus.Ready, Limit: maxShownTitles})
	if err != nil {
		return fault.Text{}, fmt.Errorf("list documents of %s: %w", c.Name, err)
	}
	titles := make([]string, 0, len(docs)+1)
	for _, d := range docs {
		title := strings.Join(strings.Fields(text.Clean(d.Title)), " ")
		if r := []rune(title); len(r) > maxShownTitle {
			title = string(r[:maxShownTitle-1]) + "…"
		}
		titles = append(titles, title)
	}
	if more := c.Documents - len(docs); more > 0 {
		return fault.NewText("and_more", "%s and %d more", strings.Join(titles, ", "), more), nil
	}
	return fault.Plain(strings.Join(titles, ", ")), nil
}
