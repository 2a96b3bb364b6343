package pipeline

import (
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/retrieve"
)

// fileShelf is the search in the files of a conversation.
func fileShelf(evidence float64) *shelf {
	return &shelf{evidence: evidence, results: []retrieve.Result{
		passage(1, "Memo", "work_mem", "Our team sets work_mem to nine megabytes (9MB)."),
	}}
}

// TestFirst answers from the files, unless only the library supports an answer.
func TestFirst(t *testing.T) {
	t.Parallel()
	const question = "What is the value of work_mem?"
	for name, test := range map[string]struct {
		files, library float64
		documents      []int64
		outcome        rag.Outcome
	}{
		"both":        {.9, .95, []int64{-11}, rag.Answered},
		"files alone": {.9, .1, []int64{-11}, rag.Answered},
		"library":     {.2, .9, []int64{11, 12, 13}, rag.Answered},
		"neither":     {.1, .2, []int64{-11}, rag.Unsure},
		"nothing":     {0, 0, []int64{-11}, rag.NotFound},
	} {
		library, files := memoryShelf(), fileShelf(test.files)
		library.evidence = test.library
		r, _ := newRAG(t, library)
		got, err := r.First(files).Run(t.Context(), rag.Request{Question: question, Collections: []string{"manuals"}})
		if err != nil {
			t.Fatal(err)
		}
		var documents []int64
		for _, p := range got.Passages {
			documents = append(documents, p.DocumentID)
		}
		if len(documents) != len(test.documents) || documents[0] != test.documents[0] || got.Outcome != test.outcome {
			t.Errorf("%s: documents %v, %s, want %v, %s", name, documents, got.Outcome, test.documents, test.outcome)
		}
		if test.outcome == rag.NotFound && !strings.Contains(got.Text, "the files of this conversation and the documents") {
			t.Errorf("%s: %q", name, got.Text)
		}
		if len(files.queries) != 1 || files.queries[0].Collections != nil {
			t.Errorf("%s: the files are asked %+v", name, files.queries)
		}
		if _, err := r.Run(t.Context(), rag.Request{Question: question}); err != nil || len(files.queries) != 1 {
			t.Errorf("%s: the first pipeline searches the files, too, %v", name, err)
		}
	}
}

// TestFirstWithModel gives a model the passages of both.
func TestFirstWithModel(t *testing.T) {
	t.Parallel()
	r, model := newRAG(t, memoryShelf(), llmtest.Say("It is nine megabytes [1]."))
	got, err := r.First(fileShelf(.9)).Run(t.Context(), rag.Request{Question: "What is the value of work_mem?", K: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Passages) != 3 || got.Passages[0].DocumentID != -11 || got.Passages[1].DocumentID != 11 {
		t.Errorf("passages %+v", got.Passages)
	}
	if len(model.Requests()) != 1 {
		t.Errorf("%d requests", len(model.Requests()))
	}
	broken := fileShelf(.9)
	broken.err = fault.New(fault.Unavailable, "test_sentence", "away")
	if _, err := r.First(broken).Run(t.Context(), rag.Request{Question: "x"}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("files that cannot be searched: %v", err)
	}
}
