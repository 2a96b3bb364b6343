package wiring

import (
	"cmp"
	"context"
	"io"

	"docent/api"
	"docent/api/uploads"
	"docent/auth/rights"
	"docent/ingest"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// changer returns the changes of documents, with the rights of the reader.
func (s *Server) changer() api.Changer {
	if s.rights == nil {
		return changes{s.DB.Documents, s.DB.Tags, s.DB.Moves, s.DB.Titles}
	}
	return changer{s.rights, changes{s.DB.Documents, s.DB.Tags, s.DB.Moves, s.DB.Titles}}
}

// changes are the changes of documents.
type changes struct {
	ingest.Store
	corpus.Tagger
	corpus.Mover
	corpus.Renamer
}

// changer changes the documents that the reader of the context may change.
type changer struct {
	rights    *rights.Rights
	documents api.Changer
}

// RemoveDocuments implements api.Changer.
func (c changer) RemoveDocuments(ctx context.Context, ids []int64) (int, error) {
	ids, err := c.rights.Writable(ctx, ids)
	if err != nil {
		return 0, err
	}
	return c.documents.RemoveDocuments(ctx, ids)
}

// TagDocuments implements api.Changer.
func (c changer) TagDocuments(ctx context.Context, ids []int64, add, remove []string) (int, error) {
	ids, err := c.rights.Writable(ctx, ids)
	if err != nil {
		return 0, err
	}
	return c.documents.TagDocuments(ctx, ids, add, remove)
}

// MoveDocuments implements api.Changer. It needs the right write in both collections.
func (c changer) MoveDocuments(ctx context.Context, ids []int64, collection string) (int, error) {
	ids, err := c.rights.Writable(ctx, ids)
	if err != nil {
		return 0, err
	}
	if err := c.rights.Check(ctx, collection, rights.Write); err != nil {
		return 0, err
	}
	return c.documents.MoveDocuments(ctx, ids, collection)
}

// RenameDocument implements api.Changer.
func (c changer) RenameDocument(ctx context.Context, id int64, title string) error {
	ids, err := c.rights.Writable(ctx, []int64{id})
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return noDocument(id)
	}
	return c.documents.RenameDocument(ctx, id, title)
}

// uploads returns the ingester, with the rights of the reader and the quota of the
// client.
func (s *Server) uploads() uploads.Ingester {
	counted := countedUploads{s.quotas, recordedUploads{s.jobs, s.Ingester}}
	if s.rights == nil {
		return counted
	}
	return uploader{s.rights, counted}
}

// uploader ingests into collections that the reader of the context may write to.
type uploader struct {
	rights   *rights.Rights
	ingester uploads.Ingester
}

// Read implements uploads.Ingester.
func (u uploader) Read(ctx context.Context, collection, source string, r io.Reader) ([]ingest.Result, error) {
	if err := u.rights.Check(ctx, cmp.Or(collection, corpus.DefaultCollection), rights.Write); err != nil {
		return nil, err
	}
	return u.ingester.Read(ctx, collection, source, r)
}

// Replace implements uploads.Ingester.
func (u uploader) Replace(ctx context.Context, d corpus.Document, name string, r io.Reader) ([]ingest.Result, error) {
	ids, err := u.rights.Writable(ctx, []int64{d.ID})
	if err == nil && len(ids) == 0 {
		err = noDocument(d.ID)
	}
	if err != nil {
		return nil, err
	}
	return u.ingester.Replace(ctx, d, name, r)
}

func noDocument(id int64) error {
	return fault.New(fault.NotFound, "no_document", "there is no document %d", id)
}
