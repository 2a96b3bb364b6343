package pgtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// folder is the prefix of a server's folder name. The process id follows.
	folder = "docent-pg-"
	// maxSocket limits the path of the socket. Unix allows 107 bytes.
	maxSocket = 100
	// readyEvery is the interval between checks of a starting server.
	readyEvery = 20 * time.Millisecond
	// stopTimeout is the time that a server has to stop before it is killed.
	stopTimeout = 10 * time.Second
	// owner is the server's superuser.
	owner = "docent"
)

// errNoServer explains how to install PostgreSQL.
var errNoServer = errors.New("no PostgreSQL found in PATH or /usr/lib/postgresql: run `apt-get install postgresql`, or set TEST_DATABASE_URL")

// Server is a private PostgreSQL server with one folder for its data and its socket. It does not wait for the disk, so it
// is for tests and trials only.
type Server struct {
	dir    string
	bin    string
	as     *identity
	cmd    *exec.Cmd
	exited chan struct{} // closed when the process has ended
}

// Start creates a cluster and starts its server. The server ends with this process in all cases. The next start removes
// folders of earlier processes.
func Start(ctx context.Context) (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	return start(ctx, bin)
}

// start is Start with the programs in bin.
func start(ctx context.Context, bin string) (*Server, error) {
	as, err := account()
	if err != nil {
		return nil, err
	}
	dir, err := makeFolder(as)
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin, as: as}
	if err := s.initialise(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.run(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.ready(ctx); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log")) //nolint:errcheck // the error in hand counts
		s.Stop()
		return nil, fmt.Errorf("%w\n%s", err, log)
	}
	return s, nil
}

// binaries returns the folder of initdb and postgres. It looks in PATH and then in Debian's folders, newest first.
func binaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if _, err := exec.LookPath(filepath.Join(filepath.Dir(path), "postgres")); err == nil {
			return filepath.Dir(path), nil
		}
	}
	all, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(all) == 0 {
		return "", errNoServer
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) //nolint:errcheck // 0 comes last
		return n
	}
	return filepath.Dir(slices.MaxFunc(all, func(a, b string) int { return version(a) - version(b) })), nil
}

// errNoVector explains how to install pgvector.
var errNoVector = errors.New("no PostgreSQL with pgvector found: run `.ci/setup test`, or set TEST_DATABASE_URL")

// vectorBinaries returns the folder of initdb and postgres of a server with pgvector: the server of binaries if it has the
// extension, or the one that .ci/setup installs.
func vectorBinaries() (string, error) {
	if bin, err := binaries(); err == nil {
		share, err := exec.Command(filepath.Join(bin, "pg_config"), "--sharedir").Output() //nolint:noctx // it only prints
		if err == nil && exists(filepath.Join(strings.TrimSpace(string(share)), "extension", "vector.control")) {
			return bin, nil
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find pgvector: %w", err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) { // up to the module
		found, err := filepath.Glob(filepath.Join(dir, "bin", "tools", "pgvector", "*", "pginstall", "bin", "postgres"))
		if err == nil && len(found) > 0 {
			return filepath.Dir(found[0]), nil
		}
	}
	return "", errNoVector
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// identity is the account of the server. nil means the account of this process.
type identity struct{ uid, gid int }

// account returns another account if this process runs as root, because PostgreSQL refuses to run as root.
func account() (*identity, error) {
	if os.Getuid() != 0 {
		return nil, nil //nolint:nilnil // nil has a meaning
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil {
			return &identity{uid, gid}, nil
		}
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
}

// inTest reports whether this process runs tests, but no benchmarks, which measure the disk.
func inTest() bool {
	bench := flag.Lookup("test.bench")
	return bench != nil && bench.Value.String() == ""
}

// makeFolder makes the server's folder and removes folders of dead processes. In tests, it is in memory: most of the
// processor time of a server is that of the file system, which creates and removes hundreds of files for each database.
func makeFolder(as *identity) (string, error) {
	base := os.TempDir()
	if len(base)+len(folder)+40 > maxSocket {
		base = "/tmp"
	}
	if dir := memory(); dir != "" && inTest() {
		base = dir
	}
	if old, err := filepath.Glob(filepath.Join(base, folder+"*")); err == nil {
		for _, dir := range old {
			pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), folder), "-")
			if n, err := strconv.Atoi(pid); err == nil && !alive(n) {
				os.RemoveAll(dir) //nolint:errcheck // another process may be at it, too
			}
		}
	}
	dir, err := os.MkdirTemp(base, folder+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", fmt.Errorf("make a folder for the test server: %w", err)
	}
	if as != nil {
		if err := os.Chown(dir, as.uid, as.gid); err != nil {
			return "", fmt.Errorf("make a folder for the test server: %w", err)
		}
	}
	return dir, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) initialise(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), "--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C",
		"--username="+owner, "--pgdata="+s.data())
	cmd.Dir, cmd.SysProcAttr = s.dir, attributes(s.as)
	runtime.LockOSThread() // see run
	defer runtime.UnlockOSThread()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	// In a file, so that Durable can override it.
	settings := "fsync = off\nfull_page_writes = off\nmax_wal_size = 256MB\n"
	if err := os.WriteFile(filepath.Join(s.data(), "postgresql.auto.conf"), []byte(settings), 0o600); err != nil {
		return fmt.Errorf("initdb: %w", err)
	}
	return nil
}

