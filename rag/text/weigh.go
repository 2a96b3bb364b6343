package text

import (
	"strings"
	"unicode/utf8"
)

// Term is a word of a question in the keyword index.
type Term struct {
	// Text is the indexed form of the word: in lower case, and stemmed if possible.
	Text string
	// Word is the word in lower case, as the question has it.
	Word string
	// IDF is the inverse document frequency: ln(1 + (N-n+½)/(n+½)) for a word that
	// occurs in n of N chunks. It is highest for a word that occurs in no chunk.
	IDF float64
}

// Weighted is a term of a question with its share of the question.
type Weighted struct {
	// Stem is the stem of the word.
	Stem string
	// Weight is the term's share of the question. The shares add up to 1.
	Weight float64
	// Start and End are the byte offsets of the first occurrence.
	Start, End int
}

// Weigh is Analysis.Weigh with English stems.
func Weigh(question string, terms []Term, known map[string]bool) []Weighted {
	return Analysis{}.Weigh(question, terms, known)
}

// Weigh returns the terms of a question with their shares. It replaces an unknown
// stem with a known stem that differs by one typing error, if there is one.
func (a Analysis) Weigh(question string, terms []Term, known map[string]bool) []Weighted {
	idf := map[string]float64{}
	for _, t := range terms {
		idf[t.Text] = t.IDF
	}
	if a.language != "" { // the index may have stemmed the words in another way
		for _, t := range terms {
			idf[t.Word] = t.IDF
		}
	}
	var out []Weighted
	var sum float64
	seen, spelled := map[string]bool{}, map[string]string{}
	mean := meanIDF(terms)
	language, asks := Language(question), askingSpans(question)
	for _, w := range a.Words(question) {
		written := question[w.Start:w.End]
		if isMeaningless(language, written, w.Stem) || w.Start == 0 && commands[strings.ToLower(written)] || overlaps(w, asks) ||
			seen[w.Stem] {
			continue
		}
		weight, ok := idf[w.Stem]
		if own, found := idf[strings.ToLower(written)]; a.language != "" && found && !w.Part {
			weight, ok = own, true
		}
		if !ok {
			weight = mean
		}
		if w.Also != "" && !known[w.Stem] && known[w.Also] {
			w.Stem = w.Also
		}
		t := Weighted{w.Stem, weight, w.Start, w.End}
		if !known[w.Stem] && !w.Exact {
			if spelled[w.Stem] == "" {
				spelled[w.Stem] = respell(w.Stem, known)
			}
			t.Stem = spelled[w.Stem]
		}
		seen[t.Stem] = true
		sum += weight
		out = append(out, t)
	}
	for i := range out {
		out[i].Weight /= sum
	}
	return out
}

// meanIDF is the weight of a term that the keyword index does not know.
func meanIDF(terms []Term) float64 {
	if len(terms) == 0 {
		return 1
	}
	var sum float64
	for _, t := range terms {
		sum += t.IDF
	}
	return sum / float64(len(terms))
}

// Stems returns the stems of the words of a text.
func Stems(text string) map[string]bool {
	return Analysis{}.Stems(text)
}

// Stem returns the stem of a term's word.
func (a Analysis) Stem(t Term) string {
	stem, _ := a.stem(t.Word)
	if t.Word == "" || stopWords[t.Word] {
		return t.Text
	}
	return stem
}

// respell returns a known word that differs from w by one typing error: a
// missing, additional, or wrong letter, or two letters in the wrong order.
// Without such a word it returns w.
func respell(w string, known map[string]bool) string {
	if utf8.RuneCountInString(w) < minRespelled {
		return w
	}
	best := w
	for k := range known {
		if oneSlip(w, k) && (best == w || k < best) {
			best = k
		}
	}
	return best
}

// minRespelled is the minimum length, in characters, of a word that respell
// corrects.
const minRespelled = 5

// oneSlip reports whether a and b differ by one insertion, deletion,
// replacement, or exchange of neighbors.
func oneSlip(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) > len(b) {
		return a[i+1:] == b[i:]
	}
	if a[i+1:] == b[i+1:] {
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
