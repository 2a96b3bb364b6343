package syncer

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// newOwner returns a name for a holder of leases. On Linux the name identifies
// the process. Other processes on the same machine then need not wait for the
// lease of a process that was killed.
func newOwner() string {
	host, err := os.Hostname()
	space := pidSpace()
	began, ok := began(os.Getpid())
	if err != nil || space == "" || !ok {
		return "process " + rand.Text()
	}
	return fmt.Sprintf("%s %s %d %s %s", strings.ReplaceAll(host, " ", "_"), space, os.Getpid(), began, rand.Text())
}

// dead reports whether a lease belongs to a process of this machine that has
// ended.
func dead(owner string) bool {
	theirs, ours := strings.Fields(owner), strings.Fields(newOwner())
	if len(theirs) != 5 || len(ours) != 5 || theirs[0] != ours[0] || theirs[1] != ours[1] {
		return false
	}
	pid, err := strconv.Atoi(theirs[2])
	if err != nil {
		return false
	}
	at, alive := began(pid)
	return !alive || at != theirs[3]
}

// ours reports whether a lease belongs to this process.
func ours(owner string) bool {
	theirs, ours := strings.Fields(owner), strings.Fields(newOwner())
	return len(theirs) == 5 && len(ours) == 5 && slices.Equal(theirs[:4], ours[:4])
}

// pidSpace identifies the boot and the namespace of process ids; "" if unknown.
func pidSpace() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "/" + space
}

// began returns the start time of a process, in ticks since the machine
// started. ok is false if the process does not exist. A zombie has ended.
func began(pid int) (ticks string, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	// The program name in parentheses may contain any characters.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const state, start = 0, 19
	if len(fields) <= start || string(fields[state]) == "Z" || string(fields[state]) == "X" {
		return "", false
	}
	return string(fields[start]), true
}
