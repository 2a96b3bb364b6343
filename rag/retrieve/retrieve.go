package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
	"docent/internal/trace"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/definition"
	"docent/rag/evidence"
	"docent/rag/talk"
	"docent/rag/text"
)

const (
	// defaultQueryK is the default of Query.K.
	defaultQueryK = 10
	// stageOne is the number of hits of each index that become candidates. The scores of a list are normalized over these
	// hits.
	stageOne = 200
	// stageTwo is the number of best candidates that enter the second stage.
	stageTwo = 128
)

// Retrieve finds the passages that best fit a question.
func (r *Retriever) Retrieve(ctx context.Context, query Query) (out Retrieval, err error) {
	ctx, span := trace.Begin(ctx, trace.Internal, "retrieve", "gen_ai.operation.name", "retrieval")
	defer func() {
		span.Set("docent.passages", len(out.Results), "docent.evidence", out.Evidence)
		span.End(err)
	}()
	q, err := query.complete()
	if err != nil {
		return Retrieval{}, err
	}
	defer r.cfg.Cores.Answer()()
	defer r.files.Begin()()
	start := time.Now()
	defer func() { r.took.Observe(time.Since(start)) }()
	body, err := r.respelled(ctx, talk.SearchText(q.Question, q.Turns))
	if err != nil {
		return Retrieval{}, err
	}
	if out, err = search(ctx, r, q, body); err != nil {
		return out, err
	}
	switch text.Language(body) {
	case "de":
		if !isUncompared(out.Signs) {
			return out, nil
		}
	case "":
		if q.Language != "de" || len(out.Coverage.Unseen) == 0 { // keywords in a German conversation
			return out, nil
		}
	default:
		return out, nil
	}
	if english := inEnglish(body); english != "" {
		return search(ctx, r, q, english)
	}
	return out, nil
}

// search finds the passages that best fit a text.
func search(ctx context.Context, r *Retriever, q Query, body string) (out Retrieval, err error) {
	out.Question = body
	asking, err := r.ask(ctx, q, body)
	if err != nil {
		return Retrieval{}, err
	}
	candidates, terms, err := r.rank(ctx, q, asking)
	if err != nil {
		return Retrieval{}, err
	}
	out.Terms = terms
	n := max(q.K, evidence.Passages)
	if q.Mode == Full {
		n = max(n, rerankDepth)
	}
	if out.Results, out.Fallbacks, err = r.results(ctx, distinct(candidates, n), q); err != nil {
		return Retrieval{}, err
	}
	if q.Mode == Full {
		if err := r.rerank(ctx, asking, out.Results); err != nil {
			return Retrieval{}, err
		}
		demoteInterfaces(q.Question, out.Results)
	}
	statistics, err := r.features.Statistics(ctx, nil)
	if err != nil {
		return Retrieval{}, fmt.Errorf("retrieve: %w", err)
	}
	in := evidence.Corpus{Terms: terms, Chunks: statistics.Chunks, Asked: cmp.Or(q.Present, talk.Dependent(q.Question, q.Turns))}
	out.Signs, out.Coverage = evidence.Read(r.cfg.Static, out.Question, asking.crossing(out.Results), in, passagesOf(out.Results))
	out.Evidence = out.Signs.Probability()
	out.Results = out.Results[:min(q.K, len(out.Results))]
	return out, nil
}

// isUncompared reports whether the best passage is in English, and the question in another language, without a model for both.
func isUncompared(s evidence.Signs) bool { return s.Other && s.Similarity == 0 && s.Language == "en" }

func passagesOf(results []Result) []evidence.Passage {
	out := make([]evidence.Passage, len(results))
	for i, r := range results {
		p := r.Passage
		out[i] = evidence.Passage{
			Heading: corpus.HeadingLine(p.Document.Title, p.Headings), Text: p.Text, Code: p.Kind == corpus.Code, Language: p.Document.Language,
		}
	}
	return out
}

// complete applies the defaults and checks the limits.
func (q Query) complete() (Query, error) {
	if q.K == 0 {
		q.K = defaultQueryK
	}
	if q.K < 0 || q.K > MaxK {
		return q, fault.New(fault.Invalid, "k_out_of_range", "k is %d; it must be between 1 and %d", q.K, MaxK)
	}
	if len(q.Wordings) > MaxWordings {
		return q, fault.New(fault.Invalid, "config_too_many_wordings", "%d other wordings; at most %d are allowed", len(q.Wordings), MaxWordings)
	}
	if len(q.Documents) > MaxDocuments {
		return q, fault.New(fault.Invalid, "search_too_many_documents",
			"a search in %d documents; at most %d are allowed: search in their collections", len(q.Documents), MaxDocuments)
	}
	if q.Mode == "" {
		q.Mode = Full
	}
	if !slices.Contains([]Mode{Full, Hybrid, Keywords, Vectors}, q.Mode) {
		return q, fault.New(fault.Invalid, "search_mode_unknown", "there is no mode %q", q.Mode)
	}
	for _, name := range q.Without {
		if featureIndex(name) < 0 {
			return q, fault.New(fault.Invalid, "search_feature_unknown", "there is no feature %q", name)
		}
	}
	return q, nil
}

