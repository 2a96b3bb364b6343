package quote

import (
	"regexp"
	"slices"

	"docent/rag/text"
)

var (
	// announcing matches a sentence like "Use the following." that has no colon. The next sentence belongs to it.
	announcing = regexp.MustCompile(`(?i)\b(?:(?:the|as) following|as follows|like this|as below)\b.*\.$`)
	// hollow matches a sentence like "This section describes flags." The next sentences have the content.
	hollow = regexp.MustCompile(`^(?:Here(?:'s|’s| is| are)\b|Presented here|This (?:section|chapter|page|document|guide|article|tutorial|part|appendix) ` +
		`(?:describes|explains|shows|covers|gives|provides|discusses|contains|lists|presents)\b)`)
	// asksForMeaning matches questions for the meaning of something.
	asksForMeaning = regexp.MustCompile(`(?i)^(?:what|who) (?:is|are|does|do|was|were)\b|\bmeans?\b|\bmeaning\b|\bdifferen\w+\b|\b(?:vs|versus)\b|` +
		`^was (?:ist|sind|macht|bedeutet)\b`)
	// meaning matches a sentence that says what the thing before it is.
	meaning = regexp.MustCompile(`^(?:This|These|It|They|Those) (?:is|are|was|were|means?|contains?|holds?|causes?|does)\b`)
	// asksAboutError matches questions about an error.
	asksAboutError = regexp.MustCompile(`(?i)\b(?:errors?|fail\w*|cannot|can't|not found|not work\w*|invalid|denied|refused|unable|warning|fatal|exception|` +
		`unknown|wrong|breaks?|crash\w*|stopped|violat\w+|duplicate)\b`)
	// remedy matches the heading of the answer to an error.
	remedy = regexp.MustCompile(`(?i)\b(?:solutions?|fix|workarounds?|resolution|remedy|answer|cause|reason)\b`)
)

// maxIntroduced is the maximum number of items behind a colon, unless the question asks for all of them.
const maxIntroduced = 3

// maxRemedies is the maximum number of sentences that follow an error.
const maxRemedies = 3

// explained completes quotes with the sentences behind them: what a term or a subject means, and how to handle an error.
func (e *extractor) explained(chosen []quote) []quote {
	words := 0
	for _, c := range chosen {
		words += c.words
	}
	add := func(q quote) {
		if words+q.words <= extractWords && !q.isIn(chosen) {
			chosen, words = append(chosen, q), words+q.words
		}
	}
	if len(chosen) > 0 && asksAboutError.MatchString(e.question) {
		for _, q := range e.remedies(chosen[0]) {
			add(q)
		}
	}
	for _, c := range slices.Clone(chosen) {
		passage := e.passages[c.doc]
		if c.at+1 == len(passage) || c.Kind == text.CodeSentence || c.Kind == text.RowSentence {
			continue
		}
		next := passage[c.at+1]
		switch {
		case next.isIn(chosen):
		case hollow.MatchString(c.text):
			for _, q := range passage[c.at+1 : min(c.at+1+maxRemedies, len(passage))] {
				if q.Kind == text.TitleSentence {
					break
				}
				add(q)
			}
		case introduces(c):
			for _, q := range passage[c.at+1 : min(c.at+1+maxIntroduced, len(passage))] {
				if q.Kind != text.ItemSentence && (q.Kind != text.ProseSentence || q.at > c.at+1) {
					break
				}
				add(q)
			}
		case next.Kind != text.TitleSentence && announcing.MatchString(c.text),
			next.Kind == text.ProseSentence && ofLabel.MatchString(next.text) && next.Block != c.Block,
			next.Kind == text.ProseSentence && meaning.MatchString(next.text) && asksForMeaning.MatchString(e.question):
			add(next)
		}
	}
	return chosen
}

// remedies returns the sentences that follow an error in its passage, or begin the passage with its remedy.
func (e *extractor) remedies(of quote) []quote {
	follow := func(q quote) bool { return q.Kind == text.ProseSentence || q.Kind == text.ItemSentence }
	var out []quote
	for _, q := range e.passages[of.doc][of.at+1:] {
		if len(out) < maxRemedies && follow(q) {
			out = append(out, q)
		}
	}
	headings := e.documents[of.doc].Headings
	for doc, p := range e.documents {
		n := len(p.Headings)
		if len(out) > 0 || n == 0 || p.Document.ID != e.documents[of.doc].Document.ID || !remedy.MatchString(p.Headings[n-1]) {
			continue
		}
		if slices.Equal(p.Headings[:n-1], headings[:min(len(headings), n-1)]) {
			for _, q := range e.passages[doc] {
				if len(out) < maxRemedies && follow(q) {
					out = append(out, q)
				}
			}
		}
	}
	return out
}
