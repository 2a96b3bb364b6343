package pdf

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// minRunningPages is how many pages a file needs before lines that repeat are
// believed to be headers and footers.
const minRunningPages = 4

// dropRunningLines empties the lines at the top and bottom that most pages have
// in common, but for a number that follows the page's own. A page of nothing
// else keeps them.
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

// countUsed is how many of a page's lines say something.
func countUsed(page []line) int {
	n := 0
	for _, l := range page {
		if strings.TrimSpace(l.text) != "" {
			n++
		}
	}
	return n
}

// fold is a line in small letters with single spaces.
func fold(line string) string { return strings.ToLower(strings.Join(strings.Fields(line), " ")) }

// maxRunningLine is the longest line that is looked at for a page number.
const maxRunningLine = 200

// runningKeys are what a line of a page may have in common with those of others:
// itself, and itself with one of its words as "the page" – its label, or a
// number by its distance from the page's. Other numbers stay as they are, so
// that lines which differ in them are different lines.
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

// numberPattern is a number that may be a page's.
var numberPattern = regexp.MustCompile(`[0-9]{1,5}`)

// edges are the indexes of the first two and last two lines that say something.
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
