package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// process is the folder of the server's process in /proc; nil if it is unknown.
type process struct{ dir string }

// findProcess finds the server's process: the one with the pid, or the only
// docent serve.
func findProcess(pid int) *process {
	if pid != 0 {
		return &process{filepath.Join("/proc", strconv.Itoa(pid))}
	}
	var found []string
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline") // nothing without /proc
	for _, name := range all {
		line, err := os.ReadFile(name)
		args := strings.Split(string(line), "\x00")
		if err == nil && len(args) > 1 && filepath.Base(args[0]) == "docent" && args[1] == "serve" {
			found = append(found, filepath.Dir(name))
		}
	}
	if len(found) != 1 {
		return nil
	}
	return &process{found[0]}
}

// memory returns the process's anonymous memory in bytes; false if it is
// unknown.
func (p *process) memory() (int, bool) {
	if p == nil {
		return 0, false
	}
	status, err := os.ReadFile(filepath.Join(p.dir, "status"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "RssAnon:" {
			kib, err := strconv.Atoi(fields[1])
			return kib << 10, err == nil
		}
	}
	return 0, false
}

// processor returns the processor time used so far; false if it is unknown.
func (p *process) processor() (time.Duration, bool) {
	const (
		tick        = 10 * time.Millisecond // the kernel's, for all programs
		user, under = 11, 12                // fields after the name
	)
	if p == nil {
		return 0, false
	}
	stat, err := os.ReadFile(filepath.Join(p.dir, "stat"))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) <= under {
		return 0, false
	}
	a, err := strconv.Atoi(fields[user])
	b, err2 := strconv.Atoi(fields[under])
	return time.Duration(a+b) * tick, err == nil && err2 == nil
}

// spent returns the row of the processor time of each of n operations since
// before.
func (p *process) spent(before time.Duration, n int) []Row {
	now, ok := p.processor()
	if !ok || n == 0 {
		return nil
	}
	return []Row{{"server's processor time each", shorter((now - before) / time.Duration(n)).String()}}
}

// grown returns the row of the memory of each of n connections since before.
func (p *process) grown(name string, before, n int) []Row {
	now, ok := p.memory()
	if !ok {
		return []Row{{name, "unknown: set -pid"}}
	}
	return []Row{{name, fmt.Sprintf("%.1f KB", float64(now-before)/float64(n)/1000)}}
}
