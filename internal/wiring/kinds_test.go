//go:build unix

package wiring

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docent/config"
	"docent/ingest/source"
	"docent/ingest/source/dial"
	"docent/ingest/source/sourcetest"
	"docent/ingest/worker"
	"docent/internal/fault"
)

// secure starts a server with TLS. It returns its address and the variable that names
// its certificate.
func secure(t *testing.T, h http.Handler) (address, env string) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	at := filepath.Join(t.TempDir(), "authority.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(at, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return s.URL, "SSL_CERT_FILE=" + at
}

// confinedSource returns a source that a process reads, with variables for the process.
func confinedSource(t *testing.T, kind string, s source.Settings, folder string, env ...string) *worker.Confined {
	t.Helper()
	cfg := worker.SourceConfig{Env: env, Private: true, Dial: dial.Dialer(true).DialContext}
	src := worker.NewConfined(cfg, kind, s, folder)
	t.Cleanup(func() { _ = src.Close() })
	return src
}

// wantBodies syncs a source twice. The second sync must read nothing.
func wantBodies(t *testing.T, src source.Source, want map[string]string) {
	t.Helper()
	var k sourcetest.Kept
	k.Sync(t, src)
	if k.Err != nil || len(k.Failed) > 0 || fmt.Sprint(k.Bodies) != fmt.Sprint(want) {
		t.Errorf("bodies %q, failed %v, error %v", k.Bodies, k.Failed, k.Err)
	}
	k.Sync(t, src)
	if k.Err != nil || len(k.Changed) > 0 {
		t.Errorf("the second sync changed %q: %v", k.Changed, k.Err)
	}
}

func writeFile(t *testing.T, at, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil { //nolint:gosec // a server of the test reads it
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const webdavAnswer = `<multistatus xmlns="DAV:">
<response><href>/dav/</href><propstat><prop><resourcetype><collection/></resourcetype></prop><status>HTTP/1.1 200 OK</status></propstat></response>
<response><href>/dav/a.txt</href><propstat><prop><getetag>"1"</getetag><getcontentlength>3</getcontentlength><resourcetype/></prop><status>HTTP/1.1 200 OK</status></propstat></response>
</multistatus>`

// TestConfinedTLS reads web, feed, and WebDAV sources whose authority only the system
// knows.
func TestConfinedTLS(t *testing.T) {
	t.Parallel()
	const page = "<html><title>T</title><body>words</body></html>"
	address, env := secure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == "PROPFIND":
			w.WriteHeader(http.StatusMultiStatus)
			_, _ = io.WriteString(w, webdavAnswer)
		case r.URL.Path == "/dav/a.txt":
			_, _ = io.WriteString(w, "one")
		case r.URL.Path == "/page":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("ETag", `"1"`)
			if r.Header.Get("If-None-Match") != "" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(w, page)
		case r.URL.Path == "/feed":
			_, _ = io.WriteString(w, `<rss version="2.0"><channel><title>F</title><item><guid>1</guid><title>E</title><link>/page</link></item></channel></rss>`)
		default:
			http.NotFound(w, r)
		}
	}))
	for kind, c := range map[string]struct {
		at      string
		options map[string]string
		want    map[string]string
	}{
		"web":    {"/page", nil, map[string]string{address + "/page": page}},
		"feed":   {"/feed", map[string]string{"linked": "true"}, map[string]string{"1": page}},
		"webdav": {"/dav/", nil, map[string]string{"a.txt": "one"}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := source.Settings{Location: address + c.at, Options: c.options}
			wantBodies(t, confinedSource(t, kind, s, "", env), c.want)
			var k sourcetest.Kept
			k.Sync(t, confinedSource(t, kind, s, ""))
			if k.Err == nil && len(k.Failed) == 0 || len(k.States) > 0 {
				t.Errorf("without the authority: %d items", len(k.States))
			}
		})
	}
}

