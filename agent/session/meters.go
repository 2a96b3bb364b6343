package session

import (
	"fmt"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/agent/chat"
	"docent/internal/meter"
	"docent/payload"
)

// meters are the metrics of a runtime.
type meters struct {
	// turns counts turns by their outcome.
	turns map[payload.Outcome]*metrics.Counter
	// full counts messages that found the mailbox full.
	full *metrics.Counter
	// abandoned counts sessions that left memory because the store failed.
	abandoned *metrics.Counter
	// commits measures commits.
	commits *meter.Seconds

	// sessions counts the sessions in memory, of all runtimes with the set.
	sessions *metrics.Gauge

	events map[string]*metrics.Counter
	turn   *meter.Seconds
}

// otherEvent counts the events of programs, which may have any name.
const otherEvent = "other"

// newMeters returns the meters of a runtime.
func newMeters(set *metrics.Set) *meters {
	m := &meters{
		turns: map[payload.Outcome]*metrics.Counter{}, events: map[string]*metrics.Counter{},
		sessions:  set.GetOrCreateGauge("docent_agent_sessions", nil),
		abandoned: set.GetOrCreateCounter("docent_agent_abandoned_total"),
		full:      set.GetOrCreateCounter("docent_agent_mailbox_full_total"),
		turn:      meter.New(set, "docent_agent_turn_seconds", ""),
		commits:   meter.New(set, "docent_agent_commit_seconds", ""),
	}
	for _, o := range []payload.Outcome{payload.Done, payload.Failed, payload.Stopped, payload.Held} {
		m.turns[o] = set.GetOrCreateCounter(fmt.Sprintf(`docent_agent_turns_total{outcome=%q}`, o))
	}
	for _, name := range []string{chat.EventText, chat.EventMessage, chat.EventFile, chat.EventUI, otherEvent} {
		m.events[name] = set.GetOrCreateCounter(fmt.Sprintf(`docent_agent_events_total{kind=%q}`, name))
	}
	return m
}

// received counts a stored event.
func (m *meters) received(name string) {
	counter := m.events[name]
	if counter == nil {
		counter = m.events[otherEvent]
	}
	counter.Inc()
}

// ended counts turns and measures them.
func (m *meters) ended(outcome payload.Outcome, turns []int64, began time.Time) {
	for _, turn := range turns {
		if turn != 0 {
			m.turns[outcome].Inc()
			m.turn.Observe(time.Since(began))
		}
	}
}
