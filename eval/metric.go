package eval

import (
	"math"
	"slices"

	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// Depth is the number of retrieved passages that count.
const Depth = 10

// metrics are the names of the retrieval metrics, in the order of scores. They
// are averages over questions, and higher is better.
//
//   - recall@k: the share of the question's quotes in the first k passages
//   - mrr@10: 1/rank of the first passage with a quote
//   - ndcg@10: the sum of 1/log2(rank+1) over found quotes, relative to the best
//     possible order; quotes of one passage take consecutive ranks
//   - page@k, page-mrr@10: like recall and mrr, for passages from a document
//     with a quote; page@k is 0 or 1
var metrics = []string{"recall@1", "recall@3", "recall@5", "recall@10", "mrr@10", "ndcg@10", "page@1", "page@5", "page@10", "page-mrr@10"}

// Positions in scores.
const (
	recall1 = iota
	recall3
	recall5
	recall10
	mrr10
	ndcg10
	page1
	page5
	page10
	pageMRR10
	metricCount
)

// scores are the metrics of one question.
type scores [metricCount]float64

// score measures a ranking. ranks[i] is the rank, counted from 1, of the first passage with quote i. page is the rank of
// the first passage from an evidence document. 0 means none in the first Depth.
func score(ranks []int, page int) scores {
	var s scores
	n := float64(len(ranks))
	found := make([]int, Depth+1) // quotes by rank
	for _, r := range ranks {
		if r > 0 {
			found[r]++
		}
	}
	var sum, ideal float64
	count := 0
	for r := 1; r <= Depth; r++ {
		if found[r] > 0 && s[mrr10] == 0 {
			s[mrr10] = 1 / float64(r)
		}
		for range found[r] {
			count++
			sum += discount(max(r, count))
		}
		switch share := float64(count) / n; r {
		case 1:
			s[recall1] = share
		case 3:
			s[recall3] = share
		case 5:
			s[recall5] = share
		case 10:
			s[recall10] = share
		}
	}
	for i := range min(len(ranks), Depth) {
		ideal += discount(i + 1)
	}
	s[ndcg10] = sum / ideal
	if page > 0 {
		s[page10], s[pageMRR10] = 1, 1/float64(page)
		if page <= 5 {
			s[page5] = 1
		}
		if page == 1 {
			s[page1] = 1
		}
	}
	return s
}

// discount returns the value of a relevant result at a rank.
func discount(rank int) float64 { return 1 / math.Log2(float64(rank)+1) }

// judge decides which passages answer a question. It caches its decisions, because variants of retrieval find the same
// passages.
type judge struct {
	quotes []quote // the evidence
	also   []quote // other correct passages
	known  map[passageKey]verdict
}

type passageKey struct {
	chunk      int64
	start, end int
}

type verdict struct {
	holds []bool // by quote
	also  bool   // contains another correct passage
	page  bool   // is from a document that a quote is from
}

func newJudge(q Question) *judge {
	j := &judge{known: map[passageKey]verdict{}}
	for _, e := range q.Evidence {
		j.quotes = append(j.quotes, newQuote(e))
	}
	for _, e := range q.Also {
		j.also = append(j.also, newQuote(e))
	}
	return j
}

// rate measures results.
func (j *judge) rate(results []retrieve.Result) scores {
	ranks, page := make([]int, len(j.quotes)), 0
	var others []int
	for i, r := range results[:min(len(results), Depth)] {
		v := j.look(r.Passage)
		if v.page && page == 0 {
			page = i + 1
		}
		for q, holds := range v.holds {
			if holds && ranks[q] == 0 {
				ranks[q] = i + 1
			}
		}
		if v.also && !slices.Contains(ranks, i+1) {
			others = append(others, i+1)
		}
	}
	return score(substitute(ranks, others), page)
}

// substitute lets the ranks of other correct passages take the place of later or missing ranks.
func substitute(ranks, others []int) []int {
	for _, other := range others {
		worst := 0
		for q, r := range ranks {
			if r == 0 || ranks[worst] != 0 && r > ranks[worst] {
				worst = q
			}
		}
		if ranks[worst] == 0 || ranks[worst] > other {
			ranks[worst] = other
		}
	}
	return ranks
}

func (j *judge) look(p corpus.Passage) verdict {
	key := passageKey{p.Chunk.ID, p.Start, p.End}
	v, ok := j.known[key]
	if !ok {
		v = j.judge(newPassage(p.Document.Source, p.Text))
		j.known[key] = v
	}
	return v
}

func (j *judge) judge(p passage) verdict {
	v := verdict{holds: make([]bool, len(j.quotes))}
	for i, q := range j.quotes {
		v.holds[i] = p.has(q)
		v.page = v.page || sameFile(p.source, q.file)
	}
	for _, q := range j.also {
		v.also = v.also || p.has(q)
		v.page = v.page || sameFile(p.source, q.file)
	}
	return v
}
