package pipeline

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/talk"
)

// deeper is how many times as many passages are read for a question about a time.
const deeper = 4

// inTime puts passages from the time that a question asks about in front. Those that state no time have the date of their
// document. For the newest of several things, it orders the passages of the best document and its other editions by date. Without
// a model, a passage with several dated sections becomes the section that fits, and older ones are left out.
func inTime(results []retrieve.Result, p talk.Period, narrow bool) []retrieve.Result {
	if p.IsZero() || len(results) == 0 {
		return results
	}
	best := edition(results[0].Passage.Document)
	type dated struct {
		result retrieve.Result
		date   time.Time
		fits   bool
	}
	all := make([]dated, len(results))
	found := 0 // sections of the time
	for i, r := range results {
		related := !p.Newest || edition(r.Passage.Document) == best
		d := dated{result: r}
		var fitting []datedSection
		for _, s := range datedSections(r.Passage, p.Newest) {
			if related && p.Has(s.date) {
				fitting = append(fitting, s)
			}
		}
		if found += len(fitting); len(fitting) > 0 {
			d.fits = true
			last := slices.MaxFunc(fitting, func(a, b datedSection) int { return a.date.Compare(b.date) })
			switch d.date = last.date; {
			case narrow && p.Newest:
				d.result.Passage = last.passage
			case narrow:
				d.result.Passage = spanned(r.Passage, fitting)
			}
		}
		all[i] = d
	}
	slices.SortStableFunc(all, func(a, b dated) int {
		switch {
		case a.fits != b.fits:
			if a.fits {
				return -1
			}
			return 1
		case a.fits && p.Newest:
			return b.date.Compare(a.date)
		}
		return 0
	})
	if narrow && p.Newest && found > 1 { // older ones would be quoted, too
		all = slices.DeleteFunc(all, func(d dated) bool { return !d.fits || d.date.Before(all[0].date) })
	}
	out := make([]retrieve.Result, len(all))
	for i, d := range all {
		out[i] = d.result
		out[i].Rank = i + 1
	}
	return out
}

// spanned returns the part of a passage from its first to its last fitting section.
func spanned(p corpus.Passage, fitting []datedSection) corpus.Passage {
	first, last := fitting[0].passage, fitting[len(fitting)-1].passage
	if first.End-first.Start == p.End-p.Start {
		return p
	}
	p.Text = p.Text[first.Start-p.Start : last.End-p.Start]
	p.Start, p.End = first.Start, last.End
	return p
}

// edition returns the title of a document without numbers, which its editions share.
func edition(d corpus.Document) string {
	title := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, d.Title)
	return d.Collection + "\x00" + title
}

// datedSection is a part of a passage with a date.
type datedSection struct {
	date    time.Time
	passage corpus.Passage
}

// datedSections returns the sections of a passage whose headings have dates. Without them, it returns the whole passage with each
// of its days.
func datedSections(p corpus.Passage, newest bool) []datedSection {
	var out []datedSection
	heads := headingLine.FindAllStringSubmatchIndex(p.Text, -1)
	add := func(from, to int, heading string) {
		text := strings.TrimRight(p.Text[from:to], "\n ")
		days := talk.DatesIn(heading)
		if len(days) == 0 || strings.TrimSpace(text) == "" {
			return
		}
		part := p
		part.Text, part.Start, part.End = text, p.Start+from, p.Start+from+len(text)
		out = append(out, datedSection{slices.MaxFunc(days, time.Time.Compare), part})
	}
	if p.Kind == corpus.Prose && len(heads) > 0 {
		add(0, heads[0][0], p.Heading())
		for i, m := range heads {
			end := len(p.Text)
			if i+1 < len(heads) {
				end = heads[i+1][0]
			}
			add(m[0], end, p.Text[m[4]:m[5]])
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, day := range daysOf(p, newest) {
		out = append(out, datedSection{day, p})
	}
	return out
}

// daysOf returns the days of a passage: in its heading, its title, its document, and its text. For the newest of several things,
// only the first of these counts that has a day.
func daysOf(p corpus.Passage, newest bool) []time.Time {
	var own []time.Time
	if p.Document.Dated() {
		own = append(own, p.Document.Date)
	}
	var out []time.Time
	for _, days := range [][]time.Time{talk.DatesIn(p.Heading()), talk.DatesIn(p.Document.Title), own, talk.DatesIn(p.Text)} {
		if out = append(out, days...); newest && len(out) > 0 {
			break
		}
	}
	return out
}
