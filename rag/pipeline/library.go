package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"docent/internal/fault"
	"docent/internal/lazyregexp"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/talk"
	"docent/rag/text"
)

// Catalog lists documents and their chunks. If the Shelf of a Config is a Catalog, a Pipeline answers questions about the
// documents as such. corpus.Library implements it. It lists only documents that the reader of the context may read.
type Catalog interface {
	Shelf
	// Documents lists documents without Text.
	Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error)
	// DocumentChunks returns a document's chunks whose ordinal is greater than after, by ordinal.
	DocumentChunks(ctx context.Context, id int64, after, limit int) ([]corpus.Chunk, error)
}

// Limits of answers about the documents.
const (
	// maxListed is the number of documents in a list.
	maxListed = 20
	// maxNewest is the number of documents in a list of the newest ones.
	maxNewest = 5
	// maxOutlined is the number of documents whose topics are listed, and maxTopics the number of topics of each.
	maxOutlined, maxTopics = 20, 5
	// maxMeant is the number of documents that one name may mean.
	maxMeant = 4
	// maxRead is the number of chunks of a document that are read for its topics and its outline.
	maxRead, maxReadForTopics = 400, 60
	// maxScanned is the number of documents that are read for a list in another order, or of one kind.
	maxScanned = 1000
)

// librarian answers messages about the documents as such.
type librarian struct {
	*answering
	catalog Catalog
}

// library answers a message about the documents as such. It is not done if no reading of the message holds.
func (a *answering) library(ctx context.Context) (done bool, err error) {
	c, ok := a.pipeline.cfg.Shelf.(Catalog)
	if !ok {
		return false, nil
	}
	for _, l := range a.message.Library {
		if done, err = (librarian{a, c}).answer(ctx, l); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// answer answers one reading of a message about the documents.
func (a librarian) answer(ctx context.Context, l talk.Library) (done bool, err error) {
	switch l.Wants {
	case talk.List:
		return a.list(ctx, l)
	case talk.Topics:
		return true, a.topics(ctx)
	case talk.Newest:
		return true, a.newest(ctx, corpus.ByDate)
	case talk.Added:
		return true, a.newest(ctx, corpus.ByUpdated)
	case talk.Mentions:
		return a.mentioning(ctx, l.About)
	}
	documents, err := a.named(ctx, l.Name)
	if err != nil || len(documents) == 0 || len(documents) > maxMeant {
		return false, err
	}
	switch l.Wants {
	case talk.Updated:
		return true, a.updated(ctx, documents)
	case talk.Within:
		return a.within(ctx, documents, l.About)
	}
	return a.summary(ctx, documents)
}

// collections returns the searched collections for a filter, or nil for all.
func (a librarian) collections() []string {
	if len(a.req.Collections) == 0 {
		return nil
	}
	return a.req.Collections
}

// documents lists documents, only the chosen ones if the request names some.
func (a librarian) documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error) {
	if len(a.req.Documents) == 0 {
		return a.catalog.Documents(ctx, filter) //nolint:wrapcheck // the caller names the operation
	}
	var out []corpus.Document
	for _, id := range a.req.Documents[:min(len(a.req.Documents), maxListed)] {
		filter.ID = id
		one, err := a.catalog.Documents(ctx, filter)
		if err != nil {
			return nil, err //nolint:wrapcheck // the caller names the operation
		}
		out = append(out, one...)
	}
	return out, nil
}

// held returns the collections with documents, and the number of their documents.
func (a librarian) held(ctx context.Context, only string) (infos []corpus.CollectionInfo, documents int, err error) {
	all, err := a.catalog.Collections(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("list collections: %w", err)
	}
	for _, info := range all {
		if info.Documents == 0 || len(a.req.Collections) > 0 && !slices.Contains(a.req.Collections, info.Name) ||
			only != "" && !strings.EqualFold(info.Name, only) {
			continue
		}
		infos = append(infos, info)
		documents += info.Documents
	}
	return infos, documents, nil
}

// known is the sentence that counts the documents.
func known(infos []corpus.CollectionInfo, documents int) fault.Text {
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name
	}
	count := fault.NewText("many_documents", "%d documents", documents)
	if documents == 1 {
		count = fault.NewText("one_document", "1 document")
	}
	return fault.NewText("library_known", "I know %s in %s.", count, inCollections(names))
}

