package api

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/internal/sqlitetest"
	"docent/rag/corpus"
	"docent/store/sqlite"
)

// shelf returns a database with documents of the given titles.
func shelf(t *testing.T, titles ...string) (*sqlite.Store, *client) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Path: sqlitetest.Path(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for i, title := range titles {
		d := corpus.Document{Collection: "default", Source: fmt.Sprintf("/%d", i), Title: title, Size: int64(100 - i/2), Status: corpus.Ready}
		if _, err := db.PutDocuments(t.Context(), []intake.Put{{Document: d}}); err != nil {
			t.Fatal(err)
		}
	}
	return db, newWorld().serve(t, func(c *Config) { c.Library, c.Documents = db, db })
}

// listed returns the titles on all pages of a list.
func (c *client) listed(query string) string {
	c.t.Helper()
	var titles []string
	for cursor := ""; ; {
		resp, body := c.do("GET", "/api/documents?"+query+cursor, "")
		var page struct {
			Documents  []Document
			Next       int64
			NextCursor string `json:"next_cursor"`
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil || resp.StatusCode != 200 {
			c.t.Fatalf("%s: %d %s", query, resp.StatusCode, body)
		}
		for _, d := range page.Documents {
			titles = append(titles, d.Title)
		}
		switch {
		case page.NextCursor != "" && page.Next == 0:
			cursor = "&cursor=" + url.QueryEscape(page.NextCursor)
		case page.NextCursor == "" && page.Next != 0:
			cursor = fmt.Sprintf("&after=%d", page.Next)
		case page.NextCursor == "":
			return strings.Join(titles, " ")
		default:
			c.t.Fatalf("two cursors: %s", body)
		}
	}
}

func TestDocumentsSorted(t *testing.T) {
	t.Parallel()
	_, c := shelf(t, "c", "A", "b", "a", strings.Repeat("\u2028", 300))
	long := strings.Repeat("\u2028", 300)
	for query, want := range map[string]string{
		"":                        "c A b a " + long,
		"sort=newest":             long + " a b A c",
		"sort=newest&order=asc":   "c A b a " + long,
		"sort=title":              "A a b c " + long,
		"sort=title&order=desc":   long + " c b a A",
		"sort=size":               "A c a b " + long,
		"sort=size&order=asc":     long + " b a c A",
		"sort=updated":            long + " a b A c",
		"sort=updated&order=asc":  "c A b a " + long,
		"sort=title&match=/1":     "A",
		"sort=title&status=ready": "A a b c " + long,
	} {
		for _, limit := range []int{1, 2, 3, 5, 1000} {
			if got := c.listed(fmt.Sprintf("%s&limit=%d", query, limit)); got != want {
				t.Errorf("%q in pages of %d: %q, want %q", query, limit, got, want)
			}
		}
	}
	_, body := c.do("GET", "/api/documents?sort=title&limit=1", "")
	_, cursor, _ := strings.Cut(body, `"next_cursor":"`)
	cursor, _, _ = strings.Cut(cursor, `"`)
	for query, says := range map[string]string{
		"sort=oldest":                              "query.sort",
		"sort=title&order=up":                      "query.order",
		"order=desc":                               "the parameter sort",
		"cursor=" + cursor:                         "the parameter sort",
		"sort=title&after=1":                       "next_cursor",
		"sort=title&cursor=1":                      "this order",
		"sort=title&cursor=e30":                    "this order",
		"sort=size&cursor=" + cursor:               "this order",
		"sort=title&order=desc&cursor=" + cursor:   "this order",
		"sort=title&cursor=" + cursor + "Cg%3D%3D": "this order",
	} {
		c.wantError(400, fault.Invalid, says, "GET", "/api/documents?"+query, "")
	}
}

func TestDeleteManyDocuments(t *testing.T) {
	t.Parallel()
	db, c := shelf(t, slices.Repeat([]string{"x"}, 1203)...)
	remove := func(ids []int64) string {
		return fmt.Sprintf(`{"ids":%s}`, strings.ReplaceAll(fmt.Sprint(ids), " ", ","))
	}
	var ids []int64
	for id := range int64(1202) {
		ids = append(ids, id+1)
	}
	const path, kind = "/api/documents/delete", "application/json"
	for _, body := range []string{"", "{}", `{"ids":[]}`, `{"ids":null}`, `{"ids":["1"]}`, `{"ids":[1.5]}`, `[1]`, remove(make([]int64, 10_001))} {
		c.wantError(400, fault.Invalid, "", "POST", path, body, "Content-Type", kind)
	}
	c.wantError(415, fault.Invalid, "", "POST", path, remove(ids), "Content-Type", "text/plain")
	c.wantError(403, fault.Forbidden, "scope ingest", "POST", path, remove(ids), "Content-Type", kind, "As", "user:ann ask")
	c.want(200, `{"removed":0}`, "POST", path, `{"ids":[0,-1,99999,9223372036854775807]}`, "Content-Type", kind)
	c.want(200, `{"removed":1202}`, "POST", path, remove(append(ids, 1, 1, 99999)), "Content-Type", kind)
	c.want(200, `{"removed":0}`, "POST", path, remove(append(make([]int64, 8000), ids...)), "Content-Type", kind)
	left, err := db.Documents(t.Context(), corpus.DocumentFilter{})
	if err != nil || len(left) != 1 || left[0].ID != 1203 {
		t.Errorf("left are %v %v", left, err)
	}
}

// leaver removes documents for a client that disconnects after the first batch.
type leaver struct {
	*world
	leave   context.CancelFunc
	left    chan struct{} // closed when the client has disconnected
	removed chan int
}

func (l *leaver) RemoveDocuments(ctx context.Context, ids []int64) (int, error) {
	l.leave()
	<-l.left
	l.removed <- len(ids)
	if ctx.Done() != nil {
		close(l.removed)
		return 0, errors.New("it ends with the request")
	}
	return len(ids), nil
}

// A deletion that the page requests while the user leaves is completed.
func TestDeletionOutlivesItsPage(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	l := &leaver{newWorld(), leave, make(chan struct{}), make(chan int, 2)}
	c := l.serve(t, func(cfg *Config) { cfg.Documents = l })
	body := fmt.Sprintf(`{"ids":[%s1]}`, strings.Repeat("1,", maxDeleted))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/api/documents/delete", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(r)
	close(l.left)
	if !errors.Is(err, context.Canceled) {
		if err == nil {
			_ = resp.Body.Close()
		}
		t.Errorf("who left got %v", err)
	}
	if first, second := <-l.removed, <-l.removed; first != maxDeleted || second != 1 {
		t.Errorf("removed %d and %d", first, second)
	}
}

// TestExportOriginals: a ZIP file has the kept originals of a folder, and lists other documents.
func TestExportOriginals(t *testing.T) {
	t.Parallel()
	db, c := shelf(t, "On the server")
	for source, folder := range map[string]string{
		"upload:a/guide.md": "a", "upload:mail.eml": "a", "upload:mail.eml#plan.md": "a/b", "upload:other.md": "c",
	} {
		d := corpus.Document{Collection: "default", Source: source, Title: source, Folder: folder, Status: corpus.Ready, Size: 4}
		if _, err := db.PutDocuments(t.Context(), []intake.Put{{Document: d, Original: []byte("text")}}); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{
		"collection=default&folder=a": "a/guide.md=text mail.eml.parts/plan.md=text mail.eml=text",
		"collection=default": "a/guide.md=text mail.eml.parts/plan.md=text mail.eml=text " +
			"not-included.txt=On the server\t/0\n other.md=text",
	} {
		resp, body := c.do("GET", "/api/documents/export?"+query, "")
		in, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
		if err != nil || !strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment; filename=default") {
			t.Fatalf("%s: %d %v %v", query, resp.StatusCode, resp.Header, err)
		}
		var got []string
		for _, f := range in.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, f.Name+"="+string(text))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", query, strings.Join(got, " "), want)
		}
	}
	if resp, _ := c.do("GET", "/api/documents/export?collection=none", ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown collection: %d", resp.StatusCode)
	}
}
