package pgtest

import "syscall"

// quit is the signal that ends PostgreSQL and its children at once.
const quit = syscall.SIGQUIT

// attributes make the server run as another account and end with this process. Ctrl-C in a terminal does not reach it.
func attributes(as *identity) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Pdeathsig: quit, Setpgid: true}
	if as != nil {
		a.Credential = &syscall.Credential{Uid: uint32(as.uid), Gid: uint32(as.gid)}
	}
	return a
}

// minMemory is the free space, in bytes, that a file system in memory must have for a server.
const minMemory = 4 << 30

// memory returns the folder of a file system in memory, or "" without a large one.
func memory() string {
	const dir = "/dev/shm"
	var free syscall.Statfs_t
	if err := syscall.Statfs(dir, &free); err != nil || free.Bavail*uint64(free.Bsize) < minMemory {
		return ""
	}
	return dir
}

// alive reports whether a process exists.
func alive(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
