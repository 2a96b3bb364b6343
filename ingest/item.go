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

	"docent/ingest/extract/chat"
	"docent/ingest/extract/metadata"
	"docent/ingest/intake"
	"docent/ingest/jsonl"
	"docent/ingest/outline"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// content is the content of a document, and where it is.
type content struct {
	name string       // file name, as a hint at the format
	path string       // path of the file; "" if data is already set
	part *partContent // place in the file; nil if the content is the whole file
	data []byte
	size int64
}

// item is a document on its way through a run.
type item struct {
	content
	source string
	mtime  int64
	dated  corpus.DateFrom     // where mtime comes from; "" is the time of a file
	record *jsonl.Line         // of a line in a file with many documents
	reason fault.Text          // known reason why it cannot be read
	silent bool                // reported but not stored
	line   bool                // of a file with one document on each line
	kept   bool                // the content is kept even if it cannot be read
	skip   fault.Text          // reason why it is not read by default
	shared []uint64            // of a part: the blocks that the pages of its folder share
	counts int64               // bytes of the file, for progress
	stored *intake.SourceState // the stored version; nil for a new document
	outcome
}

// outcome is the result of an item.
type outcome struct {
	weight int64         // share of the in-flight limit
	done   chan struct{} // closed when a worker has set the fields below
	unread bool          // the content is unknown
	result Result
	put    *intake.Put
	err    error
}

// end is the end of a file or an input. It follows the items in it.
type end struct {
	counts int64                // bytes that no item counts, for progress
	whole  *item                // the document of the file itself, if any
	stale  []intake.SourceState // documents that the file no longer contains
}

// step is a step of a run: an item or an end.
type step struct {
	item *item // nil for an end
	end  *end  // nil for an item
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
	s := it.stored
	if s != nil {
		it.result.DocumentID = s.ID
	}
	if it.err != nil {
		return
	}
	if !it.skip.IsZero() {
		it.result.Status, it.result.Reason, it.result.DocumentID = Skipped, it.skip, 0
		return
	}
	if it.reason.IsZero() && it.data == nil {
		in.load(it)
	}
	if !it.reason.IsZero() {
		// An unreadable file says nothing about its content, so the earlier
		// version stays.
		it.unread = it.data == nil
		it.silent = it.silent || it.unread && (s != nil && s.Status == corpus.Ready || len(r.states.below(it.source)) > 0)
		in.fail(r, it, "", "", it.reason)
		return
	}
	sum := sha256.Sum256(it.data)
	hash := hex.EncodeToString(sum[:])
	if s != nil && s.SHA256 == hash && r.again == nil && in.pipelines.current(s.Pipeline) {
		if s.Status == corpus.Ready && s.Embedded == s.Chunks {
			it.result.Status, it.result.Chunks = Unchanged, s.Chunks
			it.data = nil
			return
		}
		if s.Status != corpus.Ready && !r.retry && s.Error.Sentence.ID != "worker_killed" {
			it.result.Status, it.result.Reason = Failed, s.Error
			if s.Status == corpus.Skipped {
				it.result.Status = Skipped
			}
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
	d.Tags = doc.Tags
	it.kept = r.explicit && !it.line
	it.put = &intake.Put{Document: d, Chunks: doc.Chunks, Embedder: r.embedder, Original: it.data, Replaces: r.replaces(it)}
	it.result.Status, it.result.Chunks, it.result.Note, it.result.Size = Added, len(doc.Chunks), doc.Note, int64(len(it.data))
	if it.stored != nil {
		it.result.Status = Changed
	}
}

// document returns the document with the properties that are known before
// reading.
func (it *item) document(r *run) corpus.Document {
	d := corpus.Document{Collection: r.collection, Source: it.source, Folder: r.folder(it.source), Size: it.size}
	if r.again != nil && it.source == r.again.Source {
		d.ETag = r.again.ETag
	}
	if it.mtime != 0 {
		d.Modified = time.Unix(0, it.mtime).UTC()
	}
	return d
}

// date returns the date that the document states. Without one, it returns the time of its source.
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

// fail builds a failed document for the item, unless the same failure is stored.
// It keeps the content of an upload, so that somebody can try it again.
func (in *Ingester) fail(r *run, it *item, hash, media string, reason fault.Text) {
	original := it.data
	if !r.explicit || it.line {
		original = nil
	}
	it.data = nil
	it.result.Status, it.result.Reason, it.result.Chunks = Failed, reason, 0
	status := corpus.Failed
	if !r.explicit && !it.silent && withoutText(reason, media) {
		it.result.Status, status = Skipped, corpus.Skipped
	}
	s := it.stored
	same := s != nil && s.Status == status && s.SHA256 == hash && s.Error == reason && in.pipelines.current(s.Pipeline)
	if it.silent || same && original == nil {
		return
	}
	d := it.document(r)
	d.Title, d.MediaType, d.SHA256, d.Status, d.Error = outline.NameTitle(it.name), media, hash, status, reason
	d.Pipeline = in.pipelines.of(media)
	it.put = &intake.Put{Document: d, Embedder: r.embedder, Original: original, Replaces: r.replaces(it)}
}

// withoutText reports whether the reason for a failure is that the source has no text for readers, or is a
// link that leads to none. Such a source is not damaged.
func withoutText(reason fault.Text, media string) bool {
	switch reason.Sentence.ID {
	case "document_empty", "container_empty", "pages_blank", "picture_unread", "picture_too_small", "djvu_unread",
		"djvu_without_text", "git_lfs_pointer", "git_annex_pointer", "file_type_without_text", "file_type_unknown",
		"link_outside", "symlink_to_parent", "symlink_loop", "link_to_missing_file":
		return true
	case "ocr_found_nothing":
		return strings.HasPrefix(media, "image/")
	}
	return false
}

// load reads the content of an item, or sets the reason why that is not possible.
func (in *Ingester) load(it *item) {
	var vanished bool
	it.reason, vanished = in.read(&it.content)
	it.silent = it.silent || vanished
}

// read reads the bytes of the file, or returns a reason. vanished reports that the file
// does not exist.
func (in *Ingester) read(c *content) (reason fault.Text, vanished bool) {
	if c.size > in.cfg.MaxFileSize {
		return tooLarge(c.size, in.cfg.MaxFileSize), false
	}
	f, err := os.Open(c.path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return fault.NewText("file_vanished", "vanished: it was deleted while docent read the folder"), true
		}
		return reasonOf(err), false
	}
	defer f.Close()
	var r io.Reader = f
	if c.part != nil {
		r = io.NewSectionReader(f, c.part.offset, c.size)
	}
	var buf bytes.Buffer
	buf.Grow(int(c.size) + bytes.MinRead)
	n, err := io.Copy(&buf, io.LimitReader(r, in.cfg.MaxFileSize+1))
	switch {
	case err != nil:
		return reasonOf(err), false
	case n > in.cfg.MaxFileSize:
		return moreThan(in.cfg.MaxFileSize), false
	}
	c.data, c.size = buf.Bytes(), n
	if c.part == nil && chat.MayNeedNames(c.path) {
		c.data = in.workspaces.named(c.path, c.data)
	}
	return fault.Text{}, false
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
	it := &item{content: content{name: name, data: line, size: int64(len(line))}, line: true}
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
