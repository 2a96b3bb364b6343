package worker

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
	llsyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// confine revokes the rights of the process that reading documents does not
// need. It blocks the network, other programs, and other processes. It allows
// only the files in the cache of compiled code, and sets a hard memory limit.
// Without Landlock or seccomp in the system, the other limits still apply.
func confine(h hello) error {
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 128}
	if h.Hard > 0 && !raceDetector {
		limits[unix.RLIMIT_DATA] = uint64(h.Hard)
	}
	for which, limit := range limits {
		if err := unix.Setrlimit(which, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit the worker: %w", err)
		}
	}
	if h.Nice {
		yield()
	}
	if h.CacheDir != "" {
		if err := os.MkdirAll(h.CacheDir, 0o700); err != nil {
			return fmt.Errorf("make the cache folder: %w", err)
		}
	}
	switch {
	case h.CacheDir == "":
		if err := restrictFiles(""); err != nil {
			return err
		}
	case h.Prepares:
		if err := restrictFiles(h.CacheDir); err != nil {
			return err
		}
	default: // code that a worker may have changed would outlive the worker
		if err := restrictFiles("", landlock.RODirs(h.CacheDir)); err != nil {
			return err
		}
	}
	return filterCalls(seccomp.SyscallGroup{Action: seccomp.ActionErrno, Names: forbidden()})
}

// keepDescriptors hides the inherited file descriptors of this process from its
// children.
func keepDescriptors() {
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) // fails on old kernels
}

// yield gives all threads the lowest priority, so that questions are answered
// first. New threads inherit it. If this fails, the worker still works.
func yield() {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, task := range tasks {
		if id, err := strconv.Atoi(task.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, 19)
		}
	}
}

// confineTool confines this process and the program that it will run, as far as
// the program allows. It blocks the network and changes of the process group,
// and allows writing to one folder only.
func confineTool(dir string, memory int64, program string) error {
	if err := limitTool(program, memory, toolCPU); err != nil {
		return err
	}
	// Programs, their libraries, fonts, and settings, but no secrets of this
	// machine and no data of other processes.
	read := landlock.RODirs("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/fonts", "/etc/libreoffice", "/etc/alternatives",
		"/var/spool/libreoffice", "/var/lib/libreoffice", "/var/cache/fontconfig").IgnoreIfMissing()
	settings := landlock.ROFiles("/etc/ld.so.cache", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/localtime",
		"/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/filesystems").IgnoreIfMissing()
	devices := landlock.RWFiles("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom").IgnoreIfMissing()
	// LibreOffice always creates its socket in this folder.
	sockets := landlock.PathAccess(landlock.AccessFSSet(llsyscall.AccessFSMakeSock), "/tmp")
	if err := restrictFiles(dir, read, settings, devices, sockets); err != nil {
		return err
	}
	names := slices.DeleteFunc(forbidden(), func(name string) bool {
		// Programs start other programs and use local sockets to communicate
		// with them.
		return slices.Contains([]string{
			"execve", "execveat", "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto",
			"sendmsg", "sendmmsg",
		}, name)
	})
	names = append(names, "setsid", "setpgid") // their processes all end with the process group
	local := seccomp.SyscallGroup{Action: seccomp.ActionErrno, NamesWithCondtions: []seccomp.NameWithConditions{{
		Name: "socket", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.NotEqual, Value: unix.AF_UNIX}},
	}}}
	return filterCalls(seccomp.SyscallGroup{Action: seccomp.ActionErrno, Names: names}, local)
}

// limitTool limits this process and the program that it will run.
func limitTool(program string, memory int64, cpu time.Duration) error {
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_CPU: uint64(cpu.Seconds()), unix.RLIMIT_FSIZE: maxBody}
	if !raceDetector {
		limits[unix.RLIMIT_DATA] = uint64(memory)
	}
	for which, limit := range limits {
		if err := unix.Setrlimit(which, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit %s: %w", program, err)
		}
	}
	yield()
	return nil
}

