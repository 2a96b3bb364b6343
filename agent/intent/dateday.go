package intent

import (
	"strings"
	"time"
)

// months and weekdays map the English and German names, and their short forms,
// to numbers.
var (
	months = named(
		"january jan januar jän jänner", "february feb februar", "march mar märz mär", "april apr", "may mai", "june jun juni",
		"july jul juli", "august aug", "september sep sept", "october oct oktober okt", "november nov", "december dec dezember dez")
	weekdays = named("sunday sonntag", "monday montag", "tuesday dienstag", "wednesday mittwoch", "thursday donnerstag", "friday freitag",
		"saturday samstag sonnabend")
	shortWeekdays = named("sun so", "mon mo", "tue tues di", "wed mi", "thu thur thurs do", "fri fr", "sat sa")
)

func named(names ...string) map[string]int {
	m := map[string]int{}
	for i, n := range names {
		for _, w := range strings.Fields(n) {
			m[w] = i
		}
	}
	return m
}

// direction returns 1, 0, or -1 for words such as next, this, and last. ok
// reports whether the word is one of them.
func direction(word string) (int, bool) {
	switch word {
	case "next", "following", "nächste", "nächsten", "nächster", "nächstes", "nächstem", "kommende", "kommenden", "kommender", "kommendes":
		return 1, true
	case "this", "diese", "diesen", "dieser", "dieses", "diesem":
		return 0, true
	case "last", "previous", "letzte", "letzten", "letzter", "letztes", "letztem":
		return -1, true
	}
	return 0, false
}

// date reads a date at piece i. It includes a preceding word such as "on".
func (p *dateParser) date(i int) (moment, int) {
	for _, read := range []func(int) (moment, int){p.calendarDate, p.namedDate, p.namedDay, p.weekday, p.span} {
		if m, n := read(i); n > 0 {
			return m, n
		}
	}
	if p.is(i, "on", "the", "by", "since", "until", "am", "den", "dem", "bis", "seit") {
		skip := 1
		if p.is(i+1, "the") {
			skip++
		}
		readers := []func(int) (moment, int){p.calendarDate, p.namedDate, p.namedDay, p.weekday}
		if !p.is(i, "the", "den", "dem") {
			readers = append(readers, p.shortWeekday)
		}
		for _, read := range readers {
			if m, n := read(i + skip); n > 0 && !p.is(i+skip, "morgen") {
				return m, n + skip
			}
		}
	}
	return moment{}, 0
}

// day returns a moment with a date. The moment is empty if the date does not
// exist.
func (p *dateParser) day(year, month, day int, parts ...string) moment {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, p.now.Location())
	if year < 1 || t.Year() != year || int(t.Month()) != month || t.Day() != day {
		// Clocks may skip midnight when they change, but the day still exists.
		noon := time.Date(year, time.Month(month), day, 12, 0, 0, 0, p.now.Location())
		if year < 1 || noon.Year() != year || int(noon.Month()) != month || noon.Day() != day {
			return moment{}
		}
	}
	return moment{date: t, parts: parts}
}

// calendarDate reads 2026-11-21, 21.11.2026, 21.11. and 11/21/2026.
func (p *dateParser) calendarDate(i int) (moment, int) {
	separator := p.word(i + 1)
	if !p.is(i+1, "-", ".", "/") || !p.joined(i) || !p.joined(i+1) && separator != "." {
		return moment{}, 0
	}
	if i > 0 && p.joined(i-1) && !p.is(i-1, "(", "\"", "'") {
		return moment{}, 0
	}
	a, b := p.number(i), p.number(i+2)
	full := p.word(i+3) == separator && p.joined(i+2) && i+4 < len(p.pieces) && p.joined(i+3)
	switch {
	case full && p.digits(i, 4) && b >= 0 && p.number(i+4) > 0:
		return ended(p, i, 5, p.day(p.pieces[i].number, b, p.number(i+4), partYear, partMonth, partDay))
	case full && a > 0 && b > 0 && (p.digits(i+4, 4) || p.digits(i+4, 2)):
		year := p.pieces[i+4].number
		if p.digits(i+4, 2) {
			year += 2000
		}
		if b > 12 || separator == "/" && !p.dayFirst && a <= 12 {
			a, b = b, a
		}
		return ended(p, i, 5, p.day(year, b, a, partYear, partMonth, partDay))
	case separator == "." && a > 0 && b > 0 && p.is(i+3, ".") && p.joined(i+1) && p.joined(i+2) && !(p.joined(i+3) && p.digits(i+4, 1)):
		return ended(p, i, 4, p.upcoming(b, a))
	}
	return moment{}, 0
}

