package ingest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"docent/ingest/extract"
	"docent/internal/fault"
	"docent/rag"
)

// run is one run over sources.
type run struct {
	collection string
	embedder   string
	pipeline   string
	retry      bool
	states     states
	progress   func(Progress)
	at         Progress
	files      map[string]bool // the files found, and those only
}

// start looks up what the store knows.
func (in *Ingester) start(ctx context.Context, collection string) (*run, error) {
	r := &run{collection: cmp.Or(collection, rag.DefaultCollection), embedder: in.cfg.Embedder.Name(), pipeline: in.pipeline, progress: func(Progress) {}}
	known, err := in.cfg.Store.Sources(ctx, r.collection, r.embedder)
	if err != nil {
		return nil, fmt.Errorf("read what collection %s has: %w", r.collection, err)
	}
	r.states = slices.SortedFunc(slices.Values(known), func(a, b SourceState) int { return strings.Compare(a.Source, b.Source) })
	return r, nil
}

// Ingest brings a collection in line with files and folders. It yields a result
// per document, ordered by file, after the document is stored; a source that
// cannot be read is a result with the reason, and never stops the rest. An
// error comes once and last: the store or the embedder does not work, a path is
// wrong, or ctx has ended. What was yielded before is stored; running again
// goes on from there.
func (in *Ingester) Ingest(ctx context.Context, req Request) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		l, err := list(ctx, req.Paths)
		if err != nil {
			yield(Result{}, err)
			return
		}
		r, err := in.start(ctx, req.Collection)
		if err != nil {
			yield(Result{}, err)
			return
		}
		r.retry = req.Retry
		if req.Progress != nil {
			r.progress = req.Progress
		}
		r.files = make(map[string]bool, len(l.files))
		for _, f := range l.files {
			r.files[f.path] = true
			r.at.TotalBytes += f.size
		}
		r.at.TotalFiles = len(l.files)
		r.progress(r.at)
		produce := func(send func(*item) bool) {
			for _, f := range l.files {
				if !in.produce(r, f, send) {
					return
				}
			}
		}
		if !in.work(ctx, r, produce, yield) || !req.Prune {
			return
		}
		in.prune(ctx, r, l, yield)
	}
}

// produce sends a file's documents, and a marker behind them.
func (in *Ingester) produce(r *run, f file, send func(*item) bool) bool {
	it := &item{source: f.path, name: f.path, path: f.path, size: f.size, mtime: f.mtime, reason: f.reason, silent: f.folder}
	end := &item{source: f.path, counts: f.size, marker: true}
	if f.reason == "" {
		if src, ok := openRecords(f.path); ok {
			defer src.Close()
			return in.records(r, f, src, end, send)
		}
		end.stale = in.stale(r, f.path, nil)
	}
	return send(it) && send(end)
}

// records sends the documents of a file that holds one to a line.
func (in *Ingester) records(r *run, f file, src io.Reader, end *item, send func(*item) bool) bool {
	sent := map[string]bool{}
	ok, reason := in.lines(f.path, f.path, src, func(it *item) bool {
		it.mtime = f.mtime
		it.counts = min(it.size, end.counts)
		end.counts -= it.counts
		sent[it.source] = true
		return send(it)
	})
	if !ok {
		return false
	}
	if reason != "" { // what was not read is not gone
		return send(&item{source: f.path, name: f.path, reason: reason, silent: true}) && send(end)
	}
	end.stale = in.stale(r, f.path, sent)
	if s, ok := r.states.find(f.path); ok {
		end.stale = append(end.stale, s) // the whole file was one document before
	}
	return send(end)
}

// stale are the stored parts of a file that are not among those it has now.
func (in *Ingester) stale(r *run, path string, now map[string]bool) []SourceState {
	var out []SourceState
	for _, s := range r.states.below(path) {
		if now[s.Source] || r.files[s.Source] {
			continue
		}
		if _, err := os.Lstat(s.Source); err == nil {
			continue // a file of that very name
		}
		out = append(out, s)
	}
	return out
}

