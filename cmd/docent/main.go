package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"docent/internal/fault"
	"docent/internal/terminal"
)

// version is set by the linker.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], stdio{
		in: os.Stdin, out: terminal.NewWriter(os.Stdout), err: terminal.NewWriter(os.Stderr), screen: os.Stderr,
		columns: func() int { return columnsOf(os.Stdout) },
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
	// columns returns the width of the terminal that shows out, or 0 without one; nil means none.
	columns func() int
}

// layout returns a writer that fits answers to the terminal.
func (s stdio) layout() *terminal.Layout {
	columns := 0
	if s.columns != nil {
		columns = s.columns()
	}
	return terminal.NewLayout(s.out, columns)
}

// columnsOf returns the width of a terminal; 0 if the file is none.
func columnsOf(f *os.File) int {
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
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
