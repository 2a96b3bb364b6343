// Package plain reads plain-text formats: prose, Markdown, tables, JSON, and
// source code.
package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/ingest/outline"
)

// Text reads text without markup. Empty lines separate paragraphs. Underlined
// lines become headings. As in manual pages, unindented lines in capitals above
// indented text become headings too. A whole manual page becomes paragraphs and options.
func Text(_, text string) *outline.Document {
	if name := manualName(text); name != "" {
		return manual(name, text)
	}
	text = withoutRunning(text)
	doc := &outline.Document{Text: text}
	blocks := paragraphs(nil, text, 0, len(text), outline.Paragraph)
	for i, b := range blocks {
		body := text[b.Start:b.End]
		first, rest, more := strings.Cut(body, "\n")
		under, after, _ := strings.Cut(rest, "\n")
		switch {
		case more && isUnderline(under) && isHeadingLine(first) &&
			utf8.RuneCountInString(strings.TrimRight(under, " ")) >= utf8.RuneCountInString(strings.TrimSpace(first)):
			end := b.Start + len(first) + 1 + len(under)
			level := 2
			if under[0] == '=' || under[0] == '#' || under[0] == '*' {
				level = 1
			}
			doc.Blocks = outline.Append(doc.Blocks, outline.Block{
				Kind: outline.Heading, Level: level, Page: -1, Start: b.Start, End: end, Name: strings.TrimSpace(first),
			})
			if strings.TrimSpace(after) != "" {
				doc.Blocks = outline.Append(doc.Blocks, outline.Block{Kind: outline.Paragraph, Page: -1, Start: end + 1, End: b.End})
			}
		case more && isCapitals(first) && strings.HasPrefix(rest, " "):
			doc.Blocks = outline.Append(doc.Blocks, outline.Block{
				Kind: outline.Heading, Level: 1, Page: -1, Start: b.Start, End: b.Start + len(first),
			})
			doc.Blocks = outline.Append(doc.Blocks, outline.Block{Kind: outline.Paragraph, Page: -1, Start: b.Start + len(first) + 1, End: b.End})
		case !more && isCapitals(first) && i+1 < len(blocks) && strings.HasPrefix(text[lineStart(text, blocks[i+1].Start):], " "):
			b.Kind, b.Level = outline.Heading, 1
			doc.Blocks = outline.Append(doc.Blocks, b)
		default:
			doc.Blocks = outline.Append(doc.Blocks, b)
		}
	}
	if len(doc.Blocks) > 0 && doc.Blocks[0].Kind == outline.Heading && doc.Blocks[0].Name != "" {
		doc.Title = doc.Blocks[0].Name
	}
	return doc
}

// lineStart returns the offset at which the line of another offset begins.
func lineStart(text string, i int) int { return strings.LastIndexByte(text[:i], '\n') + 1 }

// isHeadingLine reports whether a line can be a heading. It must be short and
// contain a letter.
func isHeadingLine(s string) bool {
	return len(s) <= 120 && strings.ContainsFunc(s, unicode.IsLetter)
}

// isUnderline reports whether a line consists of one repeated underline mark.
func isUnderline(s string) bool {
	s = strings.TrimRight(s, " ")
	return len(s) >= 3 && strings.ContainsRune("=-~^#*+", rune(s[0])) && strings.Trim(s, s[:1]) == ""
}

// isCapitals reports whether a line is an unindented heading in capitals.
func isCapitals(s string) bool {
	return len(s) >= 3 && len(s) <= 60 && s[0] != ' ' && s[0] != '\t' && strings.ToUpper(s) == s &&
		strings.ContainsFunc(s, unicode.IsUpper) && !strings.ContainsAny(s, "=;{}()<>|")
}

// paragraphs appends the parts of text[from:to] between empty lines.
func paragraphs(blocks []outline.Block, text string, from, to int, kind outline.Kind) []outline.Block {
	start, end := -1, 0
	flush := func() {
		if start >= 0 {
			blocks = outline.Append(blocks, outline.Block{Kind: kind, Page: -1, Start: start, End: end})
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
