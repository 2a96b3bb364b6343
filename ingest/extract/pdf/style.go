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
	// larger is how much larger than the text the letters of a heading are.
	larger = 1.13
	// titleLarger is how much larger those of a title are.
	titleLarger = 1.3
	// maxHeading is the longest heading, in bytes.
	maxHeading = 120
	// maxHeadingLines is how many lines a heading has at most.
	maxHeadingLines = 3
	// maxLevels is how many sizes of headings are told apart.
	maxLevels = 4
)

// headingStyle tells the headings of a document without an outline by their
// letters.
type headingStyle struct {
	body   float32          // the size of the text
	text   map[float32]bool // other sizes of running text
	sizes  []float32        // of the headings, the largest first
	isBold bool             // the text itself is bold
}

// rounded is a size that is equal for letters of about the same size.
func rounded(size float32) float32 { return float32(math.Round(float64(size)*2) / 2) }

// styleOf finds the size of the text, which most letters have, and the sizes of
// headings.
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

// textSizes are the sizes whose lines mostly follow one another, as those of
// running text do.
func textSizes(pages [][]line) map[float32]bool {
	long := map[float32]int{} // lines in long runs, less those in short ones
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

// level is that of a heading of a size: 1 for the largest.
func (s *headingStyle) level(size float32) int {
	for i, have := range s.sizes {
		if rounded(size) >= have {
			return min(i+1, maxLevels)
		}
	}
	return min(len(s.sizes)+1, maxLevels+1)
}

// plausible reports whether a line may be a heading by its words.
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

// simpleNumber is the number of a heading of the first level, as in "1
// Introduction".
var simpleNumber = regexp.MustCompile(`^(?:(?:Chapter|Section|Appendix|Kapitel|Chapitre|Capítulo) )?(?:\d{1,2}|[IVX]{1,5}|[A-H])[.:]? +\p{Lu}`)

// heading reports the level of a heading that begins with a line, and of how
// many lines it is; 0 if there is none.
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
	// Lines of the same look belong together. Where there are many of them they
	// are text.
	n = 1
	for i+n < len(lines) && n <= maxHeadingLines {
		next := lines[i+n]
		if next.kind != plainLine || strings.TrimSpace(next.text) == "" || rounded(next.size) != rounded(l.size) || next.bold != l.bold || simpleNumber.MatchString(strings.TrimSpace(next.text)) {
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

// plain reports whether nothing is known of the letters.
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

// largestTitle is the text in the largest letters of the first page, if they are
// much larger than most.
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

// titleNumber is the number of a first section that serves as the title.
var titleNumber = regexp.MustCompile(`^\d{1,2}(?:\.\d{1,2})*\.? +`)

// acceptTitle is a title of a few lines; "" if it is too long to be one.
func acceptTitle(lines []string) string {
	s := titleNumber.ReplaceAllString(strings.Join(lines, " "), "")
	if len(lines) > maxHeadingLines+1 || len(s) > 2*maxHeading || len(s) < 3 {
		return ""
	}
	return s
}
