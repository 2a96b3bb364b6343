package talk

import (
	"slices"
	"testing"
	"time"
)

func TestPeriodOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 23, 0, 0, 0, time.FixedZone("", 3600)) // a Saturday
	day := func(s string) time.Time { d, _ := time.Parse(time.DateOnly, s); return d }
	span := func(from, until string) Period { return Period{From: day(from), Until: day(until)} }
	for question, want := range map[string]Period{
		"latest firmware version?":                     {Newest: true},
		"What is the current version?":                 {Newest: true},
		"neueste Fassung der Hausordnung":              {Newest: true},
		"what changed in 2026 in the firmware":         span("2026-01-01", "2027-01-01"),
		"What was decided in May 2026?":                span("2026-05-01", "2026-06-01"),
		"Was wurde im März beschlossen?":               {Month: 3},
		"changes since March 2026":                     {From: day("2026-03-01")},
		"was galt vor 2025?":                           {Until: day("2025-01-01")},
		"what changed since May":                       {From: day("2026-05-01")},
		"Was hat sich seit Dezember geändert?":         {From: day("2025-12-01")},
		"what was decided this year":                   span("2026-01-01", "2027-01-01"),
		"What did we decide last month?":               span("2026-10-01", "2026-11-01"),
		"Was wurde letzte Woche beschlossen?":          span("2026-11-16", "2026-11-23"),
		"was ist diese Woche passiert":                 span("2026-11-23", "2026-11-30"),
		"Was gab es im letzten Jahr Neues?":            span("2025-01-01", "2026-01-01"),
		"changes since last year":                      {From: day("2025-01-01")},
		"what changed in the last two weeks":           {From: day("2026-11-14")},
		"Änderungen in den letzten 30 Tagen":           {From: day("2026-10-29")},
		"When do I have to pay at the latest?":         {},
		"What is the maximum current of the pump?":     {},
		"What is the latest time to check in?":         {},
		"show the settings in main.cf":                 {},
		"How do I use the 2026 model?":                 {},
		"May I smoke?":                                 {},
		"what is in 2026-03?":                          {},
		"how many days of vacation do I get in a year": {},
	} {
		if got := PeriodOf(question, now); got != want {
			t.Errorf("%q: %+v, want %+v", question, got, want)
		}
	}
}

func TestPeriodHas(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 5, 7, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		p    Period
		want bool
	}{
		{Period{}, true},
		{Period{Month: 5}, true},
		{Period{Month: 4}, false},
		{Period{From: day}, true},
		{Period{From: day.AddDate(0, 0, 1)}, false},
		{Period{Until: day}, false},
		{Period{From: day.AddDate(0, -1, 0), Until: day.AddDate(0, 0, 1)}, true},
	} {
		if c.p.Has(day) != c.want {
			t.Errorf("%+v has 7 May 2026: %v", c.p, !c.want)
		}
	}
}

func TestDatesIn(t *testing.T) {
	t.Parallel()
	const s = "4.2.0 (2026-03-31), 7.5.2026, 7. Mai 2026, 12 March 2026, June 2, 2026, August 2025, 1.2.2026.3, 99.99.2026, and 14:00"
	var got []string
	for _, d := range DatesIn(s) {
		got = append(got, d.Format(time.DateOnly))
	}
	if want := []string{"2026-03-31", "2026-05-07", "2026-05-07", "2026-03-12", "2026-06-02", "2025-08-01", "2026-02-01"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
