package insights

import (
	"context"
	"slices"

	"docent/api/route"
	"docent/insight"
	"docent/insight/approve"
	"docent/rag"
)

// passageRights hides passages of documents that the reader may not read.
type passageRights struct {
	lacking func(ctx context.Context, documents []int64) ([]int64, error) // nil: everybody may read everything
}

// hidden returns those of some documents that the reader may not read.
func (r passageRights) hidden(ctx context.Context, documents []int64) ([]int64, error) {
	if r.lacking == nil || len(documents) == 0 {
		return nil, nil
	}
	return r.lacking(ctx, documents)
}

// hide hides the passages of answers, and the changes of documents below them. Only administrators see passages of deleted documents,
// because the rights of others are unknown.
func (r passageRights) hide(ctx context.Context, answers []ApprovedAnswer) error {
	var documents []int64
	for _, a := range answers {
		documents = append(documents, a.Changed...)
		for _, p := range a.Passages {
			documents = append(documents, p.DocumentID)
		}
	}
	hidden, err := r.hidden(ctx, documents)
	if err != nil {
		return err
	}
	for i := range answers {
		a := &answers[i]
		a.Changed = slices.DeleteFunc(a.Changed, func(id int64) bool { return slices.Contains(hidden, id) })
		a.Due = overdue(a.Review) || len(a.Changed) > 0
		for j, p := range a.Passages {
			if slices.Contains(hidden, p.DocumentID) {
				a.Passages[j] = ApprovedPassage{DocumentID: p.DocumentID, Hidden: true}
			}
			a.Due = a.Due || a.Passages[j].Changed || a.Passages[j].Deleted
		}
	}
	return nil
}

// set sets the documents and passages of an answer. Those that the reader may not read stay until the document is deleted. The reader
// cannot add such ones: docent ignores or refuses them as if the document did not exist.
func (r passageRights) set(ctx context.Context, a *insight.Approved, fields ApprovedFields) error {
	documents := slices.Concat(a.Documents, fields.Documents)
	for _, p := range a.Passages {
		documents = append(documents, p.Document)
	}
	for _, p := range fields.Passages {
		documents = append(documents, p.DocumentID)
	}
	hidden, err := r.hidden(ctx, documents)
	if err != nil {
		return err
	}
	isHidden := func(id int64) bool { return slices.Contains(hidden, id) }
	readable := slices.DeleteFunc(slices.Clone(fields.Documents), isHidden)
	a.Documents = append(slices.DeleteFunc(slices.Clone(a.Documents), func(id int64) bool { return !isHidden(id) }), readable...)
	a.Passages = slices.DeleteFunc(slices.Clone(a.Passages), func(p insight.Passage) bool { return p.Deleted || !isHidden(p.Document) })
	for _, p := range fields.Passages {
		if err := route.CheckText("quote", p.Quote); err != nil {
			return err
		}
		if isHidden(p.DocumentID) {
			return approve.NoPassage(p.DocumentID)
		}
		a.Passages = append(a.Passages, insight.Passage{Link: rag.Link{Document: p.DocumentID, Quote: p.Quote}})
	}
	return nil
}

// readableCollections returns the collections that the reader may read; nil means all.
func readableCollections(ctx context.Context, cfg Config) ([]string, error) {
	if cfg.Readable == nil {
		return nil, nil
	}
	return cfg.Readable(ctx)
}
