package pdf

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// larger is the minimum ratio of heading size to text size.
	larger = 1.13
	// titleLarger is the minimum ratio of title size to text size.
	titleLarger = 1.3
	// maxHeading is the maximum length of a heading, in bytes.
	maxHeading = 120
	// maxHeadingLines is the maximum number of lines of a heading.
	maxHeadingLines = 3
	// maxLevels is the number of heading sizes that are distinguished.
	maxLevels = 4
)

// headingStyle recognizes the headings of a document without an outline by
// their letters.
type headingStyle struct {
	body   float32          // size of the text
	text   map[float32]bool // other sizes of running text
	sizes  []float32        // sizes of the headings, the largest first
	isBold bool             // the text is bold
}

// rounded rounds a size, so that similar sizes become equal.
func rounded(size float32) float32 { return float32(math.Round(float64(size)*2) / 2) }

// styleOf finds the size of the text and the sizes of headings. Most letters
// have the size of the text.
func styleOf(pages [][]line) *headingStyle {
	letters, headings := map[float32]int{}, map[float32]int{}
	bold, all := 0, 0
	for _, page := range pages {
		for _, l := range page {
			if l.kind != plainLine {
				continue
			}
			letters[rounded(l.size)] += len(l.text)
			all += len(l.text)
			if l.bold {
				bold += len(l.text)
			}
		}
	}
	s := &headingStyle{isBold: bold*3 > all}
	most := 0
	for size, n := range letters {
		if n > most || (n == most && size < s.body) {
			s.body, most = size, n
		}
	}
	s.text = textSizes(pages)
	for _, page := range pages {
		for _, l := range page {
			if s.large(l) && plausible(l.text) {
				headings[rounded(l.size)]++
			}
		}
	}
	for size := range headings {
		s.sizes = append(s.sizes, size)
	}
	slices.Sort(s.sizes)
	slices.Reverse(s.sizes)
	return s
}

// textSizes returns the sizes of running text. Most lines of such a size follow
// each other.
func textSizes(pages [][]line) map[float32]bool {
	long := map[float32]int{} // lines in long runs minus lines in short ones
	for _, page := range pages {
		for i := 0; i < len(page); {
			n, size := 1, rounded(page[i].size)
			for i+n < len(page) && rounded(page[i+n].size) == size {
				n++
			}
			i += n
			if n <= maxHeadingLines {
				n = -n
			}
			long[size] += n
		}
	}
	text := map[float32]bool{}
	for size, n := range long {
		text[size] = n > 0
	}
	return text
}

// large reports whether a line is larger than the text.
func (s *headingStyle) large(l line) bool {
	return l.kind == plainLine && s.body > 0 && l.size > s.body*larger && !s.text[rounded(l.size)]
}

// level returns the level of headings with a size. 1 is the largest size.
func (s *headingStyle) level(size float32) int {
	for i, have := range s.sizes {
		if rounded(size) >= have {
			return min(i+1, maxLevels)
		}
	}
	return min(len(s.sizes)+1, maxLevels+1)
}

// plausible reports whether the words of a line can be a heading.
func plausible(text string) bool {
	text = strings.TrimSpace(text)
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return len(text) <= maxHeading && letters >= 3 && letters*2 > utf8.RuneCountInString(text) && !leaders.MatchString(text)
}

// simpleNumber matches the number of a first-level heading, as in "1
// Introduction".
var simpleNumber = regexp.MustCompile(`^(?:(?:Chapter|Section|Appendix|Kapitel|Chapitre|Capítulo) )?(?:\d{1,2}|[IVX]{1,5}|[A-H])[.:]? +\p{Lu}`)

// heading returns the level of the heading at the start of lines and its number
// of lines. The level is 0 without a heading.
func (s *headingStyle) heading(lines []line, i int) (level, n int) {
	l := lines[i]
	text := strings.TrimSpace(l.text)
	if level, n := numberedHeading(lines, i); n > 0 && (l.bold || s.large(l) || s.plain()) {
		return level, n
	}
	if !plausible(text) {
		return 0, 0
	}
	bold := l.bold && !s.isBold && l.size >= s.body*0.95
	if !s.large(l) && (!bold || len(text) > 80 || strings.ContainsRune(".,;:", lastRune(text)) || startsSmall(text)) {
		return 0, 0
	}
	// Adjacent lines of the same style belong together. Many such lines are
	// text.
	n = 1
	for i+n < len(lines) && n <= maxHeadingLines {
		next := lines[i+n]
		if next.kind != plainLine || strings.TrimSpace(next.text) == "" || rounded(next.size) != rounded(l.size) || next.bold != l.bold ||
			simpleNumber.MatchString(strings.TrimSpace(next.text)) {
			break
		}
		n++
	}
	if n > maxHeadingLines || i > 0 && sameLook(lines[i-1], l) && lines[i-1].kind == plainLine && !plausible(lines[i-1].text) {
		return 0, 0
	}
	if m := numberedPattern.FindStringSubmatch(text); m != nil {
		return strings.Count(m[1], ".") + 1, n
	}
	if simpleNumber.MatchString(text) {
		return 1, n
	}
	if s.large(l) {
		return s.level(l.size), n
	}
	return min(len(s.sizes)+1, maxLevels+1), n
}

// plain reports whether nothing is known about the letters.
func (s *headingStyle) plain() bool { return s.body <= 0 || len(s.sizes) == 0 }

func sameLook(a, b line) bool {
	return a.text != "" && rounded(a.size) == rounded(b.size) && a.bold == b.bold
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func startsSmall(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

// largestTitle returns the text with the largest letters on the first page, if
// they are much larger than most.
func largestTitle(pages [][]line) string {
	if len(pages) == 0 {
		return ""
	}
	var largest float32
	sizes := map[float32]int{}
	for p, page := range pages[:min(len(pages), 5)] {
		for _, l := range page {
			sizes[rounded(l.size)] += len(l.text)
			if p == 0 && l.kind == plainLine && plausible(l.text) {
				largest = max(largest, l.size)
			}
		}
	}
	var body float32
	for size, n := range sizes {
		if n > sizes[body] || (n == sizes[body] && size < body) {
			body = size
		}
	}
	if body <= 0 || largest < body*titleLarger {
		return ""
	}
	var title []string
	for _, l := range pages[0] {
		switch {
		case rounded(l.size) == rounded(largest) && l.kind == plainLine:
			title = append(title, strings.TrimSpace(l.text))
		case len(title) > 0:
			return acceptTitle(title)
		}
	}
	return acceptTitle(title)
}

// titleNumber matches the number of a first section that serves as the title.
var titleNumber = regexp.MustCompile(`^\d{1,2}(?:\.\d{1,2})*\.? +`)

// acceptTitle returns the title on a few lines, or "" if it is too long for a
// title.
func acceptTitle(lines []string) string {
	s := titleNumber.ReplaceAllString(strings.Join(lines, " "), "")
	if len(lines) > maxHeadingLines+1 || len(s) > 2*maxHeading || len(s) < 3 {
		return ""
	}
	return s
}
