package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/embed/embedtest"
	"docent/ingest/source"
	"docent/internal/pgtest"
	"docent/internal/wiring"
	"docent/rag/corpus"
)

// replicaEnv returns the environments of two servers on one new Postgres.
func replicaEnv(t *testing.T) (first, second []string) {
	t.Helper()
	url := "DATABASE_URL=" + pgtest.URL(t)
	return []string{url, "DOCENT_DATA=" + t.TempDir()}, []string{url, "DOCENT_DATA=" + t.TempDir()}
}

// storedSources returns the sources of the readable documents of a collection, sorted.
func storedSources(t *testing.T, db *wiring.Database, collection string) []string {
	t.Helper()
	docs, err := db.Library.Documents(t.Context(), corpus.DocumentFilter{Collection: collection, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, d := range docs {
		if d.Status == corpus.Ready && d.Chunks > 0 {
			all = append(all, d.Source)
		}
	}
	slices.Sort(all)
	return all
}

// databaseFor opens the database of a server until the test ends.
func databaseFor(t *testing.T, env []string) *wiring.Database {
	t.Helper()
	db := databaseOf(t, env)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// onePage is the text of a page or file.
func onePage(n int) string { return fmt.Sprintf("Page %d. The valve %d opens at %d bar.", n, n, n+100) }

// expireSyncs ends the leases of all running syncs, as time does.
func expireSyncs(t *testing.T, db *wiring.Database) {
	t.Helper()
	all, err := db.Sources.ListSources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.BusyBy == "" {
			continue
		}
		now := time.Now()
		if _, err := db.Leases.KeepSync(t.Context(), r.ID, source.Lease{Owner: r.BusyBy, Now: now, Until: now}, source.Progress{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKilledSync kills a server that syncs two websites. The other one syncs the rest
// when the leases have expired. Everything is there once.
func TestKilledSync(t *testing.T) {
	t.Parallel()
	const pages, held = 240, 230 // docent reads the pages in groups of 64, and fetches some of the next group before
	release := make(chan struct{})
	var site *httptest.Server
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		switch _, err := fmt.Sscanf(r.URL.Path, "/page/%d", &n); {
		case r.URL.Path == "/sitemap.xml":
			fmt.Fprint(w, `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
			for i := range pages {
				fmt.Fprintf(w, "<url><loc>%s/page/%d</loc></url>", site.URL, i)
			}
			fmt.Fprint(w, "</urlset>")
		case err != nil:
			http.NotFound(w, r)
		default:
			if n >= held {
				select {
				case <-release:
				case <-r.Context().Done():
					return
				}
			}
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, onePage(n))
		}
	}))
	t.Cleanup(site.Close)
	var free sync.Once
	t.Cleanup(func() { free.Do(func() { close(release) }) })

	first, second := replicaEnv(t)
	db := databaseFor(t, second)
	a, _ := serve(t, first, "--sources-private")
	names := []string{"one", "two"} // a server syncs two sources at once
	for _, name := range names {
		docent(t, second, 0, "source", "add", "web", site.URL+"/sitemap.xml", "--name", name, "--collection", name, "--sources-private")
		eventually(t, "the first pages are stored", func() bool { return len(storedSources(t, db, name)) >= 30 })
	}
	_, at := serve(t, second, "--sources-private")
	docent(t, second, 0, "source", "add", "folder", write1(t, "b.txt", "The other server syncs this."), "--name", "folder")
	eventually(t, "the other server syncs, too", func() bool { return len(storedSources(t, db, corpus.DefaultCollection)) == 1 })
	a.kill(t)
	expireSyncs(t, db)
	free.Do(func() { close(release) })

	for _, name := range names {
		eventually(t, "the other server has synced the rest", func() bool { return len(storedSources(t, db, name)) == pages })
		var r source.Record
		eventually(t, "the sync is over", func() bool {
			all, err := db.Sources.ListSources(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r = all[slices.IndexFunc(all, func(r source.Record) bool { return r.Name == name })]
			return r.BusyBy == ""
		})
		if r.Items != pages || r.Failed != 0 || r.Last == nil || r.Last.Error != "" || r.Last.Unchanged < 30 || r.Last.Added+r.Last.Unchanged != pages {
			t.Errorf("the source is %+v, its last sync %+v", r, r.Last)
		}
		if sources := storedSources(t, db, name); len(slices.Compact(slices.Clone(sources))) != pages {
			t.Errorf("the documents are %v", sources)
		}
	}
	for _, n := range []int{0, held, pages - 1} {
		if got := found(t, at, fmt.Sprintf("when does valve %d open", n)); !strings.Contains(strings.Join(got, " "), onePage(n)) {
			t.Errorf("page %d is not found, but %v", n, got)
		}
	}
}

// write1 makes a folder with one file.
func write1(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, name, text)
	return dir
}

// TestKilledUpload kills the server in the middle of an upload. The client sends the
// same files to the other server. Everything is there once.
func TestKilledUpload(t *testing.T) {
	t.Parallel()
	const files, sent = 40, 15
	first, second := replicaEnv(t)
	db := databaseFor(t, second)
	a, atA := serve(t, first)
	_, atB := serve(t, second)
	add := func(form *multipart.Writer, n int) error {
		part, err := form.CreateFormFile("file", fmt.Sprintf("%d.txt", n))
		if err == nil {
			_, err = io.WriteString(part, onePage(n))
		}
		return err
	}
	body, client := io.Pipe()
	form := multipart.NewWriter(client)
	failed := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPost, atA+"/api/documents", body)
		if err == nil {
			req.Header.Set("Content-Type", form.FormDataContentType())
			var resp *http.Response
			if resp, err = http.DefaultClient.Do(req); err == nil {
				err = resp.Body.Close()
			}
		}
		failed <- err
	}()
	for n := range sent {
		if err := add(form, n); err != nil {
			t.Fatal(err)
		}
	}
	// The other server finds the files that are stored. The last one is still open.
	eventually(t, "the other server finds a file", func() bool {
		return strings.Contains(strings.Join(found(t, atB, fmt.Sprintf("when does valve %d open", sent-2)), " "), onePage(sent-2))
	})
	a.kill(t)
	_ = client.Close() // its server is gone
	if err := <-failed; err == nil {
		t.Error("the killed server answered")
	}

	var whole bytes.Buffer
	form = multipart.NewWriter(&whole)
	for n := range files {
		if err := add(form, n); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	resp, text := (who{}).Request(t, http.MethodPost, atB+"/api/documents", whole.String(), "Content-Type", form.FormDataContentType())
	var out struct{ Results []uploaded }
	if err := json.Unmarshal([]byte(text), &out); err != nil || resp.StatusCode != http.StatusOK || len(out.Results) != files {
		t.Fatalf("again: %d %s", resp.StatusCode, text)
	}
	count := map[string]int{}
	for _, r := range out.Results {
		count[r.Status]++
	}
	if count["unchanged"] < sent-1 || count["unchanged"]+count["added"] != files {
		t.Errorf("again: %v", count)
	}
	sources := storedSources(t, db, corpus.DefaultCollection)
	if len(sources) != files || len(slices.Compact(slices.Clone(sources))) != files {
		t.Errorf("the documents are %v", sources)
	}
	eventually(t, "the last file is found", func() bool {
		return strings.Contains(strings.Join(found(t, atB, fmt.Sprintf("when does valve %d open", files-1)), " "), onePage(files-1))
	})
}

// TestKilledTimer kills the server with a conversation that waits for a time. The other
// one goes on with it by itself, once.
func TestKilledTimer(t *testing.T) {
	t.Parallel()
	file := yamlAgent(t, `name: waiter
states:
  begin: {initial: true, body: [{reply: Hi.}], on: [{message: any, to: wait}]}
  wait: {body: [{reply: I wait.}], on: [{after: 1s, to: late}]}
  late: {body: [{reply: Time is over.}], on: [{message: any, to: wait}]}
`)
	first, second := replicaEnv(t)
	_, _ = serve(t, second, "--agent", file) // it has read the timers before the conversation begins
	a, at := serve(t, first, "--agent", file)
	client := join(t, at, "S", true)
	client.tell(t, "wait", "m")
	client.waitReply(t, "I wait.")
	a.kill(t)
	over := func() int {
		n := 0
		for _, e := range entriesOf(t, second, "waiter", "S") {
			if strings.Contains(string(e.Message), "Time is over.") {
				n++
			}
		}
		return n
	}
	eventually(t, "the other server goes on", func() bool { return over() > 0 })
	if n := over(); n != 1 {
		t.Errorf("it went on %d times", n)
	}
}

// TestNewEmbedder starts two servers with a new embedder. One of them embeds each chunk
// once, although the embedding server first refuses.
func TestNewEmbedder(t *testing.T) {
	t.Parallel()
	const files, refusals = 20, 2
	first, second := replicaEnv(t)
	docs := t.TempDir()
	for n := range files {
		write(t, docs, fmt.Sprintf("%d.txt", n), onePage(n))
	}
	docent(t, second, 0, "ingest", docs)
	db := databaseFor(t, second)
	server := embedtest.NewServer(t)
	var mu sync.Mutex // guards the counts
	refused, texts := 0, map[string]int{}
	server.Intercept(func(w http.ResponseWriter, r embedtest.Request, _ int) bool {
		mu.Lock()
		defer mu.Unlock()
		if len(r.Input) == 1 { // each server first asks for the length of the vectors
			return false
		}
		if refused < refusals {
			refused++
			embedtest.Refuse(w, http.StatusUnauthorized, "no")
			return true
		}
		for _, text := range r.Input {
			texts[text]++
		}
		return false
	})
	with := []string{"DOCENT_EMBEDDER_URL=" + server.URL, "DOCENT_EMBEDDER_MODEL=m", "DOCENT_EMBEDDER_KEY=k"}
	a, _ := serve(t, append(first, with...))
	b, _ := serve(t, append(second, with...))
	said := func() int {
		return strings.Count(a.log.String(), "embedded again") + strings.Count(b.log.String(), "embedded again")
	}
	eventually(t, "a server has embedded the chunks", func() bool { return said() > 0 })
	left, err := db.Documents.Unembedded(t.Context(), "openai/m@64", 0, files)
	if err != nil || len(left) != 0 {
		t.Errorf("%d chunks have no vector: %v", len(left), err)
	}
	mu.Lock()
	defer mu.Unlock()
	if refused != refusals || len(texts) != files || said() != 1 {
		t.Errorf("%d refusals, %d texts, %d servers embedded\n%s\n%s", refused, len(texts), said(), a.log, b.log)
	}
	for text, n := range texts {
		if n != 1 {
			t.Errorf("%q was embedded %d times", text, n)
		}
	}
}
