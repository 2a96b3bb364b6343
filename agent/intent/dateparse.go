package intent

import (
	"encoding/json"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"
)

// Parts of a moment that a user can give, as DateTime's info lists them.
const (
	partYear    = "year"
	partMonth   = "month"
	partWeek    = "week"
	partDay     = "day"
	partWeekday = "weekday"
	partPeriod  = "period" // of the day, such as the evening
	partHour    = "hour"
	partMinute  = "minute"
	partSecond  = "second"
	partZone    = "zone"
)

// moment is a date, a time of day or both, as far as they were given.
type moment struct {
	// date is the day's midnight in the session's zone; zero if none was given.
	date time.Time
	// clock is the time since midnight.
	clock time.Duration
	// exact, if not zero, is all there is to it, such as in three hours.
	exact time.Time
	// zone is the zone that was given, nil if none was.
	zone *time.Location
	// parts are what was given.
	parts []string
}

func (m *moment) has(part string) bool { return slices.Contains(m.parts, part) }

// timed reports whether a time of day was given exactly.
func (m *moment) timed() bool { return m.has(partHour) }

// piece is a word, a number, or a mark of a text in which dates are looked for.
type piece struct {
	// text is in lower case.
	text string
	// number is the value of up to four digits, -1 for anything else.
	number int
	// digits is how many digits it has.
	digits     int
	start, end int // byte offsets
}

// piecesOf cuts text into letters, digits and single marks, without spaces.
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

// dateParser looks for moments in the pieces of a text.
type dateParser struct {
	pieces []piece
	now    time.Time
	// dayFirst says that 3/4 is April 3rd.
	dayFirst bool
}

// findDates returns the moments of a text in order, up to maxSpans, relative to
// now. If now is zero, only what is complete without it is found.
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

// beforeDate are words in front of a date that are not part of it: an example
// has them before its fragment.
var beforeDate = wordSet("on at the by since until till from am um den dem bis seit gegen ab")

// dateInfo is the info of a match.
func dateInfo(fragment string, parts []string) string {
	slices.SortFunc(parts, func(a, b string) int { return slices.Index(partOrder, a) - slices.Index(partOrder, b) })
	info, err := json.Marshal(struct {
		Fragment string   `json:"fragment"`
		Given    []string `json:"given"`
	}{fragment, slices.Compact(parts)})
	if err != nil {
		return "" // strings always marshal
	}
	return string(info)
}

var partOrder = []string{partYear, partMonth, partWeek, partDay, partWeekday, partPeriod, partHour, partMinute, partSecond, partZone}

// resolve makes a point in time of a moment. A time without a date is the next
// one there is.
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

// inRange reports whether RFC 3339 can write a time.
func inRange(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// moment reads a moment at piece i and returns how many pieces it has, 0 if
// there is none: a date, a time, or one after the other.
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

// is reports whether piece i is one of the words.
func (p *dateParser) is(i int, words ...string) bool {
	return i >= 0 && i < len(p.pieces) && slices.Contains(words, p.pieces[i].text)
}

// digits reports whether piece i is a number of n digits.
func (p *dateParser) digits(i, n int) bool {
	return i < len(p.pieces) && p.pieces[i].digits == n
}

// joined reports whether pieces i and i+1 are not separated by spaces.
func (p *dateParser) joined(i int) bool {
	return i >= 0 && i+1 < len(p.pieces) && p.pieces[i].end == p.pieces[i+1].start
}

// number returns the value of piece i if it is a number of at most two digits,
// else -1.
func (p *dateParser) number(i int) int {
	if i < 0 || i >= len(p.pieces) || p.pieces[i].digits > 2 {
		return -1
	}
	return p.pieces[i].number
}

// word returns piece i's text, "" beyond the end.
func (p *dateParser) word(i int) string {
	if i < 0 || i >= len(p.pieces) {
		return ""
	}
	return p.pieces[i].text
}
