package keyword

import (
	"slices"
	"testing"
)

// lexiconOf is a Lexicon of a German index with the terms of some words.
type lexiconOf map[string]int

func germanTerms(words ...string) lexiconOf {
	out := lexiconOf{}
	for _, w := range words {
		out[analyzerOf(german).term(piece{text: w})] = 1
	}
	return out
}

func (t lexiconOf) Languages() []Language  { return []Language{{Name: german, Chunks: 10}} }
func (t lexiconOf) Chunks(term string) int { return t[term] }

func TestGermanGroups(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, has string }{
		{"verschlüsselt", "verschlüsselung"},
		{"Verschluesselung", "verschlüsseln"},
		{"geloescht", "löschen"},
		{"anmelden", "angemeldet"},
		{"Warteschlange vom Drucker", "druckerwarteschlange"},
		{"Sicherung der Daten", "datensicherung"},
		{"Virenscanner", "viren"},
	} {
		index := germanTerms(c.has)
		found := slices.ContainsFunc(Groups(c.query, index, 10), func(g Group) bool {
			return slices.ContainsFunc(g.Terms, func(term string) bool { return index[term] > 0 })
		})
		if !found {
			t.Errorf("%q does not find %q", c.query, c.has)
		}
	}
	index := germanTerms("drucker", "druck")
	if g := Groups("drucker", index, 10); len(g) != 1 || len(g[0].Terms) != 1 {
		t.Errorf("a known word has the terms of others: %v", g)
	}
}

// TestGermanSynonyms: a German query also finds synonyms, with less weight than its own words. They are no terms of the query.
func TestGermanSynonyms(t *testing.T) {
	t.Parallel()
	index := germanTerms("defekt", "drucker", "wegwerfen")
	groups := Groups("der Drucker ist kaputt", index, 10)
	i := slices.IndexFunc(groups, func(g Group) bool { return g.Synonym })
	if i < 0 || groups[i].Word != "kaputt" || !slices.Contains(groups[i].Terms, analyzerOf(german).term(piece{text: "defekt"})) {
		t.Fatalf("no synonym of kaputt: %+v", groups)
	}
	if drucker := groups[0]; groups[i].Weight >= drucker.Weight {
		t.Errorf("the synonym weighs %v, a word as rare %v", groups[i].Weight, drucker.Weight)
	}
	if slices.ContainsFunc(Groups("where is the kaputt printer and what does it do", index, 10), func(g Group) bool { return g.Synonym }) {
		t.Error("an English query has German synonyms")
	}
}
