package forge

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"docent/ingest/source"
	"docent/ingest/source/sourcetest"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server answers requests by their path, with the answers of the APIs' documentation.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]string // by path and, for further pages, ?page=2
	auth    string            // of the last request
	header  map[string]string
	status  int
}

func newServer(t *testing.T, answers map[string]string) *server {
	t.Helper()
	s := &server{answers: answers, status: http.StatusOK}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.auth = r.Header.Get("Authorization")
		key := r.URL.EscapedPath()
		if page := r.URL.Query().Get("page"); page != "" {
			key += "?page=" + page
		}
		answer, ok := s.answers[key]
		if !ok {
			http.NotFound(w, r)
			return
		}
		for name, value := range s.header {
			w.Header().Set(name, value)
		}
		if _, more := s.answers[r.URL.EscapedPath()+"?page=2"]; more && r.URL.Query().Get("page") == "" {
			w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=2>; rel="next", <%s/x>; rel="last"`, s.URL, r.URL.EscapedPath(), s.URL))
		}
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) set(path, answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = answer
}

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

func githubAnswers() map[string]string {
	const repo = "/api/v3/repos/ada/pumps"
	return map[string]string{
		repo + "/issues": `[{"number": 7, "title": "Pump leaks", "body": "It leaks.\n# Steps\nOpen it.", "state": "closed", "html_url": "https://github.example/ada/pumps/issues/7",
"user": {"login": "ada"}, "labels": [{"id": 1, "name": "bug"}], "assignees": [{"login": "eve"}], "milestone": {"title": "v2"}, "comments": 2,
"created_at": "2026-05-01T10:00:00Z", "updated_at": "2026-05-04T10:00:00Z", "closed_at": "2026-05-04T10:00:00Z", "pull_request": null}]`,
		repo + "/issues?page=2": `[{"number": 8, "title": "Fix", "body": null, "state": "open", "html_url": "https://github.example/ada/pumps/pull/8", "user": {"login": "bob"},
"labels": [], "comments": 0, "created_at": "2026-05-02T10:00:00Z", "updated_at": "2026-05-03T10:00:00Z", "pull_request": {"url": "x"}}]`,
		repo + "/issues/7/comments":        `[{"body": "Really?", "user": {"login": "bob"}, "created_at": "2026-05-02T10:00:00Z"}]`,
		repo + "/issues/7/comments?page=2": `[{"body": "Fixed.", "user": {"login": "ada"}, "created_at": "2026-05-03T10:00:00Z"}]`,
		repo + "/pulls/8/reviews":          `[{"body": "Fine.", "user": {"login": "eve"}, "submitted_at": "2026-05-03T10:00:00Z"}, {"body": "", "user": null}]`,
		repo + "/pulls/8/comments":         `[{"body": "Why?", "path": "pump.go", "user": {"login": "eve"}, "created_at": "2026-05-02T12:00:00Z"}]`,
	}
}

func TestGitHub(t *testing.T) {
	t.Parallel()
	s := newServer(t, githubAnswers())
	src := open(t, Config{URL: s.URL + "/ada/pumps/issues", Software: "github", Token: "ghp_1"})
	var k sourcetest.Kept
	k.Sync(t, src)
	if k.Err != nil || len(k.Failed) > 0 {
		t.Fatal(k.Err, k.Failed)
	}
	sourcetest.Equal(t, "items", k.Keys(), []string{"issues/7", "pulls/8"})
	want := "---\ntitle: \"Pump leaks (#7)\"\ndate: 2026-05-04\ntags:\n  - \"bug\"\n---\n\n# Pump leaks (#7)\n\n" +
		"- Issue 7 of ada/pumps, closed on 2026-05-04\n- Milestone: v2\n- Assigned to: eve\n\nBy ada, 2026-05-01\n\nIt leaks.\n## Steps\nOpen it.\n\n" +
		"## bob, 2026-05-02\n\nReally?\n\n## ada, 2026-05-03\n\nFixed.\n\n"
	if k.Bodies["issues/7"] != want || k.Items["issues/7"].Address != "https://github.example/ada/pumps/issues/7" || s.auth != "Bearer ghp_1" {
		t.Errorf("got %q", k.Bodies["issues/7"])
	}
	for _, part := range []string{"- Pull request 8 of ada/pumps, open\n", "## pump.go – eve, 2026-05-02\n\nWhy?", "## eve, 2026-05-03\n\nFine."} {
		if !strings.Contains(k.Bodies["pulls/8"], part) {
			t.Errorf("%q is missing in %q", part, k.Bodies["pulls/8"])
		}
	}
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, nil)
	s.set("/api/v3/repos/ada/pumps/issues?page=2", "[]")
	k.Sync(t, open(t, Config{URL: s.URL + "/ada/pumps", Software: "github", Parts: []string{"issues"}}))
	sourcetest.Equal(t, "items", k.Keys(), []string{"issues/7"})
	if got, err := sourcetest.Read(t.Context(), src, source.Item{Key: "issues/9"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an issue that is gone: %q, %v", got, err)
	}
}

func TestGitLab(t *testing.T) {
	t.Parallel()
	const project = "/api/v4/projects/team%2Fsub%2Fpumps"
	s := newServer(t, map[string]string{
		project + "/issues": `[{"id": 901, "iid": 1, "title": "Leak", "description": "It leaks.", "state": "opened", "web_url": "https://gitlab.example/team/sub/pumps/-/issues/1",
"author": {"username": "ada", "name": "Ada"}, "labels": ["bug", "pump"], "user_notes_count": 1, "created_at": "2026-05-01T10:00:00.123Z", "updated_at": "2026-05-02T10:00:00.456Z", "closed_at": null}]`,
		project + "/merge_requests": `[{"id": 902, "iid": 1, "title": "Fix", "description": "Closes it.", "state": "merged", "web_url": "https://gitlab.example/mr/1", "author": {"username": "bob"},
"labels": [], "user_notes_count": 0, "updated_at": "2026-05-02T10:00:00Z"}]`,
		project + "/issues/1/notes": `[{"body": "changed the label", "system": true}, {"body": "Close the valve.", "system": false, "author": {"username": "eve"}, "created_at": "2026-05-02T10:00:00Z"}]`,
		project + "/wikis":          `[{"title": "Home", "slug": "home", "format": "markdown", "content": "Welcome"}, {"title": "Ops/Valves", "slug": "ops/valves", "format": "asciidoc", "content": "== V"}]`,
		project + "/wikis/home":     `{"title": "Home", "slug": "home", "format": "markdown", "content": "Welcome"}`,

		project + "/wikis/ops%2Fvalves": `{"title": "Ops/Valves", "slug": "ops/valves", "format": "asciidoc", "content": "== V"}`,
	})
	src := open(t, Config{URL: s.URL + "/team/sub/pumps.git", Software: "gitlab"})
	var k sourcetest.Kept
	k.Sync(t, src)
	sourcetest.Equal(t, "items", k.Keys(), []string{"issues/1", "pulls/1", "wiki/home", "wiki/ops/valves"})
	if k.Err != nil || len(k.Failed) > 0 {
		t.Error(k.Err, k.Failed)
	}
	if got := k.Bodies["issues/1"]; !strings.Contains(got, "## eve, 2026-05-02\n\nClose the valve.") || strings.Contains(got, "changed the label") {
		t.Errorf("got %q", got)
	}
	if page := k.Items["wiki/ops/valves"]; page.Name != "Ops-Valves.adoc" || !strings.HasSuffix(page.Address, "/-/wikis/ops/valves") || k.Bodies[page.Key] != "== V" {
		t.Errorf("page %+v, %q", page, k.Bodies[page.Key])
	}
	s.set(project+"/wikis", `[{"title": "Home", "slug": "home", "format": "markdown", "content": "Hello"}]`)
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, []string{"wiki/home"})
}

func TestGitea(t *testing.T) {
	t.Parallel()
	const repo = "/api/v1/repos/ada/pumps"
	s := newServer(t, map[string]string{
		repo + "/issues": `[{"number": 3, "title": "Leak", "body": "It leaks.", "state": "open", "html_url": "https://gitea.example/ada/pumps/issues/3", "user": {"login": "ada"},
"labels": [], "comments": 1, "created_at": "2026-05-01T10:00:00+02:00", "updated_at": "2026-05-02T10:00:00+02:00", "pull_request": null}]`,
		repo + "/issues/3/comments":   `[{"body": "Fixed.", "user": {"login": "bob"}, "created_at": "2026-05-02T10:00:00Z"}]`,
		repo + "/wiki/pages":          `[{"title": "Home page", "sub_url": "Home-page", "html_url": "https://gitea.example/ada/pumps/wiki/Home-page", "last_commit": {"sha": "abc"}}]`,
		repo + "/wiki/page/Home-page": `{"title": "Home page", "content_base64": "V2VsY29tZQ==", "sub_url": "Home-page", "last_commit": {"sha": "abc"}}`,
	})
	src := open(t, Config{URL: s.URL + "/ada/pumps", Software: "gitea", Token: "t"})
	var k sourcetest.Kept
	k.Sync(t, src)
	sourcetest.Equal(t, "items", k.Keys(), []string{"issues/3", "wiki/Home-page"})
	if k.Err != nil || k.Bodies["wiki/Home-page"] != "Welcome" || !strings.Contains(k.Bodies["issues/3"], "## bob, 2026-05-02") || s.auth != "token t" {
		t.Errorf("bodies %q, error %v, %v", k.Bodies, k.Err, k.Failed)
	}
	s.mu.Lock()
	delete(s.answers, repo+"/wiki/pages") // the wiki is turned off
	s.mu.Unlock()
	k.Sync(t, src)
	sourcetest.Equal(t, "items", k.Keys(), []string{"issues/3"})
}

// TestReaders: a source has the documents of one team, or of everybody, as the forge tells.
func TestReaders(t *testing.T) {
	t.Parallel()
	const hub, lab, tea = "/api/v3/repos/ada/pumps", "/api/v4/projects/ada%2Fpumps", "/api/v1/repos/ada/pumps"
	github := githubAnswers()
	github[hub+"/teams"] = `[{"name": "Crew 2", "slug": "crew-2", "permission": "pull"}]`
	gitlab := map[string]string{
		lab + "/issues":         `[{"iid": 1, "title": "Open", "updated_at": "2026-05-01T10:00:00Z", "user_notes_count": 2}, {"iid": 2, "title": "Secret", "confidential": true, "updated_at": "2026-05-01T10:00:00Z"}]`,
		lab + "/issues/1/notes": `[{"body": "For all", "author": {"username": "eve"}}, {"body": "For few", "internal": true}]`,
		lab + "/merge_requests": `[{"iid": 1, "title": "Fix", "updated_at": "2026-05-01T10:00:00Z", "user_notes_count": 0}]`,
		lab + "/groups":         `[{"name": "Crew", "full_path": "ada/crew"}]`,
		lab + "/wikis":          `[]`,
	}
	gitea := map[string]string{
		tea + "/issues":          `[{"number": 3, "title": "Leak", "updated_at": "2026-05-02T10:00:00Z", "comments": 0}, {"number": 4, "title": "Fix", "updated_at": "2026-05-02T10:00:00Z", "comments": 0, "pull_request": {}}]`,
		tea + "/teams":           `[{"name": "Crew", "permission": "read", "units_map": {"repo.issues": "read", "repo.pulls": "none"}}]`,
		tea + "/pulls/4/reviews": `[]`,
	}
	all := []string{"issues/7", "pulls/8"}
	for name, c := range map[string]struct {
		software, reader, token, repository string
		want                                []string
	}{
		"public":                        {"github", "public", "t", `{"private": false, "visibility": "public"}`, all},
		"private":                       {"github", "public", "t", `{"private": true, "visibility": "private"}`, nil},
		"internal":                      {"github", "public", "t", `{"private": false, "visibility": "internal"}`, nil},
		"untold":                        {"github", "public", "t", `{}`, nil},
		"nobody":                        {"github", "public", "", `{}`, all},
		"hidden from nobody":            {"github", "public", "", "", nil},
		"team":                          {"github", "Crew-2", "t", `{"private": true}`, all},
		"other team":                    {"github", "crew", "t", `{"private": true}`, nil},
		"other team of a public one":    {"github", "crew", "t", `{"private": false}`, all},
		"gitlab public":                 {"gitlab", "public", "t", `{"visibility": "public", "issues_access_level": "enabled", "merge_requests_access_level": "private"}`, []string{"issues/1"}},
		"gitlab internal":               {"gitlab", "public", "t", `{"visibility": "internal", "issues_access_level": "enabled"}`, nil},
		"gitlab group, private":         {"gitlab", "ada/crew", "t", `{"visibility": "private"}`, []string{"issues/1"}},
		"gitlab group, public":          {"gitlab", "ada/crew", "t", `{"visibility": "public", "merge_requests_access_level": "enabled"}`, []string{"issues/1", "pulls/1"}},
		"gitlab other group":            {"gitlab", "ada/other", "t", `{"visibility": "private"}`, nil},
		"gitea team":                    {"gitea", "crew", "t", `{"private": true}`, []string{"issues/3"}},
		"gitea public":                  {"gitea", "public", "t", `{"private": false, "owner": {"visibility": "public"}}`, []string{"issues/3", "pulls/4"}},
		"gitea public of a limited one": {"gitea", "public", "t", `{"private": false, "owner": {"visibility": "limited"}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := maps.Clone(map[string]map[string]string{"github": github, "gitlab": gitlab, "gitea": gitea}[c.software])
			at := map[string]string{"github": hub, "gitlab": lab, "gitea": tea}[c.software]
			if c.repository != "" {
				answers[at] = c.repository
			}
			s := newServer(t, answers)
			src := open(t, Config{URL: s.URL + "/ada/pumps", Software: c.software, Reader: c.reader, Token: c.token})
			var k sourcetest.Kept
			k.Sync(t, src)
			sourcetest.Equal(t, "items", k.Keys(), c.want)
			if k.Err != nil || len(k.Failed) > 0 || strings.Contains(fmt.Sprint(k.Bodies), "For few") {
				t.Errorf("bodies %q, failed %v, %v", k.Bodies, k.Failed, k.Err)
			}
			if s.set(at, `{"private": true, "visibility": "private"}`); c.reader != "public" || c.token == "" {
				return
			}
			k.Sync(t, src)
			sourcetest.Equal(t, "items of one that became private", k.Keys(), nil)
		})
	}
}

