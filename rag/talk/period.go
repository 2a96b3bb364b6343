package talk

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Period is the time that a question asks about.
type Period struct {
	// Newest asks for the newest of several things.
	Newest bool
	// Year and Month limit the time; 0 does not.
	Year  int
	Month time.Month
	// Since and Before ask for the time from Year and Month on, or before them, and not for the time itself.
	Since, Before bool
}

// IsZero reports whether a question asks about no time.
func (p Period) IsZero() bool { return p == Period{} }

// Has reports whether a day is in the period. Every day is in a period without a year and a month.
func (p Period) Has(day time.Time) bool {
	at, from := day.Year()*12+int(day.Month()), p.Year*12+max(int(p.Month), 1)
	switch {
	case p.Year == 0 && p.Month == 0:
		return true
	case p.Year == 0:
		return day.Month() == p.Month
	case p.Since:
		return at >= from
	case p.Before:
		return at < from
	case p.Month == 0:
		return day.Year() == p.Year
	}
	return at == from
}

const monthNames = `january|february|march|april|may|june|july|august|september|october|november|december|` +
	`januar|februar|märz|mai|juni|juli|oktober|dezember`

var (
	// newest matches a question for the newest of several things. "Current" alone may be electric.
	newest = regexp.MustCompile(`(?i)\b(?:newest|latest|most recent(?:ly)?|(?:current|last) (?:version|release|update|edition|firmware|policy|price ?list|meeting|minutes)|` +
		`neue?ste[nrsm]?|aktuell(?:e[nrsm]?)? (?:version|fassung|ausgabe|firmware|preisliste|stand|ordnung)|jüngste[nrsm]?|letzte[nrsm]? (?:version|fassung|sitzung|änderung|protokoll))\b`)
	// deadline matches "at the latest" and "the latest time", which ask for no newest thing.
	deadline = regexp.MustCompile(`(?i)\bat the latest\b|\blatest (?:possible|time|date|day|hour|moment)\b`)
	// limited matches the time in a question.
	limited = regexp.MustCompile(`(?i)\b(in|during|of|from|for|since|after|before|until|im|seit|nach|ab|vor|bis|von|vom|aus)\s+(?:the year |dem jahr |jahr |(?:dem )?(?:monat )?)?` +
		`(?:(` + monthNames + `)\b(?:\s+(20\d\d))?|(20\d\d))(?:$|[^\d-])`)
)

// months are the months by their names in English and German.
var months = func() map[string]time.Month {
	out := map[string]time.Month{}
	for i, name := range strings.Split(monthNames, "|") {
		out[name] = time.Month(i%12 + 1)
	}
	for name, month := range map[string]time.Month{
		"januar": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12,
	} {
		out[name] = month
	}
	return out
}()

// PeriodOf returns the time that a question asks about.
func PeriodOf(question string) Period {
	p := Period{Newest: newest.MatchString(deadline.ReplaceAllString(question, ""))}
	m := limited.FindStringSubmatch(question)
	if m == nil {
		return p
	}
	p.Month = months[strings.ToLower(m[2])]
	p.Year, _ = strconv.Atoi(m[3] + m[4])
	switch strings.ToLower(m[1]) {
	case "since", "after", "seit", "nach", "ab":
		p.Since = p.Year > 0
	case "before", "until", "vor", "bis":
		p.Before = p.Year > 0
	}
	return p
}

// dates match days and months in a text: 2026-03-31, 31.3.2026, 31 March 2026, March 31, 2026, and March 2026.
var dates = regexp.MustCompile(`(?i)\b(?:(20\d\d)-(\d\d)(?:-(\d\d))?|(\d{1,2})\.(\d{1,2})\.(20\d\d)|(\d{1,2})(?:st|nd|rd|th|\.)? (` + monthNames + `) (20\d\d)|` +
	`(` + monthNames + `) (?:(\d{1,2})(?:st|nd|rd|th)?,? )?(20\d\d))\b`)

// DatesIn returns the days that a text names. The day of a month alone is its first one.
func DatesIn(s string) []time.Time {
	var out []time.Time
	for _, m := range dates.FindAllStringSubmatch(s, -1) {
		number := func(i int) int { n, _ := strconv.Atoi(m[i]); return n }
		year := number(1) + number(6) + number(9) + number(12)
		month := time.Month(number(2) + number(5))
		if name := strings.ToLower(m[8] + m[10]); name != "" {
			month = months[name]
		}
		day := max(1, number(3)+number(4)+number(7)+number(11))
		if month >= 1 && month <= 12 && day <= 31 {
			out = append(out, time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
		}
	}
	return out
}
