package pipeline

import (
	"cmp"
	"context"
	"slices"

	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/evidence"
	"docent/rag/retrieve"
	"docent/rag/talk"
	"docent/rag/text"
)

const (
	// maxCited limits the documents of the last answer in which a follow-up is searched.
	maxCited = 3
	// fewOwn is the number of own words up to which the documents of the last answer come first for a message.
	fewOwn = 3
	// covers is the share of the own words of a message from which a passage is about them.
	covers = .5
	// clearer is the difference of evidence from which other documents fit a whole question better than those of the last answer.
	clearer = .15
	// perWordLess and stated lean to the last answer: for each own word that a message has less than fewOwn, and for a message that
	// is no question.
	perWordLess, stated = .1, .25
)

// reading is a way to read a message, with the passages for it.
type reading struct {
	looked
	// follows reports that the message is completed with the question before it.
	follows bool
	// share is the share of the new words in the best passage.
	share float64
}

// follower finds the passages for a message behind an earlier question.
type follower struct{ *answering }

// search finds the passages for a message behind an earlier question. It may follow it within the documents that the last
// answer cites, follow it in other documents, or stand alone. It takes at most three searches, and one more for the passages of
// the last answer if the request lacks them.
func (a follower) search(ctx context.Context, query retrieve.Query, f talk.FollowUp) error {
	query.Turns = nil
	var alone reading
	var err error
	own := len(f.Own())
	if !f.Bound && own > fewOwn {
		if alone, err = a.readAs(ctx, query, f, false); err != nil {
			return err
		}
		if a.thresholds.Outcome(alone.found.Evidence) == rag.Answered {
			a.follow(ctx, alone, f)
			return nil
		}
	}
	last, err := a.lastAnswer(ctx)
	if err != nil {
		return err
	}
	within, err := a.readWithin(ctx, query, f, last)
	if err != nil {
		return err
	}
	if within.holds() && ofTable(*last) {
		if tableAnswer(a).multiply(ctx, within.looked, f, *last) {
			return nil
		}
		if a.exchanged = tableAnswer(a).exchange(ctx, f, within.found.Results); a.exchanged != "" {
			a.follow(ctx, within, f)
			return nil
		}
	}
	best := within
	if f.Bound || !f.Asks {
		whole, err := a.readAs(ctx, query, f, true)
		if err != nil {
			return err
		}
		if !within.holds() || whole.found.Evidence > within.found.Evidence+clearer && whole.share >= within.share {
			best = whole
		}
		if best.share >= covers || best.holds() && f.Bound && (own < 2 || f.Corrects) {
			a.follow(ctx, best, f)
			return nil
		}
	}
	if !alone.holds() {
		if alone, err = a.readAs(ctx, query, f, false); err != nil {
			return err
		}
	}
	lean := perWordLess * float64(max(0, fewOwn-own))
	if f.Bound {
		lean += covers
	}
	if !f.Asks {
		lean += stated
	}
	answers := func(r reading) bool { return a.thresholds.Outcome(r.found.Evidence) == rag.Answered }
	standsAlone := !f.Bound && f.Asks && (alone.share == 0 && best.share == 0 || alone.share >= best.share && answers(alone) && !answers(best))
	if !best.holds() || alone.share > best.share+lean || standsAlone {
		best = alone
	}
	a.follow(ctx, best, f)
	return nil
}

// holds reports whether the reading found passages.
func (r reading) holds() bool { return len(r.found.Results) > 0 }

// readAs searches for a message alone, or completed with the question before it.
func (a follower) readAs(ctx context.Context, query retrieve.Query, f talk.FollowUp, follows bool) (reading, error) {
	everywhere := len(query.Documents) == 0
	query.Question, query.Present = f.Message, ""
	switch {
	case follows && everywhere:
		query.Question, query.Present = f.Searched, f.Part
	case follows:
		query.Question, query.Present = f.Whole, f.Part
	}
	l, err := a.look(ctx, query)
	if err != nil {
		return reading{}, err
	}
	own, n := f.Own(), evidence.Passages
	if follows && everywhere { // the earlier question alone may have found the others
		n = 1
	}
	out := reading{looked: l, follows: follows, share: shareOf(own, l.found, n)}
	if follows && !everywhere && !f.Replaced {
		ownFirst(own, &out.found)
	}
	return out, nil
}

// readWithin searches for the completed message in the documents that the last answer cites.
func (a follower) readWithin(ctx context.Context, query retrieve.Query, f talk.FollowUp, last *rag.LastAnswer) (reading, error) {
	if last == nil {
		return reading{}, nil
	}
	query.Documents = a.citedBy(*last)
	if len(query.Documents) == 0 {
		return reading{}, nil
	}
	return a.readAs(ctx, query, f, true)
}

// citedBy returns the documents that an answer cites, within the documents of the request.
func (a follower) citedBy(last rag.LastAnswer) []int64 {
	var out []int64
	for _, n := range text.Marked(last.Text, len(last.Passages)) {
		p := last.Passages[n-1]
		chosen := len(a.req.Documents) == 0 || slices.Contains(a.req.Documents, p.DocumentID)
		if p.File == 0 && p.DocumentID > 0 && chosen && !slices.Contains(out, p.DocumentID) && len(out) < maxCited {
			out = append(out, p.DocumentID)
		}
	}
	return out
}

// follow takes the passages of a reading for the answer.
func (a follower) follow(ctx context.Context, r reading, f talk.FollowUp) {
	a.take(ctx, r.looked)
	if r.follows {
		a.followUp = &f
	}
}

// shareOf returns the largest share of the own words of a message in one of the n best passages.
func shareOf(own []string, found retrieve.Retrieval, n int) float64 {
	best := 0.0
	for _, r := range found.Results[:min(len(found.Results), n)] {
		best = max(best, shareIn(own, r.Passage, found.Terms))
	}
	return best
}

// shareIn returns the share of words in a passage, weighed by their rarity.
func shareIn(own []string, p corpus.Passage, terms []text.Term) float64 {
	there := text.Stems(corpus.IndexText(p.Document.Title, p.Chunk))
	known, all := 0.0, 0.0
	for _, s := range own {
		weight := 1.0
		for _, t := range terms {
			if (text.Analysis{}).Stem(t) == s {
				weight = t.IDF
			}
		}
		all += weight
		if mentioned(there, s) {
			known += weight
		}
	}
	if all == 0 {
		return 0
	}
	return known / all
}

// ownFirst puts the passages with more of the own words of a message first. The words of the earlier question decide between equal
// ones.
func ownFirst(own []string, found *retrieve.Retrieval) {
	results := found.Results
	scores := make([]float64, len(results))
	for i, r := range results {
		scores[i] = r.Score
	}
	slices.SortStableFunc(results, func(a, b retrieve.Result) int {
		return cmp.Compare(shareIn(own, b.Passage, found.Terms), shareIn(own, a.Passage, found.Terms))
	})
	for i := range results {
		results[i].Rank, results[i].Score = i+1, scores[i]
	}
}
