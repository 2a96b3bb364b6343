package logfile

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"docent/ingest/outline"
)

const (
	// maxFurther bounds the lines of an entry after the first, and maxEntry its bytes.
	maxFurther, maxEntry = 40, 4 << 10
	// maxKinds bounds the kinds of errors and of warnings that are listed.
	maxKinds = 200
	// maxSimilar is the number of similar entries that a section has.
	maxSimilar = 3
	// maxShapes bounds the kinds of entries that a section counts.
	maxShapes = 10000
	// manyEntries is the number of entries above which a day has sections for its hours.
	manyEntries = 200
)

// kind is similar entries.
type kind struct {
	first *entry
	last  string
	count int
}

// Read reads a log. It lists the kinds of errors and warnings first, and then the entries by time.
func Read(name, text string) *outline.Document {
	entries := split(text)
	b := outline.NewBuilder(len(text))
	if len(entries) == 0 {
		b.AddParagraphs(text)
		return b.Document("")
	}
	failures, failed := kinds(entries, failure)
	warnings, warned := kinds(entries, warning)
	first, last := entries[0], entries[len(entries)-1]
	b.Add(outline.Paragraph, 0, "", fmt.Sprintf("Entries: %d, from %s %s to %s %s. Errors: %d. Warnings: %d.",
		len(entries), first.day, first.clock, last.day, last.clock, failed, warned))
	list(b, "Errors", failures)
	list(b, "Warnings", warnings)
	for len(entries) > 0 {
		n := 1
		for n < len(entries) && entries[n].day == entries[0].day {
			n++
		}
		day(b, entries[:n])
		entries = entries[n:]
	}
	return b.Document(outline.NameTitle(name))
}

// split returns the entries of a log. Lines without a time continue an entry.
func split(text string) []*entry {
	var out []*entry
	further := 0
	for line := range whole(text) {
		line = strings.TrimRight(line, " \t\r\n\v\f")
		if line == "" {
			continue
		}
		e, ok := parse(line)
		if ok && len(out) > 0 && (e.further || e.bare != "" && isLast(out[len(out)-1].text, e.bare)) {
			ok, line = false, cmp.Or(e.bare, e.text)
		}
		if ok {
			e.text = cut(e.text)
			out, further = append(out, &e), 0
			continue
		}
		if len(out) == 0 {
			continue
		}
		last := out[len(out)-1]
		if further++; further <= maxFurther && len(last.text)+len(line) < maxEntry {
			last.text += "\n" + line
		}
	}
	return out
}

// cut bounds the text of an entry.
func cut(s string) string {
	if len(s) <= maxEntry {
		return s
	}
	n := maxEntry
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// kinds returns the kinds of entries with a level, in the order of their first entries, and the number of
// all these entries.
func kinds(entries []*entry, l level) (out []*kind, all int) {
	known := map[string]*kind{}
	for _, e := range entries {
		if e.level != l {
			continue
		}
		all++
		key := e.shape()
		k := known[key]
		if k == nil && len(out) < maxKinds {
			k = &kind{first: e}
			known[key], out = k, append(out, k)
		}
		if k != nil {
			k.count++
			k.last = e.day + " " + e.clock
		}
	}
	return out, all
}

// list adds a section with kinds of entries.
func list(b *outline.Builder, heading string, of []*kind) {
	if len(of) == 0 {
		return
	}
	b.Add(outline.Heading, 1, "\n\n", heading)
	for _, k := range of {
		text := k.first.text
		if k.count > 1 {
			line, rest, more := strings.Cut(text, "\n")
			text = fmt.Sprintf("%s (%d times, last %s)", line, k.count, k.last)
			if more {
				text += "\n" + rest
			}
		}
		b.Add(outline.Item, 0, "\n", text)
	}
}

// day adds the section of a day.
func day(b *outline.Builder, entries []*entry) {
	b.Add(outline.Heading, 1, "\n\n", cmp.Or(entries[0].day, "Entries"))
	if len(entries) <= manyEntries {
		stretch(b, entries)
		return
	}
	for len(entries) > 0 {
		n := 1
		for n < len(entries) && entries[n].clock[:2] == entries[0].clock[:2] {
			n++
		}
		hour := entries[0].clock[:2]
		b.Add(outline.Heading, 2, "\n\n", fmt.Sprintf("%s %s:00–%s:59", entries[0].day, hour, hour))
		stretch(b, entries[:n])
		entries = entries[n:]
	}
}

// stretch adds entries, but of similar ones only the first. The lines of stack traces stand only in the
// list of errors.
func stretch(b *outline.Builder, entries []*entry) {
	seen, left := map[string]int{}, 0
	for _, e := range entries {
		key := e.shape()
		if n := seen[key]; n > 0 || len(seen) < maxShapes {
			seen[key] = n + 1
		}
		if seen[key] > maxSimilar {
			left++
			continue
		}
		text := e.text
		if e.level != normal {
			text, _, _ = strings.Cut(text, "\n")
		}
		b.Add(outline.Item, 0, "\n", text)
	}
	if left > 0 {
		b.Add(outline.Item, 0, "\n", fmt.Sprintf("%d similar entries", left))
	}
}