// openRecords opens a file if its beginning shows that it holds a document to a
// line.
func openRecords(path string) (*os.File, bool) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	if !extract.MayHoldRecords(head[:n]) {
		f.Close()
		return nil, false
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		f.Close()
		return nil, false
	}
	const firstLine = 1 << 20
	first, err := io.ReadAll(io.LimitReader(f, firstLine))
	if err != nil || !extract.HoldsRecords(first) {
		f.Close()
		return nil, false
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		f.Close()
		return nil, false
	}
	return f, true
}

// prune removes the documents whose files are gone, under the paths asked for.
// Nothing goes where a folder could not be read.
func (in *Ingester) prune(ctx context.Context, r *run, l listing, yield func(Result, error) bool) {
	var gone []SourceState
	for _, s := range r.states {
		covered := slices.ContainsFunc(l.prefixes, func(p string) bool {
			return within(filepath.Clean(s.Source), p) && !slices.ContainsFunc(l.broken, func(b string) bool { return within(b, p) || within(p, b) })
		})
		if covered && filepath.IsAbs(s.Source) && !r.listed(s.Source) {
			gone = append(gone, s)
		}
	}
	for part := range slices.Chunk(gone, in.cfg.BatchDocuments) {
		more, err := in.remove(ctx, part, yield)
		if err != nil {
			yield(Result{}, err)
		}
		if !more || err != nil {
			return
		}
	}
}

// listed reports whether a source is a file that was found, or a part of one.
func (r *run) listed(source string) bool {
	if r.files[source] {
		return true
	}
	for i := range len(source) {
		if source[i] == '#' && r.files[source[:i]] {
			return true
		}
	}
	return false
}

// remove removes documents and yields their results.
func (in *Ingester) remove(ctx context.Context, gone []SourceState, yield func(Result, error) bool) (more bool, err error) {
	if len(gone) == 0 {
		return true, nil
	}
	ids := make([]int64, len(gone))
	for i, s := range gone {
		ids[i] = s.ID
	}
	if _, err := in.cfg.Store.RemoveDocuments(ctx, ids); err != nil {
		return true, fmt.Errorf("remove %d documents: %w", len(ids), err)
	}
	for _, s := range gone {
		if !yield(Result{Source: s.Source, Status: Removed, Chunks: s.Chunks, DocumentID: s.ID}, nil) {
			return false, nil
		}
	}
	return true, nil
}

// Read ingests what r yields as one source, such as upload:NAME or stdin:NAME;
// NAME helps to tell what it is. A source with a document to a line gives a
// result for each, others one.
func (in *Ingester) Read(ctx context.Context, collection, source string, r io.Reader) ([]Result, error) {
	_, name, ok := strings.Cut(source, ":")
	if !ok || name == "" {
		return nil, fault.New(fault.Invalid, "%s: a source that is read is called upload:NAME or stdin:NAME", source)
	}
	data, err := io.ReadAll(io.LimitReader(r, in.cfg.MaxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", source, err)
	}
	state, err := in.start(ctx, collection)
	if err != nil {
		return nil, err
	}
	state.retry = true
	produce := func(send func(*item) bool) { in.produceRead(state, source, name, data, send) }
	var results []Result
	var last error
	in.work(ctx, state, produce, func(res Result, err error) bool {
		if err != nil {
			last = err
			return false
		}
		results = append(results, res)
		return true
	})
	return results, last
}

// produceRead sends the documents of bytes that were read.
func (in *Ingester) produceRead(r *run, source, name string, data []byte, send func(*item) bool) {
	end := &item{source: source, marker: true}
	switch {
	case int64(len(data)) > in.cfg.MaxFileSize:
		send(&item{source: source, name: name, size: int64(len(data)), reason: "too large: more than " + mebibytes(in.cfg.MaxFileSize)})
	case extract.HoldsRecords(data):
		in.records(r, file{path: source}, bytes.NewReader(data), end, send)
	default:
		if !send(&item{source: source, name: name, data: data, size: int64(len(data))}) {
			return
		}
		if extract.RecordsName(name) {
			end.stale = in.stale(r, source, nil)
		}
		send(end)
	}
}