func TestConfinedGit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "docs", "a.md"), "one")
	program := sourcetest.Program(t, "git")
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x"},
	} {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = filepath.Join(dir, "docs"), append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	address, env := secure(t, &cgi.Handler{
		Path: program, Args: []string{"http-backend"}, Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null"},
	})
	s := source.Settings{Location: address + "/docs/.git"}
	open := func(s source.Settings) source.Source {
		for _, k := range plainKinds(true, t.TempDir()) {
			if k.Name == "git" {
				src, err := k.Open(s)
				if err != nil {
					t.Fatal(err)
				}
				return src
			}
		}
		return nil
	}
	folder := open(s).(source.Storing).Folder()
	wantBodies(t, confinedSource(t, "git", s, folder, env), map[string]string{"a.md": "one"})
}

func TestConfinedS3(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "docs", "deep", "a.txt"), "one")
	port := "127.0.0.1:" + sourcetest.Port(t)
	sourcetest.Start(t, exec.Command(sourcetest.Program(t, "versitygw"), "--port", port, "--quiet", //nolint:noctx // Start ends it
		"--access", "reader", "--secret", "very-secret", "posix", "--sidecar", t.TempDir(), root), port)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	address, env := secure(t, &httputil.ReverseProxy{
		Transport: transport, // The host is unchanged because signatures cover it.
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.URL = at(port, r.In.URL) },
	})
	s := source.Settings{Location: address + "/docs", Options: map[string]string{"access_key": "reader", "secret_key": "very-secret"}}
	wantBodies(t, confinedSource(t, "s3", s, "", env), map[string]string{"deep/a.txt": "one"})
	s.Options["secret_key"] = "wrong"
	var k sourcetest.Kept
	k.Sync(t, confinedSource(t, "s3", s, "", env))
	if fault.KindOf(k.Err) != fault.Forbidden {
		t.Errorf("a wrong key: %v", k.Err)
	}
}

func at(host string, u *url.URL) *url.URL {
	out := *u
	out.Scheme, out.Host = "http", host
	return &out
}

// TestConfinedIMAP reads a mailbox over TLS and STARTTLS. The option or the system knows
// the authority.
func TestConfinedIMAP(t *testing.T) {
	t.Parallel()
	s := sourcetest.Dovecot(t)
	s.Deliver(t, "From: a@example.com\r\nSubject: one\r\n\r\nBody\r\n")
	authority := filepath.Join(t.TempDir(), "authority.pem")
	writeFile(t, authority, s.Certificate)
	want := map[string]string{"INBOX/1": "From: a@example.com\r\nSubject: one\r\n\r\nBody\r\n"}
	for _, address := range []string{s.TLS, s.Plain} {
		options := map[string]string{"user": "reader", "password": "secret"}
		wantBodies(t, confinedSource(t, "imap", source.Settings{Location: address, Options: options}, "", "SSL_CERT_FILE="+authority), want)
		var k sourcetest.Kept
		k.Sync(t, confinedSource(t, "imap", source.Settings{Location: address, Options: options}, ""))
		if k.Err == nil {
			t.Errorf("%s: it works without the authority", address)
		}
		options = map[string]string{"user": "reader", "password": "secret", "certificate": s.Certificate}
		wantBodies(t, confinedSource(t, "imap", source.Settings{Location: address, Options: options}, ""), want)
	}
}

// TestConfinedUnknownHost: the process reports why the server could not connect.
func TestConfinedUnknownHost(t *testing.T) {
	t.Parallel()
	cfg := worker.SourceConfig{Dial: explained(func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "docs.example", IsNotFound: true}
	})}
	options := map[string]string{"user": "reader", "password": "secret"}
	src := worker.NewConfined(cfg, "imap", source.Settings{Location: "imaps://docs.example", Options: options}, "")
	t.Cleanup(func() { _ = src.Close() })
	var k sourcetest.Kept
	k.Sync(t, src)
	if fault.TextOf(k.Err).ID != "host_not_found" {
		t.Error(k.Err)
	}
}