// rank returns the candidates, best first, and the question's terms.
func (r *Retriever) rank(ctx context.Context, q Query, asking question) ([]candidate, []text.Term, error) {
	candidates, err := r.candidates(ctx, q, asking)
	if err != nil {
		return nil, nil, fmt.Errorf("retrieve: %w", err)
	}
	order(candidates)
	candidates = candidates[:min(len(candidates), stageTwo)]
	terms, matches, err := r.cfg.Words.Match(ctx, asking.text, candidateIDs(candidates))
	if err != nil {
		return nil, nil, fmt.Errorf("retrieve: %w", err)
	}
	if q.Mode == Full {
		if err := r.second(ctx, q, asking, candidates, matches); err != nil {
			return nil, nil, fmt.Errorf("retrieve: %w", err)
		}
		order(candidates)
	}
	return candidates, terms, nil
}

// candidates is the first stage.
func (r *Retriever) candidates(ctx context.Context, q Query, asking question) (all []candidate, err error) {
	ctx, span := trace.Begin(ctx, trace.Internal, "retrieve candidates")
	defer func() {
		span.Set("docent.candidates", len(all))
		span.End(err)
	}()
	filter := q.filter()
	var words, near []Hit
	if q.Mode != Vectors {
		if words, err = r.cfg.Words.Words(ctx, asking.text, stageOne, filter); err != nil {
			return nil, err
		}
	}
	if q.Mode != Keywords {
		if near, err = r.cfg.Nearest.Nearest(ctx, asking.vector, stageOne, filter); err != nil {
			return nil, err
		}
	}
	var enriched []Hit
	if q.Mode == Full && r.enriched.len() > 0 && !slices.Contains(q.Without, FeatureEnrichment) {
		all, err := r.features.Statistics(ctx, nil)
		if err != nil {
			return nil, err
		}
		if enriched, err = r.enriched.hits(ctx, asking.text, filter, all.Chunks); err != nil {
			return nil, err
		}
	}
	lists := [][]Hit{words, near}
	for _, e := range asking.encoders {
		hits, err := e.Vectors.Nearest(ctx, e.vector, stageOne, filter)
		if err != nil {
			return nil, err
		}
		lists = append(lists, hits)
	}
	var ids []int64
	for _, list := range lists {
		for _, h := range list {
			ids = append(ids, h.ID)
		}
	}
	for _, h := range enriched {
		ids = append(ids, h.ID)
	}
	rows, err := r.features.Rows(ctx, ids)
	if err != nil {
		return nil, err
	}
	if err := asking.read(ctx, ids); err != nil {
		return nil, err
	}
	n := len(rows) - len(enriched)
	all = join(fuse(lists, asking, rows[:n]), enriched, rows[n:])
	texts := q.Wordings
	if q.Wordings = nil; q.Mode != Full || len(texts) == 0 {
		return all, nil
	}
	others, rows, err := fuseWordings(texts, func(text string) ([]candidate, error) {
		asking, err := r.ask(ctx, q, text)
		if err == nil {
			return r.candidates(ctx, q, asking)
		}
		return nil, err
	})
	return join(all, others, rows), err
}

// filter returns what the query may find.
func (q Query) filter() Filter { return Filter{Collections: q.Collections, Documents: q.Documents} }

func candidateIDs(candidates []candidate) []int64 {
	ids := make([]int64, len(candidates))
	for i, c := range candidates {
		ids[i] = c.ID
	}
	return ids
}

// order sorts by score, and equal scores by source, ordinal, and id.
func order(candidates []candidate) {
	slices.SortFunc(candidates, func(a, b candidate) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Or(strings.Compare(a.Document.Source, b.Document.Source), cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.ID, b.ID))
	})
}

