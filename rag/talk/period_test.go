package talk

import (
	"slices"
	"testing"
	"time"
)

func TestPeriodOf(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]Period{
		"latest firmware version?":                 {Newest: true},
		"What is the current version?":             {Newest: true},
		"neueste Fassung der Hausordnung":          {Newest: true},
		"what changed in 2026 in the firmware":     {Year: 2026},
		"What was decided in May 2026?":            {Year: 2026, Month: 5},
		"Was wurde im März beschlossen?":           {Month: 3},
		"changes since March 2026":                 {Year: 2026, Month: 3, Since: true},
		"was galt vor 2025?":                       {Year: 2025, Before: true},
		"When do I have to pay at the latest?":     {},
		"What is the maximum current of the pump?": {},
		"What is the latest time to check in?":     {},
		"show the settings in main.cf":             {},
		"How do I use the 2026 model?":             {},
		"May I smoke?":                             {},
		"what is in 2026-03?":                      {},
	} {
		if got := PeriodOf(question); got != want {
			t.Errorf("%q: %+v, want %+v", question, got, want)
		}
	}
}

func TestPeriodHas(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 5, 7, 0, 0, 0, 0, time.UTC)
	for p, want := range map[Period]bool{
		{}: true, {Month: 5}: true, {Month: 4}: false,
		{Year: 2026}: true, {Year: 2025}: false, {Year: 2026, Month: 5}: true, {Year: 2026, Month: 6}: false,
		{Year: 2026, Month: 3, Since: true}: true, {Year: 2026, Month: 6, Since: true}: false,
		{Year: 2026, Before: true}: false, {Year: 2027, Before: true}: true,
	} {
		if p.Has(day) != want {
			t.Errorf("%+v has 7 May 2026: %v", p, !want)
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
