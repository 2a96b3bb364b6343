// Package suggest describes documents to their readers: the outline of a document, its summary, and questions that
// documents answer. It makes all of them from titles, headings, and leading sentences.
package suggest

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/describe"
)

// Library reads documents. It returns only those that the reader in the context may read.
type Library interface {
	// Collections lists the collections.
	Collections(ctx context.Context) ([]corpus.CollectionInfo, error)
	// Documents lists documents without their texts.
	Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error)
	// Metadata returns a document without its text.
	Metadata(ctx context.Context, id int64) (corpus.Document, error)
	// DocumentChunks returns the chunks of a document after an ordinal.
	DocumentChunks(ctx context.Context, id int64, after, limit int) ([]corpus.Chunk, error)
}

// Answers answers questions.
type Answers interface {
	// Run returns the whole answer.
	Run(ctx context.Context, req rag.Request) (rag.Answer, error)
}

// Config sets the routes up.
type Config struct {
	// Library reads documents. Required.
	Library Library
	// Answers checks that documents answer a question. Required.
	Answers Answers
	// Describing lets a model describe documents. Default: nil, there is no model.
	Describing *Describing
}

// routes handles the requests.
type routes struct {
	cfg       Config
	outlines  *cache[outline]
	questions *cache[[]string]
	// descriptions also has the failures of models.
	descriptions *cache[describe.Description]
}

func newRoutes(cfg Config) routes {
	return routes{cfg, newCache[outline](0), newCache[[]string](atOnce), newCache[describe.Description](describedAtOnce)}
}

// AddRoutes adds the routes.
func AddRoutes(r *route.Router, cfg Config) {
	s := newRoutes(cfg)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/outline", OperationID: "get-document-outline", Tags: []string{"documents"},
		Summary: "Get the outline of a document", Errors: []int{http.StatusNotFound},
		Description: "The outline has the headings above and in the passages, and some leading sentences as a summary. docent makes it once " +
			"for each content of the document.",
	}, s.outline)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/questions", OperationID: "list-document-questions", Tags: []string{"documents"},
		Summary: "List questions that a document answers", Errors: []int{http.StatusNotFound},
		Description: "docent makes the questions from headings, and keeps those that the document answers without a model. It tries them once " +
			"for each content of the document.",
	}, s.documentQuestions)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/documents/{id}/description", OperationID: "describe-document", Tags: []string{"documents"},
		Summary: "Get a summary of a document and questions, written by a model", Errors: []int{http.StatusNotFound},
		Description: "A chat model writes them on the first request for each content of the document, which can take a minute. docent keeps " +
			"only sentences whose words are in the document, and questions that it answers. Without a model, both lists are empty.",
	}, s.description)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/suggestions", OperationID: "list-suggestions", Tags: []string{"ask"},
		Summary: "List suggested questions",
		Description: "docent makes the questions from titles and headings, and keeps those that the documents answer without a model. It " +
			"computes them once for each collection when its documents change. You get only questions from collections that you may read.",
	}, s.suggestions)
}

// perCollection is the number of questions that docent looks for in a collection.
const perCollection = 6

type suggestionsInput struct {
	Language   string   `query:"language" pattern:"^[a-z]{2}$" patternDescription:"an ISO 639-1 code" default:"en" doc:"The language of the questions, as an ISO 639-1 code: en, de, es, or fr. Questions in other languages are in English."`
	Collection []string `query:"collection,explode" maxItems:"50" doc:"Suggests only questions from this collection. Can be repeated."`
	Limit      int      `query:"limit" minimum:"1" maximum:"20" default:"4"`
}

type suggestionsOutput struct {
	Body struct {
		Questions []string `json:"questions" nullable:"false" doc:"The questions. The collections take turns, and those that changed last come first."`
	} `nameHint:"Suggestions"`
}

func (s routes) suggestions(ctx context.Context, in *suggestionsInput) (*suggestionsOutput, error) {
	if err := route.CheckTexts("collection", in.Collection); err != nil {
		return nil, err
	}
	all, err := s.cfg.Library.Collections(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // the library names the operation
	}
	var lists [][]string
	for _, c := range newest(all, in.Collection) {
		// Documents can be replaced without a change of their number, and deleted without a change of the time.
		key := fmt.Sprint(in.Language, "\n", c.Name, "\n", c.ChangedAt.UnixNano(), c.Documents, c.Chunks)
		found, err := s.questions.get(ctx, key, func(ctx context.Context) ([]string, error) { return s.collect(ctx, c.Name, in.Language) })
		if err != nil {
			return nil, err
		}
		lists = append(lists, found)
	}
	out := &suggestionsOutput{}
	out.Body.Questions = distinct(interleaved(lists))
	out.Body.Questions = out.Body.Questions[:min(in.Limit, len(out.Body.Questions))]
	return out, nil
}

const (
	// maxRead is the number of documents of a collection whose headings become questions.
	maxRead = 6
	// maxTried is the number of questions that are tried in a collection or document.
	maxTried = 10
	// headingChunks is the number of passages of such a document whose headings count.
	headingChunks = 40
)

// collect returns questions that the documents of a collection answer.
func (s routes) collect(ctx context.Context, collection, language string) ([]string, error) {
	docs, err := s.cfg.Library.Documents(ctx, corpus.DocumentFilter{Collection: collection, Status: corpus.Ready, Limit: maxRead})
	if err != nil {
		return nil, fmt.Errorf("list documents for questions: %w", err)
	}
	var abouts []string
	var sections [][]string
	for _, d := range docs {
		if q := aboutDocument(d.Title, language); q != "" {
			abouts = append(abouts, q)
		}
		chunks, err := s.cfg.Library.DocumentChunks(ctx, d.ID, -1, headingChunks)
		if err != nil {
			continue // it was deleted meanwhile
		}
		var list []string
		for _, h := range headingsOf(d, chunks) {
			if q := aboutSection(d.Title, h.Text, language); q != "" {
				list = append(list, q)
			}
		}
		sections = append(sections, list)
	}
	rest := interleaved(sections)
	// Questions about documents come first, but some are about sections.
	tried := interleaved([][]string{abouts, rest})
	return s.answered(ctx, distinct(tried), perCollection, rag.Request{Collections: []string{collection}})
}

// answered returns those of the questions that the documents of a request answer without a model, at most n.
func (s routes) answered(ctx context.Context, questions []string, n int, req rag.Request) ([]string, error) {
	out := []string{}
	req.Model = rag.Extractive
	for _, q := range questions[:min(maxTried, len(questions))] {
		if len(out) == n {
			break
		}
		req.Question = q
		answer, err := s.cfg.Answers.Run(ctx, req)
		if err != nil {
			return nil, fmt.Errorf("try a suggested question: %w", err)
		}
		if !answer.Abstained() {
			out = append(out, q)
		}
	}
	return out, nil
}