// chosen leads a list of the chosen documents.
var chosen = fault.NewText("library_chosen", "I search only these chosen documents:")

// empty replies that there are no documents.
func (a librarian) empty() {
	a.reply(fault.NewText("holdings_none", "I know of no documents yet. %s", a.pipeline.hint()))
}

// list lists the documents, or those of one kind or collection. It is not done if no collection has the name, or no document fits a
// kind with further words: a "docker image" may be a subject of the documents.
func (a librarian) list(ctx context.Context, l talk.Library) (done bool, err error) {
	infos, total, err := a.held(ctx, l.Collection)
	switch {
	case err != nil:
		return false, err
	case total == 0 && l.Collection != "":
		return false, nil
	case total == 0:
		a.empty()
		return true, nil
	}
	filter := corpus.DocumentFilter{Collections: a.collections(), Status: corpus.Ready, Order: corpus.ByTitle, Limit: maxListed}
	if l.Collection != "" {
		filter.Collection = infos[0].Name
	}
	if l.Name != "" {
		filter.Limit = maxScanned
	}
	documents, err := a.documents(ctx, filter)
	if err != nil {
		return false, fmt.Errorf("list documents: %w", err)
	}
	out := &composed{}
	if l.Name != "" {
		some := ofKind(documents, l.Name)
		if len(some) > 0 {
			out.say(a.said(fault.NewText("library_of_kind", "Documents that fit (%d of %d):", len(some), total)))
			return true, a.entries(ctx, out, some, len(some))
		}
		if strings.Contains(l.Name, " ") && !isFormat(l.Name) {
			return false, nil
		}
		out.say(a.said(fault.NewText("library_none_of_kind", "No document fits %s.", text.CodeSpan(l.Name))) + "\n")
		documents = documents[:min(len(documents), maxListed)]
	}
	if len(a.req.Documents) > 0 {
		out.say(a.said(chosen))
		return true, a.entries(ctx, out, documents, len(a.req.Documents))
	}
	out.say(a.said(known(infos, total)))
	if len(infos) > 1 {
		for _, info := range infos[:min(len(infos), maxListed)] {
			out.say(a.said(fault.NewText("library_collection", "- Collection %s: %d", text.CodeSpan(info.Name), info.Documents)))
		}
	}
	return true, a.entries(ctx, out, documents, total)
}

// entries adds a list of documents with their dates, each with its first passage. all is the number of documents that the
// list stands for.
func (a librarian) entries(ctx context.Context, out *composed, documents []corpus.Document, all int) error {
	out.text.WriteString("\n")
	for _, d := range documents[:min(len(documents), maxListed)] {
		if err := a.entry(ctx, out, d, ""); err != nil {
			return err
		}
	}
	if more := all - min(len(documents), maxListed); more > 0 {
		out.say(a.said(fault.NewText("library_more", "- and %d more", more)))
	}
	a.composed(out)
	return nil
}

// entry adds a document to a list: its title, file name, and stated date, and then the given text.
func (a librarian) entry(ctx context.Context, out *composed, d corpus.Document, follows string) error {
	title := shownTitle(d)
	var notes []string
	if name := escaped(fileName(d)); name != title {
		notes = append(notes, name)
	}
	if d.Dated() {
		notes = append(notes, dayIn(d.Date, a.german()))
	}
	line := title
	if len(notes) > 0 {
		line += " (" + strings.Join(notes, ", ") + ")"
	}
	return a.citeDocument(ctx, out, "- ", line+follows, d)
}

// citeDocument adds a line with the first passage of a document as its source.
func (a librarian) citeDocument(ctx context.Context, out *composed, mark, line string, d corpus.Document) error {
	chunks, err := a.catalog.DocumentChunks(ctx, d.ID, -1, 1)
	if err != nil {
		return fmt.Errorf("read the beginning of a document: %w", err)
	}
	if len(chunks) == 0 {
		out.say(mark + line)
		return nil
	}
	out.open(mark)
	out.cite(line, corpus.Passage{Chunk: chunks[0], Document: d})
	return nil
}

