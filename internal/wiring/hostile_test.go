//go:build linux && soak

package wiring

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"docent/config"
	"docent/ingest/source"
	"docent/ingest/source/syncer"
)

// attack is a source at a hostile server.
type attack struct {
	kind, name string
	// at is the rest of the address, behind that of the server.
	at      string
	options map[string]string
	secret  map[string]string
	// serve answers requests. start, which is for other protocols, returns an address.
	serve http.HandlerFunc
	start func(t *testing.T, asked *atomic.Int64) string
	// want is the id of the reason of the sync, or several with "|" between them, and item that of each item, which must
	// fail. Without both, the sync only has to end.
	want, item string
	// most is the largest number of items that the source may keep.
	most int
}

// maxProcess bounds the memory of the process of a source, and maxServer that of this one,
// which also has the hostile servers. Together they have at most 1.5 GB.
const (
	maxProcess = 640 << 20
	maxServer  = 860 << 20
)

// hostile is a docent with its database and its sources.
type hostile struct {
	*testing.T
	parts
	readers *Readers
	manager *syncer.Manager
}

// openHostile opens a database folder.
func openHostile(t *testing.T, folder string) *hostile {
	t.Helper()
	cfg := config.Config{Data: folder, Encoder: config.EncoderOff}
	cfg.Sources.Private = true
	h := &hostile{T: t, parts: openParts(t, cfg)}
	var err error
	if h.readers, err = OpenReaders(h.Store, h.Embedders); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.readers.Close(context.WithoutCancel(t.Context())) })
	if h.manager, err = OpenSources(h.Store, h.readers); err != nil {
		t.Fatal(err)
	}
	return h
}

// TestSoakHostileServers syncs a source of every kind with servers that answer without an end,
// packed, deep, slowly, or with wrong sizes. Each sync ends with a reason. A restart
// repeats none of them, and the memory stays bounded. Each kind can run alone, as in
// -run TestSoakHostileServers/s3.
func TestSoakHostileServers(t *testing.T) {
	all := map[string][]attack{}
	for _, a := range slices.Concat(webAttacks(), feedAttacks(), davAttacks(), s3Attacks(), gitAttacks(), imapAttacks(t), wikiAttacks(),
		forgeAttacks(), singerAttacks(), folderAttacks()) {
		all[a.kind] = append(all[a.kind], a)
	}
	for _, k := range openHostile(t, t.TempDir()).manager.Kinds() {
		if len(all[k.Name]) == 0 {
			t.Errorf("the kind %s has no hostile server", k.Name)
		}
		t.Run(k.Name, func(t *testing.T) { attackAll(t, all[k.Name]) })
	}
	var children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		t.Fatal(err)
	}
	largest, ours := children.Maxrss<<10, peakMemory(t)
	t.Logf("the largest process had %d MiB, this one %d MiB", largest>>20, ours>>20)
	if largest > maxProcess || ours > maxServer {
		t.Errorf("the largest process of a source had %d MiB, and this one %d MiB", largest>>20, ours>>20)
	}
}

// attackAll syncs sources of one kind, several at once, and starts docent again.
func attackAll(t *testing.T, all []attack) {
	folder := t.TempDir()
	h := openHostile(t, folder)
	asked := make([]atomic.Int64, len(all))
	t.Run("sync", func(t *testing.T) {
		for i, a := range all {
			t.Run(a.name, func(t *testing.T) {
				t.Parallel()
				h.attack(t, a, &asked[i])
			})
		}
	})
	h.restart(folder, asked)
}

