package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"docent/internal/pgtest"
	"docent/internal/wstest"
)

// converse asks a question in a conversation.
func converse(t *testing.T, at, session, question string) {
	t.Helper()
	var w who
	c, _, err := w.TryDial(t, at+"/?protocol=docent.v1&session_id="+session)
	if err != nil {
		t.Fatal(err)
	}
	say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
	say(t, c, wstest.MessageText, fmt.Sprintf(`{"action":"user_message","message":%q}`, question))
	until(t, c, "turn_finished")
	_ = c.CloseNow()
}

// TestBackupMoves: documents and conversations move to the other kind of database and back
// again. Answers and messages stay the same.
func TestBackupMoves(t *testing.T) {
	t.Parallel()
	other := func(env []string) []string {
		if len(env) > 1 { // Postgres
			return []string{"DOCENT_DATA=" + t.TempDir()}
		}
		return []string{"DOCENT_DATA=" + t.TempDir(), "DATABASE_URL=" + pgtest.URL(t)}
	}
	onBothStores(t, func(t *testing.T, env []string) {
		docs := t.TempDir()
		write(t, docs, "pump.md", "# Pump\n\nThe feed pump stops at noon.\n\n## Valves\n\nThe red valve closes after five minutes.\n",
			"data.csv", "name,litres\nfeed,40\nmain,90\n")
		docent(t, env, 0, "ingest", docs)
		docent(t, env, 0, "source", "add", "folder", docs, "--name", "docs", "--every", "manual")
		server, at := serve(t, env)
		converse(t, at, "S", "When does the feed pump stop?")
		dir := t.TempDir()
		write(t, dir, "pass", "correct horse\n")
		var answers, messages [3]string
		read := func(i int, env []string, at string) {
			t.Helper()
			answers[i] = docent(t, env, 0, "ask", "--json", "When does the red valve close?")
			var w who
			_, messages[i] = w.Request(t, http.MethodGet, at+"/api/sessions/S/messages", "")
		}
		read(0, env, at)
		for i := 1; i < 3; i++ {
			file := filepath.Join(dir, fmt.Sprint(i))
			docent(t, env, 0, "backup", file, "--passphrase-file", filepath.Join(dir, "pass")) // beside the server
			server.kill(t)
			docent(t, env, 1, "restore", file, "--passphrase-file", filepath.Join(dir, "pass")) // not empty
			env = other(env)
			docent(t, env, 2, "restore", file)
			docent(t, env, 0, "restore", file, "--passphrase-file", filepath.Join(dir, "pass"), "--dry-run")
			docent(t, env, 0, "restore", file, "--passphrase-file", filepath.Join(dir, "pass"))
			if all := docent(t, env, 0, "source", "ls"); !strings.Contains(all, "paused") {
				t.Errorf("a restored source is not paused: %s", all)
			}
			server, at = serve(t, env)
			read(i, env, at)
		}
		for i := 1; i < 3; i++ {
			if steady(t, answers[i]) != steady(t, answers[0]) {
				t.Errorf("after %d moves the answer is %s, not %s", i, answers[i], answers[0])
			}
			if steady(t, messages[i]) != steady(t, messages[0]) || !strings.Contains(messages[i], "noon") {
				t.Errorf("after %d moves the messages are %s, not %s", i, messages[i], messages[0])
			}
		}
	})
}

// steady returns JSON without the times of an answer, and with sorted keys.
func steady(t *testing.T, answer string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(answer), &fields); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	delete(fields, "timings")
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestBackupMoment: backups during an ingestion and conversations hold one moment each:
// whole documents, and conversations with all their messages.
func TestBackupMoment(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		docs := t.TempDir()
		for i := range 400 {
			write(t, docs, fmt.Sprintf("%d.md", i), fmt.Sprintf("# Pump %d\n\nThe pump stops.\n\n# Valve %d\n\nThe valve closes.\n", i, i))
		}
		_, at := serve(t, env)
		converse(t, at, "first", "What stops?")
		ingest := start(t, env, "ingest", docs)
		ended := make(chan int, 1)
		go func() { ended <- ingest.wait() }()
		for i := 0; ; i++ {
			file := filepath.Join(t.TempDir(), "backup")
			docent(t, env, 0, "backup", file)
			checkMoment(t, file)
			select {
			case code := <-ended:
				if code != 0 {
					t.Fatalf("ingest: status %d\n%s", code, ingest.log)
				}
				docent(t, env, 0, "backup", file)
				if n := checkMoment(t, file); n != 400 {
					t.Errorf("the last backup has %d documents", n)
				}
				return
			default:
				converse(t, at, fmt.Sprint("more", i), "What closes?")
			}
		}
	})
}

// checkMoment checks that all rows of a backup belong together. It returns the number of
// documents.
func checkMoment(t *testing.T, file string) int {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var plain bytes.Buffer
	if _, err := plain.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	type row map[string]any
	tables, name := map[string][]row{}, ""
	var columns []string
	for line := range strings.Lines(plain.String()) {
		var head struct {
			Table   string
			Columns []string
		}
		if strings.HasPrefix(line, "{") {
			if err := json.Unmarshal([]byte(line), &head); err != nil {
				t.Fatal(err)
			}
			name, columns = head.Table, head.Columns
			continue
		}
		var values []any
		if err := json.Unmarshal([]byte(line), &values); err != nil {
			t.Fatal(err)
		}
		fields := row{}
		for i, c := range columns {
			fields[c] = values[i]
		}
		tables[name] = append(tables[name], fields)
	}
	chunks, vectors, newest := map[any]float64{}, map[any]bool{}, map[any]float64{}
	for _, c := range tables["chunk"] {
		chunks[c["document_id"]]++
	}
	for _, v := range tables["embedding"] {
		vectors[v["chunk_id"]] = true
	}
	for _, d := range tables["document"] {
		if chunks[d["id"]] != d["chunks"] || d["chunks"] == 0.0 {
			t.Errorf("the document %v has %v of %v chunks", d["source"], chunks[d["id"]], d["chunks"])
		}
	}
	if len(vectors) != len(tables["chunk"]) {
		t.Errorf("%d of %d chunks have vectors", len(vectors), len(tables["chunk"]))
	}
	for _, m := range tables["chat"] {
		newest[m["session_id"]] = max(newest[m["session_id"]], m["seq"].(float64))
	}
	for _, s := range tables["session"] {
		if newest[s["id"]] > s["seq"].(float64) {
			t.Errorf("the session %v is at %v, and has a message %v", s["session_id"], s["seq"], newest[s["id"]])
		}
	}
	return len(tables["document"])
}
