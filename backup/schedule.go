package backup

import "time"

// Schedule says when backups are made.
type Schedule struct {
	// Every is the time between two backups. 0 means never.
	Every time.Duration
	// At is the time of one of them, as the time after midnight.
	At time.Duration
}

// firstSunday is the day from which schedules count, so that weekly backups are made on Sundays.
var firstSunday = time.Date(1970, time.January, 4, 0, 0, 0, 0, time.UTC)

// Latest returns the latest time of the schedule that is not after now, in the time zone of now. It
// returns the zero time for a schedule without backups.
func (s Schedule) Latest(now time.Time) time.Time {
	latest, _ := s.around(now)
	return latest
}

// Next returns the time of the schedule after Latest.
func (s Schedule) Next(now time.Time) time.Time {
	_, next := s.around(now)
	return next
}

// around counts in the time of the clock, so that a backup stays at 2:00 when summer time begins.
func (s Schedule) around(now time.Time) (latest, next time.Time) {
	if s.Every <= 0 {
		return latest, next
	}
	first, clock := firstSunday.Add(s.At), time.Date(now.Year(), now.Month(), now.Day(), now.Hour(), now.Minute(), now.Second(), 0, time.UTC)
	steps := clock.Sub(first) / s.Every
	at := func(steps time.Duration) time.Time {
		t := first.Add(steps * s.Every)
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	}
	if at(steps).After(now) { // this time of the clock does not exist today
		steps--
	}
	return at(steps), at(steps + 1)
}
