package bm25_test

import (
	"fmt"
	"slices"
	"testing"

	"docent/index/bm25"
	"docent/rag/retrieve"
)

// TestMatchAgain matches frequent words, whose counts the index then knows. The second match must have the same scores.
func TestMatchAgain(t *testing.T) {
	t.Parallel()
	const n = 3000
	var all []retrieve.Entry
	for id := range int64(n) {
		e := entry(id+1, "en", "pump", fmt.Sprint("valve pressure", id%7, " oil", id%3))
		if id%5 == 0 {
			e.Text += " valve valve"
		}
		e.DocumentID, e.Ordinal = 1+id/9, int(id%9)
		all = append(all, e)
	}
	var ids []int64
	for id := int64(1); id <= n; id += 37 {
		ids = append(ids, id)
	}
	apart := all[n-1]
	apart.ID, apart.DocumentID, apart.Ordinal = n+1, 1, 9
	put := func(x *bm25.Index, entries ...retrieve.Entry) {
		if err := x.Put(t.Context(), entries); err != nil {
			t.Fatal(err)
		}
	}
	match := func(x *bm25.Index) []retrieve.Match {
		_, out, err := x.Match(t.Context(), "pump valve oil1 pressure3", ids)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for name, change := range map[string]func(x *bm25.Index){
		"none":    func(*bm25.Index) {},
		"deleted": func(x *bm25.Index) { _ = x.Delete(t.Context(), []int64{2, 3, 40, 76}) },
		"apart":   func(x *bm25.Index) { put(x, apart) }, // another document lies between the chunks of this one
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := bm25.New()
			put(x, all...)
			change(x)
			want := match(x)
			if got := match(x); !slices.Equal(got, want) {
				t.Error("the second match differs")
			}
			if (bm25.Counted(x) == 0) != (name == "apart") {
				t.Errorf("%d counts", bm25.Counted(x))
			}
			if want[0].Score <= 0 || want[0].Document <= 0 || want[0].Heading <= 0 {
				t.Errorf("%+v", want[0])
			}
		})
	}
}

// TestMatchAfterChange: a change of the index drops its counts.
func TestMatchAfterChange(t *testing.T) {
	t.Parallel()
	x, fresh := bm25.New(), bm25.New()
	var all []retrieve.Entry
	for id := range int64(2000) {
		all = append(all, entry(id+1, "en", "", "valve"))
	}
	for i, part := range [][]retrieve.Entry{all[:1500], all[1500:]} {
		if err := x.Put(t.Context(), part); err != nil {
			t.Fatal(err)
		}
		if _, _, err := x.Match(t.Context(), "valve", []int64{1}); err != nil || bm25.Counted(x) != 1 {
			t.Fatal(i, bm25.Counted(x), err)
		}
	}
	if err := fresh.Put(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	_, got, _ := x.Match(t.Context(), "valve", []int64{1, 1600})
	_, want, _ := fresh.Match(t.Context(), "valve", []int64{1, 1600})
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if err := x.Delete(t.Context(), []int64{5}); err != nil || bm25.Counted(x) != 0 {
		t.Error(bm25.Counted(x), err)
	}
}
