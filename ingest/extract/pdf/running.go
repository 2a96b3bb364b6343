package pdf

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// minRunningPages is the number of pages above which repeated lines are treated
// as headers and footers.
const minRunningPages = 4

// dropRunningLines empties the first and last lines of a page that most pages
// have in common, or most left or right pages. Such lines may differ in the page
// number. If most pages begin or end with a line that has the page number at one of its
// ends, it empties all such lines, whatever their title of a chapter or section. A page
// without other lines keeps them.
func dropRunningLines(pages [][]line, labels []string) {
	if len(pages) < minRunningPages {
		return
	}
	label := func(i int) string {
		if i < len(labels) {
			return fold(labels[i])
		}
		return ""
	}
	var count [2]map[string]int // of the left and the right pages
	for side := range count {
		count[side] = map[string]int{}
	}
	for i, page := range pages {
		seen := map[string]bool{}
		for _, at := range edges(page) {
			for _, key := range runningKeys(page[at].text, i, label(i)) {
				if !seen[key] {
					seen[key] = true
					count[i%2][key]++
				}
			}
		}
	}
	// on reports whether a line is on most pages, or on most pages of one side.
	on := func(page int, key string) bool {
		this, other := count[page%2][key], count[1-page%2][key]
		return (this+other)*2 > len(pages) || len(pages) >= 2*minRunningPages && this*4 > len(pages)+1
	}
	numbered, heads := pageNumbers(pages, label), sectionHeads(pages)
	for i, page := range pages {
		var drop []int
		lines := edges(page)
		for n, at := range lines {
			text := page[at].text
			if n == 0 && heads[i] || (n == 0 || n == len(lines)-1) && numbered(i, text) ||
				slices.ContainsFunc(runningKeys(text, i, label(i)), func(key string) bool { return on(i, key) }) {
				drop = append(drop, at)
			}
		}
		if len(drop) == countUsed(page) {
			continue
		}
		for _, at := range drop {
			page[at] = line{}
		}
	}
}

// minHeads is the number of pages from which their equal first line is a head.
const minHeads = 3

// sectionHeads finds heads without page numbers, such as the title of a section on
// each of its pages. It reports the pages whose first line is also that of the page
// before, or of the page on the same side before. The first page of a section keeps
// the line, because it may be the title itself.
func sectionHeads(pages [][]line) map[int]bool {
	first := make([]string, len(pages))
	count := map[string]int{}
	for i, page := range pages {
		if used := edges(page); len(used) > 0 {
			if l := page[used[0]]; l.kind == plainLine && plausible(l.text) {
				first[i] = fold(l.text)
				count[first[i]]++
			}
		}
	}
	heads := map[int]bool{}
	for i, f := range first {
		heads[i] = f != "" && count[f] >= minHeads && (i > 0 && first[i-1] == f || i > 1 && first[i-2] == f)
	}
	return heads
}

// pageNumbers finds the place of the page numbers. The result reports whether a line
// begins or ends with the number of its page. Without numbers on most pages it is
// always false.
func pageNumbers(pages [][]line, label func(page int) string) (numbered func(page int, line string) bool) {
	const labeled = "label"
	// marks returns the distances of the numbers at both ends of a line from the page
	// index, or labeled for the label of the page.
	marks := func(page int, line string) (out []string) {
		words := strings.Fields(fold(line))
		if len(words) == 0 || len(line) > maxRunningLine {
			return nil
		}
		for _, word := range []string{words[0], words[len(words)-1]} {
			word = strings.Trim(word, "-–—|.,()[]")
			if l := label(page); l != "" && word == l {
				out = append(out, labeled)
			} else if n, err := strconv.Atoi(word); err == nil {
				out = append(out, strconv.Itoa(n-page))
			}
		}
		return slices.Compact(out)
	}
	count := map[string]int{}
	for i, page := range pages {
		seen := map[string]bool{}
		if lines := edges(page); len(lines) > 0 {
			for _, at := range []int{lines[0], lines[len(lines)-1]} {
				for _, m := range marks(i, page[at].text) {
					seen[m] = true
				}
			}
		}
		for m := range seen {
			count[m]++
		}
	}
	return func(page int, line string) bool {
		return isHead(line) && slices.ContainsFunc(marks(page, line), func(m string) bool { return count[m]*2 > len(pages) })
	}
}

// isHead reports whether a line can be a title with a page number, and not a part of a
// sentence.
func isHead(line string) bool {
	line = strings.TrimSpace(line)
	if r := lastRune(line); r == '.' && strings.ContainsFunc(line, unicode.IsLetter) {
		return false
	}
	line = strings.Trim(line, "0123456789-–—|.()[] ")
	return !startsSmall(line) && len(strings.Fields(line)) <= maxHeadWords
}

// maxHeadWords limits the words of a running head.
const maxHeadWords = 15

// countUsed counts the non-empty lines of a page.
func countUsed(page []line) int {
	n := 0
	for _, l := range page {
		if strings.TrimSpace(l.text) != "" {
			n++
		}
	}
	return n
}

// fold returns a line in lower case with single spaces, and without the bars between
// its cells.
func fold(line string) string {
	words := slices.DeleteFunc(strings.Fields(line), func(w string) bool { return w == "|" })
	return strings.ToLower(strings.Join(words, " "))
}

// maxRunningLine bounds the length of a line that is searched for a page
// number.
const maxRunningLine = 200

// runningKeys returns the keys that identify a line on different pages. The
// first is the line itself. The others replace one word that may be the page
// number: the page's label, or a number by its distance from the page index.
// Other numbers are kept, so lines with different numbers are different lines.
func runningKeys(line string, page int, label string) []string {
	line = fold(line)
	keys := []string{line}
	if len(line) > maxRunningLine {
		return keys
	}
	words := strings.Fields(line)
	for i, word := range words {
		as := func(mark string) {
			words[i] = mark
			keys = append(keys, strings.Join(words, " "))
			words[i] = word
		}
		if label != "" && strings.Trim(word, "-–—|.,()[]") == label {
			as("\x00label")
		}
		for _, at := range numberPattern.FindAllStringIndex(word, -1) {
			if strings.ContainsFunc(word, unicode.IsLetter) {
				break // a name such as K-100
			}
			if n, err := strconv.Atoi(word[at[0]:at[1]]); err == nil {
				as(word[:at[0]] + "\x00" + strconv.Itoa(n-page) + word[at[1]:])
			}
		}
	}
	return keys
}

// numberPattern matches a possible page number.
var numberPattern = regexp.MustCompile(`[0-9]{1,5}`)

// edges returns the indexes of the first two and last two non-empty lines.
func edges(page []line) []int {
	var used []int
	for i, l := range page {
		if strings.TrimSpace(l.text) != "" {
			used = append(used, i)
		}
	}
	if len(used) <= 4 {
		return used
	}
	return append(used[:2:2], used[len(used)-2:]...)
}
