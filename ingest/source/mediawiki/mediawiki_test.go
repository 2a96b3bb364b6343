package mediawiki

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"docent/ingest/source"
	"docent/ingest/source/sourcetest"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wiki is a server that answers like MediaWiki 1.39.
type wiki struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[int]*testPage
	// private wikis need a session or a token.
	private bool
	// answer replaces all answers of the API; "" for none.
	answer string
	calls  int
	// groups are those of the account.
	groups []string
}

type testPage struct {
	title, text string
	namespace   int
	revision    int
	redirect    bool
	secret      bool // the account may not read it
}

const siteInfo = `{"batchcomplete":true,"query":{"namespaces":{
"-1":{"id":-1,"name":"Special","content":false},"0":{"id":0,"name":"","content":true},"1":{"id":1,"name":"Diskussion","canonical":"Talk","content":false},
"4":{"id":4,"name":"Handbuch","canonical":"Project","content":false},"12":{"id":12,"name":"Hilfe","canonical":"Help","content":true}},
"namespacealiases":[{"id":4,"alias":"HB"}]}}`

func newWiki(t *testing.T) *wiki {
	t.Helper()
	w := &wiki{pages: map[int]*testPage{
		1: {title: "Main Page", text: "<p>Welcome</p>", revision: 10},
		2: {title: "Pumps/Seals", text: "<h2>Seals</h2><p>Weekly.</p>", revision: 20},
		3: {title: "Old name", redirect: true, revision: 30},
		4: {title: "Handbuch:Rules", text: "<p>Rules</p>", namespace: 4, revision: 40},
		5: {title: "Hilfe:Editing", text: "<p>Help</p>", namespace: 12, revision: 50},
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("/wiki/", func(out http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(out, `<!DOCTYPE html><html><head><link rel="EditURI" type="application/rsd+xml" href="//%s/w/api.php?action=rsd"></head>`, w.Listener.Addr())
	})
	mux.HandleFunc("/w/api.php", w.api)
	w.Server = httptest.NewServer(mux)
	t.Cleanup(w.Close)
	return w
}

func (w *wiki) change(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do()
}

func (w *wiki) api(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	_ = r.ParseForm()
	f := r.Form
	say := func(text string) { _, _ = io.WriteString(out, text) }
	cookie, _ := r.Cookie("session")
	switch {
	case w.answer != "":
		say(w.answer)
	case f.Get("type") == "login":
		say(`{"query":{"tokens":{"logintoken":"a+\\"}}}`)
	case f.Get("action") == "login":
		if f.Get("lgpassword") != "right" || f.Get("lgtoken") != `a+\` {
			say(`{"login":{"result":"Failed"}}`)
			return
		}
		http.SetCookie(out, &http.Cookie{Name: "session", Value: "1"})
		say(`{"login":{"result":"Success"}}`)
	case w.private && cookie == nil && r.Header.Get("Authorization") != "Bearer tok":
		say(`{"error":{"code":"readapidenied","info":"You need read permission to use this module."}}`)
	case f.Get("meta") == "userinfo":
		_ = json.NewEncoder(out).Encode(map[string]any{"query": map[string]any{"userinfo": map[string]any{
			"groups": append(w.groups, "*"), "implicitgroups": []string{"*", "user", "autoconfirmed"},
		}}})
	case f.Get("meta") == "siteinfo":
		say(siteInfo)
	case f.Get("action") == "query":
		w.list(f, say)
	case f.Get("action") == "parse":
		id, _ := strconv.Atoi(f.Get("pageid"))
		p := w.pages[id]
		if p == nil {
			say(`{"error":{"code":"nosuchpageid","info":"There is no page."}}`)
			return
		}
		_ = json.NewEncoder(out).Encode(map[string]any{"parse": parsed{p.title, p.text, []category{{"Pump_care", false}, {"Stubs", true}}}})
	}
}

// list answers with one page at a time. The revisions of the page come with another request.
func (w *wiki) list(f url.Values, say func(string)) {
	var ids []int
	for id, p := range w.pages {
		if strconv.Itoa(p.namespace) == f.Get("gapnamespace") && !p.redirect {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	at, _ := strconv.Atoi(f.Get("gapcontinue"))
	ids = slices.DeleteFunc(ids, func(id int) bool { return id < at })
	if len(ids) == 0 {
		say(`{"batchcomplete":true}`)
		return
	}
	p := w.pages[ids[0]]
	one := map[string]any{
		"pageid": ids[0], "title": p.title, "lastrevid": p.revision, "touched": "2026-05-01T00:00:00Z",
		"actions": map[string]bool{"read": !p.secret},
		"fullurl": "//" + w.Listener.Addr().String() + "/wiki/" + url.PathEscape(p.title),
	}
	answer := map[string]any{"query": map[string]any{"pages": []any{one}}}
	switch {
	case f.Get("rvcontinue") == "":
		answer["continue"] = map[string]string{"rvcontinue": "1", "gapcontinue": f.Get("gapcontinue"), "continue": "||info"}
	default:
		one["revisions"] = []any{map[string]string{"timestamp": "2026-04-30T10:00:00Z"}}
		answer["batchcomplete"] = true
		if len(ids) > 1 {
			answer["continue"] = map[string]string{"gapcontinue": strconv.Itoa(ids[1]), "continue": "gapcontinue||"}
		}
	}
	data, _ := json.Marshal(answer)
	say(string(data))
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

func TestPages(t *testing.T) {
	t.Parallel()
	w := newWiki(t)
	src := open(t, Config{URL: w.URL + "/wiki/Main_Page"})
	var k sourcetest.Kept
	k.Sync(t, src)
	sourcetest.Equal(t, "pages", k.Keys(), []string{"1", "2", "5"})
	two := k.Items["2"]
	if two.Name != "Pumps-Seals.html" || two.Address != w.URL+"/wiki/Pumps%2FSeals" || two.Modified.Format("2006-01-02") != "2026-04-30" {
		t.Errorf("item %+v", two)
	}
	for _, part := range []string{
		"<h1>Pumps/Seals</h1>\n<h2>Seals</h2>", `"dcterms.subject" content="Pump care"`, `"dcterms.modified" content="2026-04-30T10:00:00Z"`,
	} {
		if !strings.Contains(k.Bodies["2"], part) {
			t.Errorf("%q is missing in %q", part, k.Bodies["2"])
		}
	}
	if strings.Contains(k.Bodies["2"], "Stubs") {
		t.Error("a hidden category is a tag")
	}
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, nil)
	w.change(func() {
		w.pages[1].text, w.pages[1].revision = "<p>Hello</p>", 60
		delete(w.pages, 2)
	})
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, []string{"1"})
	sourcetest.Equal(t, "pages", k.Keys(), []string{"1", "5"})

	// A page that goes away after the listing fails, and no other does.
	_, err := sourcetest.Read(t.Context(), src, source.Item{Key: "2"})
	if fault.KindOf(err) != fault.NotFound {
		t.Error(err)
	}
}

func TestNamespaces(t *testing.T) {
	t.Parallel()
	w := newWiki(t)
	for names, want := range map[string][]string{
		"main": {"1", "2"}, "Help": {"5"}, "hilfe:": {"5"}, "12": {"5"}, "HB,4": {"4"}, "Project": {"4"}, "0,HB": {"1", "2", "4"},
	} {
		var k sourcetest.Kept
		k.Sync(t, open(t, Config{URL: w.URL + "/w/api.php", Namespaces: strings.Split(names, ",")}))
		if k.Err != nil {
			t.Errorf("%s: %v", names, k.Err)
		}
		sourcetest.Equal(t, names, k.Keys(), want)
	}
	for _, name := range []string{"Special", "-1", "Nothing"} {
		var k sourcetest.Kept
		k.Sync(t, open(t, Config{URL: w.URL + "/w/api.php", Namespaces: []string{name}}))
		if fault.TextOf(k.Err).ID != "wiki_namespace_unknown" {
			t.Errorf("%s: %v", name, k.Err)
		}
	}
}

func TestPrivateWiki(t *testing.T) {
	t.Parallel()
	w := newWiki(t)
	w.private = true
	for name, c := range map[string]struct {
		cfg  Config
		want string
	}{
		"nobody":         {Config{}, "wiki_denied"},
		"bot password":   {Config{User: "A@docent", Password: "right"}, ""},
		"wrong password": {Config{User: "A@docent", Password: "wrong"}, "wiki_login"},
		"token":          {Config{Token: "tok"}, ""},
		"wrong token":    {Config{Token: "x"}, "wiki_denied"},
	} {
		c.cfg.URL = w.URL + "/w/api.php"
		var k sourcetest.Kept
		k.Sync(t, open(t, c.cfg))
		if c.want == "" && (k.Err != nil || len(k.Bodies) != 3) || c.want != "" && fault.TextOf(k.Err).ID != c.want {
			t.Errorf("%s: %d pages, error %v", name, len(k.Bodies), k.Err)
		}
	}
}

// TestReaders: a source has the pages of one group. The account must not have the rights of others.
func TestReaders(t *testing.T) {
	t.Parallel()
	w := newWiki(t)
	w.groups = []string{"editors", "user", "autoconfirmed"}
	account := Config{URL: w.URL + "/w/api.php", Token: "tok", Reader: "editors"}
	src := open(t, account)
	var k sourcetest.Kept
	k.Sync(t, src)
	sourcetest.Equal(t, "pages", k.Keys(), []string{"1", "2", "5"})
	w.change(func() { w.pages[2].secret = true }) // the group loses a namespace
	k.Sync(t, src)
	sourcetest.Equal(t, "pages", k.Keys(), []string{"1", "5"})

	w.change(func() { w.groups = append(w.groups, "sysop") })
	k.Sync(t, src)
	if fault.TextOf(k.Err).ID != "wiki_reader_groups" || len(k.Changed) > 0 {
		t.Errorf("an account with more rights: %v", k.Err)
	}
	account.Reader = "board"
	if k.Sync(t, open(t, account)); fault.TextOf(k.Err).ID != "wiki_reader_missing" {
		t.Errorf("an account of another group: %v", k.Err)
	}

	w.change(func() { w.groups = nil })
	public := open(t, Config{URL: w.URL + "/w/api.php", Reader: "*"})
	k = sourcetest.Kept{}
	k.Sync(t, public)
	sourcetest.Equal(t, "public pages", k.Keys(), []string{"1", "5"})
	w.change(func() { w.private = true })
	if k.Sync(t, public); k.Err != nil || len(k.Keys()) > 0 {
		t.Errorf("a wiki that becomes private: %v, %v", k.Keys(), k.Err)
	}
	w.change(func() {
		w.private, w.answer = false, `{"batchcomplete":true,"query":{"userinfo":{"groups":["*"]},"namespaces":{"0":{"id":0,"content":true}},"pages":[{"pageid":1,"title":"A"}]}}`
	})
	if k.Sync(t, public); k.Err != nil || len(k.Keys()) > 0 {
		t.Errorf("a wiki that does not tell who may read: %v, %v", k.Keys(), k.Err)
	}
}

func TestServerThatFailsHalfTheTime(t *testing.T) {
	t.Parallel()
	w := newWiki(t)
	w.Config.Handler = sourcetest.Flaky(3, w.Config.Handler)
	src := open(t, Config{URL: w.URL + "/wiki/x"})
	var k sourcetest.Kept
	for range 8 {
		k.Sync(t, src)
	}
	sourcetest.Equal(t, "pages", k.Keys(), []string{"1", "2", "5"})
}

// TestHostileWikis: a listing ends, whatever a server answers, and removes nothing.
func TestHostileWikis(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"no JSON":    "<html>",
		"wrong":      `{"query":[]}`,
		"continue":   `{"query":{"namespaces":{"0":{"id":0,"content":true}},"pages":[]},"continue":{"gapcontinue":"A"}}`,
		"pages":      `{"query":{"namespaces":{"0":{"id":0,"content":true}},"pages":[{"pageid":1},{"pageid":2},{"pageid":3},{"pageid":4}]}}`,
		"error":      `{"error":{"code":"internal_api_error_DBQueryError","info":"x"}}`,
		"deep":       strings.Repeat("[", 1_000_000),
		"rate limit": `{"error":{"code":"ratelimited","info":"x"}}`,
	} {
		w := newWiki(t)
		w.answer = answer
		var k sourcetest.Kept
		if k.Sync(t, open(t, Config{URL: w.URL + "/w/api.php", MaxPages: 3})); k.Err == nil || w.calls > maxRequests+1 {
			t.Errorf("%s: error %v after %d calls", name, k.Err, w.calls)
		}
	}
	for body, want := range map[string]string{
		"":                                   "wiki_not_found",
		"<p>no wiki":                         "wiki_not_found",
		"<" + strings.Repeat("a", 2*maxHead): "wiki_not_found",
		`<link rel=EditURI href="https://other.example/w/api.php?action=rsd">`: "wiki_other_host",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
		var k sourcetest.Kept
		if k.Sync(t, open(t, Config{URL: s.URL})); fault.TextOf(k.Err).ID != want {
			t.Errorf("%.20q: %v", body, k.Err)
		}
		s.Close()
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]Config{
		"url":     {URL: "wiki.example.com"},
		"private": {URL: "http://192.168.0.1/wiki"},
		"user":    {URL: "https://wiki.example.com", Password: "x"},
		"token":   {URL: "https://wiki.example.com", User: "x", Token: "x"},
		"max":     {URL: "https://wiki.example.com", MaxPages: -1},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func FuzzWiki(f *testing.F) {
	f.Add([]byte(siteInfo))
	f.Add([]byte(`{"parse":{"title":"A","text":"<p>x","categories":[{"category":"B_c","hidden":false}]}}`))
	f.Add([]byte(`<link rel=EditURI href="//wiki.example/api.php">`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = editURI(strings.NewReader(string(data)))
		var got struct {
			Parse parsed
			batch
		}
		if json.Unmarshal(data, &got) == nil {
			got.Parse.page(source.Item{Address: string(data)})
		}
	})
}
