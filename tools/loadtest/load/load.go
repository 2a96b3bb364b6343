// Package load puts load on a running docent server and measures it.
package load

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"docent/internal/fault"
)

// Test is one measurement of a running server. Set the fields, then call Run.
type Test struct {
	// URL is the server's WebSocket, as in ws://127.0.0.1:8765/.
	URL string
	// Token is an API token; "" if the server needs none.
	Token string
	// Question is the question of each user.
	Question string
	// Scenario is one of Scenarios.
	Scenario string
	// Connections is the number of connections that the scenarios idle and slow
	// open.
	Connections int
	// Users is the number of users that ask at once in the scenarios echo, turns,
	// and slow.
	Users int
	// PID is the server's process; 0 finds the only docent serve.
	PID int
	// Duration is the time to measure.
	Duration time.Duration
	// Settle is the wait before memory is measured.
	Settle time.Duration
	// Pause is the average time between an answer and the next question. In
	// stream, 0 means a second.
	Pause time.Duration
	// Times is how often library and console open each view.
	Times int

	counts *counts
}

// counts counts the events on all connections.
type counts struct {
	refused atomic.Int64 // frames that came too fast

	mu       sync.Mutex
	sessions []string // to be deleted at the end
}

// Bounds of one process.
const (
	maxConnections = 60_000
	maxUsers       = 10_000
	maxTimes       = 100_000
)

// Scenarios lists the scenarios in the order of their documentation.
func Scenarios() []string {
	return []string{"idle", "echo", "turns", "stream", "slow", "library", "console"}
}

// prepare checks the fields and sets the protocol of the URL. It does so once.
func (t *Test) prepare() error {
	if t.counts != nil {
		return nil
	}
	u, err := url.Parse(t.URL)
	switch {
	case err != nil || u.Host == "":
		return fault.New(fault.Invalid, "loadtest_url", "-url %q is not an address such as ws://127.0.0.1:8765/", t.URL)
	case t.Connections < 1 || t.Connections > maxConnections:
		return fault.New(fault.Invalid, "loadtest_connections", "-connections must be from 1 to %d", maxConnections)
	case t.Users < 1 || t.Users > maxUsers:
		return fault.New(fault.Invalid, "loadtest_users", "-users must be from 1 to %d", maxUsers)
	case t.Times < 1 || t.Times > maxTimes:
		return fault.New(fault.Invalid, "loadtest_repeats", "-times must be from 1 to %d", maxTimes)
	case t.Duration <= 0 || t.Settle < 0 || t.Pause < 0:
		return fault.New(fault.Invalid, "loadtest_times", "-duration, -settle, and -pause must be positive")
	case t.scenarios()[t.Scenario] == nil:
		return fault.New(fault.Invalid,
			"loadtest_scenario", "-scenario %q is unknown; use one of %s", t.Scenario, strings.Join(Scenarios(), ", "))
	}
	u.Scheme = strings.Replace(u.Scheme, "http", "ws", 1)
	query := u.Query()
	query.Set("protocol", "docent.v1")
	u.RawQuery = query.Encode()
	t.URL, t.counts = u.String(), &counts{}
	return nil
}

// Row is one line of the results.
type Row struct {
	// Name names the measurement.
	Name string
	// Value is the figure with its unit.
	Value string
}

func (t *Test) scenarios() map[string]func(context.Context, *process) ([]Row, error) {
	return map[string]func(context.Context, *process) ([]Row, error){
		"idle": t.idle, "echo": t.echo, "turns": t.turns, "stream": t.stream, "slow": t.slow,
		"library": func(ctx context.Context, _ *process) ([]Row, error) { return t.library(ctx) },
		"console": func(ctx context.Context, _ *process) ([]Row, error) { return t.views(ctx, consoleViews) },
	}
}

// Run measures, and deletes the sessions that it made. With an error it returns
// the rows measured before.
func (t *Test) Run(ctx context.Context) ([]Row, error) {
	if err := t.prepare(); err != nil {
		return nil, err
	}
	rows, err := t.scenarios()[t.Scenario](ctx, findProcess(t.PID))
	if n := t.counts.refused.Load(); n > 0 {
		rows = append(rows, Row{"refused as too fast and sent again", fmt.Sprintf("%d: the server's --rate bounds the result", n)})
	}
	return append(rows, t.clean(ctx)...), err
}

func (t *Test) header() http.Header {
	if t.Token == "" {
		return nil
	}
	return http.Header{"Authorization": {"Bearer " + t.Token}}
}

// percentile sorts durations and returns the one at p; 0 if there are none.
func percentile(of []time.Duration, p float64) time.Duration {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}

// latencies returns the rows of a measurement.
func latencies(name string, of []time.Duration, during time.Duration) []Row {
	const half, most = 0.5, 0.99
	return []Row{
		{name, fmt.Sprintf("%d, %.0f a second", len(of), float64(len(of))/during.Seconds())},
		{"p50 / p99", fmt.Sprintf("%s / %s", shorter(percentile(of, half)), shorter(percentile(of, most)))},
	}
}

// shorter rounds a duration to its significant digits.
func shorter(d time.Duration) time.Duration {
	if d > 10*time.Millisecond {
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(time.Microsecond)
}
