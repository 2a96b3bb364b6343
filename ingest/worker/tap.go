package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
)

// tapArguments tell a program to confine itself and to run a tap. The arguments after
// them are the writable folder, the readable files as a JSON list, the tap, and its
// arguments. See [Requested].
var tapArguments = []string{"worker", "--tap"}

// The limits of one run of a tap.
const (
	tapCPU    = 30 * time.Minute
	tapWall   = 6 * time.Hour
	tapMemory = 2 << 30
)

// Taps runs Singer taps, which read the records of a service.
type Taps struct {
	// Launcher is a program that calls [Requested] first in main; default this program.
	Launcher string
	// Env are variables for taps; default none.
	Env []string
}

// Run runs a tap, which may write only to dir, and read only dir and the files. It passes
// the output to read, and ends the tap if read fails. The log gets the messages of a tap
// that fails, because they may have secrets.
func (t Taps) Run(ctx context.Context, dir string, files, command []string, read func(io.Reader) error) error {
	if runtime.GOOS != "linux" {
		return fault.New(fault.Unavailable, "tap_linux", "taps run on Linux only")
	}
	name := filepath.Base(command[0])
	launcher := t.Launcher
	if launcher == "" {
		exe, err := os.Executable()
		if err != nil {
			return fmt.Errorf("worker: find this program: %w", err)
		}
		launcher = exe
	}
	list, err := json.Marshal(files)
	if err != nil {
		return fmt.Errorf("run %s: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, tapWall)
	defer cancel()
	keepDescriptors()
	cmd := exec.CommandContext(ctx, launcher, slices.Concat(tapArguments, []string{dir, string(list)}, command)...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "PYTHONUNBUFFERED=1"}
	cmd.Env = append(cmd.Env, t.Env...)
	cmd.SysProcAttr = childAttributes()
	cmd.WaitDelay = 2 * time.Second
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	said := &tail{}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run %s: %w", name, err)
	}
	theirs, ours, err := os.Pipe() // the tap ends with this process
	if err != nil {
		return fmt.Errorf("run %s: %w", name, err)
	}
	defer ours.Close() //nolint:errcheck // nothing is written
	cmd.ExtraFiles = []*os.File{theirs}
	err = cmd.Start()
	_ = theirs.Close() // the child has its own copy
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "tool_not_started", "docent cannot start %s", name)
	}
	failed := read(out)
	if failed != nil {
		_ = killGroup(cmd.Process) // fails if it has already ended
	}
	ended := cmd.Wait()
	_ = killGroup(cmd.Process) // kills the processes that the tap left behind
	switch {
	case failed == nil && ended == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.New(fault.Unavailable, "tap_slow", "%s did not finish within %s", name, tapWall)
	case ctx.Err() != nil:
		return ctx.Err()
	case ended != nil && (failed == nil || !wasKilled(cmd.ProcessState)):
		return fault.Wrap(fault.Unavailable, fmt.Errorf("%w: %s", ended, said), "tap_failed",
			"%s ended with an error; the log of the server has its messages", name)
	}
	return failed
}

// InFolder calls work with a temporary folder, and removes it afterwards. If this process
// is killed, the next one removes it.
func (Taps) InFolder(work func(dir string) error) error { return inFolder(work) }

func tapRequested() bool {
	n := 1 + len(tapArguments)
	return len(os.Args) > n && slices.Equal(os.Args[1:n], tapArguments)
}

// runTap confines this process and runs the tap in the arguments.
func runTap(args []string) error {
	if len(args) < 3 {
		return errors.New("a folder, a list of files and a tap are missing")
	}
	var files []string
	if err := json.Unmarshal([]byte(args[1]), &files); err != nil {
		return fmt.Errorf("the list of files: %w", err)
	}
	keepDescriptors()
	if err := confineTap(args[0], files, args[2]); err != nil {
		return err
	}
	return follow(args[2], args[3:])
}

// programFiles returns the files that a program needs: its folder, that of its
// interpreter, and the environment of Python that they are in.
func programFiles(program string) []string {
	out := []string{}
	add := func(at string) {
		real, err := filepath.EvalSymlinks(at)
		if err != nil {
			return
		}
		for _, file := range []string{at, real} {
			dir := filepath.Dir(file)
			if root := filepath.Dir(dir); filepath.Base(dir) == "bin" && isPrefix(root) {
				dir = root
			}
			out = append(out, dir)
		}
	}
	add(program)
	if file, err := os.Open(program); err == nil {
		first, _ := bufio.NewReader(io.LimitReader(file, 4096)).ReadString('\n') //nolint:errcheck // it may have no lines
		_ = file.Close()                                                         // it is only read
		if interpreter, ok := strings.CutPrefix(first, "#!"); ok {
			if fields := strings.Fields(interpreter); len(fields) > 0 {
				add(fields[0])
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isPrefix reports whether a folder is an installation or an environment of Python.
func isPrefix(dir string) bool {
	if dir == filepath.Dir(dir) { // never the root
		return false
	}
	if _, err := os.Stat(filepath.Join(dir, "pyvenv.cfg")); err == nil {
		return true
	}
	found, _ := filepath.Glob(filepath.Join(dir, "lib", "python3*")) //nolint:errcheck // the pattern is valid
	return len(found) > 0
}
