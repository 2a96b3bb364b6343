package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"docent/internal/pgtest"
	"docent/internal/sqlitetest"
	"docent/rag/text"
)

// dataFolder makes a data folder with an empty database, so that not each process creates one.
func dataFolder(t *testing.T) string {
	t.Helper()
	return filepath.Dir(sqlitetest.Path(t))
}

// onBothStores runs a test with an environment for SQLite and one for Postgres.
func onBothStores(t *testing.T, f func(t *testing.T, env []string)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, []string{"DOCENT_DATA=" + dataFolder(t)})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, []string{"DOCENT_DATA=" + t.TempDir(), "DATABASE_URL=" + pgtest.URL(t)})
	})
}

// found asks a server for passages and returns their texts.
func found(t *testing.T, server, question string) []string {
	t.Helper()
	var answer struct {
		Results []struct {
			Text string `json:"text"`
		} `json:"results"`
	}
	getJSON(t, server+"/api/search?k=5&q="+url.QueryEscape(question), &answer)
	texts := make([]string, 0, len(answer.Results))
	for _, r := range answer.Results {
		texts = append(texts, r.Text)
	}
	return texts
}

// TestServeFollowsIngest: a running server sees the documents that another
// process adds, changes, and removes.
func TestServeFollowsIngest(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		docs := t.TempDir()
		server, at := serve(t, env)
		if got := found(t, at, "zircon"); len(got) != 0 {
			t.Fatalf("an empty database has %v", got)
		}
		write(t, docs, "a.md", "# Zircon\n\nThe zircon valve opens at 7 bar.\n", "b.md", "# Other\n\nNothing of note.\n")
		docent(t, env, 0, "ingest", docs)
		eventually(t, "the added document is found", func() bool {
			got := found(t, at, "when does the zircon valve open")
			return len(got) > 0 && strings.Contains(got[0], "7 bar")
		})
		write(t, docs, "a.md", "# Zircon\n\nThe zircon valve opens at 9 bar.\n")
		docent(t, env, 0, "ingest", docs)
		eventually(t, "the changed document is found", func() bool {
			got := found(t, at, "when does the zircon valve open")
			return len(got) > 0 && strings.Contains(got[0], "9 bar")
		})
		docent(t, env, 0, "docs", "rm", filepath.Join(docs, "a.md"))
		eventually(t, "the removed document is gone", func() bool {
			return !strings.Contains(strings.Join(found(t, at, "when does the zircon valve open"), " "), "zircon")
		})
		if err := server.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code := server.wait(); code != 0 {
			t.Errorf("SIGTERM ended the server with %d:\n%s", code, server.log)
		}
	})
}

// writeDocs writes documents of several kinds and returns their folder.
func writeDocs(t *testing.T, files int) string {
	t.Helper()
	dir := t.TempDir()
	parts := []string{"pump", "valve", "filter", "gauge", "boiler", "sensor", "turbine"}
	for i := range files {
		var b strings.Builder
		fmt.Fprintf(&b, "# Manual %d\n\n", i)
		for s := range 8 {
			part := parts[(i+s)%len(parts)]
			fmt.Fprintf(&b, "## The %s of unit %d\n\nThe %s of unit %d is checked every %d days. When its pressure exceeds %d bar, close it and call station %d.\n\n",
				part, i, part, i, 10+s*i%17, 3+(i*s)%11, i*8+s)
		}
		write(t, dir, fmt.Sprintf("part%d/manual%03d.md", i%5, i), b.String())
	}
	return dir
}

var questions = []string{
	"how often is the boiler of unit 3 checked", "pressure of the valve of unit 7", "when do I call station 60",
	"turbine", "what happens above the limit", "sensor unit 11 days",
}

// state returns the documents, the rankings, and the answers. They are the same for
// all databases with the same files.
func state(t *testing.T, env []string) string {
	t.Helper()
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(docent(t, env, 0, "docs", "ls", "--json")), "\n") {
		var d map[string]any
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, d["source"], d["title"], d["sha256"], d["chunks"], d["status"])
	}
	sorted := strings.Split(b.String(), "\n")
	b.Reset()
	slices.Sort(sorted)
	b.WriteString(strings.Join(sorted, "\n"))
	// One command searches for all questions, and one server answers them, because a
	// process takes long to start with -race.
	search := startReading(t, strings.NewReader(strings.Join(questions, "\n")), env, "search", "--json", "-k", "20", "-")
	if code := search.wait(); code != 0 {
		t.Fatalf("search: status %d\n%s", code, search.log)
	}
	found := strings.Split(strings.TrimSpace(search.out.String()), "\n")
	if len(found) != len(questions) {
		t.Fatalf("%d lines for %d questions:\n%s", len(found), len(questions), search.out)
	}
	server, at := serve(t, env)
	for i, q := range questions {
		b.WriteString(ranking(t, found[i]))
		body, err := json.Marshal(map[string]string{"question": q})
		if err != nil {
			t.Fatal(err)
		}
		resp, text := (who{}).Request(t, http.MethodPost, at+"/api/ask", string(body), "Content-Type", "application/json")
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("ask %q: %d %s", q, resp.StatusCode, text)
		}
		b.WriteString(answer(t, text))
	}
	if err := server.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := server.wait(); code != 0 {
		t.Fatalf("serve: status %d\n%s", code, server.log)
	}
	return b.String()
}

// ranking returns the result of a search without the ids, which differ between
// databases.
func ranking(t *testing.T, line string) string {
	t.Helper()
	var got searchLine
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, got.Question)
	for _, r := range got.Results {
		fmt.Fprintf(&b, "%d %.6f %s %d-%d %s\n", r.Rank, r.Score, r.Source, r.Start, r.End, r.Text)
	}
	return b.String()
}

func answer(t *testing.T, line string) string {
	t.Helper()
	var msg struct {
		Answer string `json:"answer"`
	}
	if err := json.Unmarshal([]byte(line), &msg); err != nil {
		t.Fatal(err)
	}
	return msg.Answer + "\n"
}

// TestSameRankingOnBothStores compares the answers with both databases.
func TestSameRankingOnBothStores(t *testing.T) {
	t.Parallel()
	docs := writeDocs(t, 30)
	lite := []string{"DOCENT_DATA=" + dataFolder(t)}
	pg := []string{"DOCENT_DATA=" + t.TempDir(), "DATABASE_URL=" + pgtest.URL(t)}
	docent(t, lite, 0, "ingest", docs)
	docent(t, pg, 0, "ingest", docs)
	if a, b := state(t, lite), state(t, pg); a != b {
		t.Errorf("SQLite:\n%s\nPostgres:\n%s", text.Shorten(a, 4000), text.Shorten(b, 4000))
	}
}
