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

const loadtestHelp = `Puts load on a running server, which has to be another process, and prints what
it measured as a short table. Scenarios:

  idle    opens connections and leaves them alone: how fast, and what each costs
          the server in memory, before and after one message on each
  echo    frames that the server refuses: its WebSocket layer alone
  turns   users who ask again as soon as they are answered, or after --pause
  stream  time to first token with 1, 10 and 100 users who read what they are
          told, for --pause or a second on average, against that with 1
  slow    the same as turns, without and with as many clients that never read

Memory and processor time are the server's if it runs on this machine (--pid
tells which process it is). The server keeps its limits: what it refuses as too
fast is sent again later and counted. To measure more than that, start it with
such as --rate 1000000 --burst 1000000, and with --user-connections, --user-rate and
--user-burst if authentication is on; the token is best given as DOCENT_TOKEN in
the environment, as others on the machine can see the command line. Asks real
questions: use a server of its own, with a data folder of its own. The conversations are deleted at the end.`

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
	flags.StringVar(&l.url, "url", "ws://127.0.0.1:8765/", "the server's WebSocket")
	flags.StringVar(&l.token, "token", "", "API token, if authentication is on (default DOCENT_TOKEN of the environment)")
	flags.StringVar(&l.scenario, "scenario", "turns", "idle, echo, turns, stream or slow")
	flags.StringVar(&l.question, "question", "What is this?", "what users ask")
	flags.IntVar(&l.connections, "connections", 1000, "connections of idle and slow")
	flags.IntVar(&l.users, "users", 10, "users who ask at once")
	flags.DurationVar(&l.duration, "duration", 10*time.Second, "how long to measure")
	flags.DurationVar(&l.pause, "pause", 0, "time between an answer and the next question, on average (default none, 1s in stream)")
	flags.DurationVar(&l.settle, "settle", 5*time.Second, "how long to wait before memory is read")
	flags.IntVar(&l.pid, "pid", 0, "the server's process (default the only docent serve on this machine)")
	return cmd
}

func (l *loadTest) validate() error {
	u, err := url.Parse(l.url)
	switch {
	case err != nil || u.Host == "":
		return fault.New(fault.Invalid, "cli_loadtest_url", "--url %q is no address such as ws://127.0.0.1:8765/", l.url)
	case l.connections < 1 || l.connections > maxLoadConnections:
		return fault.New(fault.Invalid, "cli_loadtest_connections", "--connections has to be from 1 to %d", maxLoadConnections)
	case l.users < 1 || l.users > maxLoadUsers:
		return fault.New(fault.Invalid, "cli_loadtest_users", "--users has to be from 1 to %d", maxLoadUsers)
	case l.duration <= 0 || l.settle < 0 || l.pause < 0:
		return fault.New(fault.Invalid, "cli_loadtest_times", "--duration, --settle and --pause have to be positive")
	case l.scenarios()[l.scenario] == nil:
		return fault.New(fault.Invalid, "cli_loadtest_scenario", "--scenario %q: there are idle, echo, turns, stream and slow", l.scenario)
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
