package ingest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"docent/ingest/extract/metadata"
	"docent/ingest/intake"
	"docent/ingest/jsonl"
	"docent/ingest/outline"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// item is a document on its way through a run.
type item struct {
	source string
	name   string       // file name, as a hint at the format
	path   string       // path of the file; "" if data is already set
	part   *partContent // place of the item in the file; nil if the item is the whole file
	data   []byte
	size   int64
	mtime  int64
	dated  corpus.DateFrom      // where mtime comes from; "" is the time of a file
	record *jsonl.Line          // of a line in a file with many documents
	reason fault.Text           // known reason why it cannot be read
	silent bool                 // reported but not stored
	shared []uint64             // of a part: the blocks that the pages of its folder share
	unread bool                 // its content is unknown
	whole  *item                // of an end marker: the document of the file itself, if any
	marker bool                 // not a document but the end of a file
	counts int64                // bytes of the file, for progress
	stale  []intake.SourceState // of an end marker: documents that the file no longer contains

	state  intake.SourceState
	known  bool
	weight int64 // share of the in-flight limit
	done   chan struct{}
	result Result
	put    *intake.Put
	err    error
}

// process reads the item and builds its document, unless nothing has changed. A
// panic only fails this item.
func (in *Ingester) process(ctx context.Context, r *run, it *item) {
	defer func() {
		if p := recover(); p != nil {
			in.log.Error("panic while reading a source", "source", it.source, "panic", p, "stack", string(debug.Stack()))
			in.fail(r, it, "", "", fault.NewText("document_failed", "docent failed to read it; the log has the details"))
		}
	}()
	if it.part != nil {
		defer func() { in.warn("remove the parts that were read", it.part.in.done()) }()
	}
	it.result.Source = it.source
	if it.known {
		it.result.DocumentID = it.state.ID
	}
	if it.err != nil {
		return
	}
	if it.reason.IsZero() && it.data == nil {
		it.data, it.reason = in.read(it)
	}
	if !it.reason.IsZero() {
		// An unreadable file says nothing about its content, so the earlier
		// version stays.
		it.unread = it.data == nil
		it.silent = it.silent || it.unread && (it.known && it.state.Status == corpus.Ready || len(r.states.below(it.source)) > 0)
		in.fail(r, it, "", "", it.reason)
		return
	}
	sum := sha256.Sum256(it.data)
	hash := hex.EncodeToString(sum[:])
	if it.known && it.state.SHA256 == hash && in.pipelines.current(it.state.Pipeline) {
		if it.state.Status == corpus.Ready && it.state.Embedded == it.state.Chunks {
			it.result.Status, it.result.Chunks = Unchanged, it.state.Chunks
			it.data = nil
			return
		}
		if it.state.Status == corpus.Failed && !r.retry {
			it.result.Status, it.result.Reason = Failed, it.state.Error
			it.data = nil
			return
		}
	}
	in.build(ctx, r, it, hash)
}

// build has the reader read the document.
func (in *Ingester) build(ctx context.Context, r *run, it *item, hash string) {
	src := intake.Source{Name: it.name, Data: it.data, Line: it.record, Shared: r.pages.shared(ctx, in, it)}
	doc, err := in.reader.Read(ctx, src)
	if err != nil {
		if fault.KindOf(err) != fault.Invalid {
			it.err = fmt.Errorf("read %s: %w", it.source, err)
			return
		}
		level := slog.LevelDebug
		if errors.Is(err, intake.ErrBroken) {
			level = slog.LevelWarn
		}
		in.log.Log(ctx, level, "source cannot be read", "source", it.source, "error", err)
		in.fail(r, it, hash, doc.Media, fault.TextOf(err))
		return
	}
	if doc.Note != "" {
		in.log.Debug("source read in part", "source", it.source, "note", doc.Note)
	}
	d := it.document(r)
	d.Title, d.MediaType, d.Language, d.Pipeline = doc.Title, doc.Media, doc.Language, in.pipelines.of(doc.Media)
	d.SHA256, d.Status, d.Text, d.Chunks, d.Version = hash, corpus.Ready, doc.Text, len(doc.Chunks), doc.Version
	d.Date, d.DateFrom = it.date(doc)
	it.put = &intake.Put{Document: d, Chunks: doc.Chunks, Embedder: r.embedder, Original: it.data}
	it.result.Status, it.result.Chunks, it.result.Note, it.result.Size = Added, len(doc.Chunks), doc.Note, int64(len(it.data))
	if it.known {
		it.result.Status = Changed
	}
}

// document returns the document with the properties that are known before
// reading.
func (it *item) document(r *run) corpus.Document {
	d := corpus.Document{Collection: r.collection, Source: it.source, Size: it.size}
	if it.mtime != 0 {
		d.Modified = time.Unix(0, it.mtime).UTC()
	}
	return d
}

// date returns the date that the document states, or else the time of its source.
func (it *item) date(doc intake.Reading) (time.Time, corpus.DateFrom) {
	if t := metadata.CheckDate(doc.Date); !t.IsZero() {
		return t, doc.DateFrom
	}
	if it.mtime != 0 {
		if t := metadata.CheckDate(time.Unix(0, it.mtime).UTC()); !t.IsZero() {
			return t, cmp.Or(it.dated, corpus.FileTime)
		}
	}
	return time.Time{}, ""
}