// fuse joins the lists of words, of the embedder, and of each encoder, of which
// rows are the rows in order. The scores of each list are normalized over its own
// hits: its best hit counts 1, its last hit and all other chunks 0. The scores of
// the embedder and of the encoder that takes a chunk are averaged. The embedder
// does not count if it does not know the language of the question or of the
// chunk, and the encoder does.
func fuse(lists [][]Hit, asking question, rows []*Row) []candidate {
	place := make(map[int64]int, len(rows))
	out := make([]candidate, 0, len(rows))
	add := func(hits []Hit, score func(c *candidate, s float64)) {
		for i, s := range spread(hits) {
			row := rows[i]
			if row == nil {
				continue // its document is being replaced
			}
			at, ok := place[row.ID]
			if !ok {
				at = len(out)
				place[row.ID] = at
				out = append(out, candidate{Row: row})
			}
			score(&out[at], s)
		}
		rows = rows[len(hits):]
	}
	add(lists[0], func(c *candidate, s float64) { c.bm25 = s })
	add(lists[1], func(c *candidate, s float64) { c.dense = s })
	encoded := make(map[int64]float64, len(rows))
	for i, hits := range lists[2:] {
		add(hits, func(c *candidate, s float64) {
			if asking.encoderFor(c.Document.Language) == asking.encoders[i] {
				encoded[c.ID] = s
			}
		})
	}
	for i := range out {
		c := &out[i]
		if e := asking.encoderFor(c.Document.Language); e != nil && e.known[c.ID] != nil {
			own := c.dense
			if c.dense = encoded[c.ID]; !slices.Contains([]pair{equal, crossed}, asking.pairWith(c.Document.Language)) {
				c.dense = (own + c.dense) / 2
			}
		}
		c.score = (c.bm25 + c.dense) / 2
	}
	return out
}

// spread scales the scores of hits to 1 for the best and 0 for the last. A
// list shorter than stageOne contains all there is, so its last hit is not
// worthless: its floor is 0.
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
func (r *Retriever) second(ctx context.Context, q Query, asking question, candidates []candidate, matches []Match) (err error) {
	ctx, span := trace.Begin(ctx, trace.Internal, "retrieve features")
	defer func() { span.End(err) }()
	if err := asking.read(ctx, candidateIDs(candidates)); err != nil { // those of other wordings
		return err
	}
	w := r.scratch.Get().(*scratch)
	defer r.scratch.Put(w)
	s := &scoring{static: r.cfg.Static, asking: asking, candidates: candidates, matches: matches, scratch: w}
	if err := s.prepare(ctx, asking.text, r.features); err != nil {
		return err
	}
	if asks := definition.Asked(q.Question); asks != nil {
		passages, err := r.cfg.Corpus.Passages(ctx, candidateIDs(candidates))
		if err != nil {
			return fmt.Errorf("read passages: %w", err)
		}
		s.defined = make(map[int64]float32, len(passages))
		for _, p := range passages {
			s.defined[p.ID] = float32(asks.Strength(p.Document.Title, p.Text))
		}
	}
	column := make([]float32, len(candidates))
	for f := range features {
		if slices.Contains(q.Without, features[f].name) {
			continue
		}
		features[f].compute(s, column)
		highest := float32(1)
		if name := features[f].name; len(column) > 0 && (name == FeatureDefinition || name == FeatureEnrichment && len(q.Wordings) == 0) {
			highest = slices.Max(column) // the clearest definition, or the share of chunks with an enrichment
		}
		normalize(column)
		for i := range candidates {
			candidates[i].features[f] = column[i] * highest
		}
	}
	byPair := r.weights(asking, sharedWords(matches))
	for i := range candidates {
		c := &candidates[i]
		weights := byPair[asking.pairWith(c.Document.Language)][c.Kind]
		c.score = 0
		for f := range features {
			c.score += weights[features[f].name] * float64(c.features[f])
		}
	}
	return nil
}

// results reads the passages. It omits passages that the store no longer has, and those of fallbacks,
// whose documents it returns.
func (r *Retriever) results(ctx context.Context, candidates []candidate, q Query) (out []Result, fallbacks []int64, err error) {
	ids := candidateIDs(candidates)
	if len(ids) == 0 {
		return nil, nil, nil
	}
	passages, err := r.cfg.Corpus.Passages(ctx, ids)
	if err != nil {
		return nil, nil, fmt.Errorf("retrieve: read passages: %w", err)
	}
	place := make(map[int64]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	out = make([]Result, 0, len(passages))
	accepts := q.filter().Accepts()
	for _, p := range passages {
		c := &candidates[place[p.ID]]
		switch {
		case !accepts(p.Document.Collection, p.Document.ID): // rights must not depend on an index
		case !strings.HasPrefix(p.Document.Source, rag.FallbackPrefix):
			out = append(out, Result{Rank: len(out) + 1, Score: c.score, Passage: p, Features: c.explain(q)})
		case !slices.Contains(fallbacks, p.DocumentID):
			fallbacks = append(fallbacks, p.DocumentID)
		}
	}
	return out, fallbacks, nil
}

// explain returns the features behind a candidate's score by name.
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
