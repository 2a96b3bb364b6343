package content

import (
	"strings"
	"unicode"
)

// MaxRunning bounds the headers and footers that are read from one document.
const MaxRunning = 100

// IsPageLabel reports whether the text of a header or footer is only a page
// number, with words such as "page" and "of".
func IsPageLabel(text string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if !pageWords[word] {
			return false
		}
	}
	return true
}

// pageWords are words beside page numbers.
var pageWords = map[string]bool{
	"page": true, "of": true, "seite": true, "von": true, "p": true, "s": true, "pag": true, "pagina": true,
	"página": true, "de": true, "sur": true, "di": true, "strona": true, "стр": true, "из": true,
}
