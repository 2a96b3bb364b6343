package bm25

import (
	"context"
	"fmt"

	"docent/rag/retrieve"
	"docent/rag/retrieve/keyword"
	"docent/rag/text"
)

// matching is the state of one Match.
type matching struct {
	x   *Index
	sc  *scratch
	out []retrieve.Match
	// rows are the postings of the current group in the requested chunks.
	rows []matchRow
	// meanHeading and meanDocument are mean lengths.
	meanHeading, meanDocument float32
}

// matchRow is a requested chunk in a posting list.
type matchRow struct {
	row int
	p   posting
}

// Match implements retrieve.Words.
func (x *Index) Match(ctx context.Context, question string, ids []int64) ([]text.Term, []retrieve.Match, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("keyword index: match: %w", err)
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	sc := x.scratch.Get().(*scratch)
	defer x.scratch.Put(sc)
	sc.marks = sized(sc.marks, len(x.chunks.ids))
	sc.docTF, sc.docMarks = sized(sc.docTF, len(x.docs.ids)), sized(sc.docMarks, len(x.docs.ids))
	sc.docScores = sized(sc.docScores, len(x.docs.ids))
	m := &matching{
		x: x, sc: sc, out: make([]retrieve.Match, len(ids)),
		meanHeading:  float32(x.heading) / float32(max(x.live, 1)),
		meanDocument: float32(x.length-x.heading) / float32(max(x.liveDocs, 1)),
	}
	m.mark(ids, true)
	terms := m.run(question)
	for i, id := range ids {
		if slot, ok := x.chunks.slots[id]; ok {
			m.out[i].Document = float64(sc.docScores[x.chunks.docs[slot]])
		}
	}
	m.mark(ids, false)
	return terms, m.out, nil
}

// run adds the scores of a query's groups and returns its terms.
func (m *matching) run(question string) []text.Term {
	groups := m.x.groups(question)
	terms := make([]text.Term, len(groups))
	var mass float32
	scores := make([]struct{ score, heading, coverage float32 }, len(m.out))
	for i, g := range groups {
		terms[i] = text.Term{Text: g.Name, IDF: float64(g.IDF)}
		mass += g.IDF
		times := g.Weight / max(g.IDF, 1e-9)
		m.rows = m.rows[:0]
		headings := m.scan(g)
		headingIDF := keyword.IDF(headings, m.x.live)
		m.documents(times)
		covered := -1
		for _, r := range m.rows {
			s := &scores[r.row]
			slot := r.p.slot()
			s.score += g.Weight * m.x.saturated(slot, r.p.tf())
			if r.row != covered {
				s.coverage += g.IDF
				covered = r.row
			}
			if tf := r.p.headingTF(); tf > 0 {
				norm := keyword.Norm(float32(m.x.chunks.headings[slot]), m.meanHeading, keyword.BHeading)
				s.heading += times * headingIDF * keyword.Saturated(float32(tf), norm)
			}
		}
	}
	for i, s := range scores {
		m.out[i].Score, m.out[i].Heading = float64(s.score), float64(s.heading)
		if mass > 0 {
			m.out[i].Coverage = float64(min(s.coverage/mass, 1))
		}
	}
	return terms
}

// scan reads a group's postings. It records those of the requested chunks and counts terms by document. It returns the
// number of live chunks with the term in their heading.
func (m *matching) scan(g group) (headings int) {
	x, sc := m.x, m.sc
	sc.docsSeen = sc.docsSeen[:0]
	docs, marks, killed := x.chunks.docs, sc.marks, x.chunks.killed > 0
	for _, list := range g.lists {
		for _, p := range list {
			slot := p.slot()
			if killed && !x.chunks.alive(slot) {
				continue
			}
			doc, headingTF := docs[slot], p.headingTF()
			if headingTF > 0 {
				headings++
			}
			if tf := p.tf() - min(headingTF, p.tf()); tf > 0 {
				if sc.docTF[doc] == 0 {
					sc.docsSeen = append(sc.docsSeen, doc)
				}
				sc.docTF[doc] += tf
			}
			if row := marks[slot]; row > 0 {
				m.rows = append(m.rows, matchRow{int(row - 1), p})
			}
		}
	}
	return min(headings, x.live)
}

// documents adds the current group to the scores of the requested chunks' documents.
func (m *matching) documents(times float32) {
	x, sc := m.x, m.sc
	weight := times * keyword.IDF(len(sc.docsSeen), x.liveDocs)
	for _, doc := range sc.docsSeen {
		if sc.docMarks[doc] > 0 {
			norm := keyword.Norm(float32(x.docs.lengths[doc]), m.meanDocument, keyword.B)
			sc.docScores[doc] += weight * keyword.Saturated(float32(sc.docTF[doc]), norm)
		}
		sc.docTF[doc] = 0
	}
}

// mark marks the requested chunks and documents, or removes the marks.
func (m *matching) mark(ids []int64, on bool) {
	for i, id := range ids {
		slot, ok := m.x.chunks.slots[id]
		if !ok {
			continue
		}
		doc := m.x.chunks.docs[slot]
		if on {
			m.sc.marks[slot], m.sc.docMarks[doc] = uint32(i+1), 1
		} else {
			m.sc.marks[slot], m.sc.docMarks[doc], m.sc.docScores[doc] = 0, 0, 0
		}
	}
}
