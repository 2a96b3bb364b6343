// Package meters counts the work of the sessions of a runtime.
package meters

import (
	"fmt"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/agent/chat"
	"docent/internal/meter"
	"docent/payload"
)

// Meters are the metrics of a runtime.
type Meters struct {
	// Turns counts turns by their outcome.
	Turns map[payload.Outcome]*metrics.Counter
	// Full counts messages that found the mailbox full.
	Full *metrics.Counter
	// Abandoned counts sessions that left memory because the store failed.
	Abandoned *metrics.Counter
	// Commits measures commits.
	Commits *meter.Seconds

	events map[string]*metrics.Counter
	turn   *meter.Seconds
}

// otherEvent counts the events of programs, which may have any name.
const otherEvent = "other"

// New returns the meters of a runtime with so many sessions in memory.
func New(set *metrics.Set, sessions func() int) *Meters {
	m := &Meters{
		Turns: map[payload.Outcome]*metrics.Counter{}, events: map[string]*metrics.Counter{},
		Abandoned: set.GetOrCreateCounter("docent_agent_abandoned_total"),
		Full:      set.GetOrCreateCounter("docent_agent_mailbox_full_total"),
		turn:      meter.New(set, "docent_agent_turn_seconds", ""),
		Commits:   meter.New(set, "docent_agent_commit_seconds", ""),
	}
	set.GetOrCreateGauge("docent_agent_sessions", func() float64 { return float64(sessions()) })
	for _, o := range []payload.Outcome{payload.Done, payload.Failed, payload.Stopped, payload.Held} {
		m.Turns[o] = set.GetOrCreateCounter(fmt.Sprintf(`docent_agent_turns_total{outcome=%q}`, o))
	}
	for _, name := range []string{chat.EventText, chat.EventMessage, chat.EventFile, chat.EventUI, otherEvent} {
		m.events[name] = set.GetOrCreateCounter(fmt.Sprintf(`docent_agent_events_total{kind=%q}`, name))
	}
	return m
}

// Received counts a stored event.
func (m *Meters) Received(name string) {
	counter := m.events[name]
	if counter == nil {
		counter = m.events[otherEvent]
	}
	counter.Inc()
}

// Ended counts turns and measures them.
func (m *Meters) Ended(outcome payload.Outcome, turns []int64, began time.Time) {
	for _, turn := range turns {
		if turn != 0 {
			m.Turns[outcome].Inc()
			m.turn.Observe(time.Since(began))
		}
	}
}
