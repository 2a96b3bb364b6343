package eval

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"docent/rag/corpus"
	"docent/rag/retrieve"

	"docent/internal/fault"
)

// shelf is a retriever with fixed passages by mode and question.
type shelf struct {
	found   map[retrieve.Mode]map[string][]retrieve.Result
	without func(features []string) retrieve.Mode // the mode that stands for them
	check   func(q retrieve.Query) error
	grade   map[string]float64 // evidence by question
}

func (s shelf) Retrieve(_ context.Context, q retrieve.Query) (retrieve.Retrieval, error) {
	if s.check != nil {
		if err := s.check(q); err != nil {
			return retrieve.Retrieval{}, err
		}
	}
	mode := q.Mode
	if len(q.Without) > 0 {
		mode = s.without(q.Without)
	}
	results := s.found[mode][q.Question]
	return retrieve.Retrieval{Question: q.Question, Results: results[:min(len(results), q.K)], Evidence: s.grade[q.Question]}, nil
}

func result(id int64, source, text string) retrieve.Result {
	return retrieve.Result{Passage: corpus.Passage{
		Chunk:    corpus.Chunk{ID: id, Text: text, End: len(text)},
		Document: corpus.Document{Source: source},
	}}
}

var (
	noise  = result(1, "/m/noise.html", "nothing of the kind is said here at all")
	port   = result(2, "/m/port.html", "Ports. The server listens on port 5432 unless it is told otherwise. More.")
	plain  = result(3, "/m/vacuum.html", "Plain VACUUM marks dead rows for reuse and needs no lock.")
	full   = result(4, "/m/full.html", "VACUUM FULL rewrites the whole table and locks it meanwhile.")
	both   = result(5, "/m/full.html", plain.Passage.Text+" "+full.Passage.Text)
	pgpass = result(6, "/m/files.jsonl#pgpass", `On Windows it is %APPDATA%\postgresql and so on.`)
	beside = result(7, "/m/port.html", "Another part of the page about ports.")
)

func tinyShelf() shelf {
	return shelf{
		found: map[retrieve.Mode]map[string][]retrieve.Result{
			retrieve.Keywords: {
				"default port?":          {noise, beside, port}, // page 2, quote 3
				"VACUUM or VACUUM FULL?": {noise, noise, plain, noise, full},
				"and on Windows?":        {noise},
			},
			retrieve.Full: {
				"default port?":          {port, beside, noise},
				"VACUUM or VACUUM FULL?": {both, noise},
				"and on Windows?":        {noise, noise, noise, pgpass},
			},
			"broken": {},
		},
		without: func([]string) retrieve.Mode { return retrieve.Keywords },
	}
}

