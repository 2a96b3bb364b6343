package tool

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/text"
)

const (
	// maxPassages is the maximum size of the passages from one search, in bytes.
	maxPassages = 40_000
	// maxNames is the maximum number of collections in a text.
	maxNames = 50
	// documentPage is the number of documents per page of list_documents.
	documentPage = 50
	// maxQuery is the maximum length of a query, in characters.
	maxQuery = 4000
)

// Searcher finds passages. It is safe for concurrent use. *retrieve.Retriever implements it.
type Searcher interface {
	// Retrieve returns passages, best first.
	Retrieve(ctx context.Context, q retrieve.Query) (retrieve.Retrieval, error)
}

// Library reads documents. It is the part of corpus.Library that tools need. It is safe for concurrent use.
type Library interface {
	corpus.Lister
	// Documents lists documents by ID, without Text.
	Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error)
	// Document returns one document with its Text, or fault.NotFound.
	Document(ctx context.Context, id int64) (corpus.Document, error)
	// Collections lists the collections by name.
	Collections(ctx context.Context) ([]corpus.CollectionInfo, error)
}

// KnowledgeConfig describes the searchable documents.
type KnowledgeConfig struct {
	// Searcher finds passages. Required.
	Searcher Searcher
	// Library holds the documents of the passages. Required.
	Library Library
	// K is the number of passages if the model does not choose one. Default: retrieve.AnswerK.
	K int
}

type knowledge struct{ KnowledgeConfig }

type searchKnowledge struct {
	Query      string `json:"query" description:"What to look for: a question or key words, understandable on its own."`
	K          int    `json:"k,omitempty" description:"How many passages to show, 1 to 50."`
	Collection string `json:"collection,omitempty" description:"Search only this collection; all if not given."`
}

type readDocument struct {
	ID   int64 `json:"id" description:"The document's number, from search_knowledge or list_documents."`
	From int   `json:"from,omitempty" description:"The byte of its text to begin with; 0 is the first."`
	To   int   `json:"to,omitempty" description:"The byte of its text to end before; 20000 bytes further if not given, 100000 at most; less is shown if that is too much."`
}

type listDocuments struct {
	Collection string `json:"collection,omitempty" description:"List only this collection; all if not given."`
	Match      string `json:"match,omitempty" description:"List only documents with this in their title or source; letter case does not matter."`
	After      int64  `json:"after,omitempty" description:"Go on behind the document with this number."`
}

// Knowledge returns the tools search_knowledge, read_document, and list_documents, and query_tables if the Library implements
// table.Chunks. They number the passages for citations;
// see WithFindings.
func Knowledge(cfg KnowledgeConfig) ([]Tool, error) {
	switch {
	case cfg.Searcher == nil:
		return nil, fault.New(fault.Invalid, "knowledge_searcher_missing", "knowledge tools: Searcher is missing")
	case cfg.Library == nil:
		return nil, fault.New(fault.Invalid, "knowledge_library_missing", "knowledge tools: Library is missing")
	case cfg.K < 0 || cfg.K > retrieve.MaxK:
		return nil, fault.New(fault.Invalid,
			"knowledge_k_out_of_range", "knowledge tools: K is %d; it must be between 1 and %d", cfg.K, retrieve.MaxK)
	}
	cfg.K = cmp.Or(cfg.K, retrieve.AnswerK)
	k := knowledge{cfg}
	return collect(append([]func() (Tool, error){
		with("search_knowledge", "Search the documents. Returns passages; support what you say by their numbers, such as [1]. Search again with other words if they do not answer the question.", k.search),
		with("read_document", "Read the text around a passage, or all of a document page by page.", k.read),
		with("list_documents", "List the collections and the documents that can be searched.", k.list),
	}, k.withTables()...)...)
}

func (k knowledge) search(ctx context.Context, in searchKnowledge) (any, error) {
	query := strings.TrimSpace(clip(in.Query, maxQuery))
	if query == "" {
		return nil, refusal("ValueError", "query is empty")
	}
	within := scope(ctx)
	q := retrieve.Query{Question: query, K: cmp.Or(within.K, in.K, k.K), Collections: within.Collections, Documents: within.Documents}
	if q.K < 1 || q.K > retrieve.MaxK {
		return nil, refusal("ValueError", "k is %d; it must be between 1 and %d", q.K, retrieve.MaxK)
	}
	if in.Collection != "" {
		if err := k.known(ctx, in.Collection); err != nil {
			return nil, err
		}
		q.Collections = []string{in.Collection}
	}
	found, err := k.Searcher.Retrieve(ctx, q)
	if err != nil {
		return nil, safe(err, fault.NewText("documents_not_searched", "the documents cannot be searched now"))
	}
	notes := findings(ctx)
	notes.searched(Search{Query: query, Collection: in.Collection, Found: len(found.Results), Evidence: found.Evidence})
	if len(found.Results) == 0 {
		return "No passages were found. Say so, or search with other words.", nil
	}
	var b strings.Builder
	for i, r := range found.Results {
		number := notes.number(r)
		r.Passage.Text = clip(r.Passage.Text, maxPassages)
		quote := passage(number, r.Passage)
		if i > 0 && b.Len()+len(quote) > maxPassages {
			fmt.Fprintf(&b, "(%d more passages are not shown; ask for fewer or read the documents)\n\n", len(found.Results)-i)
			break
		}
		b.WriteString(quote + "\n\n")
	}
	if found.Evidence < weakEvidence {
		b.WriteString("(These passages have next to nothing of what was asked.)")
	}
	return strings.TrimSpace(b.String()), nil
}

// weakEvidence is the evidence below which passages have little in common with a query.
const weakEvidence = .05

