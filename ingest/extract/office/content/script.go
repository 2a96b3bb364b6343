package content

import "strings"

// maxScript is the longest run, in bytes, that Scripted changes. A longer run
// is usually small text and no index or exponent.
const maxScript = 12

// Scripted formats superscript text (script > 0) or subscript text (script < 0).
// Digits and signs become superscript or subscript characters. Other subscript
// text gets the prefix _. A superscript mix of digits and letters gets the prefix
// ^. Superscript letters stay unchanged, as in "1st".
func Scripted(s string, script int) string {
	if script == 0 || len(s) > maxScript || strings.TrimSpace(s) == "" {
		return s
	}
	forms := raisedForms
	if script < 0 {
		forms = loweredForms
	}
	var b strings.Builder
	for _, r := range s {
		form, ok := forms[r]
		switch {
		case ok:
			b.WriteRune(form)
		case script < 0 && len(s) <= maxLowered:
			return "_" + s
		case script > 0 && strings.ContainsAny(s, "0123456789+-−"):
			return "^" + s
		default:
			return s
		}
	}
	return b.String()
}

// maxLowered is the longest lowered text, in bytes, that is an index, as in
// x_max. Longer text is a word of its own.
const maxLowered = 6

// The raised and lowered forms of digits and signs.
var (
	raisedForms  = signForms("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
	loweredForms = signForms("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
)

func signForms(plain, formed string) map[rune]rune {
	forms := map[rune]rune{}
	to := []rune(formed)
	for i, r := range []rune(plain) {
		forms[r] = to[i]
	}
	return forms
}

// SymbolText converts a character of a symbol font to text. It returns a bullet
// for the usual list marks. It returns ASCII characters unchanged, and "" for all
// other characters.
func SymbolText(c byte) string {
	switch {
	case c == 0xb7 || c == 0xa7 || c == 0xa8 || c == 0xd8 || c == 0xfc:
		return "•"
	case c < 0x80:
		return string(rune(c))
	}
	return ""
}
