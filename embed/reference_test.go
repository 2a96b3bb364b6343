package embed

import (
	"math"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// reference is the algorithm in the model's README, step by step and without optimization. The tests compare the package
// with it.
type reference struct {
	ids   map[string]uint16
	table table
}

func newReference() (*reference, error) {
	t, err := newTable(tableFile)
	if err != nil {
		return nil, err
	}
	vocabulary, err := vocabularyFile()
	if err != nil {
		return nil, err
	}
	r := &reference{ids: map[string]uint16{}, table: t}
	for i, token := range strings.Split(strings.TrimSuffix(vocabulary, "\n"), "\n") {
		r.ids[token] = uint16(i)
	}
	return r, nil
}

func (r *reference) normalize(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c == '\t', c == '\n', c == '\r':
			b.WriteByte(' ')
		case c == 0, c == 0xFFFD, unicode.Is(unicode.C, c):
		case isIdeograph(c):
			b.WriteString(" " + string(c) + " ")
		default:
			b.WriteRune(c)
		}
	}
	var out strings.Builder
	for _, c := range norm.NFD.String(b.String()) {
		if !unicode.Is(unicode.Mn, c) {
			out.WriteRune(unicode.ToLower(c))
		}
	}
	return out.String()
}

func (r *reference) words(text string) []string {
	var words []string
	for _, field := range strings.Fields(r.normalize(text)) {
		word := ""
		for _, c := range field {
			if !isASCIIMark(c) && !unicode.Is(unicode.P, c) {
				word += string(c)
				continue
			}
			if word != "" {
				words = append(words, word)
			}
			words, word = append(words, string(c)), ""
		}
		if word != "" {
			words = append(words, word)
		}
	}
	return words
}

func (r *reference) pieces(word string) []uint16 {
	rest := []rune(word)
	if len(rest) > 100 {
		return []uint16{r.ids[unknownToken]}
	}
	var ids []uint16
	for mark := ""; len(rest) > 0; mark = "##" {
		n := len(rest)
		for ; n > 0; n-- {
			if id, ok := r.ids[mark+string(rest[:n])]; ok {
				ids = append(ids, id)
				break
			}
		}
		if n == 0 {
			return []uint16{r.ids[unknownToken]}
		}
		rest = rest[n:]
	}
	return ids
}

func (r *reference) tokenize(text string) []uint16 {
	var ids []uint16
	for _, word := range r.words(text) {
		ids = append(ids, r.pieces(word)...)
	}
	return ids
}

func (r *reference) vector(ids []uint16) []float64 {
	v := make([]float64, dimensions)
	for _, id := range ids {
		for i := range v {
			v[i] += float64(r.table.scale(id)) * float64(int8(r.table.row(id)[i]))
		}
	}
	var square float64
	for _, x := range v {
		square += x * x
	}
	if square > 0 {
		for i := range v {
			v[i] /= math.Sqrt(square)
		}
	}
	return v
}