// run starts the server. Linux kills the server when its parent thread ends, so run keeps the thread.
func (s *Server) run() error {
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	defer log.Close()
	s.cmd = exec.Command(filepath.Join(s.bin, "postgres"), "-D", s.data(), "-k", s.dir, //nolint:noctx // it lives as long as the process
		"-c", "listen_addresses=", "-c", "max_connections=200",
		"-c", "autovacuum=off")
	s.exited = make(chan struct{})
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr, s.cmd.SysProcAttr = s.dir, log, log, attributes(s.as)
	started, exited := make(chan error, 1), s.exited
	go func() {
		runtime.LockOSThread()
		defer close(exited)
		err := s.cmd.Start()
		started <- err
		if err == nil {
			_ = s.cmd.Wait() // how it ended does not matter
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	return nil
}

// ready waits until the server responds and verifies that it is this server.
func (s *Server) ready(ctx context.Context) error {
	tick := time.NewTicker(readyEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the test server did not start in time: %w", ctx.Err())
		case <-s.exited:
			return errors.New("the test server ended at its start")
		case <-tick.C:
		}
		conn, err := pgx.Connect(ctx, s.url("postgres"))
		if err != nil {
			continue
		}
		var data string
		err = conn.QueryRow(ctx, "SHOW data_directory").Scan(&data)
		conn.Close(ctx) //nolint:errcheck // only read from
		if err == nil && data != s.data() {
			err = fmt.Errorf("the server in %s has its data in %s", s.dir, data)
		}
		return err
	}
}

// Stop ends the server at once and removes its files.
func (s *Server) Stop() {
	s.end()
	if err := os.RemoveAll(s.dir); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
	}
}

// end ends the server at once, as a crash does.
func (s *Server) end() {
	_ = s.cmd.Process.Signal(quit) // it may be gone already
	select {
	case <-s.exited:
	case <-time.After(stopTimeout):
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
}

// Restart ends the server at once and starts it again with the same data.
func (s *Server) Restart(ctx context.Context) error {
	s.end()
	if err := s.run(); err != nil {
		return err
	}
	return s.ready(ctx)
}

// URL returns the URL of an empty database without docent's schema.
func (s *Server) URL() string { return s.url("postgres") }

// url returns the URL of one of the server's databases.
func (s *Server) url(database string) string {
	return (&url.URL{Scheme: "postgres", User: url.User(owner), Path: "/" + database, RawQuery: url.Values{"host": {s.dir}}.Encode()}).String()
}
