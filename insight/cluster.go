package insight

import (
	"math"
	"slices"
)

// Cluster is a group of questions with similar meaning.
type Cluster struct {
	// ID identifies the group.
	ID int64
	// Sum is the sum of the unit vectors of its questions.
	Sum []float32
	// Count is the number of its questions.
	Count int64
}

// add adds vectors to the sum.
func (c *Cluster) add(v []float32, count int64) {
	if c.Sum == nil {
		c.Sum = slices.Clone(v)
	} else {
		for i, x := range v {
			c.Sum[i] += x
		}
	}
	c.Count += count
}

// groups puts questions into gaps, one after the other. A question joins the nearest gap, if that is
// similar enough. Then the gap may have come so near to another one that both become one.
type groups struct {
	model string
	gaps  []*Gap
}

func newGroups(gaps []Gap, model string) *groups {
	g := &groups{model: model}
	for i := range gaps {
		g.gaps = append(g.gaps, &gaps[i])
	}
	return g
}

// join returns a question with its gap.
func (g *groups) join(q Ungrouped, v []float32) Grouped {
	gap, score := g.nearest(v, nil)
	if gap == nil || score < joinFrom {
		gap = &Gap{Model: g.model}
		g.gaps = append(g.gaps, gap)
	}
	gap.add(v, 1)
	out := Grouped{Ungrouped: q, Gap: gap, Score: similarity(gap.Sum, v)}
	other, score := g.nearest(gap.Sum, gap)
	switch {
	case other == nil, score < mergeFrom, other.ID == 0, gap.ID == 0 && other.Count > gap.Count:
		return out
	case other.Owner != "", other.State != GapOpen: // somebody cares for it
		return out
	}
	gap.add(other.Sum, other.Count)
	out.Merged = other.ID
	g.gaps = slices.DeleteFunc(g.gaps, func(of *Gap) bool { return of == other })
	return out
}

// nearest returns the most similar gap, except for one, and its similarity; nil without one.
func (g *groups) nearest(v []float32, except *Gap) (best *Gap, score float64) {
	for _, gap := range g.gaps {
		if gap == except || len(gap.Sum) != len(v) {
			continue
		}
		if s := similarity(gap.Sum, v); best == nil || s > score {
			best, score = gap, s
		}
	}
	return best, score
}

// similarity returns the cosine of two vectors of one length.
func similarity(a, b []float32) float64 {
	var dot, aa, bb float64
	for i, x := range a {
		y := b[i]
		dot, aa, bb = dot+float64(x*y), aa+float64(x*x), bb+float64(y*y)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}
