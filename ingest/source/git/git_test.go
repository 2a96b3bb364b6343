package git

import (
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"docent/ingest/source"
	"docent/ingest/source/sourcetest"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// repository is a work tree whose commits a real git server offers.
type repository struct {
	t        *testing.T
	dir      string
	url      string
	requests atomic.Int32
	wrap     func(http.Handler) http.Handler
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	r := &repository{t: t, dir: filepath.Join(t.TempDir(), "docs")}
	git := sourcetest.Program(t, "git")
	backend := &cgi.Handler{
		Path: git, Args: []string{"http-backend"}, Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(r.dir), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null", "REMOTE_USER=reader"},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.requests.Add(1)
		if strings.HasPrefix(req.URL.Path, "/closed/") {
			if _, password, _ := req.BasicAuth(); password != "secret" {
				w.Header().Set("WWW-Authenticate", "Basic")
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			req.URL.Path = strings.TrimPrefix(req.URL.Path, "/closed")
		}
		if r.wrap != nil {
			r.wrap(backend).ServeHTTP(w, req)
			return
		}
		backend.ServeHTTP(w, req)
	}))
	t.Cleanup(s.Close)
	r.url = s.URL + "/docs/.git"
	if err := os.MkdirAll(r.dir, 0o755); err != nil { //nolint:gosec // a test
		t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repository) git(args ...string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r *repository) commit(files map[string]string) {
	r.t.Helper()
	for name, text := range files {
		at := filepath.Join(r.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil { //nolint:gosec // a test
			r.t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "-A", "-f")
	r.git("commit", "-q", "-m", "x")
}

func open(t *testing.T, cfg Config) *Source {
	t.Helper()
	cfg.AllowPrivate, cfg.RetryMillis = true, 1
	if cfg.CacheDir == "" {
		cfg.CacheDir = t.TempDir()
	}
	src, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func TestRepository(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit(map[string]string{"README.md": "readme", "docs/Grüße #1.md": "one", "docs/deep/two.txt": "two", ".github/x.md": "hidden", "src/main.go": "package main"})
	if err := os.Symlink("/etc/passwd", filepath.Join(r.dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		r.commit(map[string]string{"README.md": strings.Repeat("history ", i+1)})
	}
	cfg := Config{URL: r.url, Exclude: []string{"*.go"}, CacheDir: t.TempDir()}
	src := open(t, cfg)
	var k sourcetest.Kept
	k.Sync(t, src)
	if k.Err != nil || len(k.Failed) > 0 {
		t.Fatalf("error %v, failed %v", k.Err, k.Failed)
	}
	all := []string{"README.md", "docs/Grüße #1.md", "docs/deep/two.txt"}
	sourcetest.Equal(t, "items", k.Keys(), all)
	if k.Bodies["docs/deep/two.txt"] != "two" || k.Items["README.md"].Address != r.url+"#README.md" {
		t.Errorf("body %q, address %q", k.Bodies["docs/deep/two.txt"], k.Items["README.md"].Address)
	}

	// Nothing changed: one request, also by a new process.
	before := r.requests.Load()
	k.Sync(t, open(t, cfg))
	sourcetest.Equal(t, "changed", k.Changed, nil)
	if n := r.requests.Load() - before; n != 1 || len(k.States) != 3 {
		t.Errorf("%d requests, %d items", n, len(k.States))
	}

	r.git("rm", "-q", "docs/deep/two.txt")
	r.commit(map[string]string{"docs/three.md": "three"})
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, []string{"docs/three.md"})
	sourcetest.Equal(t, "items", k.Keys(), []string{"README.md", "docs/Grüße #1.md", "docs/three.md"})
	if dirs, err := os.ReadDir(src.Folder()); err != nil || len(dirs) != 1 {
		t.Errorf("cache folder: %v, %v", dirs, err)
	}
}

func TestBranchesAndAccess(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit(map[string]string{"a.md": "main", "big.bin": strings.Repeat("x", 5000), "lfs.pdf": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"})
	r.git("tag", "-a", "v1", "-m", "x")
	r.git("checkout", "-q", "-b", "next/one")
	r.commit(map[string]string{"a.md": "next"})
	for branch, body := range map[string]string{"main": "main", "v1": "main", "next/one": "next"} {
		var k sourcetest.Kept
		k.Sync(t, open(t, Config{URL: r.url, Branch: branch, MaxBytes: 1000}))
		if k.Err != nil || k.Bodies["a.md"] != body || len(k.Failed) != 1 {
			t.Errorf("%s: %q, error %v, failed %v", branch, k.Bodies["a.md"], k.Err, k.Failed)
		}
	}
	closed := strings.Replace(r.url, "/docs/", "/closed/docs/", 1)
	for _, c := range []struct {
		cfg  Config
		kind fault.Kind
	}{
		{Config{URL: r.url, Branch: "none"}, fault.NotFound},
		{Config{URL: closed, Token: "wrong"}, fault.Unauthorized},
		{Config{URL: closed}, fault.Unauthorized},
		{Config{URL: strings.Replace(r.url, "docs", "none", 1)}, fault.NotFound},
	} {
		var k sourcetest.Kept
		k.Sync(t, open(t, c.cfg))
		if fault.KindOf(k.Err) != c.kind {
			t.Errorf("%+v: kind %s of %v", c.cfg, fault.KindOf(k.Err), k.Err)
		}
	}
	var k sourcetest.Kept
	k.Sync(t, open(t, Config{URL: closed, Token: "secret"}))
	if k.Err != nil || len(k.States) == 0 {
		t.Errorf("with a token: error %v, failed %v", k.Err, k.Failed)
	}
	k.Sync(t, open(t, Config{URL: r.url, MaxRepositoryBytes: 100}))
	if k.Err == nil || len(k.States) == 0 {
		t.Errorf("too large: error %v", k.Err)
	}
}

func TestServerThatFailsHalfTheTime(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit(map[string]string{"a.md": "a", "b.md": "b"})
	random := sourcetest.Flaky(5, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	r.wrap = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			try := httptest.NewRecorder()
			if random.ServeHTTP(try, req); try.Code == http.StatusInternalServerError {
				w.WriteHeader(try.Code)
				return
			}
			next.ServeHTTP(w, req)
		})
	}
	src := open(t, Config{URL: r.url})
	var k sourcetest.Kept
	for range 5 {
		k.Sync(t, src)
		if k.Err == nil && len(k.States) != 2 {
			t.Errorf("items %v", k.Keys())
		}
	}
	if len(k.States) != 2 {
		t.Errorf("items %v, error %v", k.Keys(), k.Err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]Config{
		"url":        {URL: "/srv/repo"},
		"begin with": {URL: "file:///srv/repo"},
		"http":       {URL: "ssh://example.com/x"},
		"private":    {URL: "http://127.0.0.1/x"},
		"branch":     {URL: "https://example.com/x", Branch: "a..b"},
		"include":    {URL: "https://example.com/x", Include: []string{"/"}},
		"max_files":  {URL: "https://example.com/x", MaxFiles: -1},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	var _ source.Source = &Source{}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for repo, want := range map[string]string{
		"https://github.com/o/r.git":      "https://github.com/o/r/blob/main/a%20b.md",
		"https://gitlab.example.com/g/r":  "https://gitlab.example.com/g/r/-/blob/main/a%20b.md",
		"https://codeberg.org/o/r.git":    "https://codeberg.org/o/r/src/branch/main/a%20b.md",
		"https://bitbucket.org/o/r.git":   "https://bitbucket.org/o/r/src/main/a%20b.md",
		"https://git.example.com/o/r.git": "https://git.example.com/o/r.git#a%20b.md",
	} {
		u, _ := url.Parse(repo)
		if got := address(u, "main", "a b.md"); got != want {
			t.Errorf("%s: %s", repo, got)
		}
	}
}

func FuzzState(f *testing.F) {
	f.Add([]byte(`{"b":"0123456789012345678901234567890123456789"}`))
	f.Fuzz(func(_ *testing.T, data []byte) { decodeState(data) })
}