// fail builds a failed document for the item, unless the same failure is
// stored.
func (in *Ingester) fail(r *run, it *item, hash, media string, reason fault.Text) {
	it.data = nil
	it.result.Status, it.result.Reason, it.result.Chunks = Failed, reason, 0
	s := it.state
	if it.silent || it.known && s.Status == corpus.Failed && s.SHA256 == hash && s.Error == reason && in.pipelines.current(s.Pipeline) {
		return
	}
	d := it.document(r)
	d.Title, d.MediaType, d.SHA256, d.Status, d.Error = outline.NameTitle(it.name), media, hash, corpus.Failed, reason
	d.Pipeline = in.pipelines.of(media)
	it.put = &intake.Put{Document: d, Embedder: r.embedder}
}

// read returns the bytes of the file, or a reason.
func (in *Ingester) read(it *item) (data []byte, reason fault.Text) {
	if it.size > in.cfg.MaxFileSize {
		return nil, tooLarge(it.size, in.cfg.MaxFileSize)
	}
	f, err := os.Open(it.path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			it.silent = true
			return nil, fault.NewText("file_vanished", "vanished: it was deleted while docent read the folder")
		}
		return nil, reasonOf(err)
	}
	defer f.Close()
	var content io.Reader = f
	if it.part != nil {
		content = io.NewSectionReader(f, it.part.offset, it.size)
	}
	var buf bytes.Buffer
	buf.Grow(int(it.size) + bytes.MinRead)
	n, err := io.Copy(&buf, io.LimitReader(content, in.cfg.MaxFileSize+1))
	switch {
	case err != nil:
		return nil, reasonOf(err)
	case n > in.cfg.MaxFileSize:
		return nil, moreThan(in.cfg.MaxFileSize)
	}
	it.size = n
	return buf.Bytes(), fault.Text{}
}

func tooLarge(size, limit int64) fault.Text {
	return fault.NewText("file_larger_than_limit", "too large: %s; the limit is %s", byteSize(size), byteSize(limit))
}

// moreThan returns the reason for a file that grew above the limit, or whose
// size was unknown.
func moreThan(limit int64) fault.Text {
	return fault.NewText("file_too_large_to_read", "too large: more than %s", byteSize(limit))
}

// byteSize formats a number of bytes for people.
func byteSize(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
}

// lines yields the records of a file with one document on each line.
func (in *Ingester) lines(source, name string, r io.Reader, yield func(*item) bool) (ok bool, reason fault.Text) {
	ids := map[string]bool{}
	br := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, long, err := readLine(br, in.cfg.MaxFileSize)
		if len(bytes.TrimSpace(line)) > 0 || long {
			it := in.line(source, name, n, line, long, ids)
			if !yield(it) {
				return false, fault.Text{}
			}
		}
		if errors.Is(err, io.EOF) {
			return true, fault.Text{}
		}
		if err != nil {
			return true, reasonOf(err)
		}
	}
}

// line returns the item of one line.
func (in *Ingester) line(source, name string, n int, line []byte, long bool, ids map[string]bool) *item {
	it := &item{name: name, data: line, size: int64(len(line))}
	// The prefix keeps line numbers apart from ids, which are often numbers
	// too.
	id := fmt.Sprintf("line-%d", n)
	if long {
		it.reason = fault.NewText("line_too_large", "too large: the line is longer than %s", byteSize(in.cfg.MaxFileSize))
	} else if rec, err := jsonl.Parse(line); err != nil {
		it.reason = fault.NewText("line_unreadable", "line %d: %s", n, fault.TextOf(err))
	} else {
		it.record = &rec
		id = cmp.Or(rec.ID, id)
	}
	it.source = source + "#" + id
	if ids[it.source] {
		it.reason, it.silent = fault.NewText("line_id_twice", "line %d: another line has the same id", n), true
	}
	ids[it.source] = true
	return it
}

// readLine reads a line without its end. It skips a line above the limit and
// reports it as long.
func readLine(br *bufio.Reader, limit int64) (line []byte, long bool, err error) {
	for {
		part, err := br.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if int64(len(line)) > limit {
			line, long = nil, true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), long, err
		}
	}
}

// states are the stored states of the sources of a collection, by source.
type states []intake.SourceState

func (s states) find(source string) (intake.SourceState, bool) {
	i, ok := slices.BinarySearchFunc(s, source, func(a intake.SourceState, b string) int { return strings.Compare(a.Source, b) })
	if !ok {
		return intake.SourceState{}, false
	}
	return s[i], true
}

// below returns the documents that are parts of a file.
func (s states) below(file string) states {
	prefix := file + "#"
	i, _ := slices.BinarySearchFunc(s, prefix, func(a intake.SourceState, b string) int { return strings.Compare(a.Source, b) })
	j := i
	for j < len(s) && strings.HasPrefix(s[j].Source, prefix) {
		j++
	}
	return s[i:j]
}
