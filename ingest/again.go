package ingest

import (
	"context"
	"path"
	"slices"
	"strings"

	"docent/ingest/jsonl"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// datedBySource are the origins of dates that come with a source, and not from the content.
var datedBySource = []corpus.DateFrom{corpus.FeedEntry, corpus.Commit, corpus.LastModified, corpus.FileTime}

// ReadAgain reads a stored document again from its original, even if it is current. The
// document keeps its id, its folder, and the tags that people added. A document that
// was readable and is not now keeps its earlier version, and the result says why it
// failed. Parts of the original are read again too.
func (in *Ingester) ReadAgain(ctx context.Context, d corpus.Document, original []byte) ([]Result, error) {
	r, err := in.start(ctx, d.Collection, d.Source)
	if err != nil {
		return nil, err
	}
	defer func() { in.warn("remove the folder of parts", r.spool.remove()) }()
	r.retry, r.explicit, r.again = true, true, &d
	var results []Result
	var last error
	in.work(ctx, r, func(send func(step) bool) {
		in.produceAgain(ctx, r, original, func(s step) bool {
			if s.item != nil {
				r.remember(s.item)
			}
			return send(s)
		})
	}, func(res Result, err error) bool {
		if err != nil {
			last = err
			return false
		}
		results = append(results, res)
		return true
	})
	return results, last
}

// remember copies the time of the stored document to an item. A failure does not replace a version that is ready.
func (r *run) remember(it *item) {
	if d := r.again; !d.Modified.IsZero() && it.mtime == 0 {
		it.mtime = d.Modified.UnixNano()
		if slices.Contains(datedBySource, d.DateFrom) {
			it.dated = d.DateFrom
		}
	}
	it.silent = it.silent || r.ready(it.source)
}

// replaces returns the id of the document that an item replaces, or 0. A document that was
// deleted meanwhile stays deleted.
func (r *run) replaces(it *item) int64 {
	for _, d := range []*corpus.Document{r.again, r.replaced} {
		if d != nil && it.source == d.Source {
			return d.ID
		}
	}
	return 0
}

// produceAgain sends the documents in an original.
func (in *Ingester) produceAgain(ctx context.Context, r *run, original []byte, send func(step) bool) {
	source := r.again.Source
	whole, _, part := strings.Cut(source, "#")
	it := &item{content: content{name: fileName(source), data: original, size: int64(len(original))}, source: source}
	switch {
	case int64(len(original)) > in.cfg.MaxFileSize:
		it.data, it.reason = nil, moreThan(in.cfg.MaxFileSize)
	case part && strings.HasPrefix(r.again.MediaType, "application/json") && jsonl.Is(original): // a line, or a file in an archive
		if rec, err := jsonl.Parse(original); err == nil && !jsonl.HasName(source) {
			it.name, it.record, it.line = fileName(whole), &rec, true
		}
	default:
		in.produceRead(ctx, r, source, fileName(source), original, send)
		return
	}
	_ = send(step{item: it}) && send(step{end: &end{}})
}

// fileName returns the file name in the source of a document, as a hint at the format.
func fileName(source string) string {
	if _, rest, ok := strings.Cut(source, "://"); ok {
		source = rest
		if at := strings.IndexAny(source, "?#"); at >= 0 {
			source = source[:at]
		}
	}
	return path.Base(strings.TrimPrefix(strings.TrimPrefix(source, "upload:"), "stdin:"))
}

// CanReadAgain reports whether docent can read a ready document again without what lies beside it. A web page in a folder or
// an archive is read without the blocks that the pages beside it share, so it must be read with them.
func CanReadAgain(source string) fault.Text {
	_, _, part := strings.Cut(source, "#")
	if isPage(source) && (part || strings.HasPrefix(source, "/")) {
		return fault.NewText("read_again_with_folder", "docent reads a web page together with the pages beside it: add the folder or the archive again")
	}
	return fault.Text{}
}
