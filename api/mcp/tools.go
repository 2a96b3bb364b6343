package mcp

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/api/route"
	"docent/internal/fault"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

const (
	// patience bounds how long a search or a document waits for its turn.
	patience = 10 * time.Second
	// maxList bounds a page of documents.
	maxList = 100
	// maxText bounds the text of a document in one result, in bytes.
	maxText = 256 << 10
	// defaultText is the usual size of the text of read_document, in bytes.
	defaultText = 32 << 10
	// progressEvery is the least time between two reports about a growing answer.
	progressEvery = time.Second
)

type searchArgs struct {
	Query       string   `json:"query" jsonschema:"The search text: a question or some words."`
	Collections []string `json:"collections,omitempty" jsonschema:"Searches only these collections."`
	Documents   []string `json:"documents,omitempty" jsonschema:"Searches only the documents with these ids."`
	Folders     []string `json:"folders,omitempty" jsonschema:"Also searches the documents in these folders and below them."`
	Tags        []string `json:"tags,omitempty" jsonschema:"Also searches the documents with one of these tags."`
	Limit       int      `json:"limit,omitempty" jsonschema:"The number of passages. The default is 10."`
}

type searchResult struct {
	Results []found `json:"results" jsonschema:"The documents, best first."`
}

// found is a document that was found.
type found struct {
	ID       string    `json:"id" jsonschema:"The id for fetch and read_document."`
	Title    string    `json:"title"`
	URL      string    `json:"url" jsonschema:"The address of the document, or its id."`
	Passages []passage `json:"passages" jsonschema:"The passages that were found, best first."`
}

// passage is a part of a document.
type passage struct {
	Text    string  `json:"text"`
	Heading string  `json:"heading,omitempty" jsonschema:"The path of headings above the passage."`
	Page    string  `json:"page,omitempty" jsonschema:"The number of the page."`
	Score   float64 `json:"score" jsonschema:"Orders the passages of one search."`
}

type fetchArgs struct {
	ID string `json:"id" jsonschema:"The id of a document, docent://COLLECTION/DOCUMENT."`
}

type fetchResult struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Text     string            `json:"text"`
	URL      string            `json:"url"`
	Metadata map[string]string `json:"metadata" jsonschema:"collection, source, media_type, language, and truncated with the size of a longer text."`
}

type readArgs struct {
	ID     string `json:"id" jsonschema:"The id of a document, docent://COLLECTION/DOCUMENT."`
	Offset int    `json:"offset,omitempty" jsonschema:"The byte at which to begin: next_offset of the previous part."`
	Limit  int    `json:"limit,omitempty" jsonschema:"The number of bytes. The default is 32768."`
}

type readResult struct {
	ID         string `json:"id"`
	Title      string `json:"title"`
	Text       string `json:"text"`
	Offset     int    `json:"offset" jsonschema:"The byte at which the text begins."`
	Size       int    `json:"size" jsonschema:"The size of the whole text in bytes."`
	NextOffset int    `json:"next_offset,omitempty" jsonschema:"The offset of the next part. Absent in the last one."`
}

type listArgs struct {
	Collection string `json:"collection,omitempty" jsonschema:"Lists only this collection."`
	Match      string `json:"match,omitempty" jsonschema:"Lists only documents with this text in the source or title."`
	After      int64  `json:"after,omitempty" jsonschema:"The cursor: next of the previous page."`
	Limit      int    `json:"limit,omitempty" jsonschema:"The number of documents. The default is 100."`
}

type listResult struct {
	Documents []listed `json:"documents"`
	Next      int64    `json:"next,omitempty" jsonschema:"The cursor of the next page. Absent on the last page."`
}

// listed is a document in a list.
type listed struct {
	ID         string    `json:"id" jsonschema:"The id for fetch and read_document."`
	Title      string    `json:"title"`
	URL        string    `json:"url" jsonschema:"The address of the document, or its id."`
	Collection string    `json:"collection"`
	MediaType  string    `json:"media_type"`
	Language   string    `json:"language,omitempty" jsonschema:"An ISO 639-1 code."`
	Status     string    `json:"status" jsonschema:"ready, or failed for a document that could not be read."`
	UpdatedAt  time.Time `json:"updated_at"`
	Date       string    `json:"date,omitempty" jsonschema:"The day when the document was written or last changed; absent if unknown."`
	DateFrom   string    `json:"date_from,omitempty" jsonschema:"Where the date comes from, such as front_matter. file_time is weak."`
	Version    string    `json:"version,omitempty" jsonschema:"The version that the document states."`
}

