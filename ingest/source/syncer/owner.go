package syncer

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// newOwner names a holder of leases. On Linux the name tells which process it
// is, so that others on the same machine need not wait for the lease of a
// process that was killed.
func newOwner() string {
	host, err := os.Hostname()
	space := pidSpace()
	began, ok := began(os.Getpid())
	if err != nil || space == "" || !ok {
		return "process " + rand.Text()
	}
	return fmt.Sprintf("%s %s %d %s %s", strings.ReplaceAll(host, " ", "_"), space, os.Getpid(), began, rand.Text())
}

// dead reports whether the holder of a lease is a process of this machine that
// has ended.
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

// pidSpace names the boot and the namespace that process ids are of; "" if
// that is unknown.
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

// began is when a process was started, in ticks since the machine was; ok is
// false if there is no such process. A zombie has ended.
func began(pid int) (ticks string, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	// The name of the program is in parentheses and may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const state, start = 0, 19
	if len(fields) <= start || string(fields[state]) == "Z" || string(fields[state]) == "X" {
		return "", false
	}
	return string(fields[start]), true
}
