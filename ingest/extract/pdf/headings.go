package pdf

import (
	"regexp"
	"strings"
	"unicode"
)

// pageMarks returns the levels of outline entries, by page and by squeezed
// title.
func pageMarks(marks []bookmark) map[int]map[string]int {
	by := map[int]map[string]int{}
	for _, m := range marks {
		title := squeeze(m.title)
		if title == "" {
			continue
		}
		if by[m.page] == nil {
			by[m.page] = map[string]int{}
		}
		if _, ok := by[m.page][title]; !ok {
			by[m.page][title] = m.level
		}
	}
	return by
}

// maxNumbering is the maximum length of a squeezed number before the words of a
// heading.
const maxNumbering = 16

// headingAt finds the outline entry whose title is at the start of the
// remaining lines of a page. It returns the level of the entry and the number
// of lines, or 0.
func headingAt(lines []line, marks map[string]int) (level, n int) {
	if len(marks) == 0 {
		return 0, 0
	}
	have := ""
	for k := 0; k < len(lines) && k < 3; k++ {
		have += squeeze(lines[k].text)
		for i := 0; i < len(have) && i <= maxNumbering; i++ {
			if level, ok := marks[have[i:]]; ok && (i == 0 || isNumbering(have[:i])) {
				return level, k + 1
			}
		}
	}
	return 0, 0
}

// numberedPattern matches a line that may be a numbered heading.
var numberedPattern = regexp.MustCompile(`^(?:Chapter |Appendix )?((?:\d{1,3}|[A-Z])(?:\.\d{1,3})+)\.? +\p{Lu}`)

// numberedHeading returns the level of a line such as "2.3. Creating a Table"
// in a file without an outline. In a table of contents such lines follow each
// other, so the next line must not be numbered.
func numberedHeading(lines []line, i int) (level, n int) {
	is := func(line string) []string {
		line = strings.TrimSpace(line)
		if line == "" || len(line) > 90 || strings.ContainsRune(".,;:0123456789", rune(line[len(line)-1])) {
			return nil
		}
		return numberedPattern.FindStringSubmatch(line)
	}
	m := is(lines[i].text)
	if m == nil {
		return 0, 0
	}
	for _, j := range []int{i - 1, i + 1} {
		if j >= 0 && j < len(lines) && strings.TrimSpace(lines[j].text) != "" && numberedPattern.MatchString(strings.TrimSpace(lines[j].text)) {
			return 0, 0
		}
	}
	return strings.Count(m[1], ".") + 1, 1
}

// squeeze returns the letters and digits of a text in lower case.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// isNumbering reports whether the text before the words of a heading is its
// number.
func isNumbering(s string) bool {
	s = strings.TrimPrefix(s, "chapter")
	s = strings.TrimPrefix(s, "appendix")
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters <= 1
}
