package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// maxNamed bounds the collections that an error lists.
const maxNamed = 20

type searchInput struct {
	Q          string   `query:"q" required:"true" maxLength:"8000" doc:"The search text."`
	K          int      `query:"k" minimum:"1" maximum:"50" default:"10" doc:"The number of passages."`
	Collection []string `query:"collection,explode" maxItems:"100" doc:"Searches only these collections. Can be repeated."`
	Explain    bool     `query:"explain" doc:"Returns the features of each score."`
}

// SearchResult is a passage found.
type SearchResult struct {
	// Rank counts from 1.
	Rank int `json:"rank"`
	// Score orders the results of one search.
	Score float64 `json:"score"`
	// Source is the document's.
	Source string `json:"source"`
	// Title is the document's.
	Title string `json:"title"`
	// Heading is the path of headings above the passage.
	Heading string `json:"heading"`
	// Page counts from 0; null where there are no pages.
	Page *int `json:"page"`
	// PageLabel is the page as printed; null where there are none.
	PageLabel *string `json:"page_label"`
	// Start is a byte offset in the document's text.
	Start int `json:"start"`
	// End is exclusive.
	End int `json:"end"`
	// Text is the passage.
	Text string `json:"text"`
	// DocumentID names the document.
	DocumentID int64 `json:"document_id"`
	// ChunkID names the passage.
	ChunkID int64 `json:"chunk_id"`
	// Features are what Score is made of, if asked for.
	Features map[string]float64 `json:"features,omitempty"`
}

type searchOutput struct {
	Body struct {
		Question string         `json:"question" doc:"The search text."`
		Evidence float64        `json:"evidence" doc:"How well the results support an answer, from 0 to 1."`
		Results  []SearchResult `json:"results"`
	} `nameHint:"SearchResults"`
}

func (s *server) searchRoutes() {
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/search", OperationID: "search", Tags: []string{"answers"},
		Summary: "Find passages", Errors: []int{http.StatusNotFound},
	}, s.search)
}

// knowsCollections fails if one of the names is that of no collection: nothing
// would be found, and nobody would know why. The default one is always there.
func (s *server) knowsCollections(ctx context.Context, names []string) error {
	if !slices.ContainsFunc(names, func(name string) bool { return name != corpus.DefaultCollection }) {
		return nil
	}
	known, err := s.cfg.Library.Collections(ctx)
	if err != nil {
		return err
	}
	var there []string
	for _, c := range known {
		there = append(there, c.Name)
	}
	for _, name := range names {
		if name == corpus.DefaultCollection || slices.Contains(there, name) {
			continue
		}
		if len(there) > maxNamed {
			there = append(there[:maxNamed:maxNamed], "…")
		}
		return fault.New(fault.NotFound, "no_collection_of", "there is no collection %q; there are: %s", name, strings.Join(there, ", "))
	}
	return nil
}

func (s *server) search(ctx context.Context, in *searchInput) (*searchOutput, error) {
	q := strings.TrimSpace(strings.ToValidUTF8(in.Q, "\ufffd"))
	if q == "" {
		return nil, fault.New(fault.Invalid, "query_empty", "the parameter q is empty")
	}
	if err := plain(named("collection", in.Collection)...); err != nil {
		return nil, err
	}
	if err := s.knowsCollections(ctx, in.Collection); err != nil {
		return nil, err
	}
	found, err := s.cfg.Retriever.Retrieve(ctx, retrieve.Query{Question: q, K: in.K, Collections: in.Collection})
	if err != nil {
		return nil, err
	}
	out := &searchOutput{}
	out.Body.Question, out.Body.Evidence, out.Body.Results = found.Question, found.Evidence, []SearchResult{}
	for _, r := range found.Results {
		p := r.Passage
		res := SearchResult{
			Rank: r.Rank, Score: r.Score, Source: p.Document.Source, Title: p.Document.Title, Heading: p.Heading(),
			Page: p.Page, PageLabel: label(p.PageLabel), Start: p.Start, End: p.End, Text: p.Text, DocumentID: p.DocumentID, ChunkID: p.ID,
		}
		if in.Explain {
			res.Features = r.Features
		}
		out.Body.Results = append(out.Body.Results, res)
	}
	return out, nil
}
