package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"docent/ingest/intake"
	"docent/ingest/scratch"
	"docent/internal/fault"
)

// toolArguments tell a program to confine itself and to run another program.
// The arguments after them are the writable folder, the memory limit in MiB,
// the program, and its arguments. See [Requested].
var toolArguments = []string{"worker", "--tool"}

// serverPipe is the file descriptor of a pipe. The process that runs another
// program reads it to detect the end of the server.
const serverPipe = 3

// The limits of one run of another program.
const (
	toolCPU    = 2 * time.Minute
	toolWall   = 4 * time.Minute
	toolMemory = 1 << 30
	// maxToolOutput bounds the output that is read from a program, in bytes.
	maxToolOutput = 32 << 20
)

// Tools are other programs that read documents for docent. Each field is a path;
// "" means that the program is not installed.
type Tools struct {
	// Tesseract recognizes text in pictures.
	Tesseract string
	// Soffice is LibreOffice. It converts documents of Office 2003 and earlier,
	// and draws pages of office documents.
	Soffice string
	// Djvutxt takes the text out of documents in DjVu.
	Djvutxt string
}

// FindTools searches the folders of PATH for the programs. It only works on
// Linux, because docent cannot confine the programs elsewhere.
func FindTools() Tools {
	if runtime.GOOS != "linux" {
		return Tools{}
	}
	find := func(names ...string) string {
		for _, name := range names {
			if path, err := exec.LookPath(name); err == nil {
				if path, err = filepath.Abs(path); err == nil {
					return path
				}
			}
		}
		return ""
	}
	return Tools{Tesseract: find("tesseract"), Soffice: find("soffice", "libreoffice"), Djvutxt: find("djvutxt")}
}

// toolbox runs other programs, one at a time, because they take more memory
// than docent.
type toolbox struct {
	Tools
	launcher []string
	turn     *queue
}

func newToolbox(tools Tools, launcher string) *toolbox {
	return &toolbox{Tools: tools, launcher: append([]string{launcher}, toolArguments...), turn: newQueue(1)}
}

// run runs a program that may only write to one folder, and returns its output.
// in is the standard input. If the program fails or exceeds its limits, the
// error is fault.Invalid, because the document is the cause.
func (t *toolbox) run(ctx context.Context, dir string, in []byte, program string, args ...string) ([]byte, error) {
	done, err := t.turn.wait(ctx, intake.ClientOf(ctx).Key, int64(len(in)))
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, toolWall)
	defer cancel()
	name := filepath.Base(program)
	keepDescriptors()
	args = append([]string{dir, strconv.Itoa(toolMemory >> 20), program}, args...)
	cmd := exec.CommandContext(ctx, t.launcher[0], append(t.launcher[1:len(t.launcher):len(t.launcher)], args...)...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(in)
	cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "OMP_THREAD_LIMIT=1"}
	cmd.SysProcAttr = childAttributes()
	cmd.WaitDelay = 2 * time.Second
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	said := &tail{}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	theirs, ours, err := os.Pipe() // the program ends with this process
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	defer ours.Close() //nolint:errcheck // nothing is written
	cmd.ExtraFiles = []*os.File{theirs}
	err = cmd.Start()
	_ = theirs.Close() // the child has its own copy
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "tool_not_started", "docent cannot start %s", name)
	}
	text, err := io.ReadAll(io.LimitReader(out, maxToolOutput+1))
	if len(text) > maxToolOutput {
		err = errors.New("its output is too long")
		cancel()
	}
	if ended := cmd.Wait(); err == nil {
		err = ended
	}
	_ = killGroup(cmd.Process) // kills the processes that the program left behind
	switch {
	case err == nil:
		return text, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fault.New(fault.Invalid, "tool_slow", "too complex: %s did not finish within %s", name, toolWall)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	default:
		return nil, fault.Wrap(fault.Invalid, fmt.Errorf("%w: %s", err, said), "tool_failed", "%s cannot read it", name)
	}
}

// runTool confines this process and runs the program in the arguments. Programs
// that it starts cannot leave its process group. The group must end with the
// server. So runTool reads the pipe from the server and kills the group when
// the pipe ends.
func runTool(args []string) error {
	if len(args) < 3 {
		return errors.New("a folder, an amount of memory and a program are missing")
	}
	memory, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return fmt.Errorf("the amount of memory: %w", err)
	}
	keepDescriptors()
	if err := confineTool(args[0], memory<<20, args[2]); err != nil {
		return err
	}
	return follow(args[2], args[3:])
}

// follow runs a program and ends it with the server.
func follow(program string, args []string) error {
	// Landlock confines single threads. A thread may only send signals to
	// processes that it started.
	runtime.LockOSThread()
	cmd := exec.Command(program, args...) //nolint:noctx // it ends with its process group
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	ended, alone := make(chan error, 1), make(chan struct{})
	go func() { ended <- cmd.Wait() }()
	go func() {
		server := os.NewFile(serverPipe, "server")
		_, _ = server.Read(make([]byte, 1)) // the server writes nothing, so Read returns when the server ends
		close(alone)
	}()
	select {
	case err := <-ended:
		return err //nolint:wrapcheck // the server names the program
	case <-alone:
		killOwnGroup()
		return errors.New("the server has ended")
	}
}

// inFolder calls work with a new temporary folder and removes the folder
// afterwards.
func inFolder(work func(dir string) error) error {
	folder, err := scratch.Make(scratch.Tool)
	if err != nil {
		return err
	}
	return errors.Join(work(folder.Path), folder.Remove())
}

// Sweep removes the temporary folders of docent processes that were killed.
func Sweep() error {
	removed, err := scratch.Sweep()
	for _, dir := range removed {
		removeSocket(profileIn(dir))
	}
	return err
}
