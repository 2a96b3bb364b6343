package syncer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"docent/ingest"
	"docent/ingest/source"
	"docent/internal/fault"
)

const (
	// admitItems is how many items are noted in one step before they are read.
	admitItems = 64
	// flushItems is how many finished items are stored in one step.
	flushItems = 64
	// flushDelay is about how long an item waits for others to be stored with it.
	flushDelay = 250 * time.Millisecond
	// removeItems is how many items are removed in one step.
	removeItems = 64
	// maxKey bounds the keys and documents of items as they are stored, in bytes.
	maxKey = 2000
	// maxAddress bounds the address of an item, in bytes.
	maxAddress = 4096
	// maxReason bounds the reason of a failure, in bytes.
	maxReason = 1000
	// moved begins the keys of rows that stand for the old document of an item
	// whose address has changed. No source lists them, so the next complete
	// sync removes the document.
	moved = "\u0001moved:"
)

// Ingester reads documents into collections.
type Ingester interface {
	// Batch prepares reading many inputs; see ingest.Ingester.
	Batch(ctx context.Context, collection string, retry bool) (*ingest.Batch, error)
}

// Documents removes documents.
type Documents interface {
	// RemoveDocuments deletes documents; unknown ids are ignored.
	RemoveDocuments(ctx context.Context, ids []int64) (int, error)
}

// syncing is one sync. Two goroutines work on it: one lists the items and notes
// them, the other stores what became of them.
//
// It is safe to kill at any moment. An item is noted as pending, with its
// owner, before its document is stored; its state is stored after the document;
// a document is removed before its item. So a sync that was cut short leads to
// reading again what is stored already, and never to a loss.
type syncing struct {
	items     source.Items
	documents Documents
	record    source.Record
	source    source.Source
	retry     bool
	now       func() time.Time
	log       *slog.Logger
	batch     *ingest.Batch
	known     map[string]source.ItemRecord // by key, before this sync; not changed
	owned     map[string]bool              // documents of known items that the source owns

	mu       sync.Mutex
	seen     map[string]bool     // keys that were listed
	names    map[string]string   // keys by document, of the items that were listed
	flight   map[string]flight   // items that are being read, by document
	dirty    []source.ItemRecord // rows to store
	flushed  time.Time
	sum      source.Summary
	progress source.Progress
	broken   error // of the listing: it is incomplete
	failed   error // of the store while listing
}

// flight is an item that is being read.
type flight struct {
	row   source.ItemRecord
	state []byte
	fresh bool // the source did not have it before
}

// run syncs the source once. The summary is right even if there is an error.
func (s *syncing) run(ctx context.Context, ingester Ingester) (source.Summary, error) {
	s.seen, s.names, s.flight = map[string]bool{}, map[string]string{}, map[string]flight{}
	s.sum.StartedAt = s.now().UTC()
	err := s.sync(ctx, ingester)
	s.sum.EndedAt = s.now().UTC()
	return s.sum, err
}

func (s *syncing) sync(ctx context.Context, ingester Ingester) error {
	rows, err := s.items.SourceItems(ctx, s.record.ID)
	if err != nil {
		return fmt.Errorf("read the items of source %s: %w", s.record.Name, err)
	}
	s.known, s.owned = make(map[string]source.ItemRecord, len(rows)), map[string]bool{}
	for _, row := range rows {
		s.known[row.Key] = row
		if row.Owned {
			s.owned[row.Document] = true
		}
	}
	if s.batch, err = ingester.Batch(ctx, s.record.Collection, s.retry); err != nil {
		return fmt.Errorf("prepare source %s: %w", s.record.Name, err)
	}
	for out, err := range s.batch.ReadAll(ctx, s.list) {
		if err != nil {
			return errors.Join(fmt.Errorf("read source %s: %w", s.record.Name, err), s.flush(context.WithoutCancel(ctx), true))
		}
		s.finish(out)
		if err := s.flush(ctx, false); err != nil {
			return err
		}
	}
	if err := s.flush(ctx, true); err != nil {
		return err
	}
	s.mu.Lock()
	broken, failed := s.broken, s.failed
	s.mu.Unlock()
	switch {
	case failed != nil:
		return failed
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case broken != nil:
		return broken
	}
	if err := s.checkEmpty(); err != nil {
		return err
	}
	return s.removeGone(ctx)
}

