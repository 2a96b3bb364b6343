// Package metadata reads dates and versions that documents state about themselves.
package metadata

import (
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"

	"docent/internal/lazyregexp"
)

const (
	// firstYear is the earliest year of a date. Printed documents are not older.
	firstYear = 1450
	// ahead is how far a date may lie in the future, because dates have no time zone.
	ahead = 24 * time.Hour
	// maxDate bounds the text of a date, in bytes.
	maxDate = 100
)

// noDates are times that programs write instead of a date: the zero of Windows, Excel, Mac OS,
// Unix, and ZIP archives, and the template of python-docx.
var noDates = []string{
	"1601-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1904-01-01", "1970-01-01", "1980-01-01", "2013-12-23T23:15:00",
}

// CheckDate returns a date with its clock time in UTC, to the second. It returns the zero time for
// dates in the future, and for those that only stand for a missing date.
func CheckDate(t time.Time) time.Time {
	t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	if t.Year() < firstYear || t.After(time.Now().UTC().Add(ahead)) ||
		slices.Contains(noDates, t.Format(time.DateOnly)) || slices.Contains(noDates, t.Format("2006-01-02T15:04:05")) {
		return time.Time{}
	}
	return t
}

// FirstDate returns the first date of several texts, as ParseDate returns it.
func FirstDate(texts ...string) time.Time {
	for _, s := range texts {
		if t := ParseDate(s); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

var (
	// isoDate is a date that begins with the year, such as 2026-05-12T08:30:00Z, 2026/5/12, D:20260512083000, and 20260512.
	isoDate = lazyregexp.New(`^(?:D:)?(\d{4})(?:([-/.])(\d{1,2})([-/.])(\d{1,2})|(\d\d)(\d\d))(?:[T ]*(\d\d):?(\d\d)(?::?(\d\d))?|\D|$)`)
	// wordDate is a date with the name of the month, such as 12 May 2026, 12. Mai 2026, and May 12th, 2026.
	wordDate = lazyregexp.New(`^(?:\pL+,? +)?(?:(\d{1,2})\.?(?:st|nd|rd|th)? +(\pL+)\.?,? +(\d{4})|(\pL+)\.? +(\d{1,2})(?:st|nd|rd|th)?,? +(\d{4}))(?:\D|$)`)
	// dottedDate is a date as in German, such as 12.05.2026.
	dottedDate = lazyregexp.New(`^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})(?:\D|$)`)
)

// ParseDate reads a date with a year, a month, and a day. It returns the time that the text
// states, without its time zone, or the zero time. CheckDate accepts the result.
func ParseDate(s string) time.Time {
	s = strings.TrimSpace(s)
	if len(s) > maxDate {
		return time.Time{}
	}
	if m := isoDate.FindStringSubmatch(s); m != nil {
		if m[2] != m[4] { // not one date
			return time.Time{}
		}
		return dateOf(m[1], m[3]+m[6], m[5]+m[7], m[8], m[9], m[10])
	}
	if m := dottedDate.FindStringSubmatch(s); m != nil {
		return dateOf(m[3], m[2], m[1], "", "", "")
	}
	if t, err := mail.ParseDate(s); err == nil {
		return CheckDate(t)
	}
	for _, layout := range []string{time.ANSIC, time.UnixDate, time.RubyDate, time.RFC850} {
		if t, err := time.Parse(layout, s); err == nil {
			return CheckDate(t)
		}
	}
	if m := wordDate.FindStringSubmatch(s); m != nil {
		if month := monthOf(m[2] + m[4]); month > 0 {
			return dateOf(m[3]+m[6], strconv.Itoa(month), m[1]+m[5], "", "", "")
		}
	}
	return time.Time{}
}

// dateOf returns the date of numbers, which may be empty after the day. It returns the zero time
// if there is no such day.
func dateOf(numbers ...string) time.Time {
	var n [6]int
	for i, s := range numbers {
		n[i], _ = strconv.Atoi(s) // digits only, or empty
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.UTC)
	if int(t.Month()) != n[1] || t.Day() != n[2] {
		return time.Time{}
	}
	return CheckDate(t)
}

// months are the beginnings of the names of months in English and German.
var months = [][]string{
	{"jan"},
	{"feb"},
	{"mar", "mär", "mrz"},
	{"apr"},
	{"may", "mai"},
	{"jun"},
	{"jul"},
	{"aug"},
	{"sep"},
	{"oct", "okt"},
	{"nov"},
	{"dec", "dez"},
}

// monthOf returns the number of a month by its name, or 0.
func monthOf(name string) int {
	name = strings.ToLower(name)
	return 1 + slices.IndexFunc(months, func(names []string) bool {
		return slices.ContainsFunc(names, func(beginning string) bool { return strings.HasPrefix(name, beginning) })
	})
}
