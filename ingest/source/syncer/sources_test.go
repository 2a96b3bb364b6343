package syncer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/ingest/source"
	"docent/ingest/source/syncer"
	"docent/internal/fault"
)

// patience bounds the wait for background work.
const patience = 30 * time.Second

// until waits for a condition and checks it at each tick of the clock.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("it never came true: %s", what)
		}
	}
}

// run runs the manager until the test ends.
func (w *world) run() {
	ctx, cancel := context.WithCancel(w.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.m.Run(ctx); err != nil {
			w.Error(err)
		}
	})
	w.Cleanup(func() { cancel(); running.Wait() })
}

func (w *world) get(id int64) source.Record {
	w.Helper()
	r, err := w.m.Get(w.Context(), id)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.places["p"], w.places["q"] = newPlace("a", "text a"), newPlace("b", "text b")
	w.places["p"].watching, w.places["q"].watching = make(chan func(), 9), make(chan func(), 9)
	w.run()
	r, err := w.m.Add(t.Context(), source.New{Kind: "place", Location: "p", Schedule: "1s"})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "a new source is synced", func() bool { return w.documents() == "https://x/a" })
	w.places["p"].set("a2", "text a2")
	until(t, "it is synced again on its schedule", func() bool { return w.documents() == "https://x/a https://x/a2" })
	r = w.get(r.ID)
	if wait := r.NextAt.Sub(r.Last.EndedAt); wait < 900*time.Millisecond || wait > 1100*time.Millisecond {
		t.Errorf("the next sync is %v later", wait)
	}
	// A failed source shows its error, and its next sync is later than scheduled.
	w.places["p"].mu.Lock()
	w.places["p"].listErr = fault.New(fault.Unavailable, "test_sentence", "the server went away")
	w.places["p"].mu.Unlock()
	until(t, "a failure is noted", func() bool { return w.get(r.ID).Errors > 0 })
	r = w.get(r.ID)
	if r.Last.Error != "the server went away" || r.NextAt.Sub(r.Last.EndedAt) < 50*time.Second {
		t.Errorf("after a failure: %+v, next at %v", r.Last, r.NextAt)
	}
	// A watched source reads a change long before its scheduled sync.
	q, err := w.m.Add(t.Context(), source.New{Kind: "place", Location: "q", Schedule: "24h"})
	if err != nil {
		t.Fatal(err)
	}
	changed := <-w.places["q"].watching
	until(t, "a watched source is synced, also after the first call of changed", func() bool {
		r := w.get(q.ID)
		return r.Last != nil && r.Requested == source.NoRequest && r.BusyUntil.IsZero()
	})
	w.places["q"].set("b", "other text")
	before := w.state()
	changed()
	until(t, "a change is read", func() bool { return w.state() != before && w.get(q.ID).BusyUntil.IsZero() })
	// A user requests a sync.
	manual := w.add("r", newPlace("c", "text c"))
	if err := w.m.Request(t.Context(), manual, false); err != nil {
		t.Fatal(err)
	}
	until(t, "a source is synced that somebody asks for", func() bool { return strings.Contains(w.documents(), "https://x/c") })
	if r := w.get(manual); !r.NextAt.IsZero() {
		t.Errorf("a manual source is due at %v", r.NextAt)
	}
}

func TestOneSyncAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newPlace("a", "text a", "b", "text b")
	entered, leave := make(chan struct{}), make(chan struct{})
	var once sync.Once
	p.onList = func(context.Context) { once.Do(func() { close(entered); <-leave }) }
	id := w.add("p", p)
	var running sync.WaitGroup
	running.Go(func() { w.sync(id, "+2 ~0 =0 -0 !0") })
	<-entered
	if _, err := w.m.Sync(t.Context(), id, false, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a second sync says %v", err)
	}
	if r := w.get(id); r.BusyUntil.IsZero() {
		t.Error("a running sync does not show")
	}
	close(leave)
	running.Wait()
	// Removing a source ends its sync.
	entered = make(chan struct{})
	enter := sync.OnceFunc(func() { close(entered) })
	p.onList = func(ctx context.Context) { enter(); <-ctx.Done() }
	p.set("c", "text c")
	running.Go(func() {
		if _, err := w.m.Sync(t.Context(), id, false, nil); err == nil {
			t.Error("the sync of a removed source succeeds")
		}
	})
	<-entered
	if err := w.m.Remove(t.Context(), id, false); err != nil {
		t.Error(err)
	}
	running.Wait()
	w.wantDocuments("")
}

