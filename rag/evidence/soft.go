package evidence

import (
	"math"
	"strings"

	"docent/rag/text"
)

const (
	// softWeight is the part of the weight of an everyday word that counts if no passage has it.
	softWeight = .2
	// noNounWeight is the part of the weight of a word that counts if it does not stand in the place of a noun, and no passage has it.
	// People write their own verbs, adjectives, and adverbs, and documents write others.
	noNounWeight = .5
	// commonWeight is that part for the most common English words, and rareToken is the first token of which all counts. The
	// vocabulary is ordered by frequency.
	commonWeight = .4
	commonToken  = 1000
	rareToken    = 30000
)

// specificity returns the part of the weight of a word that counts if no passage has it, from 0 to 1. Everyday words say less
// about a subject than rare ones, also if the corpus is too small to show it. So do words that are no nouns.
func (q *asked) specificity(vocabulary Vocabulary, t text.Weighted) float64 {
	written := strings.ToLower(q.text[t.Start:t.End])
	if text.IsEveryday(written) || superlative(vocabulary, written) {
		return softWeight
	}
	part := q.rarity(vocabulary, t)
	switch {
	case q.isVerb(t):
		return min(part, softWeight)
	case !q.isNoun(t):
		return part * noNounWeight
	}
	return part
}

// rarity is the specificity of a word by its rank in the vocabulary, which is English.
func (q *asked) rarity(vocabulary Vocabulary, t text.Weighted) float64 {
	tokens := vocabulary.Tokenize(strings.ToLower(q.text[t.Start:t.End]))
	if q.foreign || len(tokens) != 1 || q.isProper(t) {
		return 1
	}
	rank := math.Log(float64(max(int(tokens[0]), commonToken))/commonToken) / math.Log(float64(rareToken)/commonToken)
	return commonWeight + (1-commonWeight)*min(rank, 1)
}

// superlative reports whether a word is an English or German superlative, such as "cheapest" or "teuerste".
func superlative(vocabulary Vocabulary, word string) bool {
	if stem, ok := strings.CutSuffix(word, "est"); ok && len(stem) >= 4 && word != "interest" {
		last := len(stem) - 1
		for _, base := range []string{stem, stem + "e", stem[:last], stem[:last] + "y"} { // cheap, large, hot, heavy
			if len(vocabulary.Tokenize(base)) == 1 {
				return true
			}
		}
	}
	for _, end := range []string{"stes", "stem", "sten", "ste", "ster"} {
		if stem, ok := strings.CutSuffix(word, end); ok && len(stem) >= 4 {
			return end == "stes" || end == "stem" || strings.ContainsAny(stem, "äöü") ||
				end != "ster" && (strings.HasSuffix(stem, "e") || strings.HasSuffix(stem, "er") || strings.HasSuffix(stem, "ig"))
		}
	}
	return false
}
