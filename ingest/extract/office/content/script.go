package content

import "strings"

// maxScript is the longest run that is changed; longer ones are text that
// happens to be small.
const maxScript = 12

// Scripted is a run of text that is raised (script > 0) or lowered. Digits and
// signs get their small forms. Other lowered text follows _, and a raised mix of
// digits and letters follows ^. Raised letters stay as they are, as in "1st".
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

// maxLowered is the longest lowered text that is an index, as in x_max, and not
// a word of its own.
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

// SymbolText is a letter of a symbol font as text: Greek letters and signs of
// the Symbol font where they are sure, else the sign as ASCII.
func SymbolText(c byte) string {
	switch {
	case c == 0xb7 || c == 0xa7 || c == 0xa8 || c == 0xd8 || c == 0xfc:
		return "•"
	case c < 0x80:
		return string(rune(c))
	}
	return ""
}
