package sql_test

import (
	"fmt"
	"testing"

	"docent/internal/storetest"
	"docent/rag/describe"
)

// TestDescription stores, replaces, and deletes the description of a document.
func TestDescription(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		id := w.document(t, "manual")
		get := func() string {
			t.Helper()
			d, err := w.Description(t.Context(), id)
			storetest.OK(t, err)
			return fmt.Sprintf("%s %s %q %q", d.Key, d.Model, d.Summary, d.Questions)
		}
		if got := get(); got != `  [] []` {
			t.Errorf("without a description: %s", got)
		}
		for _, d := range []describe.Description{
			{Key: "k1", Model: "m", Summary: []string{"It stops.", "It starts."}, Questions: []string{"When?"}}, {Key: "k2", Model: "m2"},
		} {
			storetest.OK(t, w.PutDescription(t.Context(), id, d))
			if want := fmt.Sprintf("%s %s %q %q", d.Key, d.Model, d.Summary, d.Questions); get() != want {
				t.Errorf("the description is %s, want %s", get(), want)
			}
		}
		_, err := w.RemoveDocuments(t.Context(), []int64{id})
		storetest.OK(t, err)
		storetest.OK(t, w.PutDescription(t.Context(), id, describe.Description{Key: "late"}))
		if got := get(); got != `  [] []` {
			t.Errorf("of a deleted document: %s", got)
		}
	})
}
