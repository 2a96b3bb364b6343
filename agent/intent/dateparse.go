package intent

import (
	"encoding/json"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"
)

// Parts of a moment that a user can give. The info of DateTime lists them.
const (
	partYear    = "year"
	partMonth   = "month"
	partWeek    = "week"
	partDay     = "day"
	partWeekday = "weekday"
	partPeriod  = "period" // period of the day, such as the evening
	partHour    = "hour"
	partMinute  = "minute"
	partSecond  = "second"
	partZone    = "zone"
)

// moment is a date, a time of day, or both.
type moment struct {
	// date is midnight of the day in the session's zone; zero without a date.
	date time.Time
	// clock is the time since midnight.
	clock time.Duration
	// exact is set for a complete moment, such as in three hours. The other
	// fields are unused then.
	exact time.Time
	// zone is the given time zone; nil without one.
	zone *time.Location
	// parts are the given parts.
	parts []string
}

func (m *moment) has(part string) bool { return slices.Contains(m.parts, part) }

// timed reports whether an exact time of day was given.
func (m *moment) timed() bool { return m.has(partHour) }

// piece is a word, a number, or a punctuation mark of a text.
type piece struct {
	// text is the piece in lower case.
	text string
	// number is the value of up to four digits, or -1.
	number int
	// number of digits
	digits     int
	start, end int // byte offsets
}

// piecesOf splits a text into words, numbers, and punctuation marks.
func piecesOf(text string) []piece {
	var out []piece
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		end := at + size
		switch {
		case unicode.IsSpace(r):
			at = end
			continue
		case '0' <= r && r <= '9':
			for end < len(text) && isDigit(text[end]) {
				end++
			}
		case unicode.IsLetter(r):
			for end < len(text) {
				r, size := utf8.DecodeRuneInString(text[end:])
				if !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) {
					break
				}
				end += size
			}
		}
		p := piece{text: newTextWord(text, at, end).text, number: -1, start: at, end: end}
		if '0' <= r && r <= '9' {
			p.digits = end - at
			if p.digits <= 4 {
				p.number = 0
				for _, c := range text[at:end] {
					p.number = 10*p.number + int(c-'0')
				}
			}
		}
		out = append(out, p)
		at = end
	}
	return out
}

// dateParser searches the pieces of a text for moments.
type dateParser struct {
	pieces []piece
	now    time.Time
	// dayFirst is set if 3/4 means April 3.
	dayFirst bool
}

// findDates returns the moments of a text in order, up to maxSpans. Relative
// dates are relative to now. If now is zero, only complete dates are found.
func findDates(text string, now time.Time, code string) []span {
	relative := !now.IsZero()
	if !relative {
		now = time.Unix(0, 0).UTC()
	}
	p := &dateParser{pieces: piecesOf(text), now: now, dayFirst: code != "en" && code != ""}
	var out []span
	for i := 0; i < len(p.pieces) && len(out) < maxSpans; {
		m, n := p.moment(i)
		if n == 0 || !relative && !m.has(partYear) {
			i++
			continue
		}
		at, ok := p.resolve(m)
		if ok {
			first := i
			for first < i+n-1 && beforeDate[p.word(first)] {
				first++
			}
			s := span{start: p.pieces[first].start, end: p.pieces[i+n-1].end, value: at.Format(time.RFC3339)}
			s.info = dateInfo(text[s.start:s.end], m.parts)
			out = append(out, s)
		}
		i += n
	}
	return out
}

// beforeDate are words before a date that are not part of it. In examples they
// precede the fragment.
var beforeDate = wordSet("on at the by since until till from am um den dem bis seit gegen ab")

// dateInfo is the JSON info of a match.
func dateInfo(fragment string, parts []string) string {
	slices.SortFunc(parts, func(a, b string) int { return slices.Index(partOrder, a) - slices.Index(partOrder, b) })
	info, err := json.Marshal(struct {
		Fragment string   `json:"fragment"`
		Given    []string `json:"given"`
	}{fragment, slices.Compact(parts)})
	if err != nil {
		return "" // marshaling strings never fails
	}
	return string(info)
}

var partOrder = []string{partYear, partMonth, partWeek, partDay, partWeekday, partPeriod, partHour, partMinute, partSecond, partZone}

// resolve converts a moment to a time. A time of day without a date is its next
// occurrence.
func (p *dateParser) resolve(m moment) (time.Time, bool) {
	if !m.exact.IsZero() {
		return m.exact, inRange(m.exact)
	}
	date, location := m.date, p.now.Location()
	today := date.IsZero()
	if today {
		date = midnight(p.now)
	}
	if m.zone != nil {
		location = m.zone
	}
	at := func(days int) time.Time {
		c := int(m.clock / time.Second)
		return time.Date(date.Year(), date.Month(), date.Day()+days, c/3600, c/60%60, c%60, 0, location).In(p.now.Location())
	}
	out := at(0)
	if today && out.Before(p.now) {
		out = at(1)
	}
	return out, inRange(out)
}

// inRange reports whether RFC 3339 can represent a time.
func inRange(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// moment reads a date, a time of day, or both at piece i. It returns the number
// of pieces, or 0.
func (p *dateParser) moment(i int) (moment, int) {
	if m, n := p.offset(i); n > 0 {
		return m, n
	}
	m, n := p.date(i)
	if n > 0 {
		if m.has(partHour) {
			return m, n
		}
		j := i + n
		if p.is(j, ",") || p.is(j, "t") && p.digits(j+1, 2) {
			j++
		}
		if c, k := p.clock(j, true); k > 0 {
			m.clock, m.zone, n = c.clock, c.zone, j+k-i
			m.parts = append(slices.DeleteFunc(m.parts, func(s string) bool { return s == partPeriod }), c.parts...)
		}
		return m, n
	}
	m, n = p.clock(i, false)
	if n == 0 {
		return m, 0
	}
	j := i + n
	if p.is(j, ",") {
		j++
	}
	if d, k := p.date(j); k > 0 && !d.timed() {
		m.date, m.parts, n = d.date, append(m.parts, d.parts...), j+k-i
	}
	return m, n
}

// is reports whether piece i is one of the given words.
func (p *dateParser) is(i int, words ...string) bool {
	return i >= 0 && i < len(p.pieces) && slices.Contains(words, p.pieces[i].text)
}

// digits reports whether piece i is a number with n digits.
func (p *dateParser) digits(i, n int) bool {
	return i < len(p.pieces) && p.pieces[i].digits == n
}

// joined reports whether no space separates pieces i and i+1.
func (p *dateParser) joined(i int) bool {
	return i >= 0 && i+1 < len(p.pieces) && p.pieces[i].end == p.pieces[i+1].start
}

// number returns the value of piece i if it has at most two digits, or -1.
func (p *dateParser) number(i int) int {
	if i < 0 || i >= len(p.pieces) || p.pieces[i].digits > 2 {
		return -1
	}
	return p.pieces[i].number
}

// word returns the text of piece i, or "" beyond the end.
func (p *dateParser) word(i int) string {
	if i < 0 || i >= len(p.pieces) {
		return ""
	}
	return p.pieces[i].text
}