func TestMeasureRetrieval(t *testing.T) {
	t.Parallel()
	s := tinyShelf()
	s.check = func(q retrieve.Query) error {
		if q.K != Depth || len(q.Collections) != 1 || (q.Question == "and on Windows?") != (len(q.Turns) == 2) {
			return errors.New("not the query that was to be made")
		}
		return nil
	}
	last := 0
	r, err := MeasureRetrieval(t.Context(), RetrievalConfig{
		Retriever: s, Questions: loadTiny(t), Collections: []string{"c"},
		Variants: []Variant{{Name: "bm25", Mode: retrieve.Keywords}, {Name: Full, Mode: retrieve.Full}},
		Progress: func(done, total int) {
			if total != 3 || done != last+1 {
				t.Errorf("progress %d of %d after %d", done, total, last)
			}
			last = done
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	// By hand. bm25: the port at 3 (its page at 2); of VACUUM's two quotes one at
	// 3 and one at 5; Windows not at all. full: port at 1; both VACUUM quotes in
	// passage 1; Windows at 4.
	log := math.Log2
	want := map[string]float64{
		"bm25 recall@1": 0, "bm25 recall@3": (1 + .5 + 0) / 3, "bm25 recall@5": 2. / 3, "bm25 recall@10": 2. / 3,
		"bm25 mrr@10": (1./3 + 1./3) / 3, "bm25 ndcg@10": (1/log(4) + (1/log(4)+1/log(6))/(1+1/log(3))) / 3,
		"bm25 page@1": 0, "bm25 page@5": 2. / 3, "bm25 page@10": 2. / 3, "bm25 page-mrr@10": (1./2 + 1./3) / 3,
		"full recall@1": 2. / 3, "full recall@3": 2. / 3, "full recall@5": 1, "full recall@10": 1,
		"full mrr@10": (1 + 1 + .25) / 3, "full ndcg@10": (1 + 1 + 1/log(5)) / 3,
		"full page@1": 2. / 3, "full page@5": 1, "full page@10": 1, "full page-mrr@10": (1 + 1 + .25) / 3,
	}
	got := r.Metrics()
	if len(got) != len(want) {
		t.Errorf("%d metrics, want %d", len(got), len(want))
	}
	for name, w := range want {
		if math.Abs(got[name]-w) > 1e-12 {
			t.Errorf("%s: %g, want %g", name, got[name], w)
		}
	}
	if r.Base != Full || len(r.Rows) != 2*4 || r.Rows[3].Kind != "lookup" || r.Rows[3].Questions != 1 || r.Rows[3].Values["recall@1"] != 1 {
		t.Errorf("base %s, rows %+v", r.Base, r.Rows)
	}
	for _, row := range r.Rows {
		for name, i := range row.Intervals {
			if v := row.Values[name]; i.Low > v+1e-9 || i.High < v-1e-9 {
				t.Errorf("%s %s %s: %g outside [%g, %g]", row.Variant, row.Kind, name, v, i.Low, i.High)
			}
			if d := row.Differences[name]; row.Variant == Full && d != (Interval{}) {
				t.Errorf("%s differs from itself by %+v", row.Variant, d)
			}
		}
	}
	var b strings.Builder
	if err := r.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"| all | 3 | full | .667 | .667 | 1.000 |", "| lookup | 1 | bm25 | .000 | 1.000 |", "paired difference to full"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %q in\n%s", line, b.String())
		}
	}
}

func TestAblations(t *testing.T) {
	t.Parallel()
	s := tinyShelf()
	s.without = func(features []string) retrieve.Mode {
		if len(features) != 1 || features[0] != "soft" {
			t.Errorf("without %v", features)
		}
		return retrieve.Keywords
	}
	r, err := MeasureRetrieval(t.Context(), RetrievalConfig{Retriever: s, Questions: loadTiny(t), Variants: Ablations([]string{"soft"}), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Metrics()["full − soft recall@5"]; math.Abs(got-2./3) > 1e-12 {
		t.Errorf("without soft: %g", got)
	}
}

func TestMeasureRetrievalFails(t *testing.T) {
	t.Parallel()
	s, questions := tinyShelf(), loadTiny(t)
	s.check = func(q retrieve.Query) error {
		if q.Mode == retrieve.Vectors {
			return fault.New(fault.Unavailable, "test_sentence", "no vectors today")
		}
		return nil
	}
	_, err := MeasureRetrieval(t.Context(), RetrievalConfig{Retriever: s, Questions: questions})
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "question t-00") || !strings.Contains(err.Error(), "vectors") {
		t.Errorf("failing retriever: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := MeasureRetrieval(ctx, RetrievalConfig{Retriever: s, Questions: questions}); fault.KindOf(err) != fault.Canceled {
		t.Errorf("canceled: %v", err)
	}
	for name, cfg := range map[string]RetrievalConfig{
		"no retriever":     {Questions: questions},
		"nothing to ask":   {Retriever: s, Questions: questions[3:]},
		"a base elsewhere": {Retriever: s, Questions: questions, Base: "none"},
	} {
		if _, err := MeasureRetrieval(t.Context(), cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	log := math.Log2
	for _, c := range []struct {
		name  string
		ranks []int
		page  int
		want  map[int]float64
	}{
		{"nothing", []int{0, 0}, 0, map[int]float64{recall10: 0, mrr10: 0, ndcg10: 0, page10: 0, pageMRR10: 0}},
		{"two in the first passage", []int{1, 1}, 1, map[int]float64{recall1: 1, mrr10: 1, ndcg10: 1, page1: 1}},
		{"two in the second", []int{2, 2}, 2, map[int]float64{recall1: 0, recall3: 1, ndcg10: (1/log(3) + 1/log(4-1)) / (1 + 1/log(3)), page1: 0, page5: 1}},
		{"one of two, last", []int{0, 10}, 7, map[int]float64{recall5: 0, recall10: .5, mrr10: .1, ndcg10: 1 / log(11) / (1 + 1/log(3)), page5: 0, page10: 1, pageMRR10: 1. / 7}},
		{"page without quote", []int{0}, 5, map[int]float64{recall10: 0, mrr10: 0, page5: 1, pageMRR10: .2}},
	} {
		got := score(c.ranks, c.page)
		for m, want := range c.want {
			if math.Abs(got[m]-want) > 1e-12 {
				t.Errorf("%s: %s is %g, want %g", c.name, metrics[m], got[m], want)
			}
		}
	}
}

func TestBootstrap(t *testing.T) {
	t.Parallel()
	// 100 questions, of which the first row has 40 right, the second the same and
	// ten more. The interval of a share p of n is about p ± 1.96·√(p(1-p)/n).
	a, b := make([]float64, 100), make([]float64, 100)
	for i := range a {
		if i < 40 {
			a[i], b[i] = 1, 1
		} else if i < 50 {
			b[i] = 1
		}
	}
	means, differences := bootstrap([][]float64{a, b}, 0)
	near := func(got, want float64) bool { return math.Abs(got-want) < .025 }
	if !near(means[0].Low, .304) || !near(means[0].High, .496) || !near(means[1].Low, .402) || !near(means[1].High, .598) {
		t.Errorf("means %+v", means)
	}
	// The difference is a share of .1: .1 ± .059, much narrower than unpaired.
	if differences[0] != (Interval{}) || !near(differences[1].Low, .041) || !near(differences[1].High, .159) {
		t.Errorf("differences %+v", differences)
	}
	again, _ := bootstrap([][]float64{a, b}, 0)
	if again[0] != means[0] || again[1] != means[1] {
		t.Error("other intervals the second time")
	}
}