// confineTap confines this process and the tap that it will run. A tap has the network,
// but of the files only its folder, its own program, and those that the operator lists.
func confineTap(dir string, files []string, program string) error {
	if err := limitTool(program, tapMemory, tapCPU); err != nil {
		return err
	}
	read := landlock.RODirs("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/alternatives",
		"/etc/crypto-policies", "/run/systemd/resolve").IgnoreIfMissing()
	settings := landlock.ROFiles("/etc/ld.so.cache", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/localtime", "/etc/resolv.conf",
		"/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/mime.types", "/etc/timezone",
		"/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/filesystems").IgnoreIfMissing()
	devices := landlock.RWFiles("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom").IgnoreIfMissing()
	rules := []landlock.Rule{landlock.RWDirs(dir), read, settings, devices}
	for _, at := range append(programFiles(program), files...) {
		info, err := os.Stat(at)
		switch {
		case err != nil:
			return fmt.Errorf("find %s: %w", at, err)
		case info.IsDir():
			rules = append(rules, landlock.RODirs(at))
		default:
			rules = append(rules, landlock.ROFiles(at))
		}
	}
	if err := landlock.V6.BestEffort().RestrictPaths(rules...); err != nil {
		return fmt.Errorf("restrict the files of a tap: %w", err)
	}
	if err := landlock.V6.BestEffort().RestrictScoped(); err != nil { // signals to others
		return fmt.Errorf("restrict a tap: %w", err)
	}
	names := slices.DeleteFunc(forbidden(), func(name string) bool {
		return slices.Contains([]string{
			"execve", "execveat", "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto",
			"sendmsg", "sendmmsg",
		}, name)
	})
	names = append(names, "setsid", "setpgid") // their processes all end with the process group
	return filterCalls(seccomp.SyscallGroup{Action: seccomp.ActionErrno, Names: names})
}

// filterCalls makes system calls fail if the system has seccomp.
func filterCalls(groups ...seccomp.SyscallGroup) error {
	if !seccomp.Supported() {
		return nil
	}
	err := seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true, Flag: seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: groups},
	})
	if err == nil {
		err = refuseOtherCalls()
	}
	if err != nil {
		return fmt.Errorf("forbid the worker what it does not need: %w", err)
	}
	return nil
}

// refuseOtherCalls makes the system calls of other architectures fail, such as
// those of 32-bit programs. The filter does not know their numbers.
func refuseOtherCalls() error {
	const archAt, numberAt, x32 = 4, 0, 0x40000000
	refuse := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	native, known := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !known {
		return nil
	}
	code, err := bpf.Assemble([]bpf.Instruction{
		bpf.LoadAbsolute{Off: archAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: native, SkipFalse: 2},
		bpf.LoadAbsolute{Off: numberAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1},
		refuse,
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
	})
	if err != nil {
		return fmt.Errorf("assemble a filter: %w", err)
	}
	filter := make([]unix.SockFilter, len(code))
	for i, c := range code {
		filter[i] = unix.SockFilter{Code: c.Op, Jt: c.Jt, Jf: c.Jf, K: c.K}
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	if failed != 0 {
		return fmt.Errorf("load a filter: %w", failed)
	}
	return nil
}

// restrictFiles uses Landlock to restrict the process to one folder and to the
// files that the rules allow.
func restrictFiles(dir string, rules ...landlock.Rule) error {
	if dir != "" {
		rules = append(rules, landlock.RWDirs(dir))
	}
	// Landlock also blocks TCP and signals to outside processes.
	if err := landlock.V6.BestEffort().Restrict(rules...); err != nil {
		return fmt.Errorf("restrict the worker's files: %w", err)
	}
	return nil
}

// forbidden are the system calls that fail in a worker. They concern the
// network, programs, other processes, mounts, and parts of the kernel that are
// often attacked.
func forbidden() []string {
	return []string{
		"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg",
		"execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd",
		"mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "bpf", "perf_event_open", "userfaultfd",
		"io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl", "add_key", "request_key",
		"init_module", "finit_module", "delete_module", "kexec_load", "reboot", "swapon", "swapoff",
	}
}

// clockTick is the unit of processor time in /proc. All Linux systems that Go
// supports have 100 ticks per second.
const clockTick = 10 * time.Millisecond

// usedCPU returns the processor time that another process has used.
func usedCPU(pid int) (used time.Duration, known bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	// The name in parentheses may contain any characters. Numbers follow it.
	_, rest, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, '(')+1:], []byte(") "))
	fields := strings.Fields(string(rest))
	const user, system = 11, 12 // the 14th and 15th fields of the line
	if len(fields) <= system {
		return 0, false
	}
	u, err1 := strconv.ParseInt(fields[user], 10, 64)
	s, err2 := strconv.ParseInt(fields[system], 10, 64)
	return time.Duration(u+s) * clockTick, err1 == nil && err2 == nil
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0 // the deadline of the parent still applies
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
