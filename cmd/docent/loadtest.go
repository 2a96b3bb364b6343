package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/internal/fault"
)

const loadtestHelp = `Put load on a running server and print the measurements as a short table.

Scenarios:

  idle    open connections: connections per second, and memory of each
          connection before and after one message
  echo    send frames that the server refuses: the WebSocket layer alone
  turns   users who ask again after each answer, or after --pause
  stream  time to first token with 1, 10, and 100 users who pause between
          questions (--pause, or one second on average)
  slow    the same as turns, without and with clients that never read

Use a separate server with its own data folder, because the test asks real
questions. At the end, it deletes its conversations.

If the server runs on this machine, the table includes its memory and processor
time. --pid selects the process.

Frames over the server's rate limit are sent again later and counted. To measure
beyond the limits, start the server with --rate 1000000 --burst 1000000. With
--auth, raise --user-connections, --user-rate, and --user-burst too, and pass the
token in the variable DOCENT_TOKEN.`

// loadTest is what the command line asks for.
type loadTest struct {
	url, token, question, scenario string

	connections, users, pid int
	duration, settle, pause time.Duration
	counts                  *loadCounts
}

// loadCounts is what happened on all connections.
type loadCounts struct {
	refused atomic.Int64 // frames that came too fast

	mu   sync.Mutex
	made []string // sessions
}

// tokenVariable is the environment's for a token that no list of processes shows.
const tokenVariable = "DOCENT_TOKEN"

// Bounds of what one process can do.
const (
	maxLoadConnections = 60_000
	maxLoadUsers       = 10_000
)

func newLoadtest(std stdio) *cobra.Command {
	var l loadTest
	cmd := &cobra.Command{
		Use:   "loadtest",
		Short: "Measure a running server under load",
		Long:  loadtestHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := l.validate(); err != nil {
				return err
			}
			if l.token == "" {
				l.token, _ = config.Variable(tokenVariable)
			}
			rows, err := l.run(cmd.Context())
			w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
			for _, r := range rows {
				fmt.Fprintf(w, "%s\t%s\n", r.name, r.value)
			}
			if failed := w.Flush(); err == nil && failed != nil {
				return fmt.Errorf("print: %w", failed)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&l.url, "url", "ws://127.0.0.1:8765/", "WebSocket URL of the server")
	flags.StringVar(&l.token, "token", "", "API token for servers with --auth (default the variable DOCENT_TOKEN)")
	flags.StringVar(&l.scenario, "scenario", "turns", "scenario: idle, echo, turns, stream, or slow")
	flags.StringVar(&l.question, "question", "What is this?", "question that users ask")
	flags.IntVar(&l.connections, "connections", 1000, "number of connections (idle and slow)")
	flags.IntVar(&l.users, "users", 10, "number of concurrent users")
	flags.DurationVar(&l.duration, "duration", 10*time.Second, "duration of the measurement")
	flags.DurationVar(&l.pause, "pause", 0, "average time between an answer and the next question (default none; 1s in stream)")
	flags.DurationVar(&l.settle, "settle", 5*time.Second, "wait before each memory reading")
	flags.IntVar(&l.pid, "pid", 0, "process id of the server (default the only docent serve on this machine)")
	return cmd
}

func (l *loadTest) validate() error {
	u, err := url.Parse(l.url)
	switch {
	case err != nil || u.Host == "":
		return fault.New(fault.Invalid, "--url %q is no address such as ws://127.0.0.1:8765/", l.url)
	case l.connections < 1 || l.connections > maxLoadConnections:
		return fault.New(fault.Invalid, "--connections has to be from 1 to %d", maxLoadConnections)
	case l.users < 1 || l.users > maxLoadUsers:
		return fault.New(fault.Invalid, "--users has to be from 1 to %d", maxLoadUsers)
	case l.duration <= 0 || l.settle < 0 || l.pause < 0:
		return fault.New(fault.Invalid, "--duration, --settle and --pause have to be positive")
	case l.scenarios()[l.scenario] == nil:
		return fault.New(fault.Invalid, "--scenario %q: there are idle, echo, turns, stream and slow", l.scenario)
	}
	u.Scheme = strings.Replace(u.Scheme, "http", "ws", 1)
	query := u.Query()
	query.Set("protocol", "docent.v1")
	u.RawQuery = query.Encode()
	l.url, l.counts = u.String(), &loadCounts{}
	return nil
}

// loadRow is a line of the table.
type loadRow struct{ name, value string }

func (l *loadTest) scenarios() map[string]func(context.Context, *process) ([]loadRow, error) {
	return map[string]func(context.Context, *process) ([]loadRow, error){
		"idle": l.idle, "echo": l.echo, "turns": l.turns, "stream": l.stream, "slow": l.slow,
	}
}

func (l *loadTest) run(ctx context.Context) ([]loadRow, error) {
	rows, err := l.scenarios()[l.scenario](ctx, findProcess(l.pid))
	if n := l.counts.refused.Load(); n > 0 {
		rows = append(rows, loadRow{"refused as too fast and sent again", fmt.Sprintf("%d: its --rate bounds what was measured", n)})
	}
	return append(rows, l.clean(ctx)...), err
}

func (l *loadTest) header() http.Header {
	if l.token == "" {
		return nil
	}
	return http.Header{"Authorization": {"Bearer " + l.token}}
}

// percentile of durations in any order; 0 if there are none.
func percentile(of []time.Duration, p float64) time.Duration {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}

// latencies are the rows of what was measured.
func latencies(name string, of []time.Duration, during time.Duration) []loadRow {
	const half, most = 0.5, 0.99
	return []loadRow{
		{name, fmt.Sprintf("%d, %.0f a second", len(of), float64(len(of))/during.Seconds())},
		{"p50 / p99", fmt.Sprintf("%s / %s", shorter(percentile(of, half)), shorter(percentile(of, most)))},
	}
}

// shorter rounds to what can be trusted.
func shorter(d time.Duration) time.Duration {
	if d > 10*time.Millisecond {
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(time.Microsecond)
}
