package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
	"docent/rag/talk"
	"docent/rag/text"
)

const (
	// defaultQueryK is how many results a Query without K gets.
	defaultQueryK = 10
	// stageOne is how many hits of each index are candidates; each list's
	// scores are normalised over so many.
	stageOne = 200
	// stageTwo is how many of them, the best by the first stage, the second
	// looks at.
	stageTwo = 128
)

// Retrieve finds the passages that fit a question best.
func (r *Retriever) Retrieve(ctx context.Context, q Query) (Retrieval, error) {
	q, err := q.complete()
	if err != nil {
		return Retrieval{}, err
	}
	start := time.Now()
	defer func() { r.took.Observe(time.Since(start)) }()
	var out Retrieval
	if out.Question, err = r.respelled(ctx, talk.SearchText(q.Question, q.Turns)); err != nil {
		return Retrieval{}, err
	}
	var vector []float32
	if q.Mode != Keywords {
		if vector, err = r.cfg.Embedder.EmbedQuery(ctx, out.Question); err != nil {
			return Retrieval{}, fmt.Errorf("retrieve: embed the question: %w", err)
		}
	}
	candidates, terms, err := r.rank(ctx, q, out.Question, vector)
	if err != nil {
		return Retrieval{}, err
	}
	out.Terms = terms
	candidates = distinct(candidates, max(q.K, evidencePassages))
	if out.Results, err = r.results(ctx, candidates, q); err != nil {
		return Retrieval{}, err
	}
	out.Evidence = evidence(r.cfg.Static, out.Question, terms, out.Results)
	out.Results = out.Results[:min(q.K, len(out.Results))]
	return out, nil
}

// complete applies defaults and bounds.
func (q Query) complete() (Query, error) {
	if q.K == 0 {
		q.K = defaultQueryK
	}
	if q.K < 0 || q.K > MaxK {
		return q, fault.New(fault.Invalid, "k is %d, it has to be between 1 and %d", q.K, MaxK)
	}
	if q.Mode == "" {
		q.Mode = Full
	}
	if !slices.Contains([]Mode{Full, Hybrid, Keywords, Vectors}, q.Mode) {
		return q, fault.New(fault.Invalid, "no mode is called %q", q.Mode)
	}
	for _, name := range q.Without {
		if featureIndex(name) < 0 {
			return q, fault.New(fault.Invalid, "no feature is called %q", name)
		}
	}
	return q, nil
}

// rank returns the candidates, best first, and the question's terms.
func (r *Retriever) rank(ctx context.Context, q Query, s string, vector []float32) ([]candidate, []text.Term, error) {
	search := Search{Text: s, Vector: vector, K: stageOne, Collections: q.Collections}
	var words, near []Hit
	var err error
	if q.Mode != Vectors {
		if words, err = r.cfg.Keywords.Search(ctx, search); err != nil {
			return nil, nil, fmt.Errorf("retrieve: %w", err)
		}
	}
	if q.Mode != Keywords {
		if near, err = r.cfg.Vectors.Search(ctx, search); err != nil {
			return nil, nil, fmt.Errorf("retrieve: %w", err)
		}
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	candidates := r.fuse(words, near)
	order(candidates)
	candidates = candidates[:min(len(candidates), stageTwo)]
	ids := make([]int64, len(candidates))
	for i, c := range candidates {
		ids[i] = c.id
	}
	terms, matches, err := r.cfg.Keywords.Match(ctx, s, ids)
	if err != nil {
		return nil, nil, fmt.Errorf("retrieve: %w", err)
	}
	if q.Mode == Full {
		r.second(q, s, vector, candidates, matches)
		order(candidates)
	}
	return candidates, terms, nil
}

// order sorts by score, ties by source and place in it.
func order(candidates []candidate) {
	slices.SortFunc(candidates, func(a, b candidate) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Or(strings.Compare(a.doc.source, b.doc.source), cmp.Compare(a.ordinal, b.ordinal), cmp.Compare(a.id, b.id))
	})
}

// fuse joins the two lists. Each list's scores are normalised over its own
// hits: its best counts 1, its last and what is not among them 0.
func (r *Retriever) fuse(words, near []Hit) []candidate {
	place := make(map[int64]int, len(words)+len(near))
	out := make([]candidate, 0, len(words)+len(near))
	add := func(hits []Hit, score func(c *candidate) *float64) {
		for i, s := range spread(hits) {
			w := r.rows.byID[hits[i].ID]
			if w == nil {
				continue // its document is being replaced
			}
			at, ok := place[w.id]
			if !ok {
				at = len(out)
				place[w.id] = at
				out = append(out, candidate{row: w})
			}
			*score(&out[at]) = s
		}
	}
	add(words, func(c *candidate) *float64 { return &c.bm25 })
	add(near, func(c *candidate) *float64 { return &c.dense })
	for i := range out {
		out[i].score = (out[i].bm25 + out[i].dense) / 2
	}
	return out
}

// spread returns the hits' scores scaled to 1 for the best and 0 for the last.
// A list that is shorter than stageOne has found all there is; its last hit is
// not worthless, so 0 is the floor then.
func spread(hits []Hit) []float64 {
	if len(hits) == 0 {
		return nil
	}
	low, high := hits[len(hits)-1].Score, hits[0].Score
	if len(hits) < stageOne {
		low = min(0, low)
	}
	out := make([]float64, len(hits))
	for i, h := range hits {
		if high > low {
			out[i] = (h.Score - low) / (high - low)
		} else {
			out[i] = 1
		}
	}
	return out
}

// second computes the features of the candidates and their weighted sum.
func (r *Retriever) second(q Query, text string, vector []float32, candidates []candidate, matches []Match) {
	w := r.scratch.Get().(*scratch)
	defer r.scratch.Put(w)
	s := &scoring{static: r.cfg.Static, vector: vector, candidates: candidates, matches: matches, scratch: w}
	s.ask(text, &r.rows)
	s.listen(&r.rows)
	column := make([]float32, len(candidates))
	for f := range features {
		if slices.Contains(q.Without, features[f].name) {
			continue
		}
		features[f].compute(s, column)
		normalize(column)
		for i := range candidates {
			candidates[i].features[f] = column[i]
		}
	}
	for i := range candidates {
		c := &candidates[i]
		weights := r.cfg.Weights[kinds[c.kind]]
		c.score = 0
		for f := range features {
			c.score += weights[features[f].name] * float64(c.features[f])
		}
	}
}

// results reads the passages. One that the store no longer has is left out.
func (r *Retriever) results(ctx context.Context, candidates []candidate, q Query) ([]Result, error) {
	ids := make([]int64, len(candidates))
	for i, c := range candidates {
		ids[i] = c.id
	}
	if len(ids) == 0 {
		return nil, nil
	}
	passages, err := r.cfg.Corpus.Passages(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("retrieve: read passages: %w", err)
	}
	place := make(map[int64]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	out := make([]Result, 0, len(passages))
	for _, p := range passages {
		c := &candidates[place[p.ID]]
		out = append(out, Result{Rank: len(out) + 1, Score: c.score, Passage: p, Features: c.explain(q)})
	}
	return out, nil
}

// explain names the features behind a candidate's score.
func (c *candidate) explain(q Query) map[string]float64 {
	out := map[string]float64{}
	if q.Mode != Full {
		if q.Mode != Vectors {
			out[FeatureBM25] = c.bm25
		}
		if q.Mode != Keywords {
			out[FeatureDense] = c.dense
		}
		return out
	}
	for f := range features {
		if !slices.Contains(q.Without, features[f].name) {
			out[features[f].name] = float64(c.features[f])
		}
	}
	return out
}
