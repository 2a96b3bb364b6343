package retrieve

import (
	"testing"

	"docent/rag/corpus"
)

func TestDemoteInterfaces(t *testing.T) {
	t.Parallel()
	for question, first := range map[string]int64{
		"how do I delete a document":               2,
		"which endpoint deletes a document?":       1,
		"DELETE /api/documents":                    1,
		"what does document_id mean in the answer": 1,
	} {
		results := []Result{
			{Rank: 1, Score: 1, Passage: corpus.Passage{Chunk: corpus.Chunk{ID: 1}, Document: corpus.Document{MediaType: descriptionMedia}}},
			{Rank: 2, Score: .9, Passage: corpus.Passage{Chunk: corpus.Chunk{ID: 2}, Document: corpus.Document{MediaType: "text/markdown"}}},
		}
		demoteInterfaces(question, results)
		if results[0].Passage.ID != first || results[0].Rank != 1 {
			t.Errorf("%q: passage %d is first", question, results[0].Passage.ID)
		}
	}
}