type askArgs struct {
	Question    string   `json:"question" jsonschema:"The question."`
	Collections []string `json:"collections,omitempty" jsonschema:"Answers only from these collections."`
	Documents   []string `json:"documents,omitempty" jsonschema:"Answers only from the documents with these ids."`
	Folders     []string `json:"folders,omitempty" jsonschema:"Also answers from the documents in these folders and below them."`
	Tags        []string `json:"tags,omitempty" jsonschema:"Also answers from the documents with one of these tags."`
	Limit       int      `json:"limit,omitempty" jsonschema:"The number of passages to answer from."`
	Model       string   `json:"model,omitempty" jsonschema:"The model that writes the answer, or extractive for quotes. The default is the model of the server. The error for an unknown name lists the names."`
}

type askResult struct {
	Answer    string   `json:"answer" jsonschema:"Markdown with markers such as [1], which name sources."`
	Abstained bool     `json:"abstained" jsonschema:"Whether the documents do not support an answer."`
	Outcome   string   `json:"outcome,omitempty" jsonschema:"answered; unsure: the closest passages, which may not answer the question; not_found; or replied, without the documents."`
	Model     string   `json:"model" jsonschema:"The model that wrote the answer, or extractive for quotes."`
	Sources   []source `json:"sources" jsonschema:"The cited passages."`
}

// source is a cited passage.
type source struct {
	Number  int    `json:"number" jsonschema:"The number in the markers of the answer."`
	ID      string `json:"id" jsonschema:"The id for fetch and read_document."`
	Title   string `json:"title"`
	URL     string `json:"url" jsonschema:"The address of the document, or its id."`
	Heading string `json:"heading,omitempty" jsonschema:"The path of headings above the passage."`
	Page    string `json:"page,omitempty" jsonschema:"The number of the page."`
	Date    string `json:"date,omitempty" jsonschema:"The day when the document was written or last changed; absent if unknown."`
	Version string `json:"version,omitempty" jsonschema:"The version that the document states."`
	Text    string `json:"text" jsonschema:"The passage."`
}

// addTools adds all tools.
func (s *Server) addTools() {
	bound := func(most float64) func(*jsonschema.Schema) {
		least := 0.0
		return func(p *jsonschema.Schema) { p.Minimum, p.Maximum = &least, &most }
	}
	words := 8000
	texts := func(p *jsonschema.Schema) { p.MaxLength = &words }
	addTool(s, "search", "Search the documents", "Finds passages in the documents and returns the documents with their passages, best first.",
		s.search, limits{"query": texts, "limit": bound(retrieve.MaxK)})
	addTool(s, "fetch", "Read a whole document", "Returns the text of a document that search has found.", s.fetch, nil)
	addTool(s, "ask", "Ask the documents", "Answers a question from the documents, with checked citations.",
		s.ask, limits{"question": texts, "limit": bound(retrieve.MaxK)})
	addTool(s, "list_documents", "List documents", "Lists the documents in the order in which they were added.",
		s.list, limits{"limit": bound(maxList)})
	addTool(s, "read_document", "Read a part of a document", "Returns a part of the text of a document. Use it for long documents.",
		s.read, limits{"limit": bound(maxText)})
}

// schemaOf returns the schema of a type. Lists may be absent or empty, but not null.
func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // the types of this package have schemas
	}
	withoutNull(schema)
	return schema
}

func withoutNull(schema *jsonschema.Schema) {
	if slices.Contains(schema.Types, "null") {
		schema.Type, schema.Types = "array", nil
	}
	if schema.Items != nil {
		withoutNull(schema.Items)
	}
	for _, p := range schema.Properties {
		withoutNull(p)
	}
}

// limits are the limits of arguments, by their names.
type limits map[string]func(*jsonschema.Schema)