// newest lists the last documents in an order.
func (a librarian) newest(ctx context.Context, order corpus.DocumentOrder) error {
	documents, err := a.documents(ctx, corpus.DocumentFilter{
		Collections: a.collections(), Status: corpus.Ready, Order: order, Descending: true, Limit: maxNewest,
	})
	if err != nil {
		return fmt.Errorf("list documents: %w", err)
	}
	if len(documents) == 0 {
		a.empty()
		return nil
	}
	out := &composed{}
	said := fault.NewText("library_newest", "These documents are the newest:")
	if order == corpus.ByUpdated {
		said = fault.NewText("library_last", "These documents were added or updated last:")
	}
	out.say(a.said(said))
	return a.entries(ctx, out, documents, len(documents))
}

// topics lists the documents with their main headings.
func (a librarian) topics(ctx context.Context) error {
	infos, total, err := a.held(ctx, "")
	if err != nil {
		return err
	}
	if total == 0 {
		a.empty()
		return nil
	}
	documents, err := a.documents(ctx, corpus.DocumentFilter{
		Collections: a.collections(), Status: corpus.Ready, Order: corpus.ByTitle, Limit: maxOutlined,
	})
	if err != nil {
		return fmt.Errorf("list documents: %w", err)
	}
	out := &composed{}
	said := known(infos, total)
	if len(a.req.Documents) > 0 {
		said, total = chosen, len(a.req.Documents)
	}
	out.say(a.said(said))
	out.text.WriteString("\n")
	for _, d := range documents {
		chunks, err := a.catalog.DocumentChunks(ctx, d.ID, -1, maxReadForTopics)
		if err != nil {
			return fmt.Errorf("read a document: %w", err)
		}
		line := shownTitle(d)
		if about := topicsOf(chunks); len(about) > 0 {
			line += ": " + strings.Join(about[:min(len(about), maxTopics)], ", ")
		}
		if len(chunks) == 0 {
			out.say("- " + line)
			continue
		}
		out.open("- ")
		out.cite(line, corpus.Passage{Chunk: chunks[0], Document: d})
	}
	if more := total - len(documents); more > 0 {
		out.say(a.said(fault.NewText("library_more", "- and %d more", more)))
	}
	a.composed(out)
	return nil
}

// mentioning lists the documents that are about something. It is not done if the search finds nothing that fits.
func (a librarian) mentioning(ctx context.Context, about string) (done bool, err error) {
	found, err := a.retrieve(ctx, retrieve.Query{
		Question: about, K: retrieve.MaxK / 2, Collections: a.req.Collections, Documents: a.req.Documents,
	})
	if err != nil {
		return false, fmt.Errorf("retrieve passages: %w", err)
	}
	own := ownStems(about)
	out := &composed{}
	out.say(a.said(fault.NewText("library_mentions", "These documents mention it:")))
	out.text.WriteString("\n")
	var seen []int64
	for _, r := range found.Results {
		p := r.Passage
		there := text.Stems(corpus.IndexText(p.Document.Title, p.Chunk))
		lacks := slices.ContainsFunc(own, func(s string) bool { return !mentioned(there, s) })
		if lacks || len(own) == 0 || len(seen) == maxListed || slices.Contains(seen, p.DocumentID) {
			continue
		}
		seen = append(seen, p.DocumentID)
		line := shownTitle(p.Document)
		if h := p.Heading(); h != "" {
			line += ", " + escaped(h)
		}
		out.open("- ")
		out.cite(line, p)
	}
	if len(seen) == 0 {
		return false, nil
	}
	a.composed(out)
	return true, nil
}

// mentioned reports whether one of the stems of a passage is a word or its compound.
func mentioned(there map[string]bool, stem string) bool {
	if there[stem] {
		return true
	}
	for s := range there {
		if root(s) == root(stem) || len(stem) >= minPart && (strings.HasPrefix(s, stem) || strings.HasSuffix(s, stem)) {
			return true
		}
	}
	return false
}

// updated gives the dates of documents: the one in the text, if it has one, and those of the catalog.
func (a librarian) updated(ctx context.Context, documents []corpus.Document) error {
	out := &composed{}
	for i, d := range documents {
		if i > 0 {
			out.say("")
		}
		chunks, err := a.catalog.DocumentChunks(ctx, d.ID, -1, 2)
		if err != nil {
			return fmt.Errorf("read the beginning of a document: %w", err)
		}
		for _, chunk := range chunks {
			if s := datedSentence(chunk); s != "" {
				out.open("> ")
				out.cite(s, corpus.Passage{Chunk: chunk, Document: d})
				out.say("")
				break
			}
		}
		said := a.said(dates(d, a.german()))
		if len(chunks) == 0 {
			out.say(said)
			continue
		}
		out.open("")
		out.cite(said, corpus.Passage{Chunk: chunks[0], Document: d})
	}
	a.composed(out)
	return nil
}

