package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Clock is a time of day on some days of the week, in the time zone of the session.
type Clock struct {
	// Hour is 0 to 23, and Minute is 0 to 59.
	Hour, Minute int
	// Days are the days of the week. None means every day.
	Days []time.Weekday
}

// Workdays are the days from Monday to Friday.
var Workdays = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}

// String returns a time such as 09:00 Mon Tue.
func (c Clock) String() string {
	text := fmt.Sprintf("%02d:%02d", c.Hour, c.Minute)
	for _, d := range c.Days {
		text += " " + d.String()[:3]
	}
	return text
}

// valid reports whether the clock has a time.
func (c Clock) valid() bool {
	return c.Hour >= 0 && c.Hour < 24 && c.Minute >= 0 && c.Minute < 60 &&
		!slices.ContainsFunc(c.Days, func(d time.Weekday) bool { return d < time.Sunday || d > time.Saturday })
}

// next returns the first time of the clock after a time.
func (c Clock) next(after time.Time) time.Time {
	for day := range 8 { // today's may be over
		at := time.Date(after.Year(), after.Month(), after.Day()+day, c.Hour, c.Minute, 0, 0, after.Location())
		if at.After(after) && (len(c.Days) == 0 || slices.Contains(c.Days, at.Weekday())) {
			return at
		}
	}
	return time.Time{}
}

// Last returns the last time of the clock that is not after a time, in the zone of that time.
func (c Clock) Last(now time.Time) time.Time {
	for day := range 8 { // today's may be still to come
		at := time.Date(now.Year(), now.Month(), now.Day()-day, c.Hour, c.Minute, 0, 0, now.Location())
		if !at.After(now) && (len(c.Days) == 0 || slices.Contains(c.Days, at.Weekday())) {
			return at
		}
	}
	return time.Time{}
}

// ParseClock reads a time of day such as 9:00 or 21:30.
func ParseClock(text string, days ...time.Weekday) (Clock, error) {
	at, err := time.Parse("15:04", strings.TrimSpace(text))
	if err != nil {
		return Clock{}, fmt.Errorf("%q is no time of day such as 9:00", text)
	}
	return Clock{at.Hour(), at.Minute(), days}, nil
}

// At adds a transition without an event. The session takes it at the next time of the clock after it entered the state, once
// among all processes. A session that is not in the state at this time does not take it later. After a restart, docent takes
// a transition that it missed.
func (s *State) At(c Clock) *Transition {
	t := s.add(&Transition{clock: &c, timed: true})
	return t.and(condition{text: "at " + c.String(), holds: func(_ context.Context, s *Session) (bool, error) {
		now := s.Now()
		s.turn.mu.Lock()
		defer s.turn.mu.Unlock()
		due := c.next(s.turn.entered.In(now.Location()))
		return !due.IsZero() && !now.Before(due), nil
	}})
}

// Zone returns the time zone that the variables of a session name, or another one.
func Zone(variables map[string]json.RawMessage, other *time.Location) *time.Location {
	var name string
	if json.Unmarshal(variables["timezone"], &name) == nil && name != "" {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone
		}
	}
	return other
}
