package sourcetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"docent/ingest/source"
	"docent/internal/fault"
	"docent/internal/storetest"
)

// Store combines the interfaces that store sources.
type Store struct {
	Sources source.Sources
	Items   source.Items
	Leases  source.Leases
}

// Database is an empty database made for one test.
type Database = storetest.Database[Store]

// RunStore runs the suite. fresh makes an empty database for each test.
func RunStore(t *testing.T, fresh func(t *testing.T) Database) {
	storetest.Run(t, fresh, map[string]func(*testing.T, Database){
		"Records":  sourceRecords,
		"Items":    sourceItems,
		"HandOver": sourceHandOver,
		"Leases":   sourceLeases,
		"Stops":    sourceStops,
	})
}

// sourceTime is the current time of these tests.
var sourceTime = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// sourceNamed returns a source with most fields set.
func sourceNamed(name, collection string) source.Record {
	return source.Record{
		Name: name, Kind: "web", Location: "https://x/" + name, Options: map[string]string{"depth": "2", "é": "'"}, Secret: []byte{0, 1, 255},
		Collection: collection, Schedule: "15m", CreatedAt: sourceTime, NextAt: sourceTime,
	}
}

// addSource adds a source and returns its id.
func addSource(t *testing.T, k Store, r source.Record) int64 {
	t.Helper()
	id, err := k.Sources.AddSource(t.Context(), r)
	storetest.OK(t, err)
	return id
}

func sourceRecords(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	a := sourceNamed("b", "default")
	a.ID = addSource(t, k, a)
	b := sourceNamed("a", "other")
	b.Secret, b.Options, b.NextAt, b.Schedule, b.Paused = nil, map[string]string{}, time.Time{}, source.Manual, true
	b.ID = addSource(t, k, b)
	all, err := k.Sources.ListSources(ctx)
	storetest.OK(t, err)
	storetest.Want(t, "sources", all, []source.Record{b, a})
	_, err = k.Sources.AddSource(ctx, sourceNamed("a", "default"))
	storetest.WantKind(t, "a name that is taken", err, fault.Conflict)
	for _, wrong := range []source.Record{{}, {Name: strings.Repeat("x", 9999), Kind: "web", Location: "x", Collection: "x", Schedule: "1h"}} {
		_, err = k.Sources.AddSource(ctx, wrong)
		storetest.WantKind(t, "a wrong source", err, fault.Invalid)
	}
	name, schedule, paused, next := "c", "1h", true, sourceTime.Add(time.Hour)
	storetest.OK(t, k.Sources.ChangeSource(ctx, a.ID, source.Change{Name: &name, Schedule: &schedule, Paused: &paused, NextAt: &next}))
	a.Name, a.Schedule, a.Paused, a.NextAt = name, schedule, paused, next
	got, err := k.Sources.Source(ctx, a.ID)
	storetest.OK(t, err)
	storetest.Want(t, "changed", got, a)
	storetest.OK(t, k.Sources.ChangeSource(ctx, a.ID, source.Change{Name: &name, NextAt: &time.Time{}}))
	a.NextAt = time.Time{}
	got, err = db.Open(t).Sources.Source(ctx, a.ID)
	storetest.OK(t, err)
	storetest.Want(t, "changed again", got, a)
	taken := "a"
	storetest.WantKind(t, "renamed", k.Sources.ChangeSource(ctx, a.ID, source.Change{Name: &taken}), fault.Conflict)
	storetest.WantKind(t, "none changed", k.Sources.ChangeSource(ctx, 999, source.Change{Paused: &paused}), fault.NotFound)
	storetest.OK(t, k.Items.PutSourceItems(ctx, a.ID, []source.ItemRecord{{Key: "k", Status: source.Ready}}))
	storetest.OK(t, k.Sources.RemoveSource(ctx, a.ID))
	storetest.Want(t, "items of a source that is gone", db.Count(t, "source_item"), 0)
	storetest.WantKind(t, "none removed", k.Sources.RemoveSource(ctx, a.ID), fault.NotFound)
	_, err = k.Sources.Source(ctx, a.ID)
	storetest.WantKind(t, "none read", err, fault.NotFound)
}

