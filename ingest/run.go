package ingest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"docent/ingest/extract/chat"
	"docent/ingest/format"
	"docent/ingest/intake"
	"docent/ingest/jsonl"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// run is one run over sources.
type run struct {
	collection string
	embedder   string
	retry      bool
	states     states
	progress   func(Progress)
	at         Progress
	files      map[string]bool // all files that were found
	spool      spool
	pages      pageFolders
	roots      []string         // the requested paths, absolute
	explicit   bool             // somebody named each source, so none is skipped
	again      *corpus.Document // the stored document that is read again
	replaced   *corpus.Document // the stored document that gets new content
}

// ready reports whether a source has a version that is ready.
func (r *run) ready(source string) bool {
	earlier, known := r.states.find(source)
	return known && earlier.Status == corpus.Ready
}

// start prepares a run. It loads the stored states of a collection, or of one
// source and its parts.
func (in *Ingester) start(ctx context.Context, collection, one string) (*run, error) {
	if err := corpus.CheckCollectionName(collection); err != nil {
		return nil, err
	}
	r := &run{collection: cmp.Or(collection, corpus.DefaultCollection), embedder: in.cfg.Embedder.Name(), progress: func(Progress) {}}
	known, err := in.cfg.Store.Sources(ctx, r.collection, r.embedder, one)
	if err != nil {
		return nil, fmt.Errorf("read what collection %s has: %w", r.collection, err)
	}
	r.states = slices.SortedFunc(slices.Values(known), func(a, b intake.SourceState) int { return strings.Compare(a.Source, b.Source) })
	return r, nil
}

