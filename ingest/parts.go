package ingest

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"docent/ingest/format"
	"docent/ingest/intake"
	"docent/ingest/scratch"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// A source may contain other documents: an archive contains files, a mail
// contains attachments, and a mailbox contains messages. They become separate
// documents with the source SOURCE#NAME. Documents that the source no longer
// contains are removed. Their contents wait in a temporary file, so an
// archive takes no more memory than its largest file.

// headLength is the number of bytes from which containers are detected.
const headLength = 1 << 10

// spool is the temporary folder of one run for parts that wait to be read.
type spool struct {
	dir  *scratch.Folder // nil until there are parts
	next int
}

// file names a file for the parts of one source.
func (s *spool) file() (string, error) {
	if s.dir == nil {
		dir, err := scratch.Make(scratch.Parts)
		if err != nil {
			return "", err
		}
		s.dir = dir
	}
	s.next++
	return filepath.Join(s.dir.Path, strconv.Itoa(s.next)), nil
}

// partsFile is a file with the contents of the parts of one source. It is removed
// after the last one.
type partsFile struct {
	path string
	left atomic.Int64
}

// partContent is where a part is in the file.
type partContent struct {
	in     *partsFile
	offset int64
}

// done ends the use of the file for one part.
func (f *partsFile) done() error {
	if f.left.Add(-1) > 0 {
		return nil
	}
	return os.Remove(f.path) //nolint:wrapcheck // it names the file
}

// remove removes the temporary folder at the end of the run.
func (s *spool) remove() error {
	if s.dir == nil {
		return nil
	}
	return s.dir.Remove()
}

// unpacking sends the documents inside one source.
type unpacking struct {
	in   *Ingester
	r    *run
	send func(step) bool
	// sent contains the sources sent so far.
	sent map[string]bool
	// stopped is set when no more documents are wanted.
	stopped bool
}

// parts sends the documents inside a source with known content, and then the
// end marker. It returns false, and sends nothing, if the source has to be read
// as a single document.
func (in *Ingester) parts(ctx context.Context, r *run, whole *item, end *end, send func(step) bool) (done, more bool) {
	if whole.data == nil || !in.reader.MayHaveParts(whole.name, whole.data[:min(len(whole.data), headLength)]) {
		return false, true
	}
	u := &unpacking{in: in, r: r, send: send, sent: map[string]bool{}}
	isDocument := u.unpack(ctx, whole)
	switch {
	case u.stopped:
		return true, false
	case whole.err != nil || !whole.reason.IsZero():
		end.stale = nil // its stored parts may still exist
		return true, send(step{item: whole}) && send(step{end: end})
	case isDocument && len(u.sent) == 0:
		return false, true
	case len(u.sent) == 0:
		whole.reason = fault.NewText("container_empty", "empty: it contains no documents")
	}
	end.stale = in.stale(r, whole.source, u.sent)
	if isDocument || !whole.reason.IsZero() {
		return true, send(step{item: whole}) && send(step{end: end})
	}
	if s, ok := r.states.find(whole.source); ok {
		end.stale = append(end.stale, s) // an earlier run stored the container as a document
	}
	return true, send(step{end: end})
}

// unpack sends the documents inside an item and reports whether the item is
// also a document itself. If the item cannot be opened, unpack sets its reason.
func (u *unpacking) unpack(ctx context.Context, it *item) (isDocument bool) {
	file, err := u.r.spool.file()
	if err != nil {
		it.err = err
		return true
	}
	isDocument, parts, err := u.in.reader.Parts(ctx, intake.Source{Name: it.name, Data: it.data}, file)
	switch {
	case err != nil && fault.KindOf(err) == fault.Invalid:
		it.reason = fault.TextOf(err)
		return true
	case err != nil:
		it.err = fmt.Errorf("look into %s: %w", it.source, err)
		return true
	}
	shared := u.in.partBlocks(ctx, file, parts)
	in := &partsFile{path: file}
	in.left.Store(int64(len(parts)))
	for _, part := range parts {
		if !u.part(it, part, in, shared[path.Dir(part.Name)]) {
			u.stopped = true
			break
		}
	}
	return isDocument
}

// part sends a part of an item. The reader has opened the containers in it. Pages
// are read without the shared blocks of their folder.
func (u *unpacking) part(of *item, part intake.Part, in *partsFile, shared []uint64) bool {
	if !format.Skip(part.Name).IsZero() {
		u.in.warn("remove the parts that were read", in.done())
		return true
	}
	it := &item{
		content: content{name: part.Name, path: in.path, part: &partContent{in, part.Offset}, size: part.Size},
		source:  of.source + "#" + part.Name, mtime: of.mtime, dated: of.dated, reason: part.Reason,
	}
	if isPage(part.Name) {
		it.shared = shared
	}
	if !part.Modified.IsZero() {
		it.mtime, it.dated = part.Modified.UnixNano(), corpus.FileTime
	}
	if u.sent[it.source] {
		it.reason, it.silent = fault.NewText("part_name_twice", "another part has the same name"), true
	}
	u.sent[it.source] = true
	return u.send(step{item: it})
}

// mayHaveParts checks the beginning of a file.
func (in *Ingester) mayHaveParts(file string) bool {
	start := head(file)
	return start != nil && in.reader.MayHaveParts(file, start[:min(len(start), headLength)])
}

// head returns the beginning of a file. It returns nil if the file cannot be read, because a later
// reading reports that.
func head(file string) []byte {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, 4*headLength))
	if err != nil {
		return nil
	}
	return start
}