// passage renders a passage with its number.
func passage(number int, p corpus.Passage) string {
	var cite, page string
	if number > 0 {
		cite = strconv.Itoa(number)
	}
	if page = p.PageLabel; page == "" && p.Page != nil {
		page = strconv.Itoa(*p.Page + 1)
	}
	date := "date"
	if p.Document.DateFrom == corpus.FileTime {
		date = "file-time" // says little about the text
	}
	return text.Quote(p.Text, "number", cite, "from", corpus.HeadingLine(p.Document.Title, p.Headings), "page", page, date, p.Document.Day(),
		"source", corpus.ShortSource(p.Document.Source), "document", strconv.FormatInt(p.Document.ID, 10), "bytes",
		fmt.Sprintf("%d-%d", p.Start, p.End))
}

func (k knowledge) read(ctx context.Context, in readDocument) (any, error) {
	if in.From < 0 || in.To < 0 || in.To > 0 && in.To <= in.From {
		return nil, refusal("ValueError", "from and to are %d and %d: from has to be before to", in.From, in.To)
	}
	d, err := k.Library.Document(ctx, in.ID)
	if err != nil {
		return nil, safe(err, fault.NewText("document_not_read", "the document cannot be read now"))
	}
	if !scope(ctx).allows(d.Collection) {
		return nil, refusal("ValueError", "document %d is in none of the collections that the user wants answers from", d.ID)
	}
	text := d.Text
	if text == "" {
		return fmt.Sprintf("Document %d has no text.", d.ID), nil
	}
	if in.From >= len(text) {
		return nil, refusal("ValueError", "from is behind the end: the text of document %d has %d bytes", d.ID, len(text))
	}
	to := min(cmp.Or(in.To, in.From+DefaultPage), in.From+MaxPage, len(text))
	at := max(in.From-utf8.UTFMax, 0) // only the needed part is searched for the start of characters
	from, to := runes([]byte(text[at:min(to+utf8.UTFMax, len(text))]), in.From-at, to-at)
	from, to = at+from, at+to
	if in.To == 0 && to < len(text) {
		to = from + lineEnd(text[from:to])
	}
	d.Text = ""
	part := func(n int) corpus.Passage {
		return corpus.Passage{Chunk: corpus.Chunk{DocumentID: d.ID, Text: text[from : from+n], Start: from, End: from + n}, Document: d}
	}
	result := func(number, n int) string {
		return passage(number, part(n)) + pageNote(int64(from), int64(from+n), int64(len(text)), "from")
	}
	n := fitting(ctx, text[from:to], func(n int) string { return result(MaxFindings, n) })
	return result(findings(ctx).number(retrieve.Result{Passage: part(n)}), n), nil
}

func (k knowledge) list(ctx context.Context, in listDocuments) (any, error) {
	var b strings.Builder
	within := scope(ctx)
	if in.Collection == "" && len(within.Collections) == 1 {
		in.Collection = within.Collections[0]
	}
	switch {
	case in.Collection != "":
		if err := k.known(ctx, in.Collection); err != nil {
			return nil, err
		}
	case len(within.Collections) > 1:
		return nil, refusal("ValueError",
			"name one of the collections that the user wants answers from: %s", list(within.Collections[:min(len(within.Collections), maxNames)]))
	case in.After == 0:
		all, err := k.Library.Collections(ctx)
		if err != nil {
			return nil, safe(err, fault.NewText("collections_not_listed", "the collections cannot be listed now"))
		}
		for i, c := range all {
			if i == maxNames {
				fmt.Fprintf(&b, "(%d more collections are not shown)\n", len(all)-i)
				break
			}
			fmt.Fprintf(&b, "collection %s: %d documents\n", printable(c.Name), c.Documents)
		}
		b.WriteByte('\n')
	}
	docs, err := k.Library.Documents(ctx, corpus.DocumentFilter{
		Collection: in.Collection, Status: corpus.Ready, Match: in.Match, After: in.After, Limit: documentPage + 1,
	})
	if err != nil {
		return nil, safe(err, fault.NewText("documents_not_listed", "the documents cannot be listed now"))
	}
	for _, d := range docs[:min(len(docs), documentPage)] {
		source := corpus.ShortSource(d.Source)
		fmt.Fprintf(&b, "document %d: %s (%s; collection %s)\n", d.ID,
			printable(clip(cmp.Or(d.Title, source), 200)), printable(clip(source, 300)), printable(d.Collection))
	}
	switch {
	case len(docs) == 0:
		b.WriteString("No documents.")
	case len(docs) > documentPage:
		fmt.Fprintf(&b, "(there are more; go on with after=%d)", docs[documentPage-1].ID)
	}
	return strings.TrimSpace(b.String()), nil
}

// known returns an error that lists the collections if the named one does not exist.
func (k knowledge) known(ctx context.Context, name string) error {
	all, err := k.Library.Collections(ctx)
	if err != nil {
		return safe(err, fault.NewText("collections_not_listed", "the collections cannot be listed now"))
	}
	var names []string
	within := scope(ctx)
	for _, c := range all {
		if !within.allows(c.Name) {
			continue
		}
		if names = append(names, c.Name); c.Name == name {
			return nil
		}
	}
	return refusal("ValueError", "Collection '%s' not found. Available: %s", clip(name, 64), list(names[:min(len(names), maxNames)]))
}

// safe removes internal details from an error for the model. It keeps the sentence of a fault and cancellation.
func safe(err error, sentence fault.Text) error {
	kind := fault.KindOf(err)
	if kind != fault.Internal {
		return err
	}
	return &fault.Fault{Kind: kind, Text: sentence, Err: err}
}
