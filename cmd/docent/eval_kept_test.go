package main

import (
	"fmt"
	"testing"

	"docent/eval"
	"docent/insight/quality"
	ragtalk "docent/rag/talk"
)

// TestKeptSet writes kept questions as a set of docent eval, and reads them again.
func TestKeptSet(t *testing.T) {
	t.Parallel()
	kept := []quality.Question{
		{ID: 1, Text: "When?", Expect: quality.Passage, File: "a.md", Quote: "At noon.", History: []ragtalk.Turn{{Role: "user", Text: "Hello"}}},
		{ID: 2, Text: "Who?", Expect: quality.Absent},
		{ID: 3, Text: "Why?"},
	}
	set := keptSet(kept)
	if len(set) != 2 || set[0].ID != "kept-1" || set[1].Kind != eval.Unanswerable {
		t.Fatalf("the set is %+v", set)
	}
	for i, q := range fromSet(set, "manual") {
		want := kept[i]
		want.ID, want.Collection = 0, "manual"
		if fmt.Sprintf("%+v", q) != fmt.Sprintf("%+v", want) {
			t.Errorf("read %+v, want %+v", q, want)
		}
	}
}
