package webdav

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/crypto/bcrypt"

	"docent/ingest/source"
	"docent/ingest/source/sourcetest"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, cfg Config) *Source {
	t.Helper()
	cfg.AllowPrivate, cfg.RetryMillis = true, 1
	src, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil { //nolint:gosec // Apache reads it as another user
		t.Fatal(err)
	}
}

const modules = "/usr/lib/apache2/modules"

// apache serves a folder with user "reader" and password "secret". It
// returns the folder and the server's address.
func apache(t *testing.T) (files, address string) {
	t.Helper()
	program := sourcetest.Program(t, "apache2")
	dir, err := os.MkdirTemp("", "docent-apache-") // a short path that others may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // Apache reads it as another user
		t.Fatal(err)
	}
	files = filepath.Join(dir, "files")
	write(t, files, "empty/.keep", "")
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "users", "reader:"+string(hash)+"\n")
	write(t, dir, "lock/x", "")
	if os.Getuid() == 0 { // Apache gives up its rights
		if out, err := exec.CommandContext(t.Context(), "chown", "-R", "www-data", filepath.Join(dir, "lock")).CombinedOutput(); err != nil {
			t.Fatalf("chown: %v\n%s", err, out)
		}
	}
	port := sourcetest.Port(t)
	var conf strings.Builder
	for _, m := range []string{"mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "dav", "dav_fs"} {
		fmt.Fprintf(&conf, "LoadModule %s_module %s/mod_%s.so\n", m, modules, m)
	}
	fmt.Fprintf(&conf, `
ServerName 127.0.0.1
Listen 127.0.0.1:%s
ServerRoot %s
PidFile %[2]s/pid
ErrorLog /dev/stderr
Mutex file:%[2]s
DavLockDB %[2]s/lock/db
ServerLimit 1
ThreadsPerChild 8
DocumentRoot %[2]s/files
<Directory %[2]s/files>
  Dav On
  AuthType Basic
  AuthName docs
  AuthUserFile %[2]s/users
  Require valid-user
</Directory>
`, port, dir)
	if os.Getuid() == 0 {
		conf.WriteString("User www-data\nGroup www-data\n")
	}
	write(t, dir, "apache.conf", conf.String())
	address = "127.0.0.1:" + port
	sourcetest.Start(t, exec.Command(program, "-D", "FOREGROUND", "-f", filepath.Join(dir, "apache.conf")), address)
	return files, "http://" + address
}

func TestApache(t *testing.T) {
	t.Parallel()
	files, address := apache(t)
	write(t, files, "a.txt", "one")
	write(t, files, "docs/Grüße & more #1%20.md", "two")
	write(t, files, "docs/deep/er/c.html", "three")
	write(t, files, "docs/.hidden/d.txt", "hidden")
	write(t, files, "old/e.txt", "old")
	src := open(t, Config{URL: address, User: "reader", Password: "secret", Exclude: []string{"old"}})
	var k sourcetest.Kept
	k.Sync(t, src)
	if k.Err != nil || len(k.Failed) > 0 {
		t.Fatalf("error %v, failed %v", k.Err, k.Failed)
	}
	all := []string{"a.txt", "docs/Grüße & more #1%20.md", "docs/deep/er/c.html"}
	sourcetest.Equal(t, "items", k.Keys(), all)
	if k.Bodies[all[1]] != "two" || k.Items["a.txt"].Address != address+"/a.txt" || k.Items["a.txt"].Modified.IsZero() {
		t.Errorf("body %q, item %+v", k.Bodies[all[1]], k.Items["a.txt"])
	}
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, nil)
	sourcetest.Equal(t, "items again", k.Keys(), all)
	write(t, files, "a.txt", "one more")
	if err := os.RemoveAll(filepath.Join(files, "docs", "deep")); err != nil {
		t.Fatal(err)
	}
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, []string{"a.txt"})
	sourcetest.Equal(t, "items", k.Keys(), all[:2])

	k.Sync(t, open(t, Config{URL: address, User: "reader", Password: "wrong"}))
	if fault.KindOf(k.Err) != fault.Unauthorized || len(k.States) != 2 {
		t.Errorf("wrong password: error %v", k.Err)
	}

	// The same server, but every other request fails.
	broken := open(t, Config{URL: sourcetest.Proxy(t, address, func(h http.Handler) http.Handler { return sourcetest.Flaky(3, h) }), User: "reader", Password: "secret"})
	for i := range 30 {
		write(t, files, fmt.Sprintf("many/%d/x.txt", i), "x")
	}
	k, most := sourcetest.Kept{}, 0
	for range 20 {
		k.Sync(t, broken)
		if len(k.States) < most {
			t.Fatalf("items went from %d to %d: error %v", most, len(k.States), k.Err)
		}
		most = len(k.States)
	}
	if most != 33 {
		t.Errorf("%d of 33 items", most)
	}
}

