package chat

import (
	"strconv"
	"strings"
	"time"

	"docent/internal/lazyregexp"
)

// dayOrder finds out in which order the days of a conversation name day, month, and year.
type dayOrder struct {
	firstOver, secondOver bool // the first or the second number is above 12, so it is a day
	half                  bool // the clock has AM and PM in capitals, as in the United States
	last                  [2]int
	falls                 [2]int // how often the days fall if the first, or the second number is the month
}

var numbers = lazyregexp.New(`\d+`)

// parts returns the three numbers of a day. ok is false if its month is a word.
func parts(day string) (n [3]int, ok bool) {
	found := numbers.FindAllString(day, 4)
	if len(found) != 3 || strings.ContainsAny(day, "abcdefghijklmnopqrstuvwxyz") {
		return n, false
	}
	for i, s := range found {
		n[i], _ = strconv.Atoi(s) // digits only
	}
	return n, true
}

// see notes a day.
func (o *dayOrder) see(day, half string) {
	n, ok := parts(day)
	if !ok || n[0] > 31 {
		return
	}
	o.firstOver, o.secondOver = o.firstOver || n[0] > 12, o.secondOver || n[1] > 12
	o.half = o.half || half == "A" || half == "P"
	for i, at := range [2]int{(n[2]*100+n[0])*100 + n[1], (n[2]*100+n[1])*100 + n[0]} {
		if at < o.last[i] {
			o.falls[i]++
		}
		o.last[i] = at
	}
}

// monthFirst reports whether days are written as in the United States.
func (o *dayOrder) monthFirst(day string) bool {
	switch {
	case o.firstOver != o.secondOver:
		return o.secondOver
	case o.falls[0] != o.falls[1]:
		return o.falls[0] < o.falls[1]
	}
	return o.half && strings.Contains(day, "/")
}

// wordDays are the forms of days whose month is a word.
var wordDays = []string{"Mon Jan 2 2006", "Mon Jan _2 15:04:05 2006", "2 Jan 2006", "02-Jan-06", "02-Jan-2006"}

// date sets the time of a message from its day and its clock. It changes nothing if they make no date.
func (o *dayOrder) date(m *message) {
	var day time.Time
	if n, ok := parts(m.day); ok {
		year, month, date := n[2], n[1], n[0]
		switch {
		case n[0] > 31:
			year, date = n[0], n[2]
		case o.monthFirst(m.day):
			month, date = n[0], n[1]
		}
		if year < 100 {
			year += 2000
		}
		day = time.Date(year, time.Month(month), date, 0, 0, 0, 0, time.UTC)
		if day.Day() != date || int(day.Month()) != month || year < 1970 || year > 2200 {
			return
		}
	} else {
		for _, layout := range wordDays {
			if t, err := time.Parse(layout, strings.Join(strings.Fields(m.day), " ")); err == nil {
				day = t.Truncate(24 * time.Hour)
				break
			}
		}
	}
	clock, err := time.Parse("15:04", m.clock)
	if day.IsZero() || err != nil {
		return
	}
	m.at = day.Add(time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute)
}

// clockOf returns a time of the day in 24 hours, without seconds. A clock that is none is returned as it is.
func clockOf(clock, half string) string {
	n := numbers.FindAllString(clock, 3)
	if len(n) < 2 {
		return clock
	}
	hour, _ := strconv.Atoi(n[0]) // digits only
	switch strings.ToUpper(half) {
	case "P", "오후":
		hour = hour%12 + 12
	case "A", "오전":
		hour %= 12
	}
	if hour > 23 {
		return clock
	}
	if hour < 10 {
		return "0" + strconv.Itoa(hour) + ":" + n[1]
	}
	return strconv.Itoa(hour) + ":" + n[1]
}
