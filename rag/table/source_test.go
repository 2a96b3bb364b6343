package table

import (
	"testing"

	"docent/rag/corpus"
)

// TestSourceNames: the names of the file and of its folder are known words of a question.
func TestSourceNames(t *testing.T) {
	t.Parallel()
	d := &Document{
		Document: corpus.Document{Source: "/srv/docs/harbour-view-hotel/rates.csv"},
		Tables:   Parse("Room | Type | Low season (GBP)\n204 | Single | 66\n304 | Single | 56\n305 | Double | 88", "en"),
	}
	reply := Ask("cheapest single room at the harbour view hotel", d.Sources())
	if reply.Status != Answered || len(reply.Rows) != 1 {
		t.Errorf("got %+v", reply)
	}
	if reply := Ask("cheapest single room in the castle", d.Sources()); reply.Status == Answered {
		t.Errorf("got %+v", reply)
	}
}
