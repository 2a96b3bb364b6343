package pgwords

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"docent/rag/retrieve"
	"docent/rag/retrieve/keyword"
	"docent/rag/text"
)

// more multiplies the number of chunks that a search compares if they are too few.
const more = 3

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
	rows, err := x.cfg.Pool.Query(ctx, `SELECT coalesce(nullif(language, ''), $1) AS language, sum(documents)::bigint, sum(chunks)::bigint,
			sum(length)::bigint, sum(heading)::bigint
		FROM pgwords_language WHERE chunks > 0 GROUP BY 1`, keyword.NormalLanguage(""))
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
	if rows, err = x.cfg.Pool.Query(ctx, `SELECT term, id, chunks, headings, documents FROM pgwords_term WHERE term = ANY ($1)`, l.asked); err != nil {
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
	chunks int32
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
	return out
}

// Words implements retrieve.Words. It looks for the chunks with the rarest words, and
// counts all words in them. If a chunk without these words could be among the best
// (MaxScore, Turtle and Flood 1995), it looks for more words. In a corpus of more than
// 30,000 chunks, it stops when it has compared about as many, and is approximate.
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
	most := int64(x.cfg.Most)
	for limit := max(most/more, 1); ; limit *= more {
		essential := len(terms)
		if l.chunks > most {
			essential = rarest(terms, limit)
		}
		found, err := x.matching(ctx, l, terms, essential, filter)
		if err != nil {
			return nil, err
		}
		rest := 0.0 // more than the score of a chunk without the essential terms
		for _, t := range terms[essential:] {
			rest += t.weight
		}
		if len(found) > k {
			slices.SortFunc(found, func(a, b retrieve.Hit) int { return cmp.Compare(b.Score, a.Score) })
		}
		if essential == len(terms) || len(found) >= k && (limit > most/more || found[k-1].Score >= rest) {
			return x.best(ctx, found, k)
		}
	}
}

// rarest returns how many of the first terms have at most limit chunks together. It
// is at least 1.
func rarest(terms []scored, limit int64) int {
	for i, t := range terms {
		if limit -= int64(t.chunks); limit < 0 {
			return max(i, 1)
		}
	}
	return len(terms)
}

// matching scores the chunks that contain one of the first terms, in any order. All
// terms count for the score.
func (x *Index) matching(
	ctx context.Context, l *lexicon, terms []scored, essential int, in retrieve.Filter,
) (found []retrieve.Hit, err error) {
	ids := make([]int32, essential)
	for i := range ids {
		ids[i] = terms[i].id
	}
	accepted := ``
	parameters := []any{ids, x.cfg.Most}
	if len(in.Collections) > 0 {
		parameters = append(parameters, in.Collections)
		accepted += fmt.Sprintf(` AND collection = ANY ($%d)`, len(parameters))
	}
	if len(in.Documents) > 0 {
		parameters = append(parameters, in.Documents)
		accepted += fmt.Sprintf(` AND document_id = ANY ($%d)`, len(parameters))
	}
	// A batch is one transaction, and the settings end with it. The plan must know the
	// terms, because some are rare and others are not.
	var batch pgx.Batch
	batch.Queue(`SELECT set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),
		set_config('plan_cache_mode', 'force_custom_plan', true)`)
	batch.Queue(`SELECT chunk_id, length, postings FROM pgwords_chunk WHERE terms && $1`+accepted+` LIMIT $2`, parameters...)
	results := x.cfg.Pool.SendBatch(ctx, &batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	if _, err := results.Exec(); err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	var chunk int64
	var length int16
	var p pgtype.DriverBytes
	fixed, byLength := l.norm()
	_, err = pgx.ForEachRow(rows, []any{&chunk, &length, &p}, func() error {
		hit := retrieve.Hit{ID: chunk}
		norm := fixed + byLength*float64(length)
		for _, t := range terms {
			if n := tf(postings(p).find(t.id)); n > 0 {
				hit.Score += t.weight * saturated(n, norm)
			}
		}
		found = append(found, hit)
		return nil
	})
	return found, err
}

// saturated is the part of a score that a term with a count of tf adds, divided by its
// weight.
func saturated(tf int, norm float64) float64 { return float64(tf) / (float64(tf) + norm) }

// best returns the first k of the found chunks. If there are more, they are in the
// order of their scores.
func (x *Index) best(ctx context.Context, found []retrieve.Hit, k int) ([]retrieve.Hit, error) {
	if len(found) > k { // those with the score of the last one may be better
		end := k
		for end < len(found) && found[end].Score == found[k-1].Score {
			end++
		}
		found = found[:end]
	}
	ids := make([]int64, len(found))
	for i, h := range found {
		ids[i] = h.ID
	}
	rows, err := x.cfg.Pool.Query(ctx, `SELECT chunk_id FROM pgwords_chunk WHERE chunk_id = ANY ($1) ORDER BY source, ordinal, chunk_id`, ids)
	if err != nil {
		return nil, err
	}
	ordered, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, err
	}
	place := make(map[int64]int, len(ordered))
	for i, id := range ordered {
		place[id] = i
	}
	found = slices.DeleteFunc(found, func(h retrieve.Hit) bool {
		_, ok := place[h.ID]
		return !ok // it was deleted meanwhile
	})
	slices.SortFunc(found, func(a, b retrieve.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(place[a.ID], place[b.ID]))
	})
	return found[:min(k, len(found))], nil
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
	var out []text.Term
	for _, g := range groups {
		if !g.Synonym {
			out = append(out, text.Term{Text: g.Name, Word: g.Word, IDF: float64(g.IDF)})
		}
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
	rows, err := x.cfg.Pool.Query(ctx, `WITH chunks AS MATERIALIZED (SELECT chunk_id, document_id, length, heading, postings
			FROM pgwords_chunk WHERE chunk_id = ANY ($1)),
		documents AS MATERIALIZED (SELECT document_id, length, array(
				SELECT coalesce(d.counts[array_position(d.terms, t)], 0) FROM unnest($2::integer[]) WITH ORDINALITY AS asked (t, place)
				ORDER BY place) AS sums
			FROM pgwords_text d WHERE document_id IN (SELECT document_id FROM chunks))
		SELECT c.chunk_id, c.length, c.heading, c.postings, d.length, d.sums
		FROM chunks c JOIN documents d ON d.document_id = c.document_id`, ids, counted)
	if err != nil {
		return nil, nil, err
	}
	var c matched
	columns := []any{&c.chunk, &c.length, &c.heading, &c.postings, &c.documentLength, &c.sums}
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
	postings        []byte
	documentLength  int64
	sums            []int32 // the counts of the terms in the document
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
		mass += g.Covers()
		times := g.Weight / max(g.IDF, 1e-9)
		var headings, documents int64
		for _, term := range g.Terms {
			headings, documents = headings+int64(m.terms[term].headings), documents+int64(m.terms[term].documents)
		}
		headingIDF := keyword.IDF(int(min(headings, m.chunks)), int(m.chunks))
		covered, sum := false, int32(0)
		for _, term := range g.Terms {
			count := postings(c.postings).find(m.ids[term])
			sum += c.sums[at]
			at++
			if tf(count) == 0 {
				continue
			}
			covered = true
			found.Score += float64(g.Weight) * (keyword.K1 + 1) * saturated(tf(count), norm)
			if n := headingTF(count); n > 0 {
				inHeading += times * headingIDF * keyword.Saturated(float32(n), headingNorm)
			}
		}
		if covered {
			coverage += g.Covers()
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
