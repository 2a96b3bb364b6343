package content

import "strings"

// The signs of boxes in forms.
const (
	Ticked = "☑"
	Empty  = "☐"
)

// Box returns the sign of a box.
func Box(ticked bool) string {
	if ticked {
		return Ticked
	}
	return Empty
}

// symbols are the characters of symbol fonts that have a meaning in forms.
var symbols = map[string]map[rune]string{
	"wingdings": {
		0x6f: Empty, 0x71: Empty, 0x72: Empty, 0xa8: Empty, 0x78: Ticked, 0xfd: Ticked, 0xfe: Ticked, 0xfc: "✓", 0xfb: "✗",
		0xe0: "→", 0xdf: "←", 0xe8: "→", 0x46: "→", 0x4a: "☺", 0x28: "☎", 0x2a: "✉",
	},
	"wingdings 2": {0x2a: Empty, 0x30: Empty, 0xa3: Empty, 0x51: Ticked, 0x52: Ticked, 0x53: Ticked, 0x54: Ticked, 0x50: "✓", 0x4f: "✗"},
	"wingdings 3": {},
	"webdings":    {0x63: Empty, 0x67: "■", 0x61: "✓", 0x72: "✗"},
	"marlett":     {0x62: "✓"},
}

// Symbol returns the text of a character in a symbol font. ok is false if the font has
// letters. Symbol fonts use the codes from U+F000 too.
func Symbol(font string, r rune) (text string, ok bool) {
	known, ok := symbols[strings.ToLower(strings.TrimSpace(font))]
	if !ok {
		return "", false
	}
	if r >= 0xf000 && r <= 0xf0ff {
		r -= 0xf000
	}
	if s := known[r]; s != "" {
		return s, true
	}
	if r > 0xff {
		return string(r), true // a character that the font does not have
	}
	switch r {
	case 0xb7, 0xa7, 0xd8, 0x6c, 0x6e, 0x75, 0x76, 0x9f:
		return "•", true
	case ' ', '\t', '\n':
		return string(r), true
	}
	return "", true
}

// SymbolRun returns the text of a run in a font.
func SymbolRun(font, text string) string {
	if _, ok := symbols[strings.ToLower(strings.TrimSpace(font))]; !ok {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		s, _ := Symbol(font, r)
		b.WriteString(s)
	}
	return b.String()
}