func TestServerThatFailsHalfTheTime(t *testing.T) {
	t.Parallel()
	s := newServer(t, githubAnswers())
	s.Config.Handler = sourcetest.Flaky(5, s.Config.Handler)
	src := open(t, Config{URL: s.URL + "/ada/pumps", Software: "github"})
	var k sourcetest.Kept
	for range 8 {
		k.Sync(t, src)
	}
	sourcetest.Equal(t, "items", k.Keys(), []string{"issues/7", "pulls/8"})
}

// TestHostileServers: a listing ends, whatever a server answers, and removes nothing.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	const at = "/api/v3/repos/ada/pumps/issues"
	for name, c := range map[string]struct {
		answer, want string
		header       map[string]string
		status       int
	}{
		"html":       {answer: "<html>", want: "answer_not_json"},
		"object":     {answer: `{"message": "x"}`, want: "answer_not_json"},
		"deep":       {answer: strings.Repeat("[", 1_000_000), want: "answer_not_json"},
		"many":       {answer: `[{"number": 1}, {"number": 2}, {"number": 3}]`, want: "forge_too_many"},
		"rate limit": {answer: `{}`, status: http.StatusForbidden, header: map[string]string{"X-RateLimit-Remaining": "0"}, want: "server_quota"},
		"forbidden":  {answer: `{}`, status: http.StatusForbidden, want: "server_forbidden"},
		"loop":       {answer: `[]`, header: map[string]string{"Link": `<?page=9>; rel=next`}, want: ""},
	} {
		s := newServer(t, map[string]string{at: c.answer})
		s.header = c.header
		if c.status != 0 {
			s.status = c.status
		}
		var k sourcetest.Kept
		k.Sync(t, open(t, Config{URL: s.URL + "/ada/pumps", Software: "github", MaxItems: 2}))
		if c.want != "" && fault.TextOf(k.Err).ID != c.want {
			t.Errorf("%s: %v", name, k.Err)
		}
	}
	a := open(t, Config{URL: "https://gitlab.example/a/b"}).api
	for link, want := range map[string]string{
		`<https://gitlab.example/api/v4/projects/a%2Fb/issues?page=2>; rel="next"`: "https://gitlab.example/api/v4/projects/a%2Fb/issues?page=2",
		`<https://evil.example/x>; rel="next"`:                                     "",
		`<http://gitlab.example/x>; rel="next"`:                                    "",
		`<https://gitlab.example/x>; rel="prev"`:                                   "",
		`<`:                                                                        "",
	} {
		if got := a.next(http.Header{"Link": {link}}); got != want {
			t.Errorf("%s: %q", link, got)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]Config{
		"url":       {URL: "github.com/a/b"},
		"software":  {URL: "https://git.example/a/b"},
		"names no":  {URL: "https://github.com/a"},
		"parts":     {URL: "https://github.com/a/b", Parts: []string{"x"}},
		".wiki.git": {URL: "https://github.com/a/b", Parts: []string{"wiki"}},
		"max_items": {URL: "https://github.com/a/b", MaxItems: -1},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for address, want := range map[string]string{
		"https://github.com/a/b/pulls":         "https://api.github.com/repos/a/b/x",
		"https://gitlab.com/g/s/p/-/issues":    "https://gitlab.com/api/v4/projects/g%2Fs%2Fp/x",
		"https://codeberg.org/a/b.git":         "https://codeberg.org/api/v1/repos/a/b/x",
		"https://git.forgejo.example:8443/a/b": "https://git.forgejo.example:8443/api/v1/repos/a/b/x",
	} {
		src, err := New(Config{URL: address})
		if err != nil || src.api.at(nil, "x") != want {
			t.Errorf("%s: %v", address, err)
		}
		if src != nil && (!src.Reaches(src.url.Hostname()) || src.Reaches("evil.example")) {
			t.Errorf("%s: wrong hosts", address)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`[{"number": 1, "labels": ["a", {"name": "b"}], "closed_at": null}]`), `<https://github.com/x>; rel="next"`)
	f.Fuzz(func(t *testing.T, data []byte, link string) {
		src, err := New(Config{URL: "https://github.com/a/b"})
		if err != nil {
			t.Fatal(err)
		}
		src.api.next(http.Header{"Link": {link}})
		var all []ticket
		var comments []comment
		var wikis []page
		_ = json.Unmarshal(data, &comments)
		_ = json.Unmarshal(data, &all)
		for _, one := range all {
			one.document(pulls, "a/b", comments).Markdown()
		}
		if json.Unmarshal(data, &wikis) == nil {
			for _, p := range wikis {
				_, _ = p.text()
				_, _, _, _ = p.slug(), p.name(), p.version(), p.address(src.url)
			}
		}
	})
}