// checkEmpty asks the source whether it can have lost all its items.
func (s *syncing) checkEmpty() error {
	e, ok := s.source.(source.Emptier)
	if !ok || len(s.seen) > 0 || len(s.known) == 0 {
		return nil
	}
	var since time.Time
	for _, row := range s.known {
		since = latest(since, row.At)
	}
	return e.CheckEmpty(since) //nolint:wrapcheck // it names the place
}

// rowKey is the key that an item is stored by: its own, unless no database
// takes it.
func rowKey(key string) string {
	if len(key) <= maxKey && key != "" && storable(key) && !strings.HasPrefix(key, moved) {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func storable(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// state is the Known of this sync. An item whose documents are missing, or were
// read by an older program, has no state: it is read again.
func (s *syncing) state(key string) (state []byte, ok bool) {
	row, has := s.known[rowKey(key)]
	if !has || len(row.State) == 0 || row.Status == source.Pending ||
		row.Status == source.Failed && s.retry || !s.batch.Current(row.Document) {
		return nil, false
	}
	return row.State, true
}

// list yields the items that have to be read, after they are noted.
func (s *syncing) list(ctx context.Context) iter.Seq[ingest.Input] {
	return func(yield func(ingest.Input) bool) {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("panic while listing a source", "source", s.record.Name, "panic", p, "stack", string(debug.Stack()))
				s.stop(fault.New(fault.Internal, "source_failed", "docent failed on this source; the log has the details"))
			}
		}()
		var waiting []source.Item
		var since time.Time
		admit := func() bool {
			inputs, err := s.admit(ctx, waiting)
			waiting = waiting[:0]
			if err != nil {
				s.mu.Lock()
				s.failed = err
				s.mu.Unlock()
				return false
			}
			for _, input := range inputs {
				if !yield(input) {
					return false
				}
			}
			return true
		}
		for it, err := range s.source.List(ctx, s.state) {
			if err != nil {
				s.stop(err)
				break
			}
			if !s.listed(it) {
				continue
			}
			if len(waiting) == 0 {
				since = time.Now()
			}
			if waiting = append(waiting, it); len(waiting) >= admitItems || time.Since(since) > flushDelay {
				if !admit() {
					return
				}
			}
		}
		admit()
	}
}

// stop notes that the listing is incomplete.
func (s *syncing) stop(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken = err
	}
}

// listed notes an item and reports whether it has to be read.
func (s *syncing) listed(it source.Item) bool {
	key := rowKey(it.Key)
	row, has := s.known[key]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[key] {
		return false
	}
	s.seen[key] = true
	s.progress.Total++
	if it.Err != nil {
		if !has {
			row = source.ItemRecord{Key: key, Document: s.name(key, it, row), Address: address(it), Owned: true}
			row.Owned = s.owned[row.Document] || len(s.batch.Documents(row.Document)) == 0
		}
		s.names[row.Document] = key
		row.Status, row.Reason, row.Tries = source.Unreachable, reason(ingest.Reason(it.Err)), row.Tries+1
		s.put(row)
		s.progress.Done++
		s.sum.Failed++
		return false
	}
	if !it.Unchanged {
		return true
	}
	if _, ok := s.state(it.Key); !ok {
		return true // it has to be read whatever the source says
	}
	s.names[row.Document] = key
	s.progress.Done++
	refreshed := it.State != nil && !bytes.Equal(it.State, row.State)
	switch {
	case row.Status == source.Failed:
		s.sum.Failed++
	case row.Status == source.Unreachable || refreshed:
		row.Status, row.Reason, row.Tries = source.Ready, fault.Text{}, 0
		s.sum.Unchanged++
	default:
		s.sum.Unchanged++
		return false
	}
	if refreshed {
		row.State = it.State
	}
	if row.Status != source.Failed || refreshed {
		s.put(row)
	}
	return false
}

