package pgvector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"docent/rag/retrieve"
	"docent/rag/retrieve/keyword"
	"docent/rag/text"
)

const (
	// maxTerms limits the terms that a search counts, for example of a pasted log.
	// Those with the most weight count.
	maxTerms = 128
	// maxFound limits the chunks that a search compares.
	maxFound = 100_000
)

var _ retrieve.Words = (*Index)(nil)

// lexicon has the statistics for a query. It implements keyword.Lexicon.
type lexicon struct {
	languages []keyword.Language
	languageCount
	ids   map[string]int32
	terms map[string]termCount
	// asked collects the terms that Chunks is called with.
	asked [][]byte
}

func (l *lexicon) Languages() []keyword.Language { return l.languages }

func (l *lexicon) Chunks(term string) int {
	if l.terms == nil {
		l.asked = append(l.asked, []byte(term))
	}
	return int(l.terms[term].chunks)
}

// groups analyzes a query with the statistics in the database.
func (x *Index) groups(ctx context.Context, query string) ([]keyword.Group, *lexicon, error) {
	l := &lexicon{}
	rows, err := x.cfg.Pool.Query(ctx, `SELECT language, documents, chunks, length, heading FROM pgvector_language
		WHERE chunks > 0 ORDER BY chunks DESC, language`)
	if err != nil {
		return nil, nil, err
	}
	var name string
	var n languageCount
	if _, err := pgx.ForEachRow(rows, []any{&name, &n.documents, &n.chunks, &n.length, &n.heading}, func() error {
		l.languages = append(l.languages, keyword.Language{Name: name, Chunks: int(n.chunks)})
		l.documents, l.chunks, l.length, l.heading = l.documents+n.documents, l.chunks+n.chunks, l.length+n.length, l.heading+n.heading
		return nil
	}); err != nil {
		return nil, nil, err
	}
	keyword.Groups(query, l, int(l.chunks)) // collects the terms
	l.ids, l.terms = map[string]int32{}, map[string]termCount{}
	if rows, err = x.cfg.Pool.Query(ctx, `SELECT term, id, chunks, headings, documents FROM pgvector_term WHERE term = ANY ($1)`, l.asked); err != nil {
		return nil, nil, err
	}
	var term []byte
	var id int32
	var t termCount
	if _, err := pgx.ForEachRow(rows, []any{&term, &id, &t.chunks, &t.headings, &t.documents}, func() error {
		l.ids[string(term)], l.terms[string(term)] = id, t
		return nil
	}); err != nil {
		return nil, nil, err
	}
	return keyword.Groups(query, l, int(l.chunks)), l, nil
}

// norm returns the parts of a chunk's length norm: norm = fixed + byLength * length.
func (l *lexicon) norm() (fixed, byLength float64) {
	mean := float64(l.length) / float64(max(l.chunks, 1))
	if mean <= 0 {
		mean = 1
	}
	return keyword.K1 * (1 - keyword.B), keyword.K1 * keyword.B / mean
}

// scored is a term of a query with its part of a score.
type scored struct {
	id     int32
	weight float64 // times K1+1
	chunks int64
}

