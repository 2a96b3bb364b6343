package main

import (
	"fmt"
	"testing"

	"docent/embed"
	"docent/ingest/intake"
	"docent/internal/pgtest"
	"docent/internal/wiring"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// BenchmarkScope measures the cost of a folder with 1,000 of 10,000 documents. The base searches in
// these documents by their ids. The figure added is the share of finding the ids, in the median.
func BenchmarkScope(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchScope(b, openSQLiteBench(b)) })
	b.Run("postgres", func(b *testing.B) {
		url := pgtest.URL(b)
		pgtest.Durable(b, url)
		benchScope(b, openPostgresBench(b, url))
	})
}

func benchScope(b *testing.B, db *wiring.Database) {
	const folders, each, chunks, asked, perCall = 10, 1000, 4, 100, 100
	static, err := embed.NewStatic()
	if err != nil {
		b.Fatal(err)
	}
	w := newWriter(1)
	var questions []string
	for i := 0; i < folders*each; i += perCall {
		puts := make([]intake.Put, perCall)
		for j := range puts {
			puts[j] = w.put(fmt.Sprintf("/manual/page-%d.md", i+j), chunks)
			puts[j].Document.Folder = fmt.Sprintf("manuals/%d", (i+j)%folders)
			var texts []string
			for _, c := range puts[j].Chunks {
				texts = append(texts, corpus.IndexText(puts[j].Document.Title, c))
			}
			if puts[j].Vectors, err = static.EmbedDocuments(b.Context(), texts); err != nil {
				b.Fatal(err)
			}
			puts[j].Embedder = static.Name()
		}
		if _, err := db.Documents.PutDocuments(b.Context(), puts); err != nil {
			b.Fatal(err)
		}
		if len(questions) < asked {
			questions = append(questions, w.question())
		}
	}
	var t retrieveTimes
	retriever, _ := t.open(b, db, static)
	place := corpus.Place{Folders: []string{"manuals/3"}}
	var base, listed times
	b.ResetTimer()
	for range b.N {
		for _, q := range questions {
			var ids []int64
			var found retrieve.Retrieval
			var err, failed error
			listed.add(func() { ids, err = corpus.Within(b.Context(), db.Library, nil, place, nil) })
			base.add(func() {
				found, failed = retriever.Retrieve(b.Context(), retrieve.Query{Question: q, K: 4, Documents: ids})
			})
			if err != nil || failed != nil || len(ids) != each || len(found.Results) == 0 {
				b.Fatalf("%d documents, %d results, %v, %v", len(ids), len(found.Results), err, failed)
			}
		}
	}
	base.report(b, "base")
	listed.report(b, "listed")
	b.ReportMetric(float64(listed.median())/float64(base.median()), "added")
}
