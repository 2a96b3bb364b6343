package retrieve

import (
	"cmp"
	"slices"
)

// MaxWordings limits Query.Wordings.
const MaxWordings = 4

const rankOffset = 60 // the usual constant of reciprocal rank fusion

// fuseWordings merges the candidates for the other wordings of a question by
// reciprocal rank fusion. A chunk that is first for every wording scores 1. find
// finds the candidates for one of them.
func fuseWordings(texts []string, find func(text string) ([]candidate, error)) ([]Hit, []*Row, error) {
	scores, found := map[int64]float64{}, map[int64]*Row{}
	for _, text := range texts {
		candidates, err := find(text)
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
	var rows []*Row
	for _, h := range hits {
		rows = append(rows, found[h.ID])
	}
	return hits, rows, nil
}