// ended returns a moment of n pieces if it is not empty and no digits follow
// directly.
func ended(p *dateParser, i, n int, m moment) (moment, int) {
	if m.date.IsZero() || p.joined(i+n-1) && p.pieces[i+n].digits > 0 {
		return moment{}, 0
	}
	return m, n
}

// upcoming returns the next date with a month and a day. It may be today.
func (p *dateParser) upcoming(month, day int) moment {
	today := midnight(p.now)
	for year := p.now.Year(); year < p.now.Year()+9; year++ { // covers the time to the second leap year from now
		if m := p.day(year, month, day, partMonth, partDay); !m.date.IsZero() && !m.date.Before(today) {
			return m
		}
	}
	return moment{}
}

// namedDate reads dates such as 21 Nov 2026, November 21st, the 3rd of
// December, and Nov 2026.
func (p *dateParser) namedDate(i int) (moment, int) {
	j := i
	day := p.number(j)
	if day > 0 {
		j++
		if p.is(j, "st", "nd", "rd", "th", ".") && p.joined(j-1) {
			j++
		}
		if p.is(j, "of") {
			j++
		}
	} else {
		day = 0
	}
	month, ok := months[p.word(j)]
	if !ok {
		return p.relativeMonth(i)
	}
	name := p.word(j)
	j++
	if p.is(j, ".") && len(name) <= 4 && day > 0 {
		j++
	}
	if day == 0 {
		if d := p.number(j); d > 0 && !p.is(j+1, ":", "am", "pm", "uhr") {
			day = d
			j++
			if p.is(j, "st", "nd", "rd", "th") && p.joined(j-1) {
				j++
			}
		}
	}
	k := j
	if p.is(k, ",") {
		k++
	}
	year := 0
	if p.digits(k, 4) {
		year, j = p.pieces[k].number, k+1
	}
	var m moment
	switch {
	case year > 0 && day > 0:
		m = p.day(year, month+1, day, partYear, partMonth, partDay)
	case year > 0 && p.number(i-1) < 0: // not a part of an invalid date such as February 31st
		m = p.day(year, month+1, 1, partYear, partMonth)
	case day > 0:
		m = p.upcoming(month+1, day)
	default:
		return p.relativeMonth(i)
	}
	return ended(p, i, j-i, m)
}

// relativeMonth reads phrases such as next May and in December.
func (p *dateParser) relativeMonth(i int) (moment, int) {
	month, ok := months[p.word(i+1)]
	if !ok {
		return moment{}, 0
	}
	d, ok := direction(p.word(i))
	if !ok && !p.is(i, "in", "im") {
		return moment{}, 0
	}
	year := p.now.Year()
	if d < 0 && month+1 >= int(p.now.Month()) {
		year--
	}
	if d >= 0 && (month+1 < int(p.now.Month()) || d > 0 && month+1 == int(p.now.Month())) {
		year++
	}
	return p.day(year, month+1, 1, partMonth), 2
}

// namedDay reads phrases such as today, tomorrow evening, and the day after
// tomorrow.
func (p *dateParser) namedDay(i int) (moment, int) {
	n, days := 1, 0
	switch p.word(i) {
	case "today", "heute":
	case "tonight":
		return p.evening(p.now, 0, 20), 1
	case "tomorrow", "morgen":
		days = 1
	case "yesterday", "gestern":
		days = -1
	case "übermorgen":
		days = 2
	case "vorgestern":
		days = -2
	case "day":
		switch {
		case p.is(i+1, "after") && p.is(i+2, "tomorrow"):
			n, days = 3, 2
		case p.is(i+1, "before") && p.is(i+2, "yesterday"):
			n, days = 3, -2
		default:
			return moment{}, 0
		}
	case "this", "last":
		if hour, ok := periods[p.word(i+1)]; ok {
			if p.is(i, "last") {
				days = -1
			}
			return p.evening(p.now, days, hour), 2
		}
		return moment{}, 0
	default:
		return moment{}, 0
	}
	if p.is(i, "morgen") && i > 0 && p.is(i-1, "guten", "am") {
		return moment{}, 0
	}
	return p.withPeriod(moment{date: midnight(p.now).AddDate(0, 0, days), parts: []string{partDay}}, i, n)
}

