package enforce

import (
	"context"
	"errors"

	"docent/auth/rights"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// emptied is the number of documents that one transaction removes. Other writers wait for it.
const emptied = 500

// Remover deletes documents.
type Remover interface {
	// RemoveDocuments deletes documents and returns their number.
	RemoveDocuments(ctx context.Context, ids []int64) (int, error)
}

// Collections changes collections that the reader of the context manages. It is safe for concurrent use.
type Collections struct {
	rights    *rights.Rights // nil limits nobody
	records   corpus.Collections
	library   corpus.Library
	documents Remover
}

// NewCollections returns the collections of a store. Without rights, everybody manages all of them.
func NewCollections(r *rights.Rights, records corpus.Collections, library corpus.Library, documents Remover) Collections {
	return Collections{r, records, library, documents}
}

func (c Collections) check(ctx context.Context, name string) error {
	if c.rights == nil {
		return nil
	}
	return c.rights.Check(ctx, name, rights.Manage)
}

// Create adds a collection without documents. Only administrators manage a collection that does not exist.
func (c Collections) Create(ctx context.Context, name string, about corpus.About) error {
	if name == "" {
		return fault.New(fault.Invalid, "collection_name_empty", "a collection must have a name")
	}
	if err := corpus.CheckCollectionName(name); err != nil {
		return err
	}
	if err := about.Check(); err != nil {
		return err
	}
	if c.rights != nil {
		access, err := c.rights.Access(ctx)
		if err != nil {
			return err //nolint:wrapcheck // the rights name the operation
		}
		if access.Level(name) < rights.Manage { // says nothing about collections that the reader may not see
			return fault.New(fault.Forbidden, "collection_create_forbidden", "only administrators may create collections; ask one of them")
		}
	}
	return c.records.AddCollection(ctx, name, about) //nolint:wrapcheck // the store names the operation
}

// Change changes the description of a collection.
func (c Collections) Change(ctx context.Context, name string, edit func(*corpus.About)) error {
	if err := c.check(ctx, name); err != nil {
		return err
	}
	all, err := c.library.Collections(ctx)
	if err != nil {
		return err //nolint:wrapcheck // the library names the operation
	}
	var about corpus.About // of an unknown collection, which SetCollection refuses
	for _, info := range all {
		if info.Name == name {
			about = info.About
		}
	}
	edit(&about)
	if err := about.Check(); err != nil {
		return err
	}
	return c.records.SetCollection(ctx, name, about) //nolint:wrapcheck // the store names the operation
}

// Empty removes all documents of a collection and returns their number. It goes on after ctx is canceled.
func (c Collections) Empty(ctx context.Context, name string) (int, error) {
	if err := c.check(ctx, name); err != nil {
		return 0, err
	}
	if err := corpus.CheckCollections(ctx, c.library, []string{name}); err != nil {
		return 0, err //nolint:wrapcheck // the library names the operation
	}
	return c.empty(context.WithoutCancel(ctx), name)
}

func (c Collections) empty(ctx context.Context, name string) (int, error) {
	removed := 0
	for _, status := range []corpus.Status{corpus.Ready, corpus.Failed, corpus.Skipped} {
		for {
			documents, err := c.library.Documents(ctx, corpus.DocumentFilter{Collection: name, Status: status, Limit: emptied})
			if err != nil || len(documents) == 0 {
				if err != nil {
					return removed, err //nolint:wrapcheck // the library names the operation
				}
				break
			}
			ids := make([]int64, len(documents))
			for i, d := range documents {
				ids[i] = d.ID
			}
			n, err := c.documents.RemoveDocuments(ctx, ids)
			if removed += n; err != nil {
				return removed, err //nolint:wrapcheck // the store names the operation
			}
		}
	}
	return removed, nil
}

// Remove removes a collection with its documents and the rights on it, and returns the number of documents. It goes on after
// ctx is canceled. It changes nothing if a source stores its documents there.
func (c Collections) Remove(ctx context.Context, name string) (int, error) {
	if name == corpus.DefaultCollection {
		return 0, fault.New(fault.Conflict, "collection_default",
			"the collection %q cannot be removed, but you can remove all its documents", name)
	}
	if err := c.check(ctx, name); err != nil {
		return 0, err
	}
	ctx = context.WithoutCancel(ctx)
	// Without documents, this is the whole work. It also finds a source before documents are removed.
	err := c.records.RemoveCollection(ctx, name)
	if !errors.Is(err, corpus.ErrFilled) {
		return 0, err //nolint:wrapcheck // the store names the operation
	}
	n, err := c.empty(ctx, name)
	if err == nil {
		err = c.records.RemoveCollection(ctx, name)
	}
	return n, err //nolint:wrapcheck // the store names the operation
}
