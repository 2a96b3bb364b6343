package retrieve

import (
	"docent/embed"
	"docent/rag/corpus"
)

// testStatic is the built-in embedder.
var testStatic = func() *embed.Static {
	s, err := embed.NewStatic()
	if err != nil {
		panic(err)
	}
	return s
}()

// passage returns a result with a text.
func passage(rank int, title, heading, text string) Result {
	p := corpus.Passage{
		Chunk: corpus.Chunk{
			ID: int64(rank), DocumentID: 10 + int64(rank), Kind: corpus.Prose,
			Text: text, Headings: []string{heading}, End: len(text),
		},
		Document: corpus.Document{Title: title, Source: "/docs/" + title + ".html"},
	}
	return Result{Rank: rank, Score: 1 / float64(rank), Passage: p}
}
