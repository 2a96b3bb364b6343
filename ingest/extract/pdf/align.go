package pdf

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// seedLetters is the number of equal letters that identify a place. They
	// must occur only once in the text and on the page.
	seedLetters = 12
	// fewest is the minimum number of letters that are searched for without a
	// seed.
	fewest = 4
	// maxAligned bounds the letters of a text that are aligned with a page.
	maxAligned = 1 << 20
	// slack is the number of letters that may be missing on one side between
	// two runs that belong together, such as a running line or the heading of a
	// table.
	slack = 80
	// enough is the minimum number of letters of a group of runs. A group with
	// fewer letters is rejected if there is a larger group.
	enough = 40
)

// run is a match of n letters: the letters of a text from a on equal the letters
// of a page from b on.
type run struct{ a, b, n int }

// align finds the letters of a text on a page. It returns ascending runs that
// do not overlap. The text may be longer than the page or shorter, and each may
// have letters that the other lacks. If the whole text gives no result, align
// searches for the letters in [first, last) alone.
func align(text, page []rune, first, last int) []run {
	if len(text) > maxAligned {
		text = text[:maxAligned]
		first, last = min(first, maxAligned), min(last, maxAligned)
	}
	runs := together(grow(text, page, chain(seeds(text, page))))
	if len(runs) > 0 || first >= last {
		return runs
	}
	// One of them is too short, or repeats the same letters.
	part := text[first:last]
	if min(len(part), len(page)) < fewest && len(part) != len(page) {
		return nil
	}
	if at := find(page, part); at >= 0 {
		return []run{{first, at, len(part)}}
	}
	if at := find(part, page); at >= 0 {
		return []run{{first + at, 0, len(page)}}
	}
	return nil
}

// find returns the index of part in whole, or -1.
func find(whole, part []rune) int {
	text := string(whole)
	at := strings.Index(text, string(part))
	if at < 0 {
		return -1
	}
	return utf8.RuneCountInString(text[:at])
}

// seeds returns equal pieces of seedLetters letters that both have exactly
// once, ordered by their place in the text.
func seeds(text, page []rune) []run {
	const twice = -1
	where := make(map[uint64]int, len(page))
	for b, h := range hashes(page) {
		if _, ok := where[h]; ok {
			b = twice
		}
		where[h] = b
	}
	type pair struct{ a, b int }
	found := make(map[uint64]pair, len(where))
	for a, h := range hashes(text) {
		b, ok := where[h]
		if !ok || b == twice {
			continue
		}
		if _, again := found[h]; again {
			found[h] = pair{a, twice}
			continue
		}
		found[h] = pair{a, b}
	}
	var out []run
	for _, p := range found {
		if p.b != twice && slices.Equal(text[p.a:p.a+seedLetters], page[p.b:p.b+seedLetters]) {
			out = append(out, run{p.a, p.b, seedLetters})
		}
	}
	slices.SortFunc(out, func(x, y run) int { return x.a - y.a })
	return out
}

// hashes yields the position and the hash of each piece of seedLetters letters.
func hashes(s []rune) func(yield func(int, uint64) bool) {
	return func(yield func(int, uint64) bool) {
		const base = 0x9E3779B97F4A7C15
		var h, out uint64 = 0, 1
		for range seedLetters {
			out *= base
		}
		for i, r := range s {
			h = h*base + uint64(uint32(r)) //nolint:gosec // its bits are all that matters
			if i >= seedLetters {
				h -= out * uint64(uint32(s[i-seedLetters])) //nolint:gosec // as above
			}
			if i >= seedLetters-1 && !yield(i-seedLetters+1, h) {
				return
			}
		}
	}
}

// chain returns the longest series of seeds that ascends in both.
func chain(seeds []run) []run {
	var tails []int // by length, the seed that ends a chain of this length with the smallest b
	before := make([]int, len(seeds))
	for i, s := range seeds {
		at, _ := slices.BinarySearchFunc(tails, s.b, func(t, b int) int { return seeds[t].b - b })
		before[i] = -1
		if at > 0 {
			before[i] = tails[at-1]
		}
		if at == len(tails) {
			tails = append(tails, i)
		} else {
			tails[at] = i
		}
	}
	var out []run
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = before[i] {
			out = append(out, seeds[i])
		}
	}
	slices.Reverse(out)
	return out
}

// grow turns seeds into runs. It extends each run in both directions while
// letters are equal and no other run has them.
func grow(text, page []rune, seeds []run) []run {
	var runs []run
	for _, s := range seeds {
		if n := len(runs); n > 0 {
			last := &runs[n-1]
			if s.a-s.b == last.a-last.b && s.a <= last.a+last.n {
				last.n = s.a + s.n - last.a
				continue
			}
			// If two runs overlap, the first keeps the common letters.
			if over := max(last.a+last.n-s.a, last.b+last.n-s.b); over > 0 {
				if over >= s.n {
					continue
				}
				s = run{s.a + over, s.b + over, s.n - over}
			}
		}
		runs = append(runs, s)
	}
	for i := range runs {
		r := &runs[i]
		a, b := 0, 0
		if i > 0 {
			a, b = runs[i-1].a+runs[i-1].n, runs[i-1].b+runs[i-1].n
		}
		for r.a > a && r.b > b && text[r.a-1] == page[r.b-1] {
			*r = run{r.a - 1, r.b - 1, r.n + 1}
		}
		a, b = len(text), len(page)
		if i+1 < len(runs) {
			a, b = runs[i+1].a, runs[i+1].b
		}
		for r.a+r.n < a && r.b+r.n < b && text[r.a+r.n] == page[r.b+r.n] {
			r.n++
		}
	}
	return runs
}

// together drops runs that are far from the others. The distance between two runs
// must be about the same in the text and on the page. Otherwise the letters match
// by chance.
func together(runs []run) []run {
	var groups [][]run
	sizes := []int{}
	for i, r := range runs {
		if i > 0 {
			p := runs[i-1]
			inText, onPage := r.a-p.a-p.n, r.b-p.b-p.n
			if d := inText - onPage; d <= slack && -d <= slack {
				last := len(groups) - 1
				groups[last], sizes[last] = append(groups[last], r), sizes[last]+r.n
				continue
			}
		}
		groups, sizes = append(groups, []run{r}), append(sizes, r.n)
	}
	if len(groups) < 2 {
		return runs
	}
	var out []run
	largest := slices.Max(sizes)
	for i, g := range groups {
		if sizes[i] >= enough || sizes[i] == largest {
			out = append(out, g...)
		}
	}
	return out
}
