package sqlite_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/ingest/intake"
	"docent/store/sqlite"
)

// writeEnv makes a test process write to the database with that path until it
// is killed. The process prints a line for each commit.
const writeEnv = "DOCENT_SQLITE_WRITE"

// TestProcesses ingests from two processes and kills the other one repeatedly.
// Reported commits survive, and no document is stored in part.
func TestProcesses(t *testing.T) {
	if path := os.Getenv(writeEnv); path != "" {
		write(t, path)
		return
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, sqlite.Config{Path: path})
	changed, err := s.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stored, _, err := s.OpenSession(t.Context(), journal.SessionRecord{Key: journal.SessionKey{Agent: "a", ID: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	for round := range 4 {
		committed := runWriter(t, path, 5+7*round, func(n int) {
			if _, err := s.Receive(t.Context(), journal.Incoming{Session: stored.RowID, ClientID: fmt.Sprintf("%d-%d", round, n), Content: []byte(`"x"`)}); err != nil {
				t.Error(err)
			}
		})
		select {
		case <-changed:
		case <-time.After(30 * time.Second):
			t.Fatal("the other process' documents were not noticed")
		}
		found := 0
		for c, err := range s.Changes(t.Context(), 0, "e") {
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Chunks) != c.Document.Chunks || len(c.Chunks) == 0 || c.Vectors[len(c.Chunks)-1] == nil {
				t.Errorf("%s has %d chunks of %d", c.Document.Source, len(c.Chunks), c.Document.Chunks)
			}
			found++
		}
		if found < committed {
			t.Fatalf("%d documents are found, the process had committed %d", found, committed)
		}
	}
	var check string
	if err := bare(t, path).QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&check); err != nil || check != "ok" {
		t.Errorf("integrity: %s, %v", check, err)
	}
}

// runWriter starts the other process and calls meanwhile after each of its
// commits. It kills the process after some commits and returns the number of
// documents that the process reported.
func runWriter(t *testing.T, path string, commits int, meanwhile func(n int)) (documents int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcesses$")
	cmd.Env = append(os.Environ(), writeEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; n < commits && lines.Scan(); n++ {
		if _, err := fmt.Sscanf(lines.Text(), "committed %d", &documents); err != nil {
			t.Errorf("the process says %q", lines.Text())
			break
		}
		meanwhile(n)
	}
	_ = cmd.Process.Kill()
	for lines.Scan() { // lines from before the kill
		_, _ = fmt.Sscanf(lines.Text(), "committed %d", &documents)
	}
	_ = cmd.Wait()
	if documents == 0 {
		t.Fatal("the process committed nothing")
	}
	return documents
}

// write adds and replaces documents until the process is killed.
func write(t *testing.T, path string) {
	s := open(t, sqlite.Config{Path: path})
	for n := 0; ; n++ {
		var puts []intake.Put
		for i := range 5 {
			p := document(fmt.Sprintf("/%d", (n*3+i)%40))
			for range n % 7 {
				p.Chunks, p.Vectors = append(p.Chunks, p.Chunks[0]), append(p.Vectors, p.Vectors[0])
			}
			puts = append(puts, p)
		}
		if _, err := s.PutDocuments(t.Context(), puts); err != nil {
			t.Fatal(err)
		}
		documents, err := s.Count(t.Context(), "document")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Println("committed", documents); err != nil {
			return // the reader has ended
		}
	}
}
