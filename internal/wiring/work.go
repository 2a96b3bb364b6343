package wiring

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"docent/api"
	"docent/api/uploads"
	"docent/auth"
	"docent/auth/rights"
	"docent/ingest"
	"docent/ingest/source"
	"docent/ingest/source/syncer"
	"docent/ingest/work"
	"docent/internal/fault"
	"docent/internal/quota"
	"docent/rag/corpus"
)

// recordedUploads records uploads as work.
type recordedUploads struct {
	jobs     *work.Keeper
	ingester uploads.Ingester
}

// uploadPrefix is how the sources of uploads begin.
const uploadPrefix = "upload:"

// Read implements uploads.Ingester.
func (u recordedUploads) Read(ctx context.Context, collection, from string, r io.Reader) ([]ingest.Result, error) {
	name, uploaded := strings.CutPrefix(from, uploadPrefix)
	if !uploaded { // an approved answer
		return u.ingester.Read(ctx, collection, from, r)
	}
	return u.record(ctx, collection, name, r, func(ctx context.Context, r io.Reader) ([]ingest.Result, error) {
		return u.ingester.Read(ctx, collection, from, r)
	})
}

// Replace implements uploads.Ingester.
func (u recordedUploads) Replace(ctx context.Context, d corpus.Document, name string, r io.Reader) ([]ingest.Result, error) {
	return u.record(ctx, d.Collection, strings.TrimPrefix(d.Source, uploadPrefix), r,
		func(ctx context.Context, r io.Reader) ([]ingest.Result, error) {
			return u.ingester.Replace(ctx, d, name, r)
		})
}

// record records an upload that read stores.
func (u recordedUploads) record(
	ctx context.Context, collection, name string, r io.Reader, read func(context.Context, io.Reader) ([]ingest.Result, error),
) ([]ingest.Result, error) {
	p, _ := auth.FromContext(ctx)
	ctx, job := u.jobs.Begin(ctx, work.Item{
		Kind: work.Upload, Stage: work.Receiving, Collection: collection, Name: name, By: p.ID, Total: 1,
	})
	body := &receivedBody{r: r, job: job}
	results, err := read(ctx, body)
	switch {
	case body.err != nil:
		job.End(ctx, work.End{State: work.Failed, Reason: fault.NewText("upload_incomplete",
			"the file did not arrive whole, or it is larger than the limit")}, nil)
	default:
		job.End(ctx, uploadEnd(results), err)
	}
	if err != nil && errors.Is(context.Cause(ctx), work.ErrCanceled) {
		err = work.ErrCanceled
	}
	return results, err
}

// uploadEnd sums up the documents of an upload.
func uploadEnd(results []ingest.Result) (end work.End) {
	for _, res := range results {
		if res.Status != ingest.Failed {
			continue
		}
		if end.Failed++; end.Reason.IsZero() {
			end.Reason = res.Reason
		}
	}
	if len(results) == 1 {
		end.Document = results[0].DocumentID
	}
	if end.Failed > 0 && int(end.Failed) == len(results) {
		end.State = work.Failed
	}
	return end
}

// receivedBody reports the bytes of an upload.
type receivedBody struct {
	r   io.Reader
	job *work.Job
	err error // of r
}

// Read implements io.Reader.
func (b *receivedBody) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.job.Set(func(at *work.Progress) {
		at.Size += int64(n)
		if errors.Is(err, io.EOF) {
			at.Stage = work.Reading
		}
	})
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err //nolint:wrapcheck // a reader returns the error of its reader
}

// recordSync records a sync as work. A sync that changed nothing leaves no record.
func recordSync(jobs *work.Keeper) syncer.Track {
	return func(ctx context.Context, r source.Record, at func() source.Progress) (context.Context, func(source.Summary, error)) {
		ctx, job := jobs.Begin(ctx, work.Item{
			Kind: work.Sync, Stage: work.Reading, Collection: r.Collection, Source: r.ID, Name: r.Name,
		})
		job.Follow(func(p *work.Progress) {
			now := at()
			p.Done, p.Total = int64(now.Done), int64(now.Total)
		})
		return ctx, func(sum source.Summary, err error) {
			end := work.End{Failed: int64(sum.Failed), Forget: sum.Added+sum.Changed+sum.Removed == 0}
			job.End(ctx, end, err)
		}
	}
}

