package insights

import (
	"context"
	"slices"

	"docent/api/route"
	"docent/insight"
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

// hide hides the passages of answers. Only administrators see passages of deleted documents, because the rights of others are unknown.
func (r passageRights) hide(ctx context.Context, answers ...ApprovedAnswer) error {
	var documents []int64
	for _, a := range answers {
		for _, p := range a.Passages {
			documents = append(documents, p.DocumentID)
		}
	}
	hidden, err := r.hidden(ctx, documents)
	if err != nil {
		return err
	}
	for _, a := range answers {
		for i := range a.Passages {
			if p := &a.Passages[i]; slices.Contains(hidden, p.DocumentID) {
				p.Title, p.Quote, p.Hidden = "", "", true
			}
		}
	}
	return nil
}

// set sets the passages of an answer. Those of documents that the reader may not read stay until the document is deleted.
func (r passageRights) set(ctx context.Context, a *insight.Approved, passages []LinkedPassage) error {
	var documents []int64
	for _, p := range a.Passages {
		documents = append(documents, p.Document)
	}
	hidden, err := r.hidden(ctx, documents)
	if err != nil {
		return err
	}
	a.Passages = slices.DeleteFunc(slices.Clone(a.Passages), func(p insight.Passage) bool {
		return p.Deleted || !slices.Contains(hidden, p.Document)
	})
	for _, p := range passages {
		if err := route.CheckText("quote", p.Quote); err != nil {
			return err
		}
		a.Passages = append(a.Passages, insight.Passage{Link: rag.Link{Document: p.DocumentID, Quote: p.Quote}})
	}
	return nil
}
