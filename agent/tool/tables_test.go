package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// tableShelf is a library with chunks. Its search finds the chunks of tables.
type tableShelf struct{ *shelf }

func (s tableShelf) DocumentChunks(_ context.Context, id int64, after, limit int) ([]corpus.Chunk, error) {
	var out []corpus.Chunk
	for _, p := range s.chunks {
		if p.DocumentID == id && p.Ordinal > after && len(out) < limit {
			out = append(out, p.Chunk)
		}
	}
	return out, s.err
}

func (s tableShelf) Retrieve(_ context.Context, q retrieve.Query) (retrieve.Retrieval, error) {
	var out retrieve.Retrieval
	for _, p := range s.chunks {
		if strings.Contains(p.Text, q.Question) {
			p.Kind = corpus.Table
			out.Results = append(out.Results, retrieve.Result{Passage: p})
		}
	}
	return out, s.err
}

func TestQueryTables(t *testing.T) {
	t.Parallel()
	s := tableShelf{&shelf{}}
	s.add("default", "Prices", "All prices with tax.\n\nItem | Price (EUR)\nBolt | 1.50\nAnchor | 48.50")
	s.add("secret", "Salaries", "Name | Salary (EUR)\nDoe | 4000\nRoe | 5000")
	set := newSet(t, SetConfig{Tools: must(Knowledge(KnowledgeConfig{Searcher: s, Library: s}))})
	var f Findings
	ctx := WithScope(WithFindings(t.Context(), &f), Scope{Collections: []string{"default"}})
	call := func(args in) string { return set.Invoke(ctx, "query_tables", must(json.Marshal(args))).Content }

	list := call(in{})
	if !strings.Contains(list, "table t1_1: 2 rows, from Prices") || !strings.Contains(list, `"Price (EUR)" money in EUR, such as 1.50`) {
		t.Errorf("the list is %s", list)
	}
	if strings.Contains(list, "Salaries") {
		t.Errorf("the list has a table of another collection: %s", list)
	}
	if got := call(in{"find": "Anchor"}); !strings.Contains(got, "t1_1") {
		t.Errorf("the tables about anchors are %s", got)
	}
	got := call(in{"sql": `SELECT Item, "Price (EUR)", passage FROM t1_1 ORDER BY "Price (EUR)" DESC LIMIT 1`})
	if want := "Item | Price (EUR) | passage\nAnchor | 48.5 | 1\n(the rows of t1_1 are in the passages [1] to [1])"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if results := f.Results(); len(results) != 1 || results[0].Passage.ID != 2 || results[0].Passage.Document.Title != "Prices" {
		t.Errorf("the passages are %+v", results)
	}
	for sql, want := range map[string]string{
		"SELECT * FROM t2_1":    "document 2 is not among the documents",
		"SELECT * FROM t9_1":    "there is no document 9",
		"SELECT * FROM t1_7":    "there is no table t1_7",
		"SELECT 1":              "names no table",
		"DROP TABLE t1_1":       "must be one SELECT",
		"SELECT nope FROM t1_1": "no such column: nope",
	} {
		if got := call(in{"sql": sql}); !strings.HasPrefix(got, "ERROR: ") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", sql, got, want)
		}
	}
}