// addTool adds a tool that only reads. The types of handle give its schemas.
func addTool[In, Out any](
	s *Server, name, title, description string, handle func(context.Context, *sdk.CallToolRequest, In) (Out, error), bounds limits,
) {
	schema := schemaOf[In]()
	for argument, bound := range bounds {
		bound(schema.Properties[argument])
	}
	closed := false
	tool := &sdk.Tool{
		Name: name, Title: title, Description: description, InputSchema: schema, OutputSchema: schemaOf[Out](),
		Annotations: &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
	}
	sdk.AddTool(s.sdk, tool, func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		out, err := handle(ctx, req, in)
		if err != nil {
			err = s.said(ctx, err)
		}
		return nil, out, err
	})
}

func (s *Server) search(ctx context.Context, _ *sdk.CallToolRequest, in searchArgs) (searchResult, error) {
	out := searchResult{Results: []found{}}
	if strings.TrimSpace(in.Query) == "" {
		return out, fault.New(fault.Invalid, "question_empty", "the question is empty")
	}
	if err := cmp.Or(route.CheckText("query", in.Query), route.CheckTexts("collections", in.Collections)); err != nil {
		return out, err
	}
	if err := s.cfg.Answers.CheckCollections(ctx, in.Collections); err != nil {
		return out, err
	}
	documents, err := parseIDs(in.Documents)
	if err != nil {
		return out, err
	}
	place, err := placeOf(in.Folders, in.Tags)
	if err != nil {
		return out, err
	}
	if documents, err = s.cfg.Answers.Within(ctx, documents, place, in.Collections); err != nil {
		return out, err
	}
	done, err := s.cfg.Searches.Take(ctx, patience)
	if err != nil {
		return out, err
	}
	defer done()
	if in.Limit == 0 {
		in.Limit = 10
	}
	query := retrieve.Query{Question: strings.TrimSpace(in.Query), K: in.Limit, Collections: in.Collections, Documents: documents}
	result, err := s.cfg.Retriever.Retrieve(ctx, query)
	if err != nil {
		return out, err
	}
	at := map[int64]int{} // the places of documents in out
	for _, r := range result.Results {
		d := r.Passage.Document
		i, known := at[d.ID]
		if !known {
			i = len(out.Results)
			at[d.ID] = i
			id := idOf(d.Collection, d.ID)
			out.Results = append(out.Results, found{ID: id, Title: titleOf(d), URL: addressOf(d)})
		}
		p := passage{Text: r.Passage.Text, Heading: r.Passage.Heading(), Page: pageOf(r.Passage.Chunk), Score: r.Score}
		out.Results[i].Passages = append(out.Results[i].Passages, p)
	}
	return out, nil
}

func (s *Server) fetch(ctx context.Context, _ *sdk.CallToolRequest, in fetchArgs) (fetchResult, error) {
	d, err := s.document(ctx, in.ID)
	if err != nil {
		return fetchResult{}, err
	}
	out := fetchResult{ID: in.ID, Title: titleOf(d), Text: part(d.Text, 0, maxText), URL: addressOf(d), Metadata: map[string]string{
		"collection": d.Collection, "source": d.Source, "media_type": d.MediaType, "language": d.Language,
	}}
	if len(out.Text) < len(d.Text) {
		out.Metadata["truncated"] = route.Size(int64(len(d.Text)))
	}
	return out, nil
}

func (s *Server) read(ctx context.Context, _ *sdk.CallToolRequest, in readArgs) (readResult, error) {
	d, err := s.document(ctx, in.ID)
	if err != nil {
		return readResult{}, err
	}
	if in.Limit == 0 {
		in.Limit = defaultText
	}
	start := boundary(d.Text, min(max(in.Offset, 0), len(d.Text)))
	out := readResult{ID: in.ID, Title: titleOf(d), Text: part(d.Text, start, in.Limit), Offset: start, Size: len(d.Text)}
	if end := start + len(out.Text); end < len(d.Text) {
		out.NextOffset = end
	}
	return out, nil
}

// part returns at most limit bytes of a text, but at least one character.
func part(text string, start, limit int) string {
	end := boundary(text, min(start+limit, len(text)))
	if end == start && start < len(text) {
		_, size := utf8.DecodeRuneInString(text[start:])
		end += size
	}
	return text[start:end]
}

// boundary returns the last begin of a character at or before an offset.
func boundary(text string, offset int) int {
	for offset > 0 && offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset--
	}
	return offset
}