// attack adds a source, syncs it, and compares the result.
func (h *hostile) attack(t *testing.T, a attack, asked *atomic.Int64) {
	address := ""
	if a.start != nil {
		address = a.start(t, asked)
	} else {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			a.serve(w, r)
		}))
		t.Cleanup(server.Close)
		address = server.URL + a.at
	}
	r, err := h.manager.Add(t.Context(), source.New{
		Kind: a.kind, Name: a.kind + " " + a.name, Location: address, Options: a.options, Secret: a.secret, Schedule: "1h",
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = h.manager.Sync(t.Context(), r.ID, false, nil) // the record has the error
	if r, err = h.manager.Get(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	if r.Last == nil || r.Begun != 0 || !r.BusyUntil.IsZero() || !r.NextAt.After(r.Last.EndedAt) {
		t.Fatalf("the sync has no end: %+v", r)
	}
	reason := ""
	if r.Last.Sentence != nil {
		reason = r.Last.Sentence.ID
	}
	if !slices.Contains(strings.Split(a.want, "|"), reason) && (a.want != "" || a.item != "") || a.want != "" && r.Last.Error == "" {
		t.Errorf("the sync ended with %q: %s", reason, r.Last.Error)
	}
	failed, err := h.manager.Failures(t.Context(), r.ID, "", 500)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range failed {
		if a.item != "" && one.Reason.ID != a.item {
			t.Errorf("%s failed with %q: %s", one.Key, one.Reason.ID, one.Reason.Message)
		}
	}
	if a.item != "" && len(failed) == 0 {
		t.Error("no item failed")
	}
	if ready := r.Items - r.Failed; ready > a.most {
		t.Errorf("%d items are kept", ready)
	}
}

// restart opens the database again, and runs it until another source is synced. No source
// of a hostile server is due.
func (h *hostile) restart(folder string, asked []atomic.Int64) {
	h.Helper()
	before := make([]int64, len(asked))
	for i := range asked {
		before[i] = asked[i].Load()
	}
	again := openHostile(h.T, folder)
	friendly := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>Pumps</title><p>The pump is in the cellar."))
	}))
	h.Cleanup(friendly.Close)
	r, err := again.manager.Add(h.Context(), source.New{Kind: "web", Location: friendly.URL + "/pump"})
	if err != nil {
		h.Fatal(err)
	}
	ctx, cancel := context.WithCancel(h.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := again.manager.Run(ctx); err != nil {
			h.Error(err)
		}
	})
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for r.Last == nil {
		<-tick.C
		if r, err = again.manager.Get(h.Context(), r.ID); err != nil {
			h.Error(err)
			break
		}
	}
	cancel()
	running.Wait()
	if r.Last != nil && (r.Last.Error != "" || r.Last.Added != 1) {
		h.Errorf("the friendly source: %+v", r.Last)
	}
	for i := range asked {
		if now := asked[i].Load(); now != before[i] {
			h.Errorf("source %d was asked %d times after the restart", i, now-before[i])
		}
	}
}

var peak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory returns the most memory that this process had, in bytes.
func peakMemory(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	m := peak.FindSubmatch(status)
	if m == nil {
		t.Fatalf("no VmHWM in %s", status)
	}
	kilobytes, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// singerAttacks are taps.
func singerAttacks() []attack {
	const catalog = `if [ "$3" = --discover ]; then echo '{"streams": [{"stream": "s", "tap_stream_id": "s", "schema": {"properties": {"id": {}}}}]}'; exit; fi` + "\n"
	tap := func(script string) func(t *testing.T, asked *atomic.Int64) string {
		return func(t *testing.T, _ *atomic.Int64) string {
			t.Helper()
			at := filepath.Join(t.TempDir(), "tap-test")
			if err := os.WriteFile(at, []byte("#!/bin/sh\n"+catalog+script), 0o700); err != nil { //nolint:gosec // it is run
				t.Fatal(err)
			}
			return at
		}
	}
	config := map[string]string{"config": "{}"}
	record := `{"type": "RECORD", "stream": "s", "record": {"id": "1", "title": "a"}}`
	return []attack{
		{kind: "singer", name: "endless", secret: config, options: map[string]string{"max_records": "1000"}, want: "tap_too_many_records", start: tap("yes '" + record + "'")},
		{kind: "singer", name: "deep", secret: config, want: "tap_output_invalid", start: tap(`echo '{"type": "RECORD", "stream": "s", "record": ` + strings.Repeat("[", 20_000) + `'`)},
		{kind: "singer", name: "fails", secret: config, want: "tap_failed", start: tap("exit 3")},
	}
}

// folderAttacks are folders with files that have no end, or are no files.
func folderAttacks() []attack {
	return []attack{{kind: "folder", name: "odd files", start: func(t *testing.T, _ *atomic.Int64) string {
		t.Helper()
		dir := t.TempDir()
		for _, err := range []error{
			syscall.Mkfifo(filepath.Join(dir, "pipe.txt"), 0o600),
			os.Symlink(dir, filepath.Join(dir, "loop")),
			os.Symlink("/dev/zero", filepath.Join(dir, "zero.txt")),
			os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", 300)), 0o700),
			os.WriteFile(filepath.Join(dir, "sparse.txt"), nil, 0o600),
			os.Truncate(filepath.Join(dir, "sparse.txt"), 1<<40),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}}}
}