func sourceItems(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	id := addSource(t, k, sourceNamed("a", "default"))
	items := []source.ItemRecord{
		{Key: "B", Document: "https://x/B", Address: "https://x/B", State: []byte{0, 200}, Status: source.Ready, Owned: true, At: sourceTime},
		{
			Key: "a\n é", Document: "source:1/a", Status: source.Failed, Reason: fault.NewText("test_reason", "damaged: %d", 3), Tries: 2,
			At: sourceTime, State: []byte("x"),
		},
		{
			Key: "c", Document: "source:1/c", Status: source.Unreachable, Reason: fault.NewText("test_other_reason", "timeout"), Tries: 1,
			At: sourceTime,
		},
		{Key: "d", Document: "source:1/d", Status: source.Pending, Owned: true, At: sourceTime},
	}
	storetest.OK(t, k.Items.PutSourceItems(ctx, id, items[:3]))
	items[0].Status, items[0].State, items[0].Owned = source.Unreachable, nil, false
	storetest.OK(t, k.Items.PutSourceItems(ctx, id, []source.ItemRecord{items[0], items[3]}))
	got, err := k.Items.SourceItems(ctx, id)
	storetest.OK(t, err)
	storetest.Want(t, "items", got, items)
	r, err := k.Sources.Source(ctx, id)
	storetest.OK(t, err)
	storetest.Want(t, "counts", []int{r.Items, r.Failed}, []int{4, 3})
	failed, err := k.Items.FailedItems(ctx, id, "", 2)
	storetest.OK(t, err)
	storetest.Want(t, "failures", failed, items[:2])
	failed, err = k.Items.FailedItems(ctx, id, failed[1].Key, 2)
	storetest.OK(t, err)
	storetest.Want(t, "more failures", failed, items[2:3])
	storetest.OK(t, k.Items.RemoveSourceItems(ctx, id, []string{"B", "c", "none"}))
	storetest.OK(t, k.Items.RemoveSourceItems(ctx, id, nil))
	got, err = k.Items.SourceItems(ctx, id)
	storetest.OK(t, err)
	storetest.Want(t, "the rest", got, []source.ItemRecord{items[1], items[3]})
	storetest.WantKind(t, "no source", k.Items.PutSourceItems(ctx, 999, items), fault.NotFound)
	storetest.WantKind(t, "no key", k.Items.PutSourceItems(ctx, id, []source.ItemRecord{{Status: source.Ready}}), fault.Invalid)
	storetest.WantKind(t, "a long key",
		k.Items.PutSourceItems(ctx, id, []source.ItemRecord{{Key: strings.Repeat("k", 5000), Status: source.Ready}}),
		fault.Invalid)
}

func sourceHandOver(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	a, b := addSource(t, k, sourceNamed("a", "one")), addSource(t, k, sourceNamed("b", "one"))
	elsewhere := addSource(t, k, sourceNamed("c", "two"))
	for _, id := range []int64{a, b, elsewhere} {
		items := []source.ItemRecord{{Key: "1", Document: "shared", Status: source.Ready, Owned: id == a, At: sourceTime}}
		if id != b {
			items = append(items, source.ItemRecord{Key: "2", Document: "apart", Status: source.Ready, Owned: true, At: sourceTime})
		}
		storetest.OK(t, k.Items.PutSourceItems(ctx, id, items))
	}
	given, err := k.Items.HandOver(ctx, a, []string{"apart", "shared", "none"})
	storetest.OK(t, err)
	storetest.Want(t, "handed over", given, []string{"shared"})
	for id, owned := range map[int64][]bool{a: {true, true}, b: {true}, elsewhere: {false, true}} {
		items, err := k.Items.SourceItems(ctx, id)
		storetest.OK(t, err)
		var got []bool
		for _, it := range items {
			got = append(got, it.Owned)
		}
		storetest.Want(t, "owners", got, owned)
	}
}

