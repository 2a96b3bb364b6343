package approve_test

import (
	"testing"

	"docent/insight"
	"docent/internal/fault"
	"docent/rag"
)

// TestPassages writes an answer with passages, and changes it after the document changed.
func TestPassages(t *testing.T) {
	t.Parallel()
	w, k := newWriter()
	k.manual = "# Permits\n\nA permit costs\n40 euros.\n\nmonth | price\nMay | 40\nJune | 50\n"
	link := func(document int64, quote string) insight.Passage {
		return insight.Passage{Link: rag.Link{Document: document, Quote: quote}}
	}
	put := func(a insight.Approved, passages ...insight.Passage) (insight.Approved, error) {
		a.Questions, a.Text, a.Passages = []string{"How much?"}, "40 euros.", passages
		a.Collection, a.Source = "default", "answer:x.md"
		return w.Put(t.Context(), a)
	}
	for name, p := range map[string]insight.Passage{
		"other words": link(100, "A permit costs 50 euros."), "another document": link(99, "A permit"), "no words": link(100, " "), "empty": link(100, ""),
	} {
		if _, err := put(insight.Approved{}, p); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	a, err := put(insight.Approved{}, link(100, "A permit costs 40 euros."), link(100, "A permit  costs\n40 euros."), link(100, "month | price\nJune | 50"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"A permit costs\n40 euros.", "June | 50"}
	if len(a.Passages) != 2 || a.Passages[0].Quote != want[0] || a.Passages[1].Quote != want[1] || a.Passages[0].Revision != 7 {
		t.Fatalf("the passages are %+v", a.Passages)
	}
	k.manual = "# Permits\n\nA permit costs 60 euros.\n"
	again, err := put(a, link(100, want[0]))
	if err != nil || len(again.Passages) != 1 || again.Passages[0] != a.Passages[0] {
		t.Errorf("a passage that is gone: %+v, %v", again.Passages, err)
	}
	if _, err := put(again, link(100, "A permit costs"), link(100, want[1])); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a removed passage that is gone comes back: %v", err)
	}
}
