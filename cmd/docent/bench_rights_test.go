package main

import (
	"fmt"
	"testing"

	"docent/auth"
	"docent/auth/rights"
	"docent/auth/rights/enforce"
	"docent/embed"
	"docent/ingest/intake"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// BenchmarkRights measures the cost of rights in a corpus of 20,000 passages in
// 1,000 restricted collections, for a user who may read ten of them. The base
// names the ten collections in its questions, so both searches rank the same
// passages. The figure added is the share of the rights in the median.
func BenchmarkRights(b *testing.B) {
	const collections, readable, chunks, asked = 1000, 10, 20, 300
	static, err := embed.NewStatic()
	if err != nil {
		b.Fatal(err)
	}
	db := openSQLiteBench(b)
	w := newWriter(1)
	var questions, names []string
	for i := range collections {
		put := w.put(fmt.Sprintf("/manual/page-%d.md", i), chunks)
		put.Document.Collection = fmt.Sprintf("c%d", i)
		var texts []string
		for _, c := range put.Chunks {
			texts = append(texts, corpus.IndexText(put.Document.Title, c))
		}
		if put.Vectors, err = static.EmbedDocuments(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
		put.Embedder = static.Name()
		if _, err := db.Documents.PutDocuments(b.Context(), []intake.Put{put}); err != nil {
			b.Fatal(err)
		}
		subject := rights.Everyone
		if i%(collections/readable) != 0 {
			subject = "oidc:issuer#nobody"
		} else {
			names = append(names, put.Document.Collection)
		}
		if err := db.Rights.SetRight(b.Context(), put.Document.Collection, rights.Grant{Subject: subject, Level: rights.Read}); err != nil {
			b.Fatal(err)
		}
		if len(questions) < asked {
			questions = append(questions, w.question())
		}
	}
	var t retrieveTimes
	retriever, _ := t.open(b, db, static)
	guarded := enforce.NewRetriever(rights.New(rights.Config{Store: db.Rights}), retriever)
	ctx := auth.NewContext(b.Context(), auth.Principal{ID: "token:reader"})
	var base, limited times
	b.ResetTimer()
	for range b.N {
		for _, q := range questions {
			var one, two retrieve.Retrieval
			var err, failed error
			base.add(func() { one, err = retriever.Retrieve(ctx, retrieve.Query{Question: q, K: 4, Collections: names}) })
			limited.add(func() { two, failed = guarded.Retrieve(ctx, retrieve.Query{Question: q, K: 4}) })
			if err != nil || failed != nil || len(one.Results) != len(two.Results) || len(one.Results) == 0 {
				b.Fatalf("%d and %d results, %v, %v", len(one.Results), len(two.Results), err, failed)
			}
		}
	}
	base.report(b, "base")
	limited.report(b, "limited")
	b.ReportMetric(float64(limited.median())/float64(base.median())-1, "added")
}