func sourceLeases(t *testing.T, db Database) {
	k, other, ctx := db.Open(t), db.Open(t), t.Context()
	r := sourceNamed("a", "default")
	id := addSource(t, k, r)
	r = sourceNamed("b", "default")
	r.NextAt, r.Paused = sourceTime.Add(-time.Hour), true
	paused := addSource(t, k, r)
	r = sourceNamed("c", "default")
	r.NextAt, r.Schedule = time.Time{}, source.Manual
	manual := addSource(t, k, r)
	due := func(at time.Time, ids ...int64) {
		t.Helper()
		got, err := k.Leases.DueSources(ctx, at)
		storetest.OK(t, err)
		if !slices.Equal(got, ids) {
			t.Fatalf("due are %v, want %v", got, ids)
		}
	}
	due(sourceTime.Add(-time.Second))
	due(sourceTime, id)
	storetest.OK(t, k.Leases.RequestSync(ctx, manual, source.RetryRequest))
	storetest.OK(t, k.Leases.RequestSync(ctx, manual, source.SyncRequest))
	storetest.OK(t, k.Leases.RequestSync(ctx, paused, source.SyncRequest))
	due(sourceTime, manual, paused, id)
	got, err := k.Sources.Source(ctx, manual)
	storetest.OK(t, err)
	storetest.Want(t, "request", got.Requested, source.RetryRequest)

	lease := source.Lease{Owner: "me", Now: sourceTime, Until: sourceTime.Add(time.Minute)}
	start := func(k Store, l source.Lease, begun int) {
		t.Helper()
		got, err := k.Leases.StartSync(ctx, manual, l)
		storetest.OK(t, err)
		storetest.Want(t, "begun", got, begun)
	}
	start(k, lease, 1)
	start(other, source.Lease{Owner: "you", Now: sourceTime.Add(30 * time.Second), Until: sourceTime.Add(2 * time.Minute)}, 0)
	due(sourceTime, paused, id)
	keep := func(l source.Lease, wanted bool) {
		t.Helper()
		has, err := k.Leases.KeepSync(ctx, manual, l, source.Progress{Done: 3, Total: 7})
		storetest.OK(t, err)
		storetest.Want(t, "kept", has, wanted)
	}
	lease.Until = sourceTime.Add(2 * time.Minute)
	keep(lease, true)
	got, err = k.Sources.Source(ctx, manual)
	storetest.OK(t, err)
	storetest.Want(t, "a running sync", []any{got.BusyUntil, got.BusyBy, got.Progress, got.Requested},
		[]any{lease.Until, "me", source.Progress{Done: 3, Total: 7}, source.NoRequest})
	// The lease has expired: another process takes over.
	due(lease.Until, paused, manual, id)
	yours := source.Lease{Owner: "you", Now: lease.Until, Until: lease.Until.Add(time.Minute)}
	start(other, yours, 2)
	keep(lease, false)
	end := &source.End{Last: source.Summary{
		StartedAt: sourceTime, EndedAt: sourceTime.Add(time.Second), Added: 1, Removed: 2,
		Error: "it \x00 broke",
	}, Errors: 2, NextAt: sourceTime.Add(time.Hour)}
	storetest.OK(t, k.Leases.EndSync(ctx, manual, "me", end))
	got, err = k.Sources.Source(ctx, manual)
	storetest.OK(t, err)
	if got.Last != nil || got.BusyUntil.IsZero() {
		t.Fatalf("a lease that was lost ended the sync: %+v", got)
	}
	storetest.OK(t, other.Leases.EndSync(ctx, manual, "you", end))
	got, err = k.Sources.Source(ctx, manual)
	storetest.OK(t, err)
	end.Last.Error = "it   broke"
	storetest.Want(t, "summary", *got.Last, end.Last)
	storetest.Want(t, "ended", []any{got.BusyUntil, got.NextAt, got.Errors}, []any{time.Time{}, end.NextAt, 2})
	start(k, yours, 1)
	storetest.OK(t, k.Leases.EndSync(ctx, manual, "you", nil))
	got, err = k.Sources.Source(ctx, manual)
	storetest.OK(t, err)
	storetest.Want(t, "given back", []any{got.BusyUntil, got.NextAt, got.Last.Added}, []any{time.Time{}, end.NextAt, 1})
	// The clock is set back by a day: the lease of a killed process does not last as long.
	start(k, yours, 1)
	yesterday := sourceTime.Add(-24 * time.Hour)
	due(yesterday, paused, manual)
	start(other, source.Lease{Owner: "me", Now: yesterday, Until: yesterday.Add(time.Minute)}, 2)
	storetest.OK(t, k.Leases.EndSync(ctx, manual, "me", nil))
	_, err = k.Leases.StartSync(ctx, 999, lease)
	storetest.WantKind(t, "no source", err, fault.NotFound)
	storetest.WantKind(t, "no source", k.Leases.RequestSync(ctx, 999, source.SyncRequest), fault.NotFound)
}