// Ingest synchronizes a collection with files and folders. It yields a result for
// each document, ordered by file, after the document is stored. For an unreadable
// source it yields a result with a reason and continues. An error is yielded once
// and last. Possible reasons are a failure of the store or the embedder, a wrong
// path, and the end of ctx. All yielded documents are stored, and another call
// continues from there.
func (in *Ingester) Ingest(ctx context.Context, req Request) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		l, err := list(ctx, req.Paths, req.Links)
		if err != nil {
			yield(Result{}, err)
			return
		}
		r, err := in.start(ctx, req.Collection, "")
		if err != nil {
			yield(Result{}, err)
			return
		}
		defer func() { in.warn("remove the folder of parts", r.spool.remove()) }()
		r.handleGone(&l, req.Prune)
		r.retry, r.roots = req.Retry, l.prefixes
		if req.Progress != nil {
			r.progress = req.Progress
		}
		r.files = make(map[string]bool, len(l.files))
		for _, f := range l.files {
			r.files[f.path] = r.files[f.path] || !f.unnamed
			r.at.TotalBytes += f.size
		}
		r.at.TotalFiles = len(l.files)
		r.pages = newPageFolders(l.files)
		r.progress(r.at)
		produce := func(send func(step) bool) {
			for _, f := range l.files {
				if !in.produce(ctx, r, f, send) {
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

// folder returns the folder of a source. It begins with the name of the requested folder.
func (r *run) folder(source string) string {
	if r.again != nil {
		return r.again.Folder
	}
	file, _, _ := strings.Cut(source, "#")
	for _, root := range r.roots {
		if below, err := filepath.Rel(root, filepath.Dir(file)); err == nil && filepath.IsLocal(below) {
			return filepath.ToSlash(filepath.Join(filepath.Base(root), below))
		}
	}
	return corpus.FolderOf(source)
}

// warn logs an error that does not stop the run.
func (in *Ingester) warn(what string, err error) {
	if err != nil {
		in.log.Warn(what, "error", err)
	}
}

// produce sends the documents of a file and an end marker.
func (in *Ingester) produce(ctx context.Context, r *run, f file, send func(step) bool) bool {
	it := &item{content: content{name: f.path, path: f.path, size: f.size}, source: f.path, mtime: f.mtime, reason: f.reason, silent: f.folder}
	end := &end{counts: f.size}
	if reason := skip(f); !reason.IsZero() {
		end.stale = in.stale(r, f.path, nil)
		if s, ok := r.states.find(f.path); ok {
			end.stale = append(end.stale, s) // an earlier version read it
		}
		it.skip = reason
		return send(step{item: it}) && send(step{end: end})
	}
	if f.reason.IsZero() {
		src, err := openRecords(f.path)
		if src != nil {
			defer src.Close()
			return in.records(r, f, src, end, send)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			it.reason = reasonOf(err)
		}
		end.whole, end.stale = it, in.stale(r, f.path, nil)
		if it.reason.IsZero() && in.mayHaveParts(f.path) {
			if in.load(it); it.reason.IsZero() {
				if done, more := in.parts(ctx, r, it, end, send); done {
					return more
				}
			}
		}
	}
	return send(step{item: it}) && send(step{end: end})
}

// skip returns the reason why a file that nobody named is not read.
func skip(f file) fault.Text {
	if f.named || !f.reason.IsZero() {
		return fault.Text{}
	}
	if reason := format.Skip(f.path); !reason.IsZero() {
		return reason
	}
	if chat.LeavesFile(f.path) {
		return fault.NewText("skipped_chat_index", "list of people or channels: the messages name them")
	}
	return format.SkipCode(f.path, head(f.path))
}

// records sends the documents of a file with one document on each line.
func (in *Ingester) records(r *run, f file, src io.Reader, end *end, send func(step) bool) bool {
	sent := map[string]bool{}
	ok, reason := in.lines(f.path, f.path, src, func(it *item) bool {
		it.mtime = f.mtime
		it.counts = min(it.size, end.counts)
		end.counts -= it.counts
		sent[it.source] = true
		return send(step{item: it})
	})
	if !ok {
		return false
	}
	if !reason.IsZero() { // records after the error may still exist
		it := &item{content: content{name: f.path}, source: f.path, reason: reason, silent: true}
		return send(step{item: it}) && send(step{end: end})
	}
	end.stale = in.stale(r, f.path, sent)
	if s, ok := r.states.find(f.path); ok {
		end.stale = append(end.stale, s) // an earlier run stored the whole file as one document
	}
	return send(step{end: end})
}

// stale returns the stored parts of a file that it no longer contains.
func (in *Ingester) stale(r *run, path string, now map[string]bool) []intake.SourceState {
	var out []intake.SourceState
	for _, s := range r.states.below(path) {
		if now[s.Source] || r.files[s.Source] {
			continue
		}
		if _, err := os.Lstat(s.Source); err == nil {
			continue // a file with exactly that name
		}
		out = append(out, s)
	}
	return out
}

// openRecords opens a file if its beginning shows one document on each line. It
// returns nil for other files.
func openRecords(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	holds, err := holdsRecords(f)
	if err != nil || !holds {
		f.Close()
		return nil, err
	}
	return f, nil
}

// holdsRecords checks the beginning of a file and returns to its start.
func holdsRecords(f *os.File) (bool, error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	if !jsonl.MayBe(head[:n]) {
		return false, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	const firstLine = 1 << 20
	first, err := io.ReadAll(io.LimitReader(f, firstLine))
	if err != nil || !jsonl.Is(first) {
		return false, err
	}
	_, err = f.Seek(0, io.SeekStart)
	return err == nil, err
}

// prune removes the documents below the requested paths whose files no longer
// exist. It removes nothing below a folder that could not be read.
func (in *Ingester) prune(ctx context.Context, r *run, l listing, yield func(Result, error) bool) {
	var gone []intake.SourceState
	for _, s := range r.states {
		if slices.ContainsFunc(l.gone, func(p string) bool { return isGone(s.Source, p) }) {
			gone = append(gone, s)
			continue
		}
		covered := slices.ContainsFunc(l.prefixes, func(p string) bool {
			return within(filepath.Clean(s.Source), p) &&
				!slices.ContainsFunc(l.broken, func(b string) bool { return within(b, p) || within(p, b) })
		})
		if covered && filepath.IsAbs(s.Source) && !r.listed(s.Source) {
			gone = append(gone, s)
		}
	}
	for part := range slices.Chunk(gone, in.cfg.limits.BatchDocuments) {
		more, err := in.remove(ctx, part, yield)
		if err != nil {
			yield(Result{}, err)
		}
		if !more || err != nil {
			return
		}
	}
}

// isGone reports whether a source belongs to a path that does not exist: it is
// the path, is below it, or is a part of it.
func isGone(source, p string) bool {
	if within(source, p) {
		return true
	}
	if !strings.HasPrefix(source, p+"#") {
		return false
	}
	_, err := os.Lstat(source) // a file with exactly that name
	return errors.Is(err, fs.ErrNotExist)
}

// handleGone handles paths that do not exist. If prune is set and documents of a
// path are stored, they are marked for removal. Otherwise a missing path is an
// error.
func (r *run) handleGone(l *listing, prune bool) {
	l.gone = slices.DeleteFunc(l.gone, func(p string) bool {
		return !prune || !slices.ContainsFunc(r.states, func(s intake.SourceState) bool { return isGone(s.Source, p) })
	})
	for _, p := range l.gone {
		l.files = slices.DeleteFunc(l.files, func(f file) bool { return f.path == p })
		l.broken = slices.DeleteFunc(l.broken, func(b string) bool { return b == p })
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
func (in *Ingester) remove(ctx context.Context, gone []intake.SourceState, yield func(Result, error) bool) (more bool, err error) {
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

// stdinPrefix is the prefix of sources from standard input.
const stdinPrefix = "stdin:"

// Read ingests the content of r as one source, such as upload:NAME or stdin:NAME.
// NAME helps to detect the format. If each line of the source is a document, Read
// yields a result for each line. Empty standard input is an error.
func (in *Ingester) Read(ctx context.Context, collection, source string, r io.Reader) ([]Result, error) {
	return in.readInto(ctx, collection, source, r, nil)
}

// readInto implements Read, and Replace for a stored document.
func (in *Ingester) readInto(ctx context.Context, collection, source string, r io.Reader, replaced *corpus.Document) ([]Result, error) {
	_, name, ok := strings.Cut(source, ":")
	if !ok || name == "" {
		return nil, fault.New(fault.Invalid, "stream_source_name", "%s: the name of an input must be upload:NAME or stdin:NAME", source)
	}
	if !utf8.ValidString(source) {
		return nil, fault.New(fault.Invalid, "named_reason", "%s: %s", escaped(source), notUTF8())
	}
	data, err := io.ReadAll(io.LimitReader(r, in.cfg.MaxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", source, err)
	}
	if strings.HasPrefix(source, stdinPrefix) && len(bytes.TrimSpace(data)) == 0 {
		// Most likely the command before the pipe has failed.
		return nil, fault.New(fault.Invalid,
			"stdin_without_text", "it has no text, so nothing was changed: check the command that writes to it, or remove the document with docent docs rm %s", source)
	}
	state, err := in.start(ctx, collection, source)
	if err != nil {
		return nil, err
	}
	defer func() { in.warn("remove the folder of parts", state.spool.remove()) }()
	state.retry, state.explicit, state.replaced = true, true, replaced
	produce := func(send func(step) bool) {
		in.produceRead(ctx, state, source, name, data, func(s step) bool {
			if it := s.item; it != nil && replaced != nil {
				it.silent = it.silent || state.ready(it.source)
			}
			return send(s)
		})
	}
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

// produceRead sends the documents in content that was read from a stream.
func (in *Ingester) produceRead(ctx context.Context, r *run, source, name string, data []byte, send func(step) bool) {
	end := &end{}
	switch {
	case int64(len(data)) > in.cfg.MaxFileSize:
		send(step{item: &item{
			content: content{name: name, size: int64(len(data))}, source: source, reason: moreThan(in.cfg.MaxFileSize),
		}})
	case jsonl.Is(data):
		in.records(r, file{path: source}, bytes.NewReader(data), end, send)
	default:
		it := &item{content: content{name: name, data: data, size: int64(len(data))}, source: source}
		if done, _ := in.parts(ctx, r, it, end, send); done || !send(step{item: it}) {
			return
		}
		if jsonl.HasName(name) || in.reader.MayHaveParts(name, data[:min(len(data), headLength)]) {
			end.stale = in.stale(r, source, nil)
		}
		send(step{end: end})
	}
}
