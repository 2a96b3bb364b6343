package intent

import "time"

// maxOffset bounds the number of units in a relative date.
const maxOffset = 9999

// offset reads phrases such as in two weeks, 3 days ago, and half an hour from
// now.
func (p *dateParser) offset(i int) (moment, int) {
	j := i
	ahead, past := p.is(j, "in"), p.is(j, "vor")
	if ahead || past {
		j++
	}
	count, n := p.count(j)
	if n == 0 {
		return moment{}, 0
	}
	j += n
	unit, ok := offsets[p.word(j)]
	if !ok {
		return moment{}, 0
	}
	j++
	switch {
	case ahead || past:
	case p.is(j, "ago"):
		past = true
		j++
	case p.is(j, "from") && p.is(j+1, "now"):
		j += 2
	default:
		return moment{}, 0
	}
	if past {
		count = -count
	}
	m, ok := unit.from(p.now, count)
	if !ok {
		return moment{}, 0
	}
	if !m.exact.IsZero() {
		return m, j - i
	}
	if c, k := p.clock(j, true); k > 0 {
		m.clock, m.parts = c.clock, append(m.parts, c.parts...)
		j += k
	}
	return m, j - i
}

// count reads the number of units. It may be a fraction such as half; see
// timeUnit.from.
func (p *dateParser) count(i int) (float64, int) {
	if i < len(p.pieces) && p.pieces[i].number >= 0 {
		return float64(p.pieces[i].number), 1
	}
	switch p.word(i) {
	case "a", "an", "one", "ein", "eine", "einem", "einer", "einen":
		return 1, 1
	case "half":
		if p.is(i+1, "an", "a") {
			return .5, 2
		}
	case "halben", "halbe":
		return .5, 1
	}
	if p.is(i, "einer", "einem") && p.is(i+1, "halben") {
		return .5, 2
	}
	if v, ok := units[p.word(i)]; ok {
		return float64(v), 1
	}
	if v, ok := tens[p.word(i)]; ok {
		return float64(v), 1
	}
	if v, ok := germanNumber(p.word(i)); ok {
		return float64(v), 1
	}
	return 0, 0
}

// timeUnit is a unit of time, such as an hour or a month.
type timeUnit struct {
	length              time.Duration // length of a unit that is always equally long
	years, months, days int
}

var offsets = func() map[string]timeUnit {
	m := map[string]timeUnit{}
	for unit, words := range map[timeUnit][]string{
		{length: time.Second}: {"second", "seconds", "sekunde", "sekunden"},
		{length: time.Minute}: {"minute", "minutes", "min", "mins", "minuten"},
		{length: time.Hour}:   {"hour", "hours", "stunde", "stunden"},
		{days: 1}:             {"day", "days", "tag", "tagen", "tage"},
		{days: 7}:             {"week", "weeks", "woche", "wochen"},
		{months: 1}:           {"month", "months", "monat", "monaten", "monate"},
		{years: 1}:            {"year", "years", "jahr", "jahren", "jahre"},
	} {
		for _, w := range words {
			m[w] = unit
		}
	}
	return m
}()

// from returns the moment that is count units away from now.
func (u timeUnit) from(now time.Time, count float64) (moment, bool) {
	switch {
	case count > maxOffset || count < -maxOffset:
		return moment{}, false
	case u.length > 0:
		at := now.Add(time.Duration(count * float64(u.length))).Truncate(time.Second)
		return moment{exact: at, parts: []string{partDay, partHour, partMinute}}, true
	case count != float64(int(count)): // half a year
		if u.years == 0 {
			return moment{}, false
		}
		u, count = timeUnit{months: 1}, 12*count
	}
	n := int(count)
	date := midnight(now).AddDate(0, 0, n*u.days)
	if away := n * (12*u.years + u.months); away != 0 {
		first := time.Date(date.Year(), date.Month()+time.Month(away), 1, 0, 0, 0, 0, now.Location())
		last := first.AddDate(0, 1, -1).Day()
		date = first.AddDate(0, 0, min(date.Day(), last)-1) // one month after January 31 is the last day of February
	}
	return moment{date: date, parts: []string{partDay}}, inRange(date)
}

// clock reads a time of day at piece i, such as 14:30, 5 pm, at 8, noon, or
// half past five. After a date the word "at" is optional.
func (p *dateParser) clock(i int, dated bool) (moment, int) {
	j := i
	at := p.is(j, "at", "um", "by", "gegen", "ab", "from", "until", "till", "bis")
	if at {
		j++
	}
	if p.is(j, "in", "on", "am") && p.is(j+1, "the") {
		if hour, ok := periods[p.word(j+2)]; ok && dated {
			return moment{clock: time.Duration(hour) * time.Hour, parts: []string{partPeriod}}, j + 3 - i
		}
	}
	m, n := p.hour(j, at, dated)
	if n == 0 {
		return moment{}, 0
	}
	j += n
	if m.clock <= 12*time.Hour && m.clock >= time.Hour { // for example 8 in the evening
		k := j
		if p.is(k, "in", "at", "am") {
			k++
		}
		if p.is(k, "the") {
			k++
		}
		if from, ok := periods[p.word(k)]; ok && (k > j || p.is(k, "abend", "morgen", "nachmittag")) {
			if from >= 15 && m.clock < 12*time.Hour {
				m.clock += 12 * time.Hour
			}
			j = k + 1
		}
	}
	if p.is(j, "utc", "gmt") {
		m.zone, m.parts = time.UTC, append(m.parts, partZone)
		j++
	}
	return m, j - i
}

