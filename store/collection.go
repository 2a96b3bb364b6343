package store

import (
	"docent/internal/fault"
	"docent/rag/corpus"
)

// CollectionTaken is the error for a new collection with the name of another one.
func CollectionTaken(name string) error {
	return fault.New(fault.Conflict, "collection_taken", "there is already a collection %.64q", name)
}

// TooManyCollections is the error at corpus.MaxCollections collections.
func TooManyCollections() error {
	return fault.New(fault.Conflict, "collections_full", "there are already %d collections, and no more are allowed", corpus.MaxCollections)
}

// DocumentOfSource is the error for a document that cannot move, because a source keeps it in sync.
func DocumentOfSource(title, source string) error {
	return fault.New(fault.Conflict, "document_of_source",
		"the source %.64q keeps the document %.200q in sync, so it stays in the collection of the source; nothing was moved", source, title)
}

// DocumentTwin is the error for a document that cannot move, because the collection has one with the same source.
func DocumentTwin(collection, source string) error {
	return fault.New(fault.Conflict, "document_twin",
		"the collection %.64q already has the document %.200q; delete one of the two; nothing was moved",
		collection, corpus.ShortSource(source))
}

// CheckRemoval fails with fault.Conflict if a collection cannot be removed: it has documents, or a source stores its
// documents there.
func CheckRemoval(name string, filled bool, source string) error {
	switch {
	case source != "":
		return fault.New(fault.Conflict, "collection_has_source",
			"the source %.64q stores its documents in the collection %.64q; remove the source first", source, name)
	case filled:
		return fault.Wrap(fault.Conflict, corpus.ErrFilled, "collection_has_documents",
			"documents were added to the collection %.64q meanwhile; remove it again", name)
	}
	return nil
}
