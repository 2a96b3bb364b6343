package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/rag/corpus"
	"docent/rag/text"
)

const (
	// maxNameTokens is the number of words in the name of a document that are compared.
	maxNameTokens = 12
	// maxMatching is the number of documents that are compared with a name.
	maxMatching = 200
	// minPart is the shortest part of a compound word that stands for it, in characters, as in "Ordnung" and "Hausordnung".
	minPart = 5
)

// nameStops are words in the name of a document that say nothing about which one it is.
var nameStops = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`the a an of for from on in about to and our your my s named called
		der die das dem den des von vom zu zum zur für im und aus über namens
		document documents file files thing one page text dokument dokumente datei dateien ding seite`) {
		out[w] = true
	}
	return out
}()

// nameTokens returns the words of a name, a title, or a file name in lower case.
func nameTokens(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
}

// fileName returns the name of the file of a document, without folders.
func fileName(d corpus.Document) string {
	source := strings.TrimRight(strings.ReplaceAll(d.Source, `\`, "/"), "/")
	for _, prefix := range []string{"upload:", "stdin:"} {
		source = strings.TrimPrefix(source, prefix)
	}
	return path.Base(source)
}

// named returns the documents that a name means: those with all its words in their title or file name. Letter case, hyphens,
// the ending of the file name, and the endings of words do not matter. If the name is a whole title or file name, only such
// documents count.
func (a librarian) named(ctx context.Context, name string) ([]corpus.Document, error) {
	all := nameTokens(name)
	tokens := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return nameStops[w] })
	if len(tokens) == 0 || len(all) > maxNameTokens {
		return nil, nil
	}
	longest := slices.MaxFunc(tokens, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	found, err := a.documents(ctx, corpus.DocumentFilter{
		Collections: a.collections(), Status: corpus.Ready, Match: root(longest), Limit: maxMatching,
	})
	if err != nil {
		return nil, fmt.Errorf("find the document: %w", err)
	}
	var out, exact []corpus.Document
	for _, d := range found {
		title, file := nameTokens(d.Title), nameTokens(fileName(d))
		own := append(slices.Clone(title), file...)
		if slices.ContainsFunc(tokens, func(w string) bool { return !slices.ContainsFunc(own, func(o string) bool { return sameWord(w, o) }) }) {
			continue
		}
		out = append(out, d)
		stem := nameTokens(strings.TrimSuffix(fileName(d), path.Ext(fileName(d))))
		if slices.Equal(all, title) || slices.Equal(all, file) || slices.Equal(all, stem) {
			exact = append(exact, d)
		}
	}
	if len(exact) > 0 {
		return exact, nil
	}
	return out, nil
}

// root returns the beginning of a word that its other forms share.
func root(w string) string {
	for _, ending := range []string{"en", "es", "er", "s", "e", "n"} {
		if short, ok := strings.CutSuffix(w, ending); ok && utf8.RuneCountInString(short) >= minPart-1 {
			return short
		}
	}
	return w
}

// stemOf returns the stem of a word.
func stemOf(w string) string {
	if words := text.Words(w); len(words) > 0 {
		return words[0].Stem
	}
	return w
}

// sameWord reports whether a word of a user means a word of a title.
func sameWord(said, own string) bool {
	if said == own || stemOf(said) == stemOf(own) {
		return true
	}
	if utf8.RuneCountInString(root(said)) < minPart-1 || !strings.ContainsFunc(said, unicode.IsLetter) {
		return false
	}
	if root(said) == root(own) {
		return true
	}
	return utf8.RuneCountInString(said) >= minPart && (strings.HasPrefix(own, said) || strings.HasSuffix(own, said))
}
