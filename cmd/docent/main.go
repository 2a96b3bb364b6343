package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"docent/internal/fault"
	"docent/internal/terminal"
)

// version is set by the linker.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], stdio{
		in: os.Stdin, out: terminal.NewWriter(os.Stdout), err: terminal.NewWriter(os.Stderr), screen: os.Stderr,
	})
	stop()
	os.Exit(code)
}

// stdio are the streams of a command.
type stdio struct {
	in  io.Reader
	out io.Writer
	err io.Writer
	// screen shows progress bars, if it is a terminal; nil shows none.
	screen *os.File
}

// errFailed ends a command with status 1 after it has printed the failures.
var errFailed = errors.New("some failed")

// run executes one command line and returns its exit status.
func run(ctx context.Context, args []string, std stdio) int {
	root := newRoot(std)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFailed):
		return 1
	}
	if ctx.Err() != nil {
		fmt.Fprintln(std.err, "docent: interrupted")
		return fault.Canceled.ExitCode()
	}
	fmt.Fprintln(std.err, "docent:", err)
	return fault.KindOf(err).ExitCode()
}