// document returns a document with its text.
func (s *Server) document(ctx context.Context, id string) (corpus.Document, error) {
	collection, number, err := parseID(id)
	if err != nil {
		return corpus.Document{}, err
	}
	done, err := s.cfg.Reads.Take(ctx, patience)
	if err != nil {
		return corpus.Document{}, err
	}
	defer done()
	d, err := s.cfg.Library.Document(ctx, number)
	if fault.KindOf(err) == fault.NotFound || err == nil && d.Collection != collection {
		return corpus.Document{}, noDocument(id)
	}
	return d, err
}

func (s *Server) list(ctx context.Context, _ *sdk.CallToolRequest, in listArgs) (listResult, error) {
	out := listResult{Documents: []listed{}}
	if err := route.CheckText("collection", in.Collection, "match", in.Match); err != nil {
		return out, err
	}
	if in.Limit == 0 {
		in.Limit = maxList
	}
	filter := corpus.DocumentFilter{Collection: in.Collection, Match: in.Match, After: max(in.After, 0), Limit: in.Limit + 1}
	docs, err := s.cfg.Library.Documents(ctx, filter)
	if err != nil {
		return out, err
	}
	if len(docs) > in.Limit {
		docs = docs[:in.Limit]
		out.Next = docs[in.Limit-1].ID
	}
	for _, d := range docs {
		out.Documents = append(out.Documents, listed{
			ID: idOf(d.Collection, d.ID), Title: titleOf(d), URL: addressOf(d), Collection: d.Collection, MediaType: d.MediaType,
			Language: d.Language, Status: string(d.Status), UpdatedAt: d.UpdatedAt.UTC(),
			Date: d.Day(), DateFrom: string(d.DateFrom), Version: d.Version,
		})
	}
	return out, nil
}

func (s *Server) ask(ctx context.Context, req *sdk.CallToolRequest, in askArgs) (askResult, error) {
	out := askResult{Sources: []source{}}
	if strings.TrimSpace(in.Question) == "" {
		return out, fault.New(fault.Invalid, "question_empty", "the question is empty")
	}
	err := cmp.Or(route.CheckText("question", in.Question, "model", in.Model), route.CheckTexts("collections", in.Collections))
	if err != nil {
		return out, err
	}
	documents, err := parseIDs(in.Documents)
	if err != nil {
		return out, err
	}
	place, err := placeOf(in.Folders, in.Tags)
	if err != nil {
		return out, err
	}
	parts, err := s.cfg.Answers.Stream(ctx, rag.Request{
		Question: in.Question, Collections: in.Collections, Documents: documents, Place: place, K: in.Limit, Model: in.Model, WholeOnly: true,
	})
	if err != nil {
		return out, err
	}
	report := progress{token: req.Params.GetProgressToken(), session: req.Session}
	for p, err := range parts {
		if err != nil {
			return out, err
		}
		if p.Answer != nil {
			out = answered(*p.Answer)
			continue
		}
		report.send(ctx, p.Phase)
	}
	return out, ctx.Err()
}

// progress reports the progress of an answer.
type progress struct {
	token   any // nil if the client wants no reports
	session *sdk.ServerSession
	count   float64
	last    time.Time
}

// send reports a phase at once, and the growth of the answer now and then.
func (p *progress) send(ctx context.Context, phase rag.Phase) {
	if p.token == nil || phase == "" && time.Since(p.last) < progressEvery {
		return
	}
	p.count++
	p.last = time.Now()
	note := &sdk.ProgressNotificationParams{ProgressToken: p.token, Progress: p.count, Message: string(phase)}
	_ = p.session.NotifyProgress(ctx, note) // the result shows whether the client is gone
}

// answered converts an answer. Its sources are the cited passages.
func answered(a rag.Answer) askResult {
	out := askResult{Answer: a.Text, Abstained: a.Abstained(), Outcome: string(a.Outcome), Model: a.Model, Sources: []source{}}
	cited := map[int]bool{}
	for _, sentence := range a.Sentences {
		for _, n := range sentence.Passages {
			cited[n] = true
		}
	}
	for i, r := range a.Passages {
		if !cited[i+1] || a.Abstained() {
			continue
		}
		d := r.Passage.Document
		out.Sources = append(out.Sources, source{
			Number: i + 1, ID: idOf(d.Collection, d.ID), Title: titleOf(d), URL: addressOf(d),
			Heading: r.Passage.Heading(), Page: pageOf(r.Passage.Chunk), Date: d.Day(), Version: d.Version, Text: r.Passage.Text,
		})
	}
	return out
}
