// Command loadtest puts load on a running docent server and prints a table of
// measurements.
//
//	go run ./tools/loadtest -scenario turns -users 100
//
// Scenarios:
//
//	idle    opens connections and leaves them idle: the rate, and the memory of
//	        each, before and after one message on each
//	echo    frames that the server refuses: the WebSocket layer alone
//	turns   users who ask again when they have an answer, or after -pause
//	stream  time to the first token with 1, 10, and 100 users who read the answers
//	slow    the same as turns, without and with clients that never read
//	library the requests of each view of the library: p50 and p95
//	console the requests of each view of the console: p50 and p95
//
// With -files, it writes documents for library to the folder -to instead, to be
// added with docent ingest:
//
//	go run ./tools/loadtest -files 100000 -to manuals
//
// The server keeps its limits. The test repeats frames that come too fast and
// counts them. To measure more, start the server with --rate 1000000
// --burst 1000000, and with --user-connections, --user-rate, and --user-burst if
// authentication is on. Set the token as DOCENT_TOKEN in the environment, because
// other users of the machine can see the command line. Use a server with a data
// folder of its own. The test deletes its conversations at the end.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"
	"time"

	"docent/config"
	"docent/internal/fault"
	"docent/tools/loadtest/load"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "loadtest:", err)
		os.Exit(fault.KindOf(err).ExitCode())
	}
}

func run(ctx context.Context, args []string, out, log io.Writer) error {
	var t load.Test
	flags := flag.NewFlagSet("loadtest", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.StringVar(&t.URL, "url", "ws://127.0.0.1:8765/", "the server's WebSocket")
	flags.StringVar(&t.Scenario, "scenario", "turns", strings.Join(load.Scenarios(), ", "))
	flags.StringVar(&t.Question, "question", "What is this?", "the question of all users")
	flags.IntVar(&t.Connections, "connections", 1000, "connections of idle and slow")
	flags.IntVar(&t.Users, "users", 10, "users who ask at once")
	flags.DurationVar(&t.Duration, "duration", 10*time.Second, "how long to measure")
	flags.DurationVar(&t.Pause, "pause", 0, "average time between an answer and the next question (stream: default 1s)")
	flags.DurationVar(&t.Settle, "settle", 5*time.Second, "how long to wait before memory is read")
	flags.IntVar(&t.Times, "times", 100, "how often library and console open each view")
	flags.IntVar(&t.PID, "pid", 0, "the server's process (default the only docent serve on this machine)")
	files := flags.Int("files", 0, "number of documents to write, instead of a test")
	to := flags.String("to", "", "folder of the documents of -files")
	if err := flags.Parse(args); err != nil {
		return fault.New(fault.Invalid, "other_error", "%w", err)
	}
	if *files > 0 {
		n, err := load.Files(ctx, *to, *files)
		fmt.Fprintf(out, "%d documents written\n", n)
		return err
	}
	t.Token, _ = config.Variable("DOCENT_TOKEN")
	rows, err := t.Run(ctx)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%s\n", r.Name, r.Value)
	}
	if failed := table.Flush(); err == nil && failed != nil {
		return fmt.Errorf("print: %w", failed)
	}
	return err
}
