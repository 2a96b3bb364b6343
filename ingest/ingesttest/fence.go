package ingesttest

import (
	"context"
	"errors"
	"testing"
	"time"

	"docent/ingest/intake"
	"docent/ingest/source"
	"docent/internal/fault"
	"docent/internal/storetest"
)

// ingestFence: a sync that has lost its lease writes neither items nor documents.
func ingestFence(t *testing.T, db Database) {
	mine, yours, ctx := db.Open(t), db.Open(t), t.Context()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	id, err := mine.SourceRecords.AddSource(ctx, source.Record{
		Name: "a", Kind: "folder", Location: "/a", Collection: "default", Schedule: "15m", CreatedAt: now,
	})
	storetest.OK(t, err)
	start := func(k Store, owner string, at time.Time) context.Context {
		t.Helper()
		begun, err := k.SourceLeases.StartSync(ctx, id, source.Lease{Owner: owner, Now: at, Until: at.Add(time.Minute)})
		storetest.OK(t, err)
		storetest.Want(t, "has a lease", begun > 0, true)
		return source.WithFence(ctx, source.Fence{Source: id, Owner: owner})
	}
	item := func(state string) []source.ItemRecord {
		return []source.ItemRecord{{Key: "1", Document: "d", State: []byte(state), Status: source.Ready, Owned: true, At: now}}
	}
	document := func(word string) []intake.Put { return []intake.Put{put("d", word, 1)} }
	first := start(mine, "me", now)
	_, err = mine.PutDocuments(first, document("old"))
	storetest.OK(t, err)
	storetest.OK(t, mine.SourceItems.PutSourceItems(first, id, item("old")))
	second := start(yours, "you", now.Add(time.Minute)) // the lease has expired
	ids, err := yours.PutDocuments(second, document("new"))
	storetest.OK(t, err)
	storetest.OK(t, yours.SourceItems.PutSourceItems(second, id, item("new")))

	lost := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, source.ErrLost) {
			t.Errorf("%s after the loss of the lease: %v", what, err)
		}
	}
	_, err = mine.PutDocuments(first, document("stale"))
	lost("a document", err)
	_, err = mine.RemoveDocuments(first, ids)
	lost("the removal of a document", err)
	lost("an item", mine.SourceItems.PutSourceItems(first, id, item("stale")))
	lost("the removal of an item", mine.SourceItems.RemoveSourceItems(first, id, []string{"1"}))
	_, err = mine.SourceItems.HandOver(first, id, []string{"d"})
	lost("a handover", err)
	items, err := yours.SourceItems.SourceItems(ctx, id)
	storetest.OK(t, err)
	storetest.Want(t, "items", items, item("new"))
	states, err := yours.Sources(ctx, "default", "e", "")
	storetest.OK(t, err)
	storetest.Want(t, "documents", []any{len(states), states[0].SHA256}, []any{1, sum("new")})

	gone, err := yours.RemoveDocuments(second, ids)
	storetest.OK(t, err)
	storetest.Want(t, "removed", gone, 1)
	storetest.OK(t, yours.SourceRecords.RemoveSource(ctx, id))
	_, err = yours.PutDocuments(second, document("late"))
	storetest.WantKind(t, "a document of a removed source", err, fault.NotFound)
}