// score lists the terms of groups that the index has, those of most weight first.
func score(groups []keyword.Group, l *lexicon) []scored {
	var out []scored
	for _, g := range groups {
		for _, term := range g.Terms {
			if t := l.terms[term]; t.chunks > 0 {
				out = append(out, scored{l.ids[term], float64(g.Weight) * (keyword.K1 + 1), t.chunks})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b scored) int { return cmp.Compare(b.weight, a.weight) })
	return out[:min(len(out), maxTerms)]
}

// Words implements retrieve.Words. It looks for the chunks with the rarest words, and
// counts all words in them. It adds more common words to the search while a chunk
// without the rare ones could be among the best (MaxScore, Turtle and Flood 1995).
// A search compares at most 100,000 chunks, and so is approximate for words in more.
func (x *Index) Words(ctx context.Context, query string, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	hits, err := x.words(ctx, query, k, filter)
	return hits, x.cfg.Fail("search for words in PostgreSQL", err)
}

func (x *Index) words(ctx context.Context, query string, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	if k < 1 {
		return nil, ctx.Err()
	}
	groups, l, err := x.groups(ctx, query)
	if err != nil {
		return nil, err
	}
	terms := score(groups, l)
	if len(terms) == 0 {
		return nil, nil
	}
	for limit := int64(x.cfg.Exact); ; limit *= 4 {
		essential := rarest(terms, limit)
		hits, err := x.matching(ctx, l, terms, essential, search{collections: append([]string{}, filter.Collections...), k: k})
		if err != nil || essential == len(terms) {
			return hits, err
		}
		rest := 0.0 // the score of a chunk without the essential terms is less
		for _, t := range terms[essential:] {
			rest += t.weight
		}
		if len(hits) == k && (hits[k-1].Score >= rest || limit >= maxFound) {
			return hits, nil
		}
	}
}

// rarest returns how many of the first terms have at most limit chunks together. It
// is at least 1.
func rarest(terms []scored, limit int64) int {
	for i, t := range terms {
		if limit -= t.chunks; limit < 0 {
			return max(i, 1)
		}
	}
	return len(terms)
}

// matching finds the best chunks that contain one of the first terms. All terms
// count for the score.
func (x *Index) matching(ctx context.Context, l *lexicon, terms []scored, essential int, s search) (hits []retrieve.Hit, err error) {
	ids, weights := make([]int32, len(terms)), make([]float64, len(terms))
	var sum strings.Builder
	for i, t := range terms {
		ids[i], weights[i] = t.id, t.weight
		if i > 0 {
			sum.WriteString(" + ")
		}
		// weight * tf / (tf + norm), or 0 for a chunk without the term
		fmt.Fprintf(&sum, `coalesce(($3::float8[])[%[1]d] * (1 - norm / (norm +
			(get_byte(counts, array_position(terms, ($2::integer[])[%[1]d]) - 1) & %[2]d))), 0)`, i+1, keyword.MaxTF)
	}
	accepted := `cardinality($6::text[]) = 0`
	if len(s.collections) > 0 {
		accepted = `collection = ANY ($6::text[])`
	}
	fixed, byLength := l.norm()
	// A batch is one transaction, and the settings end with it. The plan must know the
	// terms, because some are rare and others are not.
	var batch pgx.Batch
	batch.Queue(`SELECT set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),
		set_config('plan_cache_mode', 'force_custom_plan', true)`)
	batch.Queue(`SELECT chunk_id, score FROM (
			SELECT chunk_id, source, ordinal, `+sum.String()+` AS score
			FROM pgvector_words CROSS JOIN LATERAL (SELECT $4::float8 + $5::float8 * length AS norm OFFSET 0) AS n
			WHERE terms && $1::integer[] AND `+accepted+` LIMIT $7) AS found
		ORDER BY score DESC, source, ordinal, chunk_id LIMIT $8`,
		ids[:essential], ids, weights, fixed, byLength, s.collections, maxFound, s.k)
	results := x.cfg.Pool.SendBatch(ctx, &batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	if _, err := results.Exec(); err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	return collect(rows)
}

// Match implements retrieve.Words.
func (x *Index) Match(ctx context.Context, question string, ids []int64) ([]text.Term, []retrieve.Match, error) {
	terms, matches, err := x.match(ctx, question, ids)
	if err != nil {
		return nil, nil, x.cfg.Fail("describe matches in PostgreSQL", err)
	}
	return terms, matches, nil
}

func (x *Index) match(ctx context.Context, question string, ids []int64) ([]text.Term, []retrieve.Match, error) {
	groups, l, err := x.groups(ctx, question)
	if err != nil {
		return nil, nil, err
	}
	out := make([]text.Term, len(groups))
	for i, g := range groups {
		out[i] = text.Term{Text: g.Name, IDF: float64(g.IDF)}
	}
	matches := make([]retrieve.Match, len(ids))
	if len(ids) == 0 || len(groups) == 0 {
		return out, matches, nil
	}
	// counted has the terms of the groups, one after the other.
	var counted []int32
	for _, g := range groups {
		for _, term := range g.Terms {
			counted = append(counted, l.ids[term]) // 0 for an unknown term, which no chunk has
		}
	}
	m := described{groups: groups, lexicon: l, matches: map[int64]*retrieve.Match{}}
	rows, err := x.cfg.Pool.Query(ctx, `SELECT w.chunk_id, w.length, w.heading, d.length, found.counts, found.sums
		FROM pgvector_words w JOIN pgvector_document_words d ON d.document_id = w.document_id
		CROSS JOIN LATERAL (SELECT
			array_agg(coalesce(get_byte(w.counts, array_position(w.terms, t) - 1), 0) ORDER BY place) AS counts,
			array_agg(coalesce(d.counts[array_position(d.terms, t)], 0) ORDER BY place) AS sums
			FROM unnest($2::integer[]) WITH ORDINALITY AS asked (t, place)) AS found
		WHERE w.chunk_id = ANY ($1)`, ids, counted)
	if err != nil {
		return nil, nil, err
	}
	var c matched
	columns := []any{&c.chunk, &c.length, &c.heading, &c.documentLength, &c.counts, &c.sums}
	if _, err := pgx.ForEachRow(rows, columns, func() error {
		m.add(&c)
		return nil
	}); err != nil {
		return nil, nil, err
	}
	for i, id := range ids {
		if found := m.matches[id]; found != nil {
			matches[i] = *found
		}
	}
	return out, matches, nil
}

// matched is a chunk with its counts of the terms of a question.
type matched struct {
	chunk           int64
	length, heading int16
	documentLength  int64
	// counts are those of the chunk, and sums those of its document.
	counts, sums []int32
}

// described is the state of one Match.
type described struct {
	groups []keyword.Group
	*lexicon
	matches map[int64]*retrieve.Match
}

// add describes the match of a chunk.
func (m *described) add(c *matched) {
	var found retrieve.Match
	fixed, byLength := m.norm()
	norm := fixed + byLength*float64(c.length)
	headingNorm := keyword.Norm(float32(c.heading), mean(m.lexicon.heading, m.chunks), keyword.BHeading)
	documentNorm := keyword.Norm(float32(c.documentLength), mean(m.length-m.lexicon.heading, m.documents), keyword.B)
	var mass float32
	var coverage, inHeading, inDocument float32
	at := 0
	for _, g := range m.groups {
		mass += g.IDF
		times := g.Weight / max(g.IDF, 1e-9)
		var headings, documents int64
		for _, term := range g.Terms {
			headings, documents = headings+m.terms[term].headings, documents+m.terms[term].documents
		}
		headingIDF := keyword.IDF(int(min(headings, m.chunks)), int(m.chunks))
		covered, sum := false, int32(0)
		for range g.Terms {
			count := byte(c.counts[at])
			sum += c.sums[at]
			at++
			if tf(count) == 0 {
				continue
			}
			covered = true
			found.Score += float64(g.Weight) * (keyword.K1 + 1) * (1 - norm/(norm+float64(tf(count))))
			if n := headingTF(count); n > 0 {
				inHeading += times * headingIDF * keyword.Saturated(float32(n), headingNorm)
			}
		}
		if covered {
			coverage += g.IDF
		}
		documentIDF := keyword.IDF(int(min(documents, m.documents)), int(m.documents))
		inDocument += times * documentIDF * keyword.Saturated(float32(sum), documentNorm)
	}
	found.Heading, found.Document = float64(inHeading), float64(inDocument)
	if mass > 0 {
		found.Coverage = float64(min(coverage/mass, 1))
	}
	m.matches[c.chunk] = &found
}

func mean(sum, n int64) float32 { return float32(sum) / float32(max(n, 1)) }
