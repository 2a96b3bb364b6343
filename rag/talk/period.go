package talk

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"docent/internal/lazyregexp"
)

// Period is the time that a question asks about.
type Period struct {
	// Newest asks for the newest of several things.
	Newest bool
	// From and Until limit the time; zero does not. Until is exclusive.
	From, Until time.Time
	// Month is a month of any year, or 0.
	Month time.Month
}

// IsZero reports whether a question asks about no time.
func (p Period) IsZero() bool { return p == Period{} }

// Has reports whether a day is in the period.
func (p Period) Has(day time.Time) bool {
	return (p.Month == 0 || day.Month() == p.Month) && !day.Before(p.From) && (p.Until.IsZero() || day.Before(p.Until))
}

const monthNames = `january|february|march|april|may|june|july|august|september|october|november|december|` +
	`januar|februar|märz|mai|juni|juli|oktober|dezember`

var (
	// newest matches a question for the newest of several things. "Current" alone may be electric.
	newest = lazyregexp.New(`(?i)\b(?:newest|latest|most recent(?:ly)?|(?:current|last) (?:version|release|update|edition|firmware|policy|price ?list|meeting|minutes)|` +
		`neue?ste[nrsm]?|aktuell(?:e[nrsm]?)? (?:version|fassung|ausgabe|firmware|preisliste|stand|ordnung)|jüngste[nrsm]?|letzte[nrsm]? (?:version|fassung|sitzung|änderung|protokoll))\b`)
	// deadline matches "at the latest" and "the latest time", which ask for no newest thing.
	deadline = lazyregexp.New(`(?i)\bat the latest\b|\blatest (?:possible|time|date|day|hour|moment)\b`)
	// limited matches the year or month in a question.
	limited = lazyregexp.New(`(?i)\b(in|during|of|from|for|since|after|before|until|im|seit|nach|ab|vor|bis|von|vom|aus)\s+(?:the year |dem jahr |jahr |(?:dem )?(?:monat )?)?` +
		`(?:(` + monthNames + `)\b(?:\s+(20\d\d))?|(20\d\d))(?:$|[^\d-])`)
	// relative matches a time that depends on the present day, such as "since last week".
	relative = lazyregexp.New(`(?i)(?:\b(since|before|seit|vor)\s+)?\b(this|last|previous|diese[mnrs]?|letzte[mnrs]?|vorige[mnrs]?|vergangene[mnrs]?)\s+` +
		`(week|month|year|woche|monat|jahr)e?s?\b`)
	// recent matches the time up to the present day, such as "in the last two weeks".
	recent = lazyregexp.New(`(?i)\b(?:the|den|der)\s+(?:last|past|letzten|vergangenen)\s+` +
		`(?:(\d{1,3}|` + strings.Join(smallNumbers, "|") + `)\s+)?` +
		`(days|weeks|months|years|tagen?|wochen|monaten?|jahren?)\b`)
)

// smallNumbers are numbers in words from 2, in English and then in German.
var smallNumbers = []string{"two", "three", "four", "five", "six", "zwei", "drei", "vier", "fünf", "sechs"}

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

// PeriodOf returns the time that a question asks about. now is the present day.
func PeriodOf(question string, now time.Time) Period {
	p := Period{Newest: newest.MatchString(deadline.ReplaceAllString(question, ""))}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	if m := recent.FindStringSubmatch(question); m != nil {
		p.From = ago(today, m[1], m[2])
		return p
	}
	if m := relative.FindStringSubmatch(question); m != nil {
		from, until := calendar(today, m[3], !strings.EqualFold(m[2], "this") && !strings.HasPrefix(strings.ToLower(m[2]), "dies"))
		p.limit(m[1], from, until)
		return p
	}
	m := limited.FindStringSubmatch(question)
	if m == nil {
		return p
	}
	month := months[strings.ToLower(m[2])]
	year, _ := strconv.Atoi(m[3] + m[4])
	switch {
	case year > 0 && month > 0:
		from := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
		p.limit(m[1], from, from.AddDate(0, 1, 0))
	case year > 0:
		from := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		p.limit(m[1], from, from.AddDate(1, 0, 0))
	default: // the last such month
		from := time.Date(today.Year(), month, 1, 0, 0, 0, 0, time.UTC)
		if from.After(today) {
			from = from.AddDate(-1, 0, 0)
		}
		if p.limit(m[1], from, from.AddDate(0, 1, 0)); p.From.Equal(from) && !p.Until.IsZero() {
			p.From, p.Until, p.Month = time.Time{}, time.Time{}, month // of any year
		}
	}
	return p
}

// limit limits a period to a time, or to the time since or before it, by the word in front of it.
func (p *Period) limit(word string, from, until time.Time) {
	switch strings.ToLower(word) {
	case "since", "after", "seit", "nach", "ab":
		p.From = from
	case "before", "until", "vor", "bis":
		p.Until = from
	default:
		p.From, p.Until = from, until
	}
}

// calendar returns the present week, month, or year, or the one before it.
func calendar(today time.Time, unit string, before bool) (from, until time.Time) {
	n := 0
	if before {
		n = -1
	}
	switch strings.ToLower(unit) {
	case "week", "woche":
		monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
		return monday.AddDate(0, 0, 7*n), monday.AddDate(0, 0, 7*n+7)
	case "month", "monat":
		first := time.Date(today.Year(), today.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
		return first, first.AddDate(0, 1, 0)
	default:
		first := time.Date(today.Year()+n, 1, 1, 0, 0, 0, 0, time.UTC)
		return first, first.AddDate(1, 0, 0)
	}
}

// few is the number of units of "the last weeks".
const few = 4

// ago returns the day that is a number of units before today.
func ago(today time.Time, number, unit string) time.Time {
	n, err := strconv.Atoi(number)
	if err != nil {
		if n = few; number != "" {
			n = slices.Index(smallNumbers, strings.ToLower(number))%(len(smallNumbers)/2) + 2
		}
	}
	switch strings.ToLower(unit)[0] {
	case 'd', 't':
		return today.AddDate(0, 0, -n)
	case 'w':
		return today.AddDate(0, 0, -7*n)
	case 'm':
		return today.AddDate(0, -n, 0)
	default:
		return today.AddDate(-n, 0, 0)
	}
}

// dates match days and months in a text: 2026-03-31, 31.3.2026, 31 March 2026, March 31, 2026, and March 2026.
var dates = lazyregexp.New(`(?i)\b(?:(20\d\d)-(\d\d)(?:-(\d\d))?|(\d{1,2})\.(\d{1,2})\.(20\d\d)|(\d{1,2})(?:st|nd|rd|th|\.)? (` + monthNames + `) (20\d\d)|` +
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
