package retrieve_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"docent/index/bm25"
	"docent/index/chromem"
	"docent/index/flat"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// bilingual is a scripted encoder that knows two subjects in English and German.
// It counts questions.
type bilingual struct {
	name string

	mu    sync.Mutex
	asked int
}

func (b *bilingual) Name() string  { return b.name }
func (*bilingual) Dimensions() int { return 3 }

func (b *bilingual) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	return meaning(text), nil
}

func (*bilingual) EmbedDocuments(context.Context, []string) ([][]float32, error) { panic("not used") }

// questions returns the number of questions since the last call.
func (b *bilingual) questions() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.asked
	b.asked = 0
	return n
}

// meaning returns the vector of a text. The cosine of two subjects is .6.
func meaning(text string) []float32 {
	text = strings.ToLower(text)
	switch {
	case strings.Contains(text, "backup") || strings.Contains(text, "sicherung"):
		return []float32{1, 0, 0}
	case strings.Contains(text, "cat") || strings.Contains(text, "katze"):
		return []float32{.6, .8, 0}
	default:
		return []float32{.6, 0, .8}
	}
}

// severalEncodings has the vectors of several models.
type severalEncodings struct {
	corpus.Encodings // nil: retrievers only call Encoded

	models map[string]*memoryEncodings
}

func (s severalEncodings) Encoded(ctx context.Context, model string, since int64) iter.Seq2[corpus.Encoding, error] {
	return s.models[model].Encoded(ctx, model, since)
}

// crossing makes a retriever with an encoder for English documents and one for all
// documents.
func crossing(t *testing.T, c *memoryCorpus, documents map[string]string) (r *retrieve.Retriever, english, all *bilingual) {
	t.Helper()
	for source, text := range documents {
		language := source[:2]
		c.put(t, corpus.Document{Source: source, Title: source, Language: language}, corpus.Chunk{Text: text, Kind: corpus.Prose})
	}
	english, all = &bilingual{name: "english"}, &bilingual{name: "all"}
	stored := severalEncodings{models: map[string]*memoryEncodings{"english": {}, "all": {}}}
	for _, change := range c.all(t) {
		for _, chunk := range change.Chunks {
			stored.models["all"].put(meaning(chunk.Text), chunk.ID)
			if change.Document.Language == "en" {
				stored.models["english"].put(meaning(chunk.Text), chunk.ID)
			}
		}
	}
	r, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c.static, Static: c.static, Words: bm25.New(), Nearest: chromem.New(), Encodings: stored,
		Encoders: []retrieve.Encoder{
			{Embedder: english, Languages: corpus.Languages{Listed: []string{"en", ""}}, Index: flat.New(flat.Config{})},
			{Embedder: all, Languages: corpus.Languages{Except: true}, Index: flat.New(flat.Config{})},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r, english, all
}

var englishDocuments = map[string]string{
	"en/backup": "The backup runs every night and keeps seven copies.",
	"en/cat":    "The cat sleeps on the sofa all day.",
	"en/other":  "Nothing of this is about the weather.",
}

func TestQuestionInAnotherLanguage(t *testing.T) {
	t.Parallel()
	r, english, all := crossing(t, newCorpus(t), englishDocuments)
	got := ask(t, r, retrieve.Query{Question: "Wie oft machen wir eine Sicherung?"})
	if len(got.Results) == 0 || got.Results[0].Passage.Document.Source != "en/backup" {
		t.Fatalf("found %+v", got.Results)
	}
	if english.questions() != 0 || all.questions() != 1 {
		t.Error("a German question is for the model that knows all languages")
	}
	if got.Signs.Similarity != 1 || got.Evidence < .9 {
		t.Errorf("evidence %v of %+v", got.Evidence, got.Signs)
	}
	if c := got.Coverage; len(c.Lacking)+len(c.Unseen) > 0 {
		t.Errorf("words in another language are missing: %+v", c)
	}
	got = ask(t, r, retrieve.Query{Question: "Wie stelle ich cat_mode der Katze ein?"})
	if got.Evidence > .3 || !slices.Equal(got.Coverage.Unseen, []string{"cat_mode"}) {
		t.Errorf("an identifier that no document has: evidence %v, %+v", got.Evidence, got.Coverage)
	}

	all.questions() // not counted
	ask(t, r, retrieve.Query{Question: "How often does the backup run?"})
	if english.questions() != 1 || all.questions() != 0 {
		t.Error("an English question on English documents is for the English model")
	}
}

func TestDocumentsInTwoLanguages(t *testing.T) {
	t.Parallel()
	r, english, all := crossing(t, newCorpus(t), map[string]string{
		"de/backup": "Die Sicherung läuft jede Nacht.", "de/other": "Das hat nichts damit zu tun.",
		"en/cat": "The cat sleeps on the sofa all day.", "en/other": "Nothing of this is about the weather.",
	})
	for _, c := range []struct {
		question, want string
		// crossed reports that the found document is in another language.
		crossed bool
	}{
		{"When does the backup run?", "de/backup", true},
		{"Where does the cat sleep?", "en/cat", false},
		{"Wann läuft die Sicherung?", "de/backup", false},
		{"Auf was schläft diese Katze?", "en/cat", true},
	} {
		got := ask(t, r, retrieve.Query{Question: c.question})
		if len(got.Results) == 0 || got.Results[0].Passage.Document.Source != c.want {
			t.Errorf("%s: found %+v, want %s", c.question, got.Results, c.want)
		}
		if crossed := got.Signs.Similarity > 0; crossed != c.crossed {
			t.Errorf("%s: %+v", c.question, got.Signs)
		}
	}
	if english.questions() != 2 || all.questions() != 4 {
		t.Error("English questions on documents in two languages are for both models")
	}
}

// TestUnrelatedQuestionInAnotherLanguage: low similarity is no evidence.
func TestUnrelatedQuestionInAnotherLanguage(t *testing.T) {
	t.Parallel()
	r, _, _ := crossing(t, newCorpus(t), map[string]string{"en/cat": englishDocuments["en/cat"], "en/other": englishDocuments["en/other"]})
	got := ask(t, r, retrieve.Query{Question: "Wie oft machen wir eine Sicherung?"})
	if got.Signs.Similarity < .5 || got.Evidence > .1 {
		t.Errorf("evidence %v of %+v", got.Evidence, got.Signs)
	}
}
