package sql_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"docent/ingest/intake"
	"docent/ingest/source"
	"docent/ingest/work"
	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/rag/corpus"
)

// failed stores a failed document.
func (w *world) failed(t *testing.T, collection, source, reason string, original []byte) int64 {
	t.Helper()
	ids, err := w.PutDocuments(t.Context(), []intake.Put{{Original: original, Document: corpus.Document{
		Collection: collection, Source: source, Title: source, Status: corpus.Failed, SHA256: "x",
		Error: fault.NewText("test_sentence_"+reason, "%s", reason), Size: int64(len(original)),
	}}})
	storetest.OK(t, err)
	return ids[0]
}

// workList returns the work as lines.
func (w *world) workList(t *testing.T, collections []string) string {
	t.Helper()
	items, queued, err := w.ListWork(t.Context(), collections, 10)
	storetest.OK(t, err)
	lines := []string{fmt.Sprint(queued)}
	for _, it := range items {
		lines = append(lines, fmt.Sprintf("%s %s %s", it.State, it.Kind, it.Name))
	}
	return strings.Join(lines, ", ")
}

func TestWork(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, now := t.Context(), time.Now()
		lease := work.Lease{Owner: "me", Now: now, Until: now.Add(time.Minute)}
		want := func(what, want string, collections ...string) {
			t.Helper()
			if got := w.workList(t, collections); got != want {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		a, b := w.failed(t, "one", "upload:a", "damaged", []byte("a")), w.failed(t, "two", "upload:b", "empty", []byte("b"))
		for range 2 { // the second wish adds nothing
			_, err := w.QueueWork(ctx, work.Retry, []int64{a, b, 999}, "user:ann")
			storetest.OK(t, err)
		}
		want("queued", "2, queued retry upload:a, queued retry upload:b")
		want("a manager", "1, queued retry upload:b", "two")
		item, ok, err := w.ClaimWork(ctx, lease)
		storetest.OK(t, err)
		if !ok || item.Document != a || item.By != "user:ann" || item.Tries != 1 || item.State != work.Running {
			t.Errorf("claimed %+v, %v", item, ok)
		}
		if n, err := w.FreeWork(ctx, now); err != nil || n != 0 {
			t.Errorf("%d leases have expired: %v", n, err)
		}
		// A killed process begins a reading MaxTries times.
		for try := 1; try < work.MaxTries; try++ {
			if n, err := w.FreeWork(ctx, now.Add(2*time.Minute)); err != nil || n != 1 {
				t.Errorf("free: %d %v", n, err)
			}
			want("freed", "2, queued retry upload:a, queued retry upload:b")
			_, _, err = w.ClaimWork(ctx, lease)
			storetest.OK(t, err)
		}
		_, err = w.FreeWork(ctx, now.Add(2*time.Minute))
		storetest.OK(t, err)
		want("given up", "1, queued retry upload:b, failed retry upload:a")

		// A person cancels work. Its process learns that when it keeps the lease.
		id, err := w.BeginWork(ctx, work.Item{Kind: work.Upload, Stage: work.Receiving, Collection: "one", Name: "c.pdf"}, lease)
		storetest.OK(t, err)
		if ok, err := w.KeepWork(ctx, id, lease, work.Progress{Stage: work.Reading, Done: 1, Total: 2}); err != nil || !ok {
			t.Errorf("keep: %v %v", ok, err)
		}
		if err := w.CancelWork(ctx, id, []string{"two"}); fault.KindOf(err) != fault.NotFound {
			t.Errorf("the manager of another collection cancels: %v", err)
		}
		storetest.OK(t, w.CancelWork(ctx, id, []string{"one"}))
		if ok, err := w.KeepWork(ctx, id, lease, work.Progress{}); err != nil || ok {
			t.Errorf("keep after cancel: %v %v", ok, err)
		}
		storetest.OK(t, w.EndWork(ctx, id, "me", work.End{State: work.Canceled}))
		if err := w.CancelWork(ctx, id, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("ended work is canceled: %v", err)
		}
		item, _, err = w.ClaimWork(ctx, lease)
		storetest.OK(t, err)
		storetest.OK(t, w.ReturnWork(ctx, item.ID, "me"))
		storetest.OK(t, w.CancelWork(ctx, item.ID, nil))
		want("canceled", "0, failed retry upload:a, canceled retry upload:b, canceled upload c.pdf") // it failed two minutes later

		// Uploads of killed processes fail. Work without news leaves nothing.
		_, err = w.BeginWork(ctx, work.Item{Kind: work.Upload, Collection: "three", Name: "d.pdf"}, lease)
		storetest.OK(t, err)
		id, err = w.BeginWork(ctx, work.Item{Kind: work.Sync, Collection: "three", Name: "wiki"}, work.Lease{Owner: "me", Now: now, Until: now.Add(5 * time.Minute)})
		storetest.OK(t, err)
		_, err = w.FreeWork(ctx, now.Add(2*time.Minute))
		storetest.OK(t, err)
		storetest.OK(t, w.EndWork(ctx, id, "me", work.End{State: work.Done, Forget: true}))
		want("ended", "0, failed upload d.pdf", "three")
	})
}

func TestFailures(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		kept := w.failed(t, "one", "upload:a", "damaged", []byte("a"))
		lost := w.failed(t, "one", "/srv/b", "damaged", nil)
		synced := w.failed(t, "two", "https://x/c#page", "empty", nil)
		of, err := w.AddSource(ctx, source.Record{Name: "site", Kind: "web", Location: "https://x", Collection: "two", Schedule: source.Manual})
		storetest.OK(t, err)
		storetest.OK(t, w.PutSourceItems(ctx, of, []source.ItemRecord{{Key: "c", Document: "https://x/c", Status: source.Failed}}))
		origins, err := w.Origins(ctx, []int64{kept, lost, synced, 999})
		storetest.OK(t, err)
		if len(origins) != 3 || !origins[0].Kept || origins[0].Of != 0 || origins[1].Kept || origins[1].Of != 0 || origins[2].Of != of {
			t.Errorf("origins: %+v", origins)
		}
		groups, err := w.FailureGroups(ctx, nil, 10)
		storetest.OK(t, err)
		if len(groups) != 2 || groups[0].Reason.Message != "damaged" || groups[0].Count != 2 || groups[0].Again != 1 ||
			groups[1].Reason.ID != "test_sentence_empty" || groups[1].Again != 1 || groups[1].Document != synced || groups[1].Latest.IsZero() {
			t.Errorf("groups: %+v", groups)
		}
		if groups, err = w.FailureGroups(ctx, []string{"two"}, 10); err != nil || len(groups) != 1 {
			t.Errorf("a manager sees %+v: %v", groups, err)
		}
		if ids, err := w.FailedIDs(ctx, []string{"one"}, "test_sentence_damaged", 10); err != nil || fmt.Sprint(ids) != fmt.Sprint([]int64{kept, lost}) {
			t.Errorf("failed documents: %v %v", ids, err)
		}
		if ids, err := w.FailedIDs(ctx, nil, "", 1); err != nil || fmt.Sprint(ids) != fmt.Sprint([]int64{kept}) {
			t.Errorf("the first failed document: %v %v", ids, err)
		}
	})
}