func TestHostileServers(t *testing.T) {
	t.Parallel()
	response := func(href, prop string) string {
		return "<D:response><D:href>" + href + "</D:href><D:propstat><D:prop>" + prop + "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
	}
	const dir = "<D:resourcetype><D:collection/></D:resourcetype>"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if r.Method == http.MethodGet {
			_, _ = w.Write(make([]byte, 2000))
			return
		}
		if name == "plain" {
			w.WriteHeader(http.StatusOK)
			return
		}
		w.WriteHeader(http.StatusMultiStatus)
		_, _ = io.WriteString(w, `<D:multistatus xmlns:D="DAV:">`)
		switch name {
		case "endless":
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(response("/endless/x", ""), 100)); err != nil {
					return
				}
			}
		case "deep":
			_, _ = io.WriteString(w, strings.Repeat("<a>", 100_000))
		case "cut":
			_, _ = io.WriteString(w, response("/cut/x", ""))
			return
		case "tunnel":
			_, _ = io.WriteString(w, response(r.URL.Path+"d/", dir))
		case "circle":
			_, _ = io.WriteString(w, response("/circle/", dir)+response("/circle/../circle/", dir)+response("/", dir)+
				response("http://other.invalid/circle/x", "")+response("/circle/a/b/c", "")+response("/circle/%2e%2e/x", ""))
		case "large":
			_, _ = io.WriteString(w, response("/large/x", "")+response("/large/y", "<D:getcontentlength>5000</D:getcontentlength>"))
		}
		_, _ = io.WriteString(w, "</D:multistatus>")
	}))
	t.Cleanup(server.Close)
	for name, items := range map[string]int{"plain": -1, "endless": -1, "deep": -1, "cut": -1, "tunnel": 0, "circle": 0} {
		var k sourcetest.Kept
		k.Sync(t, open(t, Config{URL: server.URL + "/" + name}))
		if (k.Err == nil) != (items >= 0) || len(k.States) > max(items, 0) {
			t.Errorf("%s: error %v, items %v", name, k.Err, k.Keys())
		}
	}
	var k sourcetest.Kept
	k.Sync(t, open(t, Config{URL: server.URL + "/large", MaxBytes: 1000}))
	if len(k.Failed) != 2 {
		t.Errorf("large files: failed %v", k.Failed)
	}
}

// TestEndlessFolders has folders only, each with more of them.
func TestEndlessFolders(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusMultiStatus)
		fmt.Fprint(w, `<D:multistatus xmlns:D="DAV:">`)
		for i := range 100 {
			fmt.Fprintf(w, `<D:response><D:href>%s%d/</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop>`+
				`<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`, r.URL.Path, i)
		}
		fmt.Fprint(w, `</D:multistatus>`)
	}))
	t.Cleanup(server.Close)
	var k sourcetest.Kept
	k.Sync(t, open(t, Config{URL: server.URL, MaxFiles: 1000}))
	if fault.TextOf(k.Err).ID != "folder_too_many_files" {
		t.Errorf("error %v", k.Err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]Config{
		"url":       {URL: "dav.example.com"},
		"user":      {URL: "https://dav.example.com", Password: "x"},
		"token":     {URL: "https://dav.example.com", User: "x", Token: "y"},
		"include":   {URL: "https://dav.example.com", Include: []string{""}},
		"max_bytes": {URL: "https://dav.example.com", MaxBytes: -1},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	var _ source.Source = &Source{}
}

func FuzzListing(f *testing.F) {
	f.Add([]byte(`<D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/a</D:href><D:propstat><D:prop><D:getetag>"x"</D:getetag></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>`))
	root := &url.URL{Scheme: "http", Host: "example.com", Path: "/dav/"}
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, _ := parse(bytes.NewReader(data), root)
		for _, e := range entries {
			if e.path == "" || e.folder != strings.HasSuffix(e.path, "/") && e.folder {
				t.Errorf("entry %+v", e)
			}
		}
	})
}

func FuzzState(f *testing.F) {
	f.Add([]byte(`{"e":"\"x\"","m":"Mon","s":1}`))
	f.Fuzz(func(_ *testing.T, data []byte) { state{ETag: "x", Modified: time.RFC1123, Size: 1}.same(data) })
}

func TestSameState(t *testing.T) {
	t.Parallel()
	for old, want := range map[string]bool{
		`{"e":"\"a\""}`:               true,
		`{"e":"W/\"a\""}`:             true,
		`{"e":"\"b\"","m":"x","s":1}`: false,
		`{"m":"x","s":1}`:             false,
		`[`:                           false,
	} {
		if got := (state{ETag: `"a"`, Modified: "x", Size: 1}).same([]byte(old)); got != want {
			t.Errorf("%s: %v", old, got)
		}
	}
}