// evening is a period of a day.
func (p *dateParser) evening(day time.Time, days, hour int) moment {
	return moment{
		date: midnight(day).AddDate(0, 0, days), clock: time.Duration(hour) * time.Hour, parts: []string{partDay, partPeriod},
	}
}

// withPeriod adds the period of the day after a date.
func (p *dateParser) withPeriod(m moment, i, n int) (moment, int) {
	if hour, ok := periods[p.word(i+n)]; ok {
		m.clock, m.parts = time.Duration(hour)*time.Hour, append(m.parts, partPeriod)
		return m, n + 1
	}
	return m, n
}

// periods maps periods of the day to hours.
var periods = map[string]int{
	"morning": 9, "noon": 12, "afternoon": 15, "evening": 19, "night": 21,
	"früh": 9, "vormittag": 10, "mittag": 12, "nachmittag": 15, "abend": 19, "nacht": 21,
}

// weekday reads phrases such as Friday, next Friday, and last Monday evening.
func (p *dateParser) weekday(i int) (moment, int) {
	if d, ok := direction(p.word(i)); ok {
		day, ok := weekdays[p.word(i+1)]
		if !ok {
			day, ok = shortWeekdays[p.word(i+1)]
		}
		if !ok {
			return moment{}, 0
		}
		return p.withPeriod(p.onWeekday(day, d, true), i, 2)
	}
	day, ok := weekdays[p.word(i)]
	if !ok {
		return moment{}, 0
	}
	return p.withPeriod(p.onWeekday(day, 0, false), i, 1)
}

// shortWeekday reads a short form such as Fri, which is only valid next to
// other parts of a date.
func (p *dateParser) shortWeekday(i int) (moment, int) {
	day, ok := shortWeekdays[p.word(i)]
	if !ok {
		return moment{}, 0
	}
	return p.withPeriod(p.onWeekday(day, 0, false), i, 1)
}

// onWeekday returns the date of a weekday. Without a direction it is the first
// such day after today. For next it is in the week that begins on the coming
// Monday. For last it is the last such day before today.
func (p *dateParser) onWeekday(day, d int, directed bool) moment {
	today := midnight(p.now)
	ahead := (day - int(today.Weekday()) + 7) % 7
	switch {
	case d > 0:
		ahead = 7 - (int(today.Weekday())+6)%7 + (day+6)%7
	case d < 0:
		if ahead -= 7; ahead == 0 {
			ahead = -7
		}
	case !directed && ahead == 0:
		ahead = 7
	}
	return moment{date: today.AddDate(0, 0, ahead), parts: []string{partWeekday}}
}

// span reads phrases such as next week, this month, last year, and the weekend.
// It returns their first day.
func (p *dateParser) span(i int) (moment, int) {
	d, ok := direction(p.word(i))
	n := 2
	if !ok {
		if !p.is(i, "the", "at", "am") || !p.is(i+1, "weekend", "wochenende") {
			return moment{}, 0
		}
	}
	today := midnight(p.now)
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	m := moment{}
	switch p.word(i + 1) {
	case "week", "woche":
		m = moment{date: monday.AddDate(0, 0, 7*d), parts: []string{partWeek}}
	case "weekend", "wochenende":
		m = moment{date: monday.AddDate(0, 0, 5+7*d), parts: []string{partWeek, partWeekday}}
	case "month", "monat":
		m = p.day(today.Year(), int(today.Month()), 1, partMonth)
		m.date = m.date.AddDate(0, d, 0)
	case "year", "jahr":
		m = p.day(today.Year(), 1, 1, partYear)
		m.date = m.date.AddDate(d, 0, 0)
	default:
		return moment{}, 0
	}
	return m, n
}
