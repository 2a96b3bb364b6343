package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docent/internal/fault"
	"docent/internal/lazyregexp"
	"docent/rag/corpus"
	"docent/rag/text"
)

// Limits of an outline.
const (
	// maxSections is the number of its sections.
	maxSections = 12
	// leadingSentences is the number of sentences of all sections together.
	leadingSentences = 12
	// maxLeading limits a sentence in bytes.
	maxLeading = 300
	// leadingRows is the number of rows of a table, with its header.
	leadingRows = 3
)

// summary shows the outline of documents with their leading sentences. A model writes the summary from the same passages.
func (a librarian) summary(ctx context.Context, documents []corpus.Document) (done bool, err error) {
	out := &composed{}
	for i, d := range documents {
		chunks, err := a.catalog.DocumentChunks(ctx, d.ID, -1, maxRead)
		if err != nil {
			return false, fmt.Errorf("read a document: %w", err)
		}
		if i > 0 {
			out.say("")
		}
		a.outline(out, d, chunks)
	}
	if len(out.passages) == 0 {
		return false, nil
	}
	if a.model == nil {
		a.composed(out)
		return true, nil
	}
	a.out.Passages, a.found.Results = out.passages, passagesOf(out.passages)
	return true, nil
}

// outline adds the title of a document, its main headings, and their leading sentences.
func (a librarian) outline(out *composed, d corpus.Document, chunks []corpus.Chunk) {
	out.say("**" + shownTitle(d) + "**\n")
	sections := sectionsOf(chunks)
	each := max(1, leadingSentences/max(1, len(sections)))
	for _, s := range sections[:min(len(sections), maxSections)] {
		leading := leadingText(s.text, each)
		if leading == "" {
			continue
		}
		mark := ""
		if len(sections) > 1 {
			mark = "- "
			if s.heading != "" {
				mark += "**" + s.heading + "**: "
			}
		}
		out.open(mark)
		out.cite(leading, corpus.Passage{Chunk: s.chunk, Document: d})
	}
	if more := len(sections) - maxSections; more > 0 {
		out.say(a.said(fault.NewText("library_more_sections", "- and %d more sections", more)))
	}
}

// section is a section of a document with the beginning of its text.
type section struct {
	heading string
	// level is the depth of the heading; 0 is directly below the title.
	level int
	text  string
	// chunk contains the text.
	chunk corpus.Chunk
}

// headingLine matches a heading in the text of a chunk.
var headingLine = lazyregexp.New(`(?m)^(#{1,6}) +(.+?) *$`)

// sectionsOf returns the main sections of a document: those of the highest level with more than one.
func sectionsOf(chunks []corpus.Chunk) []section {
	var all []section
	for _, c := range chunks {
		s := section{level: -1, chunk: c}
		for i, h := range c.Headings {
			h = escaped(h)
			if i == len(c.Headings)-1 {
				s.heading, s.level = h, i
			} else if !has(all, h, i) {
				all = append(all, section{heading: h, level: i, text: c.Text, chunk: c})
			}
		}
		at := 0
		for _, m := range headingLine.FindAllStringSubmatchIndex(c.Text, -1) {
			s.text = c.Text[at:m[0]]
			all = with(all, s)
			s = section{heading: escaped(c.Text[m[4]:m[5]]), level: max(0, m[3]-m[2]-2), chunk: c}
			at = m[1]
		}
		s.text = c.Text[at:]
		all = with(all, s)
	}
	for level := range 4 {
		var main []section
		for _, s := range all {
			if s.level == level || s.level < level && s.text != "" && len(main) == 0 {
				main = append(main, s)
			}
		}
		if len(main) > 2 || len(main) == 2 && main[0].level == level {
			return main
		}
	}
	if parts := paragraphsOf(chunks); len(parts) > 2 {
		return parts
	}
	return all[:min(len(all), 1)]
}

// maxParagraphTitle limits the line above a paragraph, in bytes.
const maxParagraphTitle = 60

// paragraphsOf returns the paragraphs of a document without headings as sections. The short line above a paragraph is its heading.
func paragraphsOf(chunks []corpus.Chunk) []section {
	var out []section
	for _, c := range chunks {
		if c.Kind != corpus.Prose {
			return nil
		}
		for part := range strings.SplitSeq(c.Text, "\n\n") {
			s := section{text: part, chunk: c}
			first, rest, several := strings.Cut(strings.TrimSpace(part), "\n")
			if several && len(first) <= maxParagraphTitle && !text.Ends(first) {
				s.heading, s.text = escaped(strings.TrimSpace(first)), rest
			}
			if several || len(first) > maxParagraphTitle {
				out = append(out, s)
			}
		}
	}
	return out
}

// with adds a section unless it continues another one or has neither a heading nor text.
func with(all []section, s section) []section {
	if has(all, s.heading, s.level) || s.heading == "" && strings.TrimSpace(s.text) == "" {
		return all
	}
	return append(all, s)
}

func has(all []section, heading string, level int) bool {
	return slices.ContainsFunc(all, func(s section) bool { return s.heading == heading && s.level == level })
}

// topicsOf returns the headings of the main sections.
func topicsOf(chunks []corpus.Chunk) []string {
	var out []string
	for _, s := range sectionsOf(chunks) {
		if s.heading != "" {
			out = append(out, s.heading)
		}
	}
	return out
}

// leadingText returns the first n sentences of a text in one line.
func leadingText(s string, n int) string {
	var out []string
	rows := 0
	for _, part := range text.Sentences(s, false) {
		body := strings.Join(strings.Fields(s[part.Start:part.End]), " ")
		switch part.Kind {
		case text.CodeSentence:
			continue
		case text.TitleSentence:
			if len(out) == 0 && part.End < len(strings.TrimSpace(s)) {
				continue
			}
		case text.RowSentence:
			if body = row(body); body == "" {
				continue
			}
			if rows++; rows > leadingRows {
				return strings.Join(out, "; ")
			}
		}
		out = append(out, text.ResolveMarkers(text.Cut(body, maxLeading), 0))
		if len(out) == n && rows == 0 {
			break
		}
	}
	if rows > 0 {
		return strings.Join(out, "; ")
	}
	return strings.Join(out, " ")
}

// row returns the cells of a row of a table, or "" for the line below its header.
func row(line string) string {
	var cells []string
	for cell := range strings.SplitSeq(line, "|") {
		if cell = strings.TrimSpace(cell); strings.Trim(cell, "-:") != "" {
			cells = append(cells, cell)
		}
	}
	return strings.Join(cells, ", ")
}