// TestConfinedPartial: a feed keeps old entries unless the option removes them.
func TestConfinedPartial(t *testing.T) {
	t.Parallel()
	for _, k := range SourceKinds(config.Config{}) {
		if k.Name != "feed" && k.Name != "web" {
			continue
		}
		for options, want := range map[string]bool{"": k.Name == "feed", "true": false} {
			s := source.Settings{Location: "https://docs.example/feed"}
			if k.Name == "feed" {
				s.Options = map[string]string{"remove_old": options}
			}
			src, err := k.Open(s)
			if err != nil {
				t.Fatal(err)
			}
			if got := src.(source.Partial).Partial(); got != want {
				t.Errorf("%s, remove_old %q: %v", k.Name, options, got)
			}
		}
	}
}

// TestDocumentedOptions: the reference lists the options that a source can have, and no others.
func TestDocumentedOptions(t *testing.T) {
	t.Parallel()
	reference, err := os.ReadFile("../../docs/reference/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\|")
	for _, k := range SourceKinds(config.Config{}) {
		_, section, ok := strings.Cut(string(reference), "Kind: `"+k.Name+"`.")
		if !ok {
			continue // folders have none
		}
		section, _, _ = strings.Cut(section, "\n## ")
		var listed, has []string
		for _, row := range rows.FindAllStringSubmatch(section, -1) {
			if row[1] != "url" {
				listed = append(listed, row[1])
			}
		}
		for _, o := range k.Options {
			has = append(has, o.Name)
		}
		slices.Sort(listed)
		slices.Sort(has)
		sourcetest.Equal(t, k.Name, has, listed)
	}
}

// TestReachedHosts checks which hosts sources with one server connect to.
func TestReachedHosts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, location string
		options        map[string]string
		yes, no        []string
	}{
		{"webdav", "https://Docs.example/dav", nil, []string{"docs.example"}, []string{"example", "a.docs.example", ""}},
		{"webdav", "https://bücher.example:8443/dav", nil, []string{"xn--bcher-kva.example"}, []string{"bucher.example"}},
		{"webdav", "https://[2606:4700::1]/dav", nil, []string{"2606:4700::1"}, []string{"2606:4700::2"}},
		{
			"imap", "imap://mail.example",
			map[string]string{"user": "a", "password": "b"},
			[]string{"mail.example"},
			[]string{"mail.example.org", "10.0.0.1"},
		},
		{"mediawiki", "https://wiki.example/wiki/Main", nil, []string{"wiki.example"}, []string{"commons.example", "10.0.0.1"}},
		{
			"forge", "https://github.com/a/b", nil,
			[]string{"github.com", "api.github.com"},
			[]string{"raw.githubusercontent.com", "gist.github.com"},
		},
		{"s3", "https://minio.example:9000/docs/x", nil, []string{"minio.example", "docs.minio.example"}, []string{"other.minio.example", "docs."}},
		{
			"s3", "s3://docs/x", nil,
			[]string{"s3.amazonaws.com", "docs.s3.dualstack.eu-central-1.amazonaws.com"},
			[]string{"amazonaws.com.example", "notamazonaws.com", "docs"},
		},
	} {
		for _, k := range plainKinds(false, "") {
			if k.Name != c.kind {
				continue
			}
			src, err := k.Open(source.Settings{Location: c.location, Options: c.options})
			if err != nil {
				t.Fatal(err)
			}
			var dialed []string
			connect := bound(func(_ context.Context, _, address string) (net.Conn, error) {
				dialed = append(dialed, address)
				return nil, io.EOF
			}, src.(source.Bound))
			var want []string
			for _, host := range append(c.no, c.yes...) {
				if _, err := connect(t.Context(), "tcp", net.JoinHostPort(host, "443")); err == nil {
					t.Error("no error")
				}
			}
			for _, host := range c.yes {
				want = append(want, net.JoinHostPort(host, "443"))
			}
			sourcetest.Equal(t, c.location, dialed, want)
		}
	}
}
