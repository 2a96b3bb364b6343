// Command cputime measures the processor time of the tests of each package, including the processes that they start.
//
//	go test -exec '/…/cputime run TABLE' ./...
//	cputime compare TABLE GOLDEN
//	cputime update TABLE GOLDEN
//
// run starts a test binary and adds a line to a table. compare prints a note for each package whose time exceeds the
// golden table by more than a fifth. update writes the golden table.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: cputime run TABLE PROGRAM [ARG...] | compare TABLE GOLDEN | update TABLE GOLDEN")
		os.Exit(2)
	}
	var err error
	switch command, file := os.Args[1], os.Args[2]; command {
	case "run":
		err = run(file, os.Args[3], os.Args[4:])
	case "compare":
		err = compare(os.Stdout, file, os.Args[3])
	case "update":
		err = update(file, os.Args[3])
	default:
		err = fmt.Errorf("unknown command %s", command)
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		os.Exit(max(exit.ExitCode(), 1)) // the tests have reported the failure
	case err != nil:
		fmt.Fprintln(os.Stderr, "cputime:", err)
		os.Exit(1)
	}
}

// run runs a test binary and adds its package and its processor time to the table. It
// passes on the signals of go test.
func run(table, program string, args []string) error {
	cmd := exec.Command(program, args...) //nolint:noctx // go test ends it with a signal
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the tests: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			_ = cmd.Process.Signal(s) // it has ended
		case err := <-done:
			return errors.Join(err, record(table, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()))
		}
	}
}

// record adds a line to the table. go test runs test binaries in the folders of their packages.
func record(table string, took time.Duration) error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the package: %w", err)
	}
	root := dir
	for !exists(filepath.Join(root, "go.mod")) {
		parent := filepath.Dir(root)
		if parent == root {
			return fmt.Errorf("no go.mod above %s", dir)
		}
		root = parent
	}
	pkg, err := filepath.Rel(root, dir)
	if err != nil {
		return fmt.Errorf("find the package: %w", err)
	}
	f, err := os.OpenFile(table, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // not secret
	if err != nil {
		return fmt.Errorf("open the table: %w", err)
	}
	_, err = fmt.Fprintf(f, line, filepath.ToSlash(pkg), took.Seconds())
	return errors.Join(err, f.Close())
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
