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
// have in common. Such lines may differ in the page number. A page without
// other lines keeps them.
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
	count := map[string]int{}
	for i, page := range pages {
		seen := map[string]bool{}
		for _, at := range edges(page) {
			for _, key := range runningKeys(page[at].text, i, label(i)) {
				if !seen[key] {
					seen[key] = true
					count[key]++
				}
			}
		}
	}
	running := func(key string) bool { return count[key]*2 > len(pages) }
	for i, page := range pages {
		var drop []int
		for _, at := range edges(page) {
			if slices.ContainsFunc(runningKeys(page[at].text, i, label(i)), running) {
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

// fold returns a line in lower case with single spaces.
func fold(line string) string { return strings.ToLower(strings.Join(strings.Fields(line), " ")) }

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
