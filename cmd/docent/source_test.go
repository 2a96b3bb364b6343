package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docent/rag/text"
)

// TestSyncSurvivesKills kills syncs of a folder three times and then lets one
// finish. The soak test kills more of them.
func TestSyncSurvivesKills(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) { killSync(t, env, 20, 3) })
}

// sourceTimes matches the times, which differ between two databases with the
// same content.
var sourceTimes = regexp.MustCompile(`"(created_at|next_sync_at|last_sync)":("[^"]*"|\{[^}]*\}|null),?`)

// killSync starts syncs and kills each with SIGKILL, at random moments. Files are
// added, changed, and deleted meanwhile. It lets the last sync finish and compares its
// database with that of a fresh sync.
func killSync(t *testing.T, env []string, files, kills int) {
	t.Helper()
	docs := writeDocs(t, files)
	docent(t, env, 0, "source", "add", "folder", docs, "--name", "docs", "--every", "manual")
	random := rand.New(rand.NewPCG(2, uint64(kills)))
	killed := 0
	for round := range kills {
		for range 5 {
			file := filepath.Join(docs, fmt.Sprintf("extra-%d.md", random.IntN(files)))
			if random.IntN(3) == 0 {
				if err := os.RemoveAll(file); err != nil {
					t.Fatal(err)
				}
			} else {
				write(t, docs, filepath.Base(file), fmt.Sprintf("# Extra\n\nText %d of round %d.\n", random.IntN(9), round))
			}
		}
		p := start(t, env, "source", "sync", "docs")
		select {
		case <-killAfter(random, files):
			if err := p.cmd.Process.Kill(); err == nil {
				killed++
			}
		case <-p.done:
		}
		p.wait()
		docent(t, env, 0, "source", "resume", "docs") // two kills in a row pause it
	}
	t.Logf("killed %d of %d", killed, kills)
	docent(t, env, 0, "source", "sync", "docs")
	fresh := []string{"DOCENT_DATA=" + dataFolder(t)}
	docent(t, fresh, 0, "source", "add", "folder", docs, "--name", "docs", "--every", "manual")
	docent(t, fresh, 0, "source", "sync")
	list := func(env []string) string {
		return sourceTimes.ReplaceAllString(docent(t, env, 0, "source", "ls", "--json"), "")
	}
	if a, b := list(fresh), list(env); a != b {
		t.Errorf("undisturbed:\n%s\nkilled %d times:\n%s", a, killed, b)
	}
	if a, b := state(t, fresh), state(t, env); a != b {
		t.Errorf("undisturbed:\n%s\nkilled %d times:\n%s", text.Shorten(a, 4000), killed, text.Shorten(b, 4000))
	}
	// Removing the source removes all documents that it added.
	docent(t, env, 0, "source", "rm", "docs")
	if out := docent(t, env, 0, "docs", "ls", "--json"); out != "" {
		t.Errorf("documents are left:\n%s", text.Shorten(out, 1000))
	}
}

