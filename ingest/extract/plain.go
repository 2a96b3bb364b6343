package extract

import (
	"strings"

	"docent/ingest/outline"
)

// readPlain reads text without markup: paragraphs are what empty lines
// separate, and an underlined line is a heading.
func readPlain(_, text string) *outline.Document {
	doc := &outline.Document{Text: text}
	doc.Blocks = paragraphs(doc.Blocks, text, 0, len(text), outline.Paragraph)
	return doc
}

// paragraphs appends the parts of text[from:to] that empty lines separate.
func paragraphs(blocks []outline.Block, text string, from, to int, kind outline.Kind) []outline.Block {
	start, end := -1, 0
	flush := func() {
		if start >= 0 {
			blocks = append(blocks, outline.Block{Kind: kind, Page: -1, Start: start, End: end})
		}
		start = -1
	}
	for i := from; i < to; {
		n := to - i
		if j := strings.IndexByte(text[i:to], '\n'); j >= 0 {
			n = j + 1
		}
		line := strings.TrimRight(text[i:i+n], " \t\n\f\v")
		switch {
		case strings.TrimSpace(line) == "":
			flush()
		case start < 0:
			start, end = i, i+len(line)
		default:
			end = i + len(line)
		}
		i += n
	}
	flush()
	return blocks
}
