// Package sourcetest helps to test kinds of sources. It syncs them like docent,
// simulates server failures, and starts real servers on this machine. It also
// holds the test suite of the interfaces that store sources; see [RunStore].
package sourcetest

import (
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"docent/ingest/source"
)

// Kept accumulates the results of the syncs of one source. Its zero value is
// ready to use.
type Kept struct {
	// States are the stored states by key.
	States map[string][]byte
	// Bodies are the documents by key.
	Bodies map[string]string
	// Items are the items of the last sync by key.
	Items map[string]source.Item
	// Changed are the keys that the last sync read, sorted.
	Changed []string
	// Failed are the items that the last sync could not read.
	Failed map[string]error
	// Err is the error that ended the last listing.
	Err error
}

// Sync lists a source and opens its changed items. It removes missing items only
// after a complete listing.
func (k *Kept) Sync(t testing.TB, src source.Source) {
	t.Helper()
	if k.States == nil {
		k.States, k.Bodies = map[string][]byte{}, map[string]string{}
	}
	k.Changed, k.Items, k.Failed, k.Err = nil, map[string]source.Item{}, map[string]error{}, nil
	before := maps.Clone(k.States)
	known := func(key string) ([]byte, bool) { st, ok := before[key]; return st, ok }
	for item, err := range src.List(t.Context(), known) {
		if err != nil {
			k.Err = err
			return
		}
		if _, twice := k.Items[item.Key]; twice {
			t.Errorf("%s is listed twice", item.Key)
		}
		k.Items[item.Key] = item
		k.take(t, src, item)
	}
	for key := range k.States {
		if _, ok := k.Items[key]; !ok {
			delete(k.States, key)
			delete(k.Bodies, key)
		}
	}
	slices.Sort(k.Changed)
}

func (k *Kept) take(t testing.TB, src source.Source, item source.Item) {
	t.Helper()
	if item.Err != nil {
		k.Failed[item.Key] = item.Err
		return
	}
	if !item.Unchanged {
		body, err := Read(t.Context(), src, item)
		if err != nil {
			k.Failed[item.Key] = err
			return
		}
		k.Bodies[item.Key] = body
		k.Changed = append(k.Changed, item.Key)
	}
	k.States[item.Key] = item.State
}

// Keys returns the stored keys, sorted.
func (k *Kept) Keys() []string { return slices.Sorted(maps.Keys(k.States)) }

// Read opens an item and returns its document.
func Read(ctx context.Context, src source.Source, item source.Item) (string, error) {
	r, err := src.Open(ctx, item)
	if err != nil {
		return "", err
	}
	defer r.Close()
	body, err := io.ReadAll(r)
	return string(body), err
}

// Equal fails the test if two lists differ.
func Equal(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// Flaky answers half of the requests, chosen at random, with status 500.
func Flaky(seed uint64, next http.Handler) http.Handler {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		fail := random.IntN(2) == 0
		mu.Unlock()
		if fail {
			http.Error(w, "try again", http.StatusInternalServerError)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Proxy starts a proxy to a real server and returns its address. wrap can
// change the handler of the proxy.
func Proxy(t testing.TB, target string, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	proxy := &httputil.ReverseProxy{
		Transport: transport,
		// The host is unchanged because signatures cover it.
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = u.Scheme, u.Host },
	}
	s := httptest.NewServer(wrap(proxy))
	t.Cleanup(func() { s.Close(); transport.CloseIdleConnections() })
	return s.URL
}

// Program returns the path of a program. It searches the usual folders and the
// repository's bin/tools. If the program is missing, it fails the test.
func Program(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range []string{"", "/usr/sbin", "/usr/local/sbin", "../../bin/tools", "../../../bin/tools"} {
		if at, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			at, err = filepath.Abs(at)
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
	}
	t.Fatalf("%s is missing; run .ci/setup test", name)
	return ""
}

// lastPort is the last port that Port tried. Each process begins at a random one.
var lastPort = rand.Uint32N(ports) //nolint:gosec // only for tests

// firstPort is the first port of Port, and ports is their number. The system gives none
// of them to the listeners and connections of other tests.
const firstPort, ports = 20_000, 10_000

// Port returns a free port on the loopback interface, each time another one.
func Port(t testing.TB) string {
	t.Helper()
	var dialer net.Dialer
	for {
		port := strconv.Itoa(firstPort + int(atomic.AddUint32(&lastPort, 1)%ports))
		conn, err := dialer.DialContext(t.Context(), "tcp", "127.0.0.1:"+port)
		if err != nil { // nobody listens there
			return port
		}
		conn.Close()
	}
}

// Start runs a server until the end of the test. It waits until the server
// accepts connections at address. The command's context must not end with the
// test's context.
func Start(t testing.TB, cmd *exec.Cmd, address string) {
	t.Helper()
	out := &tail{}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second                           // for children that keep the output open
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that child processes end too
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	})
	deadline := time.After(30 * time.Second)
	dialer := net.Dialer{Timeout: time.Second}
	for {
		if conn, err := dialer.DialContext(t.Context(), "tcp", address); err == nil {
			conn.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended: %v\n%s", cmd.Path, err, out)
		case <-deadline:
			t.Fatalf("%s does not accept connections\n%s", cmd.Path, out)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// tail keeps the last part of a server's output.
type tail struct {
	mu  sync.Mutex
	end []byte
}

func (o *tail) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end = append(o.end, p...)
	o.end = o.end[max(0, len(o.end)-4000):]
	return len(p), nil
}

func (o *tail) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.end)
}
