package retrieve_test

import (
	"slices"
	"testing"

	"docent/internal/fault"
	"docent/rag/retrieve"
)

// TestWordings: other wordings find passages that the question does not.
func TestWordings(t *testing.T) {
	t.Parallel()
	r := load(t, small(t), "")
	const q = "zebra crossing paperwork"
	want := ask(t, r, retrieve.Query{Question: "deadlock", K: 1}).Results[0].Passage.ID
	plain := retrieve.Query{Question: q, K: 3}
	if found := ask(t, r, plain); len(found.Results) > 0 && found.Results[0].Passage.ID == want {
		t.Fatal("the question finds the passage without help")
	}
	helped := plain
	helped.Wordings = []string{"deadlock", "two transactions wait for each other: deadlock"}
	got := ask(t, r, helped)
	if got.Question != q || len(got.Results) == 0 || got.Results[0].Passage.ID != want ||
		got.Results[0].Features[retrieve.FeatureEnrichment] != 1 {
		t.Errorf("found %+v", got.Results)
	}
	helped.Mode, plain.Mode = retrieve.Hybrid, retrieve.Hybrid
	if got, want := found(ask(t, r, helped)), found(ask(t, r, plain)); !slices.Equal(got, want) {
		t.Errorf("one stage alone uses wordings: %v, want %v", got, want)
	}
	helped.Wordings = make([]string, retrieve.MaxWordings+1)
	if _, err := r.Retrieve(t.Context(), helped); fault.KindOf(err) != fault.Invalid {
		t.Errorf("too many wordings: %v", err)
	}
}
