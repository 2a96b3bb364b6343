package bm25

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	// spans have the chunks of the requested chunks' documents. whole reports that they have all of them.
	spans []span
	whole bool
	// meanHeading and meanDocument are mean lengths.
	meanHeading, meanDocument float32
}

// span is a range of slots, with the last one.
type span struct{ first, last uint32 }

// minCounted is the number of postings from which the counts of a group are kept. Shorter lists are quick to read.
const minCounted = 1024

// maxCounts limits the groups in counts.
const maxCounts = 4096

// groupCount counts where a group of a query occurs.
type groupCount struct {
	// headings counts the live chunks with a term in their headings, and docs the documents with one in their texts.
	headings, docs int
}

// counts are the counts of frequent groups since the last change of the index. It is safe for concurrent use.
type counts struct {
	mu      sync.Mutex
	byTerms map[string]groupCount // guarded by mu
}

func (c *counts) get(terms string) (groupCount, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.byTerms[terms]
	return n, ok
}

func (c *counts) put(terms string, n groupCount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byTerms == nil || len(c.byTerms) >= maxCounts {
		c.byTerms = map[string]groupCount{}
	}
	c.byTerms[terms] = n
}

// forget drops all counts, because the index changes.
func (c *counts) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byTerms = nil
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
	if len(ids) == 0 {
		return termsOf(x.groups(question)), nil, nil
	}
	sc.marks = sized(sc.marks, len(x.chunks.ids))
	sc.docTF, sc.docMarks = sized(sc.docTF, len(x.docs.ids)), sized(sc.docMarks, len(x.docs.ids))
	sc.docScores = sized(sc.docScores, len(x.docs.ids))
	m := &matching{
		x: x, sc: sc, out: make([]retrieve.Match, len(ids)),
		meanHeading:  float32(x.heading) / float32(max(x.live, 1)),
		meanDocument: float32(x.length-x.heading) / float32(max(x.liveDocs, 1)),
	}
	m.mark(ids, true)
	m.whole = m.surround(ids)
	terms := m.run(question)
	for i, id := range ids {
		if slot, ok := x.chunks.slots[id]; ok {
			m.out[i].Document = float64(sc.docScores[x.chunks.docs[slot]])
		}
	}
	m.mark(ids, false)
	return terms, m.out, nil
}

func termsOf(groups []group) []text.Term {
	var terms []text.Term
	for _, g := range groups {
		if !g.Synonym {
			terms = append(terms, text.Term{Text: g.Name, Word: g.Word, IDF: float64(g.IDF)})
		}
	}
	return terms
}

// run adds the scores of a query's groups and returns its terms.
func (m *matching) run(question string) []text.Term {
	groups := m.x.groups(question)
	var mass float32
	scores := make([]struct{ score, heading, coverage float32 }, len(m.out))
	for _, g := range groups {
		mass += g.Covers()
		times := g.Weight / max(g.IDF, 1e-9)
		count := m.read(g)
		headingIDF := keyword.IDF(count.headings, m.x.live)
		m.documents(times * keyword.IDF(count.docs, m.x.liveDocs))
		covered := -1
		for _, r := range m.rows {
			s := &scores[r.row]
			slot := r.p.slot()
			s.score += g.Weight * m.x.saturated(slot, r.p.tf())
			if r.row != covered {
				s.coverage += g.Covers()
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
	return termsOf(groups)
}

// read reads a group's postings, and counts where it occurs. It records the postings of the requested chunks, and counts terms
// by document. If the counts are known, it reads only the requested chunks' documents.
func (m *matching) read(g group) groupCount {
	m.rows, m.sc.docsSeen = m.rows[:0], m.sc.docsSeen[:0]
	postings := 0
	for _, list := range g.lists {
		postings += len(list)
	}
	terms := ""
	if m.whole && postings >= minCounted {
		terms = strings.Join(g.Terms, "\x00")
		if n, ok := m.x.counts.get(terms); ok {
			for _, list := range g.lists {
				for _, s := range m.spans {
					list = list[after(list, s.first):]
					m.scan(list[:after(list, s.last+1)])
				}
			}
			return n
		}
	}
	headings := 0
	for _, list := range g.lists {
		headings += m.scan(list)
	}
	n := groupCount{headings: min(headings, m.x.live), docs: len(m.sc.docsSeen)}
	if terms != "" {
		m.x.counts.put(terms, n)
	}
	return n
}

// after returns the position of the first posting from a slot on.
func after(list []posting, slot uint32) int {
	at, _ := slices.BinarySearchFunc(list, slot, func(p posting, slot uint32) int { return cmp.Compare(p.slot(), slot) })
	return at
}

// scan reads postings. It returns the number of live chunks with the term in their heading.
func (m *matching) scan(list []posting) (headings int) {
	x, sc := m.x, m.sc
	docs, marks, killed := x.chunks.docs, sc.marks, x.chunks.killed > 0
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
	return headings
}

// documents adds the current group, with its weight, to the scores of the requested chunks' documents.
func (m *matching) documents(weight float32) {
	x, sc := m.x, m.sc
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

// surround sets spans, in order. It returns false if the chunks of a document are not side by side. Usually they are: an index
// gets all chunks of a document at once.
func (m *matching) surround(ids []int64) bool {
	c := &m.x.chunks
	seen := make(map[uint32]bool, len(ids))
	for _, id := range ids {
		slot, ok := c.slots[id]
		if !ok || seen[c.docs[slot]] {
			continue
		}
		doc := c.docs[slot]
		seen[doc] = true
		s := span{slot, slot}
		for s.first > 0 && c.docs[s.first-1] == doc {
			s.first--
		}
		for int(s.last)+1 < len(c.docs) && c.docs[s.last+1] == doc {
			s.last++
		}
		live := uint32(0)
		for slot := s.first; slot <= s.last; slot++ {
			if c.alive(slot) {
				live++
			}
		}
		if live != m.x.docs.chunks[doc] {
			return false
		}
		m.spans = append(m.spans, s)
	}
	slices.SortFunc(m.spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	return true
}
