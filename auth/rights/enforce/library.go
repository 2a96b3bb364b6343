package enforce

import (
	"context"
	"io"
	"slices"

	"docent/auth/rights"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// Searcher finds passages. *retrieve.Retriever implements it.
type Searcher interface {
	// Retrieve returns the passages for a query, best first.
	Retrieve(ctx context.Context, query retrieve.Query) (retrieve.Retrieval, error)
}

// Retriever finds passages that the reader of the context may read. It limits the
// collections of a query, so that other passages are not even ranked. It is safe
// for concurrent use.
type Retriever struct {
	rights   *rights.Rights
	searcher Searcher
}

// NewRetriever returns a searcher with the rights of readers.
func NewRetriever(r *rights.Rights, searcher Searcher) Retriever { return Retriever{r, searcher} }

// Retrieve implements Searcher.
func (r Retriever) Retrieve(ctx context.Context, query retrieve.Query) (retrieve.Retrieval, error) {
	access, err := r.rights.Access(ctx)
	if err != nil {
		return retrieve.Retrieval{}, err
	}
	query.Collections = access.Readable(query.Collections)
	if query.Collections != nil && len(query.Collections) == 0 {
		return retrieve.Retrieval{Question: query.Question}, nil
	}
	found, err := r.searcher.Retrieve(ctx, query)
	for i := range found.Results {
		shorten(access, &found.Results[i].Passage.Document)
	}
	return found, err //nolint:wrapcheck // the searcher names the operation
}

// shorten removes the server's folders from the source of a document, unless the
// reader manages its collection.
func shorten(access rights.Access, d *corpus.Document) {
	if access.Level(d.Collection) < rights.Manage {
		d.Source = corpus.ShortSource(d.Source)
	}
}

// Library reads documents that the reader of the context may read. Other documents
// do not exist for it. It is safe for concurrent use.
type Library struct {
	rights  *rights.Rights
	library corpus.Library
}

// NewLibrary returns a library with the rights of readers.
func NewLibrary(r *rights.Rights, library corpus.Library) Library { return Library{r, library} }

// Documents implements corpus.Library.
func (l Library) Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error) {
	access, err := l.rights.Access(ctx)
	if err != nil {
		return nil, err
	}
	filter.Collections = access.Readable(filter.Collections)
	documents, err := l.library.Documents(ctx, filter)
	for i := range documents {
		shorten(access, &documents[i])
	}
	return documents, err //nolint:wrapcheck // the library names the operation
}

// DocumentIDs implements corpus.Library.
func (l Library) DocumentIDs(ctx context.Context, filter corpus.DocumentFilter) ([]int64, error) {
	access, err := l.rights.Access(ctx)
	if err != nil {
		return nil, err
	}
	filter.Collections = access.Readable(filter.Collections)
	return l.library.DocumentIDs(ctx, filter) //nolint:wrapcheck // the library names the operation
}

// Places implements corpus.Library.
func (l Library) Places(ctx context.Context, filter corpus.PlaceFilter) (folders, tags []corpus.PlaceCount, err error) {
	access, err := l.rights.Access(ctx)
	if err != nil {
		return nil, nil, err
	}
	filter.Collections = access.Readable(filter.Collections)
	return l.library.Places(ctx, filter) //nolint:wrapcheck // the library names the operation
}

// Facets implements corpus.Library.
func (l Library) Facets(ctx context.Context, collections []string) (corpus.Facets, error) {
	access, err := l.rights.Access(ctx)
	if err != nil {
		return corpus.Facets{}, err
	}
	return l.library.Facets(ctx, access.Readable(collections)) //nolint:wrapcheck // the library names the operation
}

// Document implements corpus.Library.
func (l Library) Document(ctx context.Context, id int64) (corpus.Document, error) {
	if err := l.check(ctx, id); err != nil {
		return corpus.Document{}, err
	}
	access, err := l.rights.Access(ctx)
	if err != nil {
		return corpus.Document{}, err
	}
	document, err := l.library.Document(ctx, id)
	shorten(access, &document)
	return document, err //nolint:wrapcheck // the library names the operation
}

// DocumentChunks implements corpus.Library.
func (l Library) DocumentChunks(ctx context.Context, id int64, after, limit int) ([]corpus.Chunk, error) {
	if err := l.check(ctx, id); err != nil {
		return nil, err
	}
	return l.library.DocumentChunks(ctx, id, after, limit) //nolint:wrapcheck // the library names the operation
}

// DocumentVersions implements corpus.Library.
func (l Library) DocumentVersions(ctx context.Context, id int64) ([]corpus.Version, error) {
	if err := l.check(ctx, id); err != nil {
		return nil, err
	}
	return l.library.DocumentVersions(ctx, id) //nolint:wrapcheck // the library names the operation
}

// Original implements corpus.Library.
func (l Library) Original(ctx context.Context, id int64) (io.ReadCloser, error) {
	if err := l.check(ctx, id); err != nil {
		return nil, err
	}
	return l.library.Original(ctx, id) //nolint:wrapcheck // the library names the operation
}

// Collections implements corpus.Library.
func (l Library) Collections(ctx context.Context) ([]corpus.CollectionInfo, error) {
	access, err := l.rights.Access(ctx)
	if err != nil {
		return nil, err
	}
	all, err := l.library.Collections(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // the library names the operation
	}
	return slices.DeleteFunc(all, func(c corpus.CollectionInfo) bool { return access.Level(c.Name) < rights.Read }), nil
}

// check fails with fault.NotFound if the reader may not read a document.
func (l Library) check(ctx context.Context, id int64) error {
	hidden, err := l.rights.Lacking(ctx, []int64{id}, rights.Read)
	if err == nil && len(hidden) > 0 {
		err = noDocument(id)
	}
	return err
}

func noDocument(id int64) error {
	return fault.New(fault.NotFound, "no_document", "there is no document %d", id)
}
