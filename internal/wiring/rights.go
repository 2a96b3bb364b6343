package wiring

import (
	"cmp"
	"context"
	"io"

	"docent/api"
	"docent/api/uploads"
	"docent/auth/rights"
	"docent/ingest"
	"docent/rag/corpus"
)

// remover returns the deletion of documents, with the rights of the reader.
func (s *Server) remover() api.Remover {
	if s.rights == nil {
		return s.DB.Documents
	}
	return remover{s.rights, s.DB.Documents}
}

// remover deletes the documents that the reader of the context may remove.
type remover struct {
	rights    *rights.Rights
	documents api.Remover
}

// RemoveDocuments implements api.Remover.
func (r remover) RemoveDocuments(ctx context.Context, ids []int64) (int, error) {
	ids, err := r.rights.Removable(ctx, ids)
	if err != nil {
		return 0, err
	}
	return r.documents.RemoveDocuments(ctx, ids)
}

// uploads returns the ingester, with the rights of the reader and the quota of the
// client.
func (s *Server) uploads() uploads.Ingester {
	counted := countedUploads{s.quotas, s.Ingester}
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
