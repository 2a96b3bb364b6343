//go:build linux

package worker_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"docent/ingest/worker"
	"docent/internal/fault"
)

// runTap runs a shell script as a tap, and returns its output.
func runTap(t *testing.T, dir, script string, files []string, args ...string) (string, error) {
	t.Helper()
	tap := filepath.Join(t.TempDir(), "tap-test")
	if err := os.WriteFile(tap, []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	var out []byte
	err := worker.Taps{}.Run(t.Context(), dir, files, append([]string{tap}, args...), func(in io.Reader) (err error) {
		out, err = io.ReadAll(in)
		return err
	})
	return string(out), err
}

// TestTap: a tap reads its folder and the listed files, and nothing else.
func TestTap(t *testing.T) {
	t.Parallel()
	dir, allowed, secret := t.TempDir(), t.TempDir(), t.TempDir()
	for _, at := range []string{dir, allowed, secret} {
		if err := os.WriteFile(filepath.Join(at, "file"), []byte("words in "+at), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := runTap(t, dir, `cat "$1/file" "$2/file"; cat "$3/file" 2>/dev/null; echo x > "$2/new" 2>/dev/null; echo y > own; env`,
		[]string{allowed}, dir, allowed, secret)
	if err != nil && fault.TextOf(err).ID != "tap_failed" {
		t.Fatal(err)
	}
	if !strings.Contains(out, "words in "+dir) || !strings.Contains(out, "words in "+allowed) || strings.Contains(out, "words in "+secret) {
		t.Errorf("the tap read %q", out)
	}
	if _, err := os.Stat(filepath.Join(allowed, "new")); err == nil {
		t.Error("the tap wrote to another folder")
	}
	if _, err := os.Stat(filepath.Join(dir, "own")); err != nil {
		t.Error(err)
	}
	if strings.Contains(out, "GOCACHE") || !strings.Contains(out, "HOME="+dir) {
		t.Errorf("the environment is %q", out)
	}
}

// TestTapEnds: a tap that fails, or that nobody reads, ends with its children.
func TestTapEnds(t *testing.T) {
	t.Parallel()
	_, err := runTap(t, t.TempDir(), "echo secret >&2; exit 3", nil)
	if fault.TextOf(err).ID != "tap_failed" || strings.Contains(fault.TextOf(err).Message, "secret") || !strings.Contains(err.Error(), "secret") {
		t.Errorf("a tap that fails: %v", err)
	}
	for _, stop := range []string{"read", "context"} {
		dir := t.TempDir()
		tap, alive := filepath.Join(dir, "tap-test"), filepath.Join(dir, "alive")
		if err := syscall.Mkfifo(alive, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(tap, []byte("#!/bin/sh\nsleep 1000 > alive &\necho begun\nwait\n"), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		begun := make(chan struct{})
		go func() { // the pipe ends with the last process that has it open
			pipe, err := os.Open(alive)
			close(begun)
			if err == nil {
				_, err = io.Copy(io.Discard, pipe)
				_ = pipe.Close()
			}
			ended <- err
		}()
		ctx, cancel := context.WithCancel(t.Context())
		err := worker.Taps{}.Run(ctx, dir, nil, []string{tap}, func(in io.Reader) error {
			<-begun
			if stop == "read" {
				return errors.New("enough")
			}
			cancel()
			_, err := io.Copy(io.Discard, in)
			return err
		})
		cancel()
		if err == nil {
			t.Errorf("%s: no error", stop)
		}
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", stop, err)
		}
	}
}