// sourceStops counts syncs without an end, until the source is stopped.
func sourceStops(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	id := addSource(t, k, sourceNamed("a", "default"))
	at := func(minute int) time.Time { return sourceTime.Add(time.Duration(minute) * time.Minute) }
	start := func(minute, begun int) {
		t.Helper()
		got, err := k.Leases.StartSync(ctx, id, source.Lease{Owner: "me", Now: at(minute), Until: at(minute + 1)})
		storetest.OK(t, err)
		storetest.Want(t, "begun", got, begun)
	}
	due := func(minute int, ids ...int64) {
		t.Helper()
		got, err := k.Leases.DueSources(ctx, at(minute))
		storetest.OK(t, err)
		if !slices.Equal(got, ids) {
			t.Fatalf("due are %v, want %v", got, ids)
		}
	}
	check := func(begun int, paused bool) {
		t.Helper()
		r, err := k.Sources.Source(ctx, id)
		storetest.OK(t, err)
		storetest.Want(t, "a source", []any{r.Begun, r.Paused, r.Stopped()}, []any{begun, paused, begun > source.MaxBegun})
	}
	start(0, 1)
	start(1, 2)
	storetest.OK(t, k.Leases.EndSync(ctx, id, "me", nil)) // it was canceled
	check(0, false)
	start(2, 1)
	storetest.OK(t, k.Leases.FreeSync(ctx, id, "you"))
	due(2)
	storetest.OK(t, k.Leases.FreeSync(ctx, id, "me"))
	check(1, false)
	due(2, id)
	start(2, 2)
	storetest.OK(t, k.Leases.EndSync(ctx, id, "me", &source.End{NextAt: at(0)}))
	check(0, false)
	for begun := range source.MaxBegun + 1 {
		start(3+begun, begun+1)
	}
	storetest.OK(t, k.Leases.EndSync(ctx, id, "me", &source.End{Last: source.Summary{Error: "it ended docent"}, NextAt: at(0), Stops: true}))
	check(source.MaxBegun+1, true)
	storetest.OK(t, k.Leases.RequestSync(ctx, id, source.SyncRequest))
	due(9)
	name, paused := "b", true
	storetest.OK(t, k.Sources.ChangeSource(ctx, id, source.Change{Name: &name, Paused: &paused}))
	check(source.MaxBegun+1, true)
	paused = false
	storetest.OK(t, k.Sources.ChangeSource(ctx, id, source.Change{Paused: &paused}))
	check(0, false)
	due(9, id)
}
