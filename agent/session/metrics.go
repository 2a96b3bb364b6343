package session

import (
	"fmt"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/agent"
	"docent/internal/meter"
	"docent/payload"
)

// meters count what a runtime does.
type meters struct {
	turns         map[payload.Outcome]*metrics.Counter
	events        map[string]*metrics.Counter
	full          *metrics.Counter
	abandoned     *metrics.Counter
	turn, commits *meter.Seconds
}

// otherEvent counts the events of programs, whose names nobody bounds.
const otherEvent = "other"

func newMeters(set *metrics.Set, r *Runtime) meters {
	m := meters{
		turns: map[payload.Outcome]*metrics.Counter{}, events: map[string]*metrics.Counter{},
		abandoned: set.GetOrCreateCounter("docent_agent_abandoned_total"),
		full:      set.GetOrCreateCounter("docent_agent_mailbox_full_total"),
		turn:      meter.New(set, "docent_agent_turn_seconds", ""),
		commits:   meter.New(set, "docent_agent_commit_seconds", ""),
	}
	set.GetOrCreateGauge("docent_agent_sessions", func() float64 { return float64(r.Sessions()) })
	for _, o := range []payload.Outcome{payload.Done, payload.Failed, payload.Stopped, payload.Held} {
		m.turns[o] = set.GetOrCreateCounter(fmt.Sprintf(`docent_agent_turns_total{outcome=%q}`, o))
	}
	for _, name := range []string{agent.EventText, agent.EventMessage, agent.EventFile, agent.EventUI, otherEvent} {
		m.events[name] = set.GetOrCreateCounter(fmt.Sprintf(`docent_agent_events_total{kind=%q}`, name))
	}
	return m
}

// received counts an event that was stored.
func (m *meters) received(name string) {
	counter := m.events[name]
	if counter == nil {
		counter = m.events[otherEvent]
	}
	counter.Inc()
}

// ended counts turns and how long they took.
func (m *meters) ended(outcome payload.Outcome, turns []int64, began time.Time) {
	for _, turn := range turns {
		if turn != 0 {
			m.turns[outcome].Inc()
			m.turn.Observe(time.Since(began))
		}
	}
}
