package pdf

import (
	"regexp"
	"strings"
	"unicode"
)

// mirrored maps brackets to their mirror images.
var mirrored = map[rune]rune{'(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '<': '>', '>': '<', '«': '»', '»': '«'}

// rightToLeft puts the brackets and stops of Arabic and Hebrew lines in order. The library
// puts the letters in order, but it keeps the shapes of brackets as drawn, and it places the
// signs between a number and a letter on the wrong side of the number.
func rightToLeft(lines []line) {
	var rtl []int
	for i, l := range lines {
		if isRightToLeft(l.text) {
			rtl = append(rtl, i)
		}
	}
	if len(rtl) == 0 {
		return
	}
	drawn, turned := 0, 0 // brackets without a partner
	var open, openTurned []rune
	for _, i := range rtl {
		for _, r := range lines[i].text {
			drawn += pair(&open, r)
			if m, ok := mirrored[r]; ok {
				turned += pair(&openTurned, m)
			}
		}
	}
	drawn, turned = drawn+len(open), turned+len(openTurned)
	for _, i := range rtl {
		text := lines[i].text
		if turned < drawn {
			text = strings.Map(func(r rune) rune {
				if m, ok := mirrored[r]; ok {
					return m
				}
				return r
			}, text)
			text = foreignBrackets.ReplaceAllStringFunc(text, func(m string) string {
				// The second bracket belongs behind the words: "(WHO)" and not "(WHO (".
				last := strings.LastIndexAny(m, "([")
				return m[:last-1] + string(mirrored[rune(m[last])]) + " " + m[last+1:]
			})
		}
		lines[i].text = misplacedSign.ReplaceAllString(text, "$1$3$2$4")
	}
}

var (
	// misplacedSign matches a number behind the sign that follows it.
	misplacedSign = regexp.MustCompile(`(^|[\s|])([.,،؛;:!؟?])(\d[\d.,:/%٫٬-]*)($|\s)`)
	// foreignBrackets matches Latin words in brackets, of which the second one is misplaced.
	foreignBrackets = regexp.MustCompile(`[(\[][A-Za-z0-9][A-Za-z0-9 .,&/-]*? [(\[][\p{Hebrew}\p{Arabic}]`)
)

// pair handles a bracket: it opens it, or closes the one that is open. It returns 1 for a
// closing bracket without a partner.
func pair(open *[]rune, r rune) int {
	switch r {
	case '(', '[', '{', '«':
		*open = append(*open, r)
	case ')', ']', '}', '»':
		n := len(*open)
		if n == 0 || mirrored[(*open)[n-1]] != r {
			return 1
		}
		*open = (*open)[:n-1]
	}
	return 0
}

// isRightToLeft reports whether most letters of a line are Arabic or Hebrew.
func isRightToLeft(text string) bool {
	rtl, all := 0, 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		all++
		if unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana) {
			rtl++
		}
	}
	return rtl*2 > all
}
