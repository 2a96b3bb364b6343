package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

const (
	// MaxWordings limits Query.Wordings.
	MaxWordings = 4
	// rankOffset is the usual constant of reciprocal rank fusion. It limits the
	// share of the first ranks.
	rankOffset = 60
)

// wordings finds candidates for the other wordings of a question and merges them
// by reciprocal rank fusion. A chunk that is first for every wording scores 1.
func (r *Retriever) wordings(ctx context.Context, q Query) ([]Hit, []*Row, error) {
	texts := q.Wordings
	q.Wordings = nil
	scores, found := map[int64]float64{}, map[int64]*Row{}
	for _, text := range texts {
		vector, err := r.cfg.Embedder.EmbedQuery(ctx, text)
		if err != nil {
			return nil, nil, fmt.Errorf("embed another wording: %w", err)
		}
		encoders, err := r.encoders.ask(ctx, q, text)
		if err != nil {
			return nil, nil, err
		}
		candidates, err := r.candidates(ctx, q, text, vector, encoders)
		if err != nil {
			return nil, nil, err
		}
		order(candidates)
		for rank, c := range candidates[:min(len(candidates), stageTwo)] {
			scores[c.ID] += (rankOffset + 1) / float64(rankOffset+1+rank) / float64(len(texts))
			found[c.ID] = c.Row
		}
	}
	hits := make([]Hit, 0, len(scores))
	for id, s := range scores {
		hits = append(hits, Hit{id, s})
	}
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	rows := make([]*Row, len(hits))
	for i, h := range hits {
		rows[i] = found[h.ID]
	}
	return hits, rows, nil
}