// Ingesting records a run of docent ingest. The caller calls the returned functions with its
// progress and with its end.
func (s *Store) Ingesting(ctx context.Context, collection string, paths []string) (context.Context, *work.Job) {
	var names []string
	for _, p := range paths[:min(len(paths), 3)] {
		names = append(names, filepath.Base(p))
	}
	name := strings.Join(names, ", ")
	if len(paths) > len(names) {
		name += ", …"
	}
	return work.NewKeeper(s.DB.Work, s.Log).Begin(ctx, work.Item{
		Kind: work.Ingest, Stage: work.Reading, Collection: cmp.Or(collection, corpus.DefaultCollection), Name: name,
	})
}

// readings reads documents again for readers with the right write.
type readings struct {
	rights  *rights.Rights // nil limits nobody
	quotas  *quota.Quotas
	store   *Database
	library corpus.Library // with the rights of the reader
	runner  *work.Runner
	sources interface {
		Request(ctx context.Context, id int64, retry bool) error
	}
}

// Again implements api.Readings.
func (r readings) Again(ctx context.Context, kind work.Kind, ids []int64) (api.Asked, error) {
	if r.rights != nil {
		var err error
		if ids, err = r.rights.Writable(ctx, ids); err != nil {
			return api.Asked{}, err //nolint:wrapcheck // the rights name the operation
		}
	}
	return r.ask(ctx, kind, ids)
}

// RetryFailed implements api.Readings.
func (r readings) RetryFailed(ctx context.Context, collection, reason string) (api.Asked, error) {
	var collections []string
	if collection != "" {
		if err := corpus.CheckCollections(ctx, r.library, []string{collection}); err != nil {
			return api.Asked{}, err //nolint:wrapcheck // the library names the operation
		}
		collections = []string{collection}
		if r.rights != nil {
			if err := r.rights.Check(ctx, collection, rights.Write); err != nil {
				return api.Asked{}, err //nolint:wrapcheck // the rights name the operation
			}
		}
	}
	ids, err := r.store.Failures.FailedIDs(ctx, collections, reason, work.MaxQueued)
	if err != nil {
		return api.Asked{}, err
	}
	if r.rights != nil && collection == "" {
		closed, err := r.rights.Lacking(ctx, ids, rights.Write)
		if err != nil {
			return api.Asked{}, err //nolint:wrapcheck // the rights name the operation
		}
		ids = slices.DeleteFunc(ids, func(id int64) bool { return slices.Contains(closed, id) })
	}
	return r.ask(ctx, work.Retry, ids)
}

// ask queues readings of documents with an original, and asks the sources of others for a sync.
func (r readings) ask(ctx context.Context, kind work.Kind, ids []int64) (out api.Asked, err error) {
	if err := r.quotas.Check(ctx, quota.Bytes); err != nil {
		return out, err //nolint:wrapcheck // the quotas name the limit
	}
	origins, err := r.store.Failures.Origins(ctx, ids)
	if err != nil {
		return out, err
	}
	queued, sources, size := map[work.Kind][]int64{}, []int64{}, int64(0)
	for _, o := range origins {
		if kind == work.Retry && o.Status != corpus.Failed {
			continue // somebody has read it meanwhile
		}
		do, reason := again(o)
		switch {
		case do == work.Sync && !slices.Contains(sources, o.Of):
			sources = append(sources, o.Of)
		case do != "" && do != work.Sync:
			queued[do], size = append(queued[do], o.ID), size+o.Size
		case do == "":
			out.LeftOut++
			out.Reason = reason
		}
	}
	p, _ := auth.FromContext(ctx)
	for do, ids := range queued {
		n, err := r.store.Work.QueueWork(ctx, do, ids, p.ID)
		if err != nil {
			return out, err
		}
		out.Queued += n
	}
	for _, id := range sources {
		if err := r.sources.Request(ctx, id, true); err != nil {
			return out, err //nolint:wrapcheck // the manager names the source
		}
		out.Syncs++
	}
	r.runner.Wake()
	return out, r.quotas.Add(ctx, quota.Bytes, size) //nolint:wrapcheck // the quotas name the operation
}

// again returns how a document is read again. Without a way, it returns "" and the reason.
func again(o work.Origin) (work.Kind, fault.Text) {
	kind := work.ReadAgain
	if o.Status == corpus.Failed {
		kind = work.Retry
	}
	switch {
	case o.Kept && kind == work.ReadAgain:
		if reason := ingest.CanReadAgain(o.Source); !reason.IsZero() {
			return "", reason
		}
		return kind, fault.Text{}
	case o.Kept:
		return kind, fault.Text{}
	case o.Of != 0 && kind == work.Retry:
		return work.Sync, fault.Text{}
	case strings.HasPrefix(o.Source, "/"):
		return "", fault.NewText("retry_on_server",
			"docent read this file on the server: run docent ingest with --retry there")
	}
	return "", fault.NewText("original_not_kept", "docent has not kept the file: add it again")
}
