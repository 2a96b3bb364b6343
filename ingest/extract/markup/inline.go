package markup

import (
	"strings"

	"docent/ingest/extract/blocks"
)

// spans finds the ends of marked text in one paragraph. It remembers marks
// without a further end, so that many open marks cost one search.
type spans struct {
	text string
	none map[string]bool
}

// newSpans returns a finder for a paragraph.
func newSpans(text string) *spans { return &spans{text: text, none: map[string]bool{}} }

// raw returns the position of the next mark from i on, or -1.
func (s *spans) raw(i int, mark string) int {
	if s.none[mark] {
		return -1
	}
	at := strings.Index(s.text[i:], mark)
	if at < 0 {
		s.none[mark] = true
		return -1
	}
	return i + at
}

// tight returns the next end of marked text from i on, or -1. No space may
// precede the end, and no letter or digit may follow it.
func (s *spans) tight(i int, mark string) int {
	key := "tight" + mark
	if s.none[key] {
		return -1
	}
	for at := i; ; {
		j := strings.Index(s.text[at:], mark)
		if j < 0 {
			s.none[key] = true
			return -1
		}
		at += j
		if at > i && !blocks.IsSpaceBefore(s.text, at) && !blocks.IsWordAt(s.text, at+len(mark)) {
			return at
		}
		at += len(mark)
	}
}
