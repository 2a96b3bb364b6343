package ingesttest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"docent/ingest/intake"
	"docent/internal/storetest"
	"docent/rag/corpus"
)

// documentProperties checks the filters for properties, and the numbers of documents by them.
func documentProperties(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	of := func(source, media, language, collection string) intake.Put {
		p := put(source, "w", 1)
		p.Document.MediaType, p.Document.Language, p.Document.Collection = media, language, collection
		return p
	}
	ids := store(t, s, of("/1", "text/html; charset=windows-1252", "en", "a"), of("upload:2", "text/html", "", "a"),
		of("https://x/3", "application/pdf", "de", "b"), of("http://x/4", "text/htmlx", "en", "b"), of("answer:5", "", "en", "b"))
	_, err := s.Shelf.TagDocuments(ctx, ids[:2], []string{"red"}, nil)
	storetest.OK(t, err)
	for name, c := range map[string]struct {
		filter corpus.DocumentFilter
		want   string
	}{
		"type":           {corpus.DocumentFilter{Types: []string{"text/html"}}, "/1 upload:2"},
		"types":          {corpus.DocumentFilter{Types: []string{"text/html", "application/pdf"}}, "/1 upload:2 https://x/3"},
		"language":       {corpus.DocumentFilter{Languages: []string{"en"}, Collection: "b"}, "http://x/4 answer:5"},
		"no language":    {corpus.DocumentFilter{Languages: []string{corpus.UnknownLanguage, "de"}}, "upload:2 https://x/3"},
		"upload":         {corpus.DocumentFilter{Origin: corpus.FromUpload}, "upload:2"},
		"web":            {corpus.DocumentFilter{Origin: corpus.FromWeb}, "https://x/3 http://x/4"},
		"file":           {corpus.DocumentFilter{Origin: corpus.FromFile}, "/1"},
		"answer":         {corpus.DocumentFilter{Origin: corpus.FromAnswer}, "answer:5"},
		"changed":        {corpus.DocumentFilter{ChangedSince: time.Now().Add(-time.Hour)}, "/1 upload:2 https://x/3 http://x/4 answer:5"},
		"not yet":        {corpus.DocumentFilter{ChangedSince: time.Now().Add(time.Hour)}, ""},
		"tag and type":   {corpus.DocumentFilter{Tagged: []string{"red"}, Types: []string{"text/html"}, Origin: corpus.FromFile}, "/1"},
		"tag and folder": {corpus.DocumentFilter{Tagged: []string{"red"}, Place: corpus.Place{Folders: []string{"elsewhere"}}}, ""},
		"content":        {corpus.DocumentFilter{SHA256: sum("w"), Collection: "a"}, "/1 upload:2"},
		"other content":  {corpus.DocumentFilter{SHA256: sum("v")}, ""},
		"never cited":    {corpus.DocumentFilter{NeverCited: true, Collection: "a"}, "/1 upload:2"},
		"by citations":   {corpus.DocumentFilter{Order: corpus.ByCited, Past: &corpus.Document{ID: ids[3]}}, "answer:5"},
	} {
		found, err := s.Documents(ctx, c.filter)
		storetest.OK(t, err)
		var sources []string
		for _, d := range found {
			sources = append(sources, d.Source)
		}
		storetest.Want(t, name, strings.Join(sources, " "), c.want)
	}
	for want, collections := range map[string][]string{
		"[{text/html 2} { 1} {application/pdf 1} {text/htmlx 1}] [{en 3} {de 1} {und 1}]": nil,
		"[{text/html 2}] [{en 1} {und 1}]":                                                {"a"},
		"[] []":                                                                           {},
	} {
		f, err := s.Facets(ctx, collections)
		storetest.OK(t, err)
		storetest.Want(t, "facets", fmt.Sprint(f.Types, f.Languages), want)
	}
}