// reason bounds a reason.
func reason(text fault.Text) fault.Text {
	if len(text.Message)+len(text.Params) > maxReason {
		text = fault.Plain(strings.ToValidUTF8(text.Message[:min(maxReason, len(text.Message))], "") + "…")
	}
	return text
}

// address is where people find an item; "" if that is too long to keep.
func address(it source.Item) string {
	if len(it.Address) > maxAddress || !storable(it.Address) {
		return ""
	}
	return it.Address
}

// name is the source of an item's document: its address, unless another item
// of this source has the same.
func (s *syncing) name(key string, it source.Item, row source.ItemRecord) string {
	own := fmt.Sprintf("source:%d/%s", s.record.ID, key)
	if len(own) > maxKey {
		sum := sha256.Sum256([]byte(key))
		own = fmt.Sprintf("source:%d/sha256:%s", s.record.ID, hex.EncodeToString(sum[:]))
	}
	at := address(it)
	if at == "" || len(at) > maxKey || row.Document == own {
		return own
	}
	if other, taken := s.names[at]; taken && other != key {
		return own
	}
	return at
}

// admit notes items before they are read: that they exist, and whether their
// documents are the source's own.
func (s *syncing) admit(ctx context.Context, items []source.Item) ([]ingest.Input, error) {
	var rows []source.ItemRecord
	inputs := make([]ingest.Input, 0, len(items))
	s.mu.Lock()
	for _, it := range items {
		key := rowKey(it.Key)
		old, has := s.known[key]
		row := old
		row.Key, row.Document, row.Address = key, s.name(key, it, old), address(it)
		row.Owned = s.owned[row.Document] || len(s.batch.Documents(row.Document)) == 0
		s.names[row.Document] = key
		if !has || row.Document != old.Document || row.Owned != old.Owned {
			note := source.ItemRecord{
				Key: key, Document: row.Document, Address: row.Address, Status: source.Pending,
				Owned: row.Owned, Tries: old.Tries, Reason: old.Reason, At: s.now(),
			}
			if has && row.Document != old.Document {
				row.State = nil
				rows = append(rows, source.ItemRecord{
					Key: movedKey(old.Document), Document: old.Document, Status: source.Pending, Owned: old.Owned, At: s.now(),
				})
			} else if has {
				note.Status, note.State = old.Status, old.State
			}
			rows = append(rows, note)
		}
		s.flight[row.Document] = flight{row: row, state: it.State, fresh: !has || old.Status == source.Pending}
		name := it.Name
		if name == "" {
			name = path.Base(it.Key)
		}
		inputs = append(inputs, ingest.Input{
			Source: row.Document, Name: name, Size: it.Size, Modified: it.Modified,
			Open: func(ctx context.Context) (io.ReadCloser, error) { return s.source.Open(ctx, it) },
		})
	}
	s.mu.Unlock()
	if len(rows) > 0 {
		if err := s.items.PutSourceItems(ctx, s.record.ID, rows); err != nil {
			return nil, fmt.Errorf("note items of source %s: %w", s.record.Name, err)
		}
	}
	return inputs, nil
}

// movedKey is the key of the row for a document whose item has moved.
func movedKey(document string) string {
	sum := sha256.Sum256([]byte(document))
	return moved + hex.EncodeToString(sum[:])
}

