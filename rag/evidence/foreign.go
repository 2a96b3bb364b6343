package evidence

import (
	"slices"
	"strings"
	"unicode"

	"docent/rag/text"
)

// missingForeign is missing for questions in other languages than English. It compares words by their letters: the vocabulary
// does not know their meaning.
func missingForeign(q *asked, lacking []text.Weighted, best []Passage) (gap, strange float64) {
	var words []string
	for _, t := range lacking {
		lack, proper := t.Weight, q.isProper(t)
		if !proper {
			if words == nil {
				words = wordsOf(best)
			}
			lack *= 1 - resemblance(q.text[t.Start:t.End], words)
		}
		if proper && !q.other {
			strange += lack // its letters in the passages would be no substitute
		}
		gap, strange = max(gap, lack), strange+lack
	}
	return gap, strange
}

// wordsOf returns the distinct words of the passages in lower case.
func wordsOf(best []Passage) []string {
	var all []string
	for _, p := range best {
		all = slices.AppendSeq(all, strings.FieldsFuncSeq(strings.ToLower(p.Heading+"\n"+p.Text), func(r rune) bool {
			return !unicode.In(r, unicode.L, unicode.M, unicode.N)
		}))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// resemblance returns the largest share of a word's trigrams that one of the words has. It is high for inflections and for parts
// of compounds, such as "Verfassung" in "Landesverfassung".
func resemblance(word string, words []string) float64 {
	letters := []rune(strings.ToLower(word))
	if len(letters) < 3 {
		return 0
	}
	most := 0
	for _, w := range words {
		n := 0
		for i := range len(letters) - 2 {
			if strings.Contains(w, string(letters[i:i+3])) {
				n++
			}
		}
		most = max(most, n)
	}
	return float64(most) / float64(len(letters)-2)
}