// dates is the sentence with the dates of a document.
func dates(d corpus.Document, german bool) fault.Text {
	switch {
	case d.Date.IsZero():
		return fault.NewText("library_added", "%s: its source has no date. It was last read on %s.", shownTitle(d), dayIn(d.UpdatedAt, german))
	case d.DateFrom == corpus.FileTime:
		return fault.NewText("library_file_changed", "%s: the file was changed on %s, and last read on %s.",
			shownTitle(d), dayIn(d.Date, german), dayIn(d.UpdatedAt, german))
	default:
		return fault.NewText("library_changed", "%s: dated %s, last read on %s.",
			shownTitle(d), dayIn(d.Date, german), dayIn(d.UpdatedAt, german))
	}
}

// dated matches the words of a sentence that dates its document.
var dated = lazyregexp.New(`(?i)\b(?:valid|version|edition|revision|updated?|changed|effective|in force|issued|since|as of|date|released?|` +
	`stand|fassung|gültig|ausgabe|geändert|aktualisiert|vom|datum|` +
	`january|february|march|april|may|june|july|august|september|october|november|december|` +
	`januar|februar|märz|mai|juni|juli|oktober|dezember)\b`)

// year matches a year.
var year = lazyregexp.New(`\b(?:19|20)\d\d\b`)

// datedSentence returns the first sentence at the beginning of a document that gives its date, or "".
func datedSentence(c corpus.Chunk) string {
	const beginning = 600
	for _, s := range text.Sentences(c.Text, c.Kind == corpus.Code) {
		body := strings.Join(strings.Fields(c.Text[s.Start:s.End]), " ")
		if s.Start > beginning {
			break
		}
		if s.Kind != text.RowSentence && s.Kind != text.CodeSentence && year.MatchString(body) && dated.MatchString(body) {
			return text.ResolveMarkers(body, 0)
		}
	}
	return ""
}

// within searches in documents alone. A model or quotes then answer from their passages.
func (a librarian) within(ctx context.Context, documents []corpus.Document, about string) (done bool, err error) {
	query := retrieve.Query{Question: about, K: a.req.K, Collections: a.req.Collections}
	for _, d := range documents {
		query.Documents = append(query.Documents, d.ID)
	}
	a.question = about
	if err := a.find(ctx, query); err != nil {
		return false, err
	}
	if a.model == nil && a.thresholds.Outcome(a.found.Evidence) != rag.Answered && !a.mentions(about) {
		a.reply(fault.NewText("library_not_within", "I found nothing about %s in %s.", text.CodeSpan(about), titles(documents)))
		a.out.Outcome = rag.NotFound
	}
	return true, nil
}

// titles lists the titles of documents.
func titles(documents []corpus.Document) string {
	out := make([]string, len(documents))
	for i, d := range documents {
		out[i] = shownTitle(d)
	}
	return strings.Join(out, ", ")
}

// ownStems returns the stems of a text that have a meaning of their own.
func ownStems(s string) []string {
	var out []string
	language := text.Language(s)
	for _, w := range text.Words(s) {
		if !w.Part && !text.IsStop(w.Stem) && !text.IsForeignStop(language, s[w.Start:w.End]) {
			out = append(out, w.Stem)
		}
	}
	return out
}

// mentions reports whether a found passage has one of the words of a text.
func (a librarian) mentions(about string) bool {
	return slices.ContainsFunc(a.found.Results, func(r retrieve.Result) bool {
		there := text.Stems(corpus.IndexText(r.Passage.Document.Title, r.Passage.Chunk))
		return slices.ContainsFunc(ownStems(about), func(s string) bool { return mentioned(there, s) })
	})
}

// passagesOf returns the passages of an answer as results.
func passagesOf(all []rag.Passage) []retrieve.Result {
	out := make([]retrieve.Result, len(all))
	for i, p := range all {
		out[i] = retrieve.Result{Rank: i + 1, Score: cmp.Or(p.Score, 1/float64(i+1)), Passage: p.Passage}
	}
	return out
}