func TestAdd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.places["p"] = newPlace()
	good := source.New{Kind: "place", Location: "p", Options: map[string]string{"depth": "2"}, Secret: map[string]string{"token": "very secret"}}
	r, err := w.m.Add(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "p" || r.Schedule != "24h" || r.Collection != "default" || r.NextAt.IsZero() || bytes.Contains(r.Secret, []byte("secret")) || len(r.Secret) == 0 {
		t.Errorf("added is %+v", r)
	}
	if s := w.settings[0]; !maps.Equal(s.Options, map[string]string{"depth": "2", "token": "very secret"}) {
		t.Errorf("it was opened with %+v", s)
	}
	if r, err = w.m.Add(t.Context(), good); err != nil || r.Name != "p (2)" {
		t.Errorf("the second is %+v, %v", r, err)
	}
	for want, change := range map[string]func(n *source.New){
		"no kind of source":            func(n *source.New) { n.Kind = "x" },
		"1 to 4096 bytes":              func(n *source.New) { n.Location = "" },
		"no place":                     func(n *source.New) { n.Location = "x" },
		"no option":                    func(n *source.New) { n.Options = map[string]string{"x": "1"} },
		"is a secret":                  func(n *source.New) { n.Options = map[string]string{"token": "1"} },
		"is not a secret":              func(n *source.New) { n.Secret = map[string]string{"depth": "1"} },
		"neither manual nor":           func(n *source.New) { n.Schedule = "soon" },
		"is too short":                 func(n *source.New) { n.Kind, n.Schedule, n.Options, n.Secret = "disk", "59s", nil, nil },
		"--secret-env":                 func(n *source.New) { n.Kind, n.Options, n.Secret = "locked", nil, nil },
		"name of a source":             func(n *source.New) { n.Name = " x" },
		"already":                      func(n *source.New) { n.Name = "p" },
		"runs a program on the server": func(n *source.New) { n.Kind, n.Remote = "disk", true },
	} {
		n := good
		change(&n)
		if _, err := w.m.Add(t.Context(), n); err == nil || !strings.Contains(fault.Message(err), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	slow, err := w.m.Add(t.Context(), source.New{Kind: "disk", Location: "p", Schedule: "1m"})
	if err != nil {
		t.Fatal(err)
	}
	short := "1s"
	if _, err := w.m.Change(t.Context(), slow.ID, source.Patch{Schedule: &short}); err == nil || !strings.Contains(fault.Message(err), "is too short") {
		t.Errorf("a schedule of a second: %v", err)
	}
	name, schedule, paused := "new", "1h", true
	r, err = w.m.Change(t.Context(), r.ID, source.Patch{Name: &name, Schedule: &schedule, Paused: &paused})
	if err != nil || r.Name != name || r.Schedule != schedule || !r.Paused {
		t.Errorf("changed is %+v, %v", r, err)
	}
	schedule = source.Manual
	if r, err = w.m.Change(t.Context(), r.ID, source.Patch{Schedule: &schedule}); err != nil || !r.NextAt.IsZero() {
		t.Errorf("a manual source is due at %v, %v", r.NextAt, err)
	}
}

func TestVault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.places["p"] = newPlace("a", "text a")
	r, err := w.m.Add(t.Context(), source.New{Kind: "place", Location: "p", Schedule: source.Manual, Secret: map[string]string{"token": "very secret"}})
	if err != nil {
		t.Fatal(err)
	}
	manager := func(file, key string) *syncer.Manager {
		t.Helper()
		vault, err := syncer.NewVault(file, key)
		if err != nil {
			t.Fatal(err)
		}
		m, err := syncer.NewManager(syncer.Config{
			Sources: w.db, Items: w.db, Leases: w.db, Ingester: w.ingester,
			Documents: w.db, Vault: vault, Kinds: w.m.Kinds(),
		})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	dir := t.TempDir()
	for name, m := range map[string]*syncer.Manager{
		"no key":      manager(filepath.Join(dir, "none"), ""),
		"another key": manager("", strings.Repeat("ab", 32)),
	} {
		if _, err := m.Sync(t.Context(), r.ID, false, nil); err == nil || !strings.Contains(err.Error(), "cannot be decrypted") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("reading makes a key")
	}
	for _, key := range []string{"short", strings.Repeat("x", 64)} {
		if _, err := syncer.NewVault("", key); fault.KindOf(err) != fault.Invalid {
			t.Errorf("key %s: %v", key, err)
		}
	}
	// Many goroutines make the key at the same time, and all use the same key.
	file := filepath.Join(dir, "sub", "secret.key")
	var adding sync.WaitGroup
	for i := range 8 {
		m := manager(file, "")
		adding.Go(func() {
			if _, err := m.Add(t.Context(), source.New{Kind: "place", Location: "p", Name: fmt.Sprint("many ", i), Schedule: source.Manual, Secret: map[string]string{"token": "x"}}); err != nil {
				t.Error(err)
			}
		})
	}
	adding.Wait()
	all, err := w.m.List(t.Context())
	if err != nil || len(all) != 9 {
		t.Fatalf("%d sources, %v", len(all), err)
	}
	m := manager(file, "")
	for _, r := range all {
		if !strings.HasPrefix(r.Name, "many") {
			continue
		}
		if _, err := m.Sync(t.Context(), r.ID, false, nil); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key has mode %v, %v", info.Mode(), err)
	}
}

// TestLostLease: after another process has taken over, a sync stores nothing and
// removes nothing, even before it has looked at its lease.
func TestLostLease(t *testing.T) {
	t.Parallel()
	for _, removes := range []bool{false, true} {
		w := newWorld(t)
		p := newPlace("a", "text a", "b", "text b")
		id := w.add("p", p)
		w.sync(id, "+2 ~0 =0 -0 !0")
		before := w.state()
		p.set("a", "a new text")
		p.set("b", "")
		if removes {
			p.set("a", "text a")
		}
		var once sync.Once
		p.onList = func(context.Context) {
			once.Do(func() {
				at := time.Now().Add(time.Hour) // the lease has expired
				taken, err := w.db.StartSync(t.Context(), id, source.Lease{Owner: "another", Now: at, Until: at.Add(time.Minute)})
				if err != nil || taken == 0 {
					t.Errorf("the other process: %v %v", taken, err)
				}
			})
		}
		_, err := w.m.Sync(t.Context(), id, false, nil)
		if !errors.Is(err, source.ErrLost) {
			t.Errorf("the sync ended with %v", err)
		}
		if after := w.state(); after != before {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
	}
}

// TestStopped: a source is paused if the processes of its last two syncs were killed.
func TestStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newPlace("a", "text a")
	id := w.add("p", p)
	killed := func(minutes int) {
		t.Helper()
		at := time.Now().Add(time.Duration(minutes-60) * time.Minute)
		begun, err := w.db.StartSync(t.Context(), id, source.Lease{Owner: "killed", Now: at, Until: at.Add(time.Minute)})
		if err != nil || begun == 0 {
			t.Fatal(begun, err)
		}
	}
	killed(1)
	w.sync(id, "+1 ~0 =0 -0 !0") // once may be an accident
	killed(2)
	killed(3)
	p.set("a", "a new text")
	stopped := fault.Message(syncer.ErrStopped)
	for range 2 {
		w.sync(id, "+0 ~0 =0 -0 !0 "+stopped)
	}
	if err := w.m.Request(t.Context(), id, false); !errors.Is(err, syncer.ErrStopped) {
		t.Errorf("a request: %v", err)
	}
	r, err := w.m.Get(t.Context(), id)
	if err != nil || !r.Stopped() || !r.Paused || r.Last.Error != stopped || !r.BusyUntil.IsZero() || p.opened != 1 {
		t.Errorf("the source is %+v, %v, and %d items were opened", r, err, p.opened)
	}
	paused := false
	if r, err = w.m.Change(t.Context(), id, source.Patch{Paused: &paused}); err != nil || r.Stopped() || r.Paused {
		t.Errorf("the source is %+v, %v", r, err)
	}
	killed(4)
	w.sync(id, "+0 ~1 =0 -0 !0")
	killed(5)
	killed(6)
	if err := w.m.Remove(t.Context(), id, false); err != nil {
		t.Error(err)
	}
}