// finish notes what became of an item.
func (s *syncing) finish(out ingest.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.flight[out.Source]
	if !ok {
		return
	}
	delete(s.flight, out.Source)
	row := f.row
	s.progress.Done++
	switch {
	case out.Unread:
		row.Status, row.Reason, row.Tries = source.Unreachable, reason(out.Reason), row.Tries+1
		s.sum.Failed++
	case out.Failed > 0:
		row.Status, row.Reason, row.Tries, row.State = source.Failed, reason(out.Reason), row.Tries+1, f.state
		s.sum.Failed++
	default:
		row.Status, row.Reason, row.Tries, row.State = source.Ready, fault.Text{}, 0, f.state
		switch {
		case out.Added+out.Changed+out.Removed == 0:
			s.sum.Unchanged++
		case f.fresh:
			s.sum.Added++
		default:
			s.sum.Changed++
		}
	}
	s.put(row)
}

// put queues a row. The caller holds the lock.
func (s *syncing) put(row source.ItemRecord) {
	row.At = s.now()
	s.dirty = append(s.dirty, row)
}

// flush stores the queued rows if there are enough, or in any case.
func (s *syncing) flush(ctx context.Context, all bool) error {
	s.mu.Lock()
	rows := s.dirty
	if len(rows) == 0 || !all && len(rows) < flushItems && time.Since(s.flushed) < flushDelay {
		s.mu.Unlock()
		return nil
	}
	s.dirty, s.flushed = nil, time.Now()
	s.mu.Unlock()
	for part := range slices.Chunk(rows, 500) {
		if err := s.items.PutSourceItems(ctx, s.record.ID, part); err != nil {
			return fmt.Errorf("store items of source %s: %w", s.record.Name, err)
		}
	}
	return nil
}

// at returns how far the sync has come.
func (s *syncing) at() source.Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.progress
}

// removeGone removes the items that a complete listing did not have.
func (s *syncing) removeGone(ctx context.Context) error {
	var gone []source.ItemRecord
	for key, row := range s.known {
		if !s.seen[key] {
			gone = append(gone, row)
		}
	}
	for document, key := range s.names { // rows that were noted in this sync
		old, has := s.known[key]
		if has && old.Document != document {
			gone = append(gone, source.ItemRecord{Key: movedKey(old.Document), Document: old.Document, Owned: old.Owned})
		}
	}
	slices.SortFunc(gone, func(a, b source.ItemRecord) int { return strings.Compare(a.Key, b.Key) })
	for part := range slices.Chunk(gone, removeItems) {
		removed, err := removeOwned(ctx, s.items, s.documents, s.batch, s.record.ID, part, s.names)
		s.sum.Removed += removed
		if err != nil {
			return fmt.Errorf("remove items of source %s: %w", s.record.Name, err)
		}
	}
	return nil
}

// removeOwned removes the documents of items that the source owns and nobody
// else has, then the items. It returns how many items there were. Documents of
// the items in keep stay.
func removeOwned(ctx context.Context, items source.Items, documents Documents,
	batch *ingest.Batch, id int64, gone []source.ItemRecord, keep map[string]string,
) (int, error) {
	var keys, names []string
	ids := map[string]int64{}
	removed := 0
	for _, row := range gone {
		keys = append(keys, row.Key)
		if !strings.HasPrefix(row.Key, moved) {
			removed++
		}
		if _, kept := keep[row.Document]; !row.Owned || kept {
			continue
		}
		for _, d := range batch.Documents(row.Document) {
			if _, kept := keep[d.Source]; !kept {
				names, ids[d.Source] = append(names, d.Source), d.ID
			}
		}
	}
	given, err := items.HandOver(ctx, id, names)
	if err != nil {
		return 0, err
	}
	for _, name := range given {
		delete(ids, name)
	}
	if len(ids) > 0 {
		if _, err := documents.RemoveDocuments(ctx, slices.Sorted(maps.Values(ids))); err != nil {
			return 0, err
		}
	}
	return removed, items.RemoveSourceItems(ctx, id, keys)
}