// at returns a moment with a time of day.
func at(hour, minute, second int, parts ...string) moment {
	return moment{clock: time.Duration(hour*3600+minute*60+second) * time.Second, parts: parts}
}

// hour reads a time of day without the words around it. after is set if "at"
// precedes it, and dated if a date precedes it.
func (p *dateParser) hour(i int, after, dated bool) (moment, int) {
	switch {
	case p.is(i, "noon", "midday"):
		return at(12, 0, 0, partHour), 1
	case p.is(i, "midnight", "mitternacht"):
		return at(0, 0, 0, partHour), 1
	case p.is(i, "half", "quarter") && p.is(i+1, "past", "to"):
		return p.spokenHour(i)
	}
	h := p.number(i)
	if h < 0 || h > 24 || i > 0 && p.joined(i-1) && !p.is(i-1, "(", "t", "\"", "'") {
		return moment{}, 0
	}
	j := i + 1
	minute, second, parts := 0, 0, []string{partHour}
	if p.is(j, ":") && p.joined(j-1) && p.joined(j) && p.digits(j+1, 2) && p.number(j+1) < 60 {
		minute, parts = p.number(j+1), append(parts, partMinute)
		j += 2
		if p.is(j, ":") && p.joined(j-1) && p.joined(j) && p.digits(j+1, 2) && p.number(j+1) < 60 {
			second, parts = p.number(j+1), append(parts, partSecond)
			j += 2
			if p.is(j, ".") && p.joined(j) && p.pieces[j+1].digits > 0 { // fractions of a second are dropped
				j += 2
			}
		}
		if p.is(j, ":") && p.joined(j-1) {
			return moment{}, 0
		}
	}
	h, suffix := p.suffix(h, j)
	j += suffix
	if h < 0 || h > 24 || h == 24 && minute+second > 0 {
		return moment{}, 0
	}
	if p.is(j-1, "uhr") && len(parts) == 1 && p.number(j) >= 0 && p.number(j) < 60 && p.digits(j, 2) {
		minute, parts = p.number(j), append(parts, partMinute)
		j++
	}
	if suffix == 0 && len(parts) == 1 && (!after || !p.endsHour(j)) {
		return moment{}, 0
	}
	m := at(h, minute, second, parts...)
	if zone, n := p.zone(j); n > 0 && len(parts) > 1 && dated {
		m.zone, m.parts = zone, append(m.parts, partZone)
		j += n
	}
	return m, j - i
}

// suffix applies am, pm, o'clock, or Uhr at piece j to an hour. It returns the
// hour and the number of pieces. The hour is -1 if the suffix does not fit.
func (p *dateParser) suffix(h, j int) (hour, n int) {
	switch {
	case p.is(j, "am", "pm"):
		n = 1
	case p.is(j, "a", "p") && p.is(j+1, ".") && p.is(j+2, "m"):
		n = 3
		if p.is(j+3, ".") {
			n++
		}
	case p.is(j, "o") && p.is(j+1, "'", "’") && p.is(j+2, "clock"):
		return h, 3
	case p.is(j, "uhr", "oclock"):
		return h, 1
	default:
		return h, 0
	}
	switch pm := p.word(j)[0] == 'p'; {
	case h < 1 || h > 12:
		if p.is(j, "am") { // German: um 17 am Freitag
			return h, 0
		}
		return -1, n
	case pm:
		return h%12 + 12, n
	default:
		return h % 12, n
	}
}

// spokenHour reads phrases such as half past five and quarter to six.
func (p *dateParser) spokenHour(i int) (moment, int) {
	h, n := p.count(i + 2)
	if n == 0 || h < 1 || h > 12 {
		return moment{}, 0
	}
	minutes := 60 * int(h)
	switch {
	case p.is(i, "half") && p.is(i+1, "past"):
		minutes += 30
	case p.is(i, "quarter") && p.is(i+1, "past"):
		minutes += 15
	case p.is(i, "quarter"):
		minutes -= 15
	default:
		return moment{}, 0
	}
	j := i + 2 + n
	if p.is(j, "pm") {
		minutes += 12 * 60
		j++
	} else if p.is(j, "am") {
		j++
	}
	return at(minutes/60%24, minutes%60, 0, partHour, partMinute), j - i
}

// afterHour are words that may follow "at 8". If another word
// follows, "at 8" is not a time.
var afterHour = wordSet(`on for in with please and or today tomorrow tonight this next sharp because so if when then thanks
	am heute morgen bitte und oder mit für im - . , ; ! ? ) "`)

// endsHour reports whether an hour without a suffix may end before piece j.
func (p *dateParser) endsHour(j int) bool {
	if j >= len(p.pieces) {
		return true
	}
	if p.pieces[j].digits > 0 || p.joined(j-1) && p.joined(j) && p.pieces[j+1].digits > 0 {
		return false
	}
	_, weekday := weekdays[p.word(j)]
	return weekday || afterHour[p.word(j)]
}

// zone reads a zone such as Z or +01:00 directly after a time.
func (p *dateParser) zone(j int) (*time.Location, int) {
	if !p.joined(j - 1) {
		return nil, 0
	}
	if p.is(j, "z") {
		return time.UTC, 1
	}
	if !p.is(j, "+", "-", "−") || !p.joined(j) || !p.digits(j+1, 2) || !p.is(j+2, ":") || !p.digits(j+3, 2) {
		return nil, 0
	}
	h, m := p.number(j+1), p.number(j+3)
	if h > 14 || m > 59 {
		return nil, 0
	}
	seconds := h*3600 + m*60
	if !p.is(j, "+") {
		seconds = -seconds
	}
	return time.FixedZone("", seconds), 4
}
