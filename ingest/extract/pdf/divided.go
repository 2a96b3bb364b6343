package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// joinDivided joins the words that a hyphen divides at the end of a page. The first page
// keeps the word. The library joins words within a page.
func joinDivided(pages [][]line) {
	for i := 0; i+1 < len(pages); i++ {
		last, next := lastUsed(pages[i]), firstUsed(pages[i+1])
		if last == nil || next == nil {
			continue
		}
		text := strings.TrimRightFunc(last.text, unicode.IsSpace)
		hyphen, n := utf8.DecodeLastRuneInString(text)
		before, _ := utf8.DecodeLastRuneInString(text[:len(text)-n])
		if !strings.ContainsRune("-\u00ad‐", hyphen) || !unicode.IsLower(before) || !startsSmall(next.text) {
			continue
		}
		rest := strings.TrimLeftFunc(next.text, unicode.IsSpace)
		end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
		if end < 0 {
			end = len(rest)
		}
		for end < len(rest) && strings.IndexByte(".,;:!?)", rest[end]) >= 0 {
			end++
		}
		last.text = text[:len(text)-n] + rest[:end]
		next.text = strings.TrimLeftFunc(rest[end:], unicode.IsSpace)
	}
}

// lastUsed returns the last line with text of a page, unless it is in a table, or nil.
func lastUsed(page []line) *line {
	for i := len(page) - 1; i >= 0; i-- {
		if strings.TrimSpace(page[i].text) != "" {
			return plain(&page[i])
		}
	}
	return nil
}

// firstUsed returns the first line with text of a page, unless it is in a table, or nil.
func firstUsed(page []line) *line {
	for i := range page {
		if strings.TrimSpace(page[i].text) != "" {
			return plain(&page[i])
		}
	}
	return nil
}

func plain(l *line) *line {
	if l.kind != plainLine {
		return nil
	}
	return l
}
