package backup_test

import (
	"testing"
	"time"

	"docent/backup"
)

func TestSchedule(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	const layout = "Mon 2006-01-02 15:04"
	for _, c := range []struct {
		every, at    time.Duration
		now          string
		latest, next string
	}{
		{24 * time.Hour, 2 * time.Hour, "Sun 2026-11-29 12:00", "Sun 2026-11-29 02:00", "Mon 2026-11-30 02:00"},
		{24 * time.Hour, 2 * time.Hour, "Sun 2026-11-29 02:00", "Sun 2026-11-29 02:00", "Mon 2026-11-30 02:00"},
		{24 * time.Hour, 2 * time.Hour, "Sun 2026-11-29 01:59", "Sat 2026-11-28 02:00", "Sun 2026-11-29 02:00"},
		{6 * time.Hour, 2*time.Hour + 30*time.Minute, "Sun 2026-11-29 12:00", "Sun 2026-11-29 08:30", "Sun 2026-11-29 14:30"},
		{7 * 24 * time.Hour, 2 * time.Hour, "Wed 2026-12-02 12:00", "Sun 2026-11-29 02:00", "Sun 2026-12-06 02:00"},
		// Summer time begins at 2:00, and ends at 3:00.
		{24 * time.Hour, 4 * time.Hour, "Sun 2026-03-29 12:00", "Sun 2026-03-29 04:00", "Mon 2026-03-30 04:00"},
		{24 * time.Hour, 4 * time.Hour, "Sun 2026-10-25 12:00", "Sun 2026-10-25 04:00", "Mon 2026-10-26 04:00"},
	} {
		now, err := time.ParseInLocation(layout, c.now, berlin)
		if err != nil {
			t.Fatal(err)
		}
		s := backup.Schedule{Every: c.every, At: c.at}
		if latest, next := s.Latest(now).Format(layout), s.Next(now).Format(layout); latest != c.latest || next != c.next {
			t.Errorf("every %v at %v, from %s: %s and %s, want %s and %s", c.every, c.at, c.now, latest, next, c.latest, c.next)
		}
	}
	if s := (backup.Schedule{At: time.Hour}); !s.Latest(time.Now()).IsZero() || !s.Next(time.Now()).IsZero() {
		t.Error("a schedule without backups has times")
	}
}

// TestScheduleInSummer: no time of a schedule is after now, also when the clock skips or repeats an hour.
func TestScheduleInSummer(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	s := backup.Schedule{Every: 24 * time.Hour, At: 2*time.Hour + 30*time.Minute}
	for _, day := range []time.Time{time.Date(2026, 3, 29, 0, 0, 0, 0, berlin), time.Date(2026, 10, 25, 0, 0, 0, 0, berlin)} {
		for minute := range 6 * 60 {
			now := day.Add(time.Duration(minute) * time.Minute)
			if latest, next := s.Latest(now), s.Next(now); latest.After(now) || now.Sub(latest) > 26*time.Hour || !next.After(latest) {
				t.Fatalf("at %v: %v and %v", now, latest, next)
			}
		}
	}
}
