package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/ask"
	"docent/api/route"
	"docent/api/slots"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// searchPatience bounds how long a search waits for its turn.
const searchPatience = 10 * time.Second

type searchInput struct {
	Q          string   `query:"q" required:"true" maxLength:"8000" doc:"The search text."`
	K          int      `query:"k" minimum:"1" maximum:"50" default:"10" doc:"The number of passages."`
	Collection []string `query:"collection,explode" maxItems:"100" doc:"Searches only these collections. Can be repeated."`
	Document   []int64  `query:"document,explode" maxItems:"100" doc:"Searches only the documents with these ids. Can be repeated."`
	Folder     []string `query:"folder,explode" maxItems:"50" doc:"Also searches the documents in this folder and below it. Can be repeated."`
	Tag        []string `query:"tag,explode" maxItems:"50" doc:"Also searches the documents with this tag. Can be repeated."`
	Explain    bool     `query:"explain" doc:"Returns the features of each score."`
}

// SearchResult is a passage that was found.
type SearchResult struct {
	// Rank counts from 1.
	Rank int `json:"rank"`
	// Score orders the results of one search.
	Score float64 `json:"score"`
	// Source is the source of the document.
	Source string `json:"source"`
	// Title is the title of the document.
	Title string `json:"title"`
	// Heading is the path of headings above the passage.
	Heading string `json:"heading"`
	// Page counts from 0; null in documents without pages.
	Page *int `json:"page"`
	// PageLabel is the printed page number; null without one.
	PageLabel *string `json:"page_label"`
	// Date is the day when the document was written or last changed.
	Date string `json:"date,omitempty" doc:"The day when the document was written or last changed; absent if it is unknown." example:"2026-05-12"`
	// DateFrom says where Date comes from.
	DateFrom corpus.DateFrom `json:"date_from,omitempty" enum:"front_matter,properties,mail_header,page_markup,feed_entry,commit,last_modified,file_time"`
	// Version is the version that the document states.
	Version string `json:"version,omitempty"`
	// Start is a byte offset in the text of the document.
	Start int `json:"start"`
	// End is exclusive.
	End int `json:"end"`
	// Text is the passage.
	Text string `json:"text"`
	// DocumentID names the document.
	DocumentID int64 `json:"document_id"`
	// ChunkID names the passage.
	ChunkID int64 `json:"chunk_id"`
	// Features are the parts of Score, if the request asks for them.
	Features map[string]float64 `json:"features,omitempty"`
}

type searchOutput struct {
	Body struct {
		Question string         `json:"question" doc:"The search text."`
		Evidence float64        `json:"evidence" doc:"How well the results support an answer, from 0 to 1."`
		Results  []SearchResult `json:"results"`
	} `nameHint:"SearchResults"`
}

// search handles the route for searches.
type search struct {
	retriever Retriever
	answers   *ask.Service
	slots     *slots.Slots // of running searches
}

func (s search) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/search", OperationID: "search", Tags: []string{"answers"},
		Summary: "Find passages", Errors: []int{http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable},
	}, s.find)
}

func (s search) find(ctx context.Context, in *searchInput) (*searchOutput, error) {
	q := strings.TrimSpace(strings.ToValidUTF8(in.Q, "\ufffd"))
	if q == "" {
		return nil, fault.New(fault.Invalid, "query_empty", "the parameter q is empty")
	}
	err := cmp.Or(route.CheckTexts("collection", in.Collection), route.CheckTexts("folder", in.Folder), route.CheckTexts("tag", in.Tag))
	if err != nil {
		return nil, err
	}
	if err := s.answers.CheckCollections(ctx, in.Collection); err != nil {
		return nil, err
	}
	done, err := s.slots.Take(ctx, searchPatience)
	if err != nil {
		return nil, err
	}
	defer done()
	documents, err := s.answers.Within(ctx, in.Document, corpus.Place{Folders: in.Folder, Tags: in.Tag}, in.Collection)
	if err != nil {
		return nil, err
	}
	found, err := s.retriever.Retrieve(ctx, retrieve.Query{Question: q, K: in.K, Collections: in.Collection, Documents: documents})
	if err != nil {
		return nil, err
	}
	out := &searchOutput{}
	out.Body.Question, out.Body.Evidence, out.Body.Results = found.Question, found.Evidence, []SearchResult{}
	for _, r := range found.Results {
		p := r.Passage
		res := SearchResult{
			Rank: r.Rank, Score: r.Score, Source: p.Document.Source, Title: p.Document.Title, Heading: p.Heading(),
			Page: p.Page, PageLabel: nullable(p.PageLabel), Start: p.Start, End: p.End, Text: p.Text, DocumentID: p.DocumentID, ChunkID: p.ID,
			Date: p.Document.Day(), DateFrom: p.Document.DateFrom, Version: p.Document.Version,
		}
		if in.Explain {
			res.Features = r.Features
		}
		out.Body.Results = append(out.Body.Results, res)
	}
	return out, nil
}