// TestSourceIsServed adds a folder while a server runs: docent adds, changes,
// and removes its documents without another command.
func TestSourceIsServed(t *testing.T) {
	t.Parallel()
	env, docs := []string{"DOCENT_DATA=" + dataFolder(t)}, t.TempDir()
	write(t, docs, "pump.md", "# Pump\n\nThe pump runs at 40 bar.\n", "valve.md", "# Valve\n\nThe valve opens at 3 bar.\n")
	p, url := serve(t, env)
	docent(t, env, 0, "source", "add", "folder", docs, "--name", "docs")
	sources := func() string {
		var got struct {
			Documents []struct{ Source, SHA256 string }
		}
		getJSON(t, url+"/api/documents?sort=title", &got)
		var names []string
		for _, d := range got.Documents {
			names = append(names, filepath.Base(d.Source)+"="+d.SHA256[:4])
		}
		return strings.Join(names, " ")
	}
	eventually(t, "the folder is read", func() bool { return strings.Count(sources(), "=") == 2 })
	first := sources()
	write(t, docs, "pump.md", "# Pump\n\nThe pump runs at 60 bar.\n", "new/deep/motor.md", "# Motor\n\nThe motor has 5 kW.\n")
	eventually(t, "a change is read", func() bool { s := sources(); return strings.Count(s, "=") == 3 && !strings.Contains(s, first[:12]) })
	write(t, docs, "new/deep/gear.md", "# Gear\n\nThe gear has 20 teeth.\n")
	eventually(t, "a file in a new folder is read", func() bool { return strings.Count(sources(), "=") == 4 })
	if err := os.Remove(filepath.Join(docs, "valve.md")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a deleted file is removed", func() bool { return !strings.Contains(sources(), "valve") })
	var kinds struct {
		Kinds []struct {
			Kind    string
			Options []struct{ Choices []string }
		}
	}
	getJSON(t, url+"/api/source-kinds", &kinds)
	if len(kinds.Kinds) < 2 || kinds.Kinds[0].Kind != "folder" || len(kinds.Kinds[1].Options[0].Choices) != 3 {
		t.Errorf("kinds are %+v", kinds)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/sources", strings.NewReader(`{"kind":"folder","location":"/etc"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Body.Close(); resp.StatusCode != http.StatusForbidden {
		t.Errorf("a folder was added over the network: %s", resp.Status)
	}
	p.cmd.Process.Signal(os.Interrupt) //nolint:errcheck // wait says it
	if code := p.wait(); code != 0 {
		t.Errorf("the server ended with %d\n%s", code, p.log)
	}
}

// TestIngestWatch has ingest follow a folder.
func TestIngestWatch(t *testing.T) {
	t.Parallel()
	env, docs := []string{"DOCENT_DATA=" + dataFolder(t)}, t.TempDir()
	write(t, docs, "pump.md", "# Pump\n\nThe pump runs at 40 bar.\n", "valve.md", "# Valve\n\nThe valve opens at 3 bar.\n", ".docentignore", "secret*\n")
	p := start(t, env, "ingest", "--watch", docs)
	p.out.line(t, "2 added")
	p.log.line(t, "watching")
	file := func(name string) string { return filepath.Join(docs, name) }
	write(t, docs, "secret.md", "# Secret\n\nNobody reads this.\n", "sub/motor.md", "# Motor\n\nThe motor has 5 kW.\n")
	p.out.line(t, "added: "+file("sub/motor.md"))
	write(t, docs, "pump.md", "# Pump\n\nThe pump runs at 6000 bar.\n")
	p.out.line(t, "changed: "+file("pump.md"))
	if err := os.Remove(file("valve.md")); err != nil {
		t.Fatal(err)
	}
	p.out.line(t, "removed: "+file("valve.md"))
	if err := os.RemoveAll(file("sub")); err != nil {
		t.Fatal(err)
	}
	p.out.line(t, "removed: "+file("sub/motor.md"))
	p.cmd.Process.Signal(os.Interrupt) //nolint:errcheck // wait says it
	if code := p.wait(); code != 0 {
		t.Errorf("it ended with %d\n%s", code, p.log)
	}
	if out := docent(t, env, 0, "docs", "ls", "--json"); strings.Count(out, "\n") != 1 || !strings.Contains(out, "pump.md") {
		t.Errorf("the documents are\n%s", out)
	}
	docent(t, env, 2, "ingest", "--watch", "-")
}

// TestWatchKeepsVanishedFolders removes the watched folder itself, as an
// unmounted disk does. Its documents stay.
func TestWatchKeepsVanishedFolders(t *testing.T) {
	t.Parallel()
	env, parent := []string{"DOCENT_DATA=" + dataFolder(t)}, t.TempDir()
	docs, away := filepath.Join(parent, "disk", "docs"), filepath.Join(parent, "away")
	write(t, docs, "pump.md", "# Pump\n\nThe pump runs at 40 bar.\n", "sub/valve.md", "# Valve\n\nThe valve opens at 3 bar.\n")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	documents := func(want int) {
		t.Helper()
		if out := docent(t, env, 0, "docs", "ls", "--json"); strings.Count(out, "\n") != want {
			t.Errorf("want %d documents:\n%s", want, out)
		}
	}
	p := start(t, env, "ingest", "--watch", docs)
	p.log.line(t, "watching")
	must(os.Rename(docs, away))
	p.log.line(t, "docent: the watched folder "+docs+" cannot be read (there is no file or folder at this path")
	documents(2)
	must(os.Rename(away, docs))
	write(t, docs, "motor.md", "# Motor\n\nThe motor has 5 kW.\n")
	p.out.line(t, "added: "+filepath.Join(docs, "motor.md"))
	documents(3)
	must(os.Rename(docs, away))
	must(os.Mkdir(docs, 0o755)) // as the mount point of an unmounted disk
	must(os.Rename(filepath.Dir(docs), filepath.Join(parent, "disk2")))
	write(t, docs, "gear.md", "# Gear\n\nThe gear has 20 teeth.\n") // it is the folder now
	p.out.line(t, "removed: "+filepath.Join(docs, "sub/valve.md"))
	documents(1)
	p.cmd.Process.Signal(os.Interrupt) //nolint:errcheck // wait says it
	if code := p.wait(); code != 0 {
		t.Errorf("it ended with %d\n%s", code, p.log)
	}
	must(os.Remove(filepath.Join(docs, "gear.md")))
	docent(t, env, 3, "ingest", "--watch", docs)
	must(os.Remove(docs))
	docent(t, env, 3, "ingest", "--watch", docs)
	documents(1)
}
