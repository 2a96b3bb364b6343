package pdf

import (
	"slices"
	"strings"
)

// watermarkSize is the minimum ratio of the size of a watermark to that of the text.
const watermarkSize = 1.8

// stamps are words of watermarks.
var stamps = strings.Fields("draft copy confidential sample specimen void duplicate uncontrolled preliminary obsolete superseded proof watermark " +
	"entwurf kopie muster vertraulich ungültig brouillon copie confidentiel spécimen projet borrador copia confidencial muestra bozza riservato " + //nolint:misspell // French
	"campione rascunho cópia amostra concept kopia utkast wersja robocza szkic поект черновик копия образец конфиденциально 草稿 机密 样本 社外秘 見本")

// dropWatermarks empties the lines of watermarks: oblique lines that are large or on
// several pages, and large stamps such as "Draft". They are neither text nor titles. A
// page without other lines keeps them.
func dropWatermarks(pages [][]line) {
	body := textSize(pages)
	count := map[string]int{}
	for _, page := range pages {
		seen := map[string]bool{}
		for _, l := range page {
			if key := fold(l.text); key != "" && !seen[key] {
				seen[key] = true
				count[key]++
			}
		}
	}
	for _, page := range pages {
		var drop []int
		for i, l := range page {
			if l.isWatermark(count[fold(l.text)], body) {
				drop = append(drop, i)
			}
		}
		if len(drop) == countUsed(page) {
			continue
		}
		for _, i := range drop {
			page[i] = line{}
		}
	}
}

// isWatermark reports whether a line that is on some pages is a watermark.
func (l line) isWatermark(on int, body float32) bool {
	if strings.TrimSpace(l.text) == "" || l.kind != plainLine {
		return false
	}
	large := body > 0 && l.size >= watermarkSize*body
	switch {
	case l.turn == oblique:
		return large || on > 1
	case !large:
		return false
	case isStamp(l.text):
		return on > 1 || l.size >= 3*body
	}
	return false
}

// isStamp reports whether a line consists of words of watermarks.
func isStamp(text string) bool {
	words := strings.Fields(strings.ToLower(strings.Trim(text, " .!-–*")))
	if len(words) == 0 || len(words) > 4 {
		return false
	}
	known := 0
	for _, w := range words {
		if slices.Contains(stamps, w) {
			known++
		}
	}
	return known*2 >= len(words)
}

// textSize returns the size of most letters, or 0.
func textSize(pages [][]line) float32 {
	letters := map[float32]int{}
	for _, page := range pages {
		for _, l := range page {
			if l.turn == level {
				letters[rounded(l.size)] += len(l.text)
			}
		}
	}
	var size float32
	for s, n := range letters {
		if n > letters[size] || n == letters[size] && s < size {
			size = s
		}
	}
	return size
}
