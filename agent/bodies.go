package agent

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"docent/agent/tool"
	"docent/rag"
)

// Bounds of what Holdings tells.
const (
	maxShownCollections = 10
	maxShownTitles      = 5
	maxShownTitle       = 80 // characters
)

const emptyQuestionReply = "Your message was empty. Ask me about your documents."

// Answering returns a body that answers a question from the documents. Without
// Question it is the text of the event that led to it; where none did, nothing
// is said.
func Answering(req rag.Request) Body {
	return func(ctx context.Context, s *Session) error {
		switch {
		case req.Question == "" && s.Event().Name == "":
			return nil
		case req.Question == "" && strings.TrimSpace(s.Message()) == "":
			return s.Reply(ctx, emptyQuestionReply)
		}
		message, err := s.RunRAG(ctx, req)
		if err != nil {
			return err
		}
		return s.ReplyRAG(ctx, message)
	}
}

// Holdings returns a body that tells which documents there are: of each
// collection how many, and some titles.
func Holdings(library tool.Library) Body {
	return func(ctx context.Context, s *Session) error {
		text, err := holdings(ctx, library)
		if err != nil {
			return Withhold(err)
		}
		return s.Reply(ctx, text)
	}
}

func holdings(ctx context.Context, library tool.Library) (string, error) {
	all, err := library.Collections(ctx)
	if err != nil {
		return "", fmt.Errorf("list collections: %w", err)
	}
	var lines []string
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
			return "", err
		}
		lines = append(lines, fmt.Sprintf("- %s (%s): %s", c.Name, counted(c.Documents, "document"), titles))
	}
	if filled > maxShownCollections {
		lines = append(lines, "- and "+counted(filled-maxShownCollections, "other collection"))
	}
	if total == 0 {
		return "I know of no documents yet. " + rag.DefaultIngestHint, nil
	}
	return fmt.Sprintf("I know %s in %s:\n%s\nAsk me about anything that is written in them.",
		counted(total, "document"), counted(filled, "collection"), strings.Join(lines, "\n")), nil
}

// someTitles names the documents of a collection, the first ones if there are
// many.
func someTitles(ctx context.Context, library tool.Library, c rag.CollectionInfo) (string, error) {
	docs, err := library.Documents(ctx, rag.DocumentFilter{Collection: c.Name, Status: rag.Ready, Limit: maxShownTitles})
	if err != nil {
		return "", fmt.Errorf("list documents of %s: %w", c.Name, err)
	}
	titles := make([]string, 0, len(docs)+1)
	for _, d := range docs {
		title := strings.Join(strings.Fields(rag.Clean(d.Title)), " ")
		if r := []rune(title); len(r) > maxShownTitle {
			title = string(r[:maxShownTitle-1]) + "…"
		}
		titles = append(titles, title)
	}
	if more := c.Documents - len(docs); more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(titles, ", "), more), nil
	}
	return strings.Join(titles, ", "), nil
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Matches returns a condition that holds for events whose text the expression
// matches.
func Matches(expression *regexp.Regexp) Condition {
	return func(_ context.Context, s *Session) (bool, error) {
		return expression.MatchString(s.Event().Text), nil
	}
}
