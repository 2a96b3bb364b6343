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
	// admitItems is the number of items that are recorded in one step before
	// they are read.
	admitItems = 64
	// flushItems is the number of finished items that are stored in one step.
	flushItems = 64
	// flushDelay is the approximate time that an item waits for others to be
	// stored with it.
	flushDelay = 250 * time.Millisecond
	// removeItems is the number of items that are removed in one step.
	removeItems = 64
	// maxKey bounds the stored keys and document sources of items, in bytes.
	maxKey = 2000
	// maxAddress bounds the address of an item, in bytes.
	maxAddress = 4096
	// maxReason bounds the reason of a failure, in bytes.
	maxReason = 1000
	// moved is the key prefix of rows for the old document of an item whose
	// address has changed. No source lists such keys, so the next complete sync
	// removes the document.
	moved = "\u0001moved:"
)

// Ingester reads documents into collections.
type Ingester interface {
	// Batch prepares reading many inputs; see ingest.Ingester.Batch.
	Batch(ctx context.Context, collection string, retry bool) (*ingest.Batch, error)
}

// Documents removes documents.
type Documents interface {
	// RemoveDocuments deletes documents and ignores unknown ids.
	RemoveDocuments(ctx context.Context, ids []int64) (int, error)
}

// syncing is one sync. One goroutine lists the items and records them. Another
// one stores their results.
//
// The process may be killed at any time. An item is recorded as pending, with
// its owner, before its document is stored. Its state is stored after the
// document. A document is removed before its item. So an interrupted sync may
// cause repeated reading but never a loss.
type syncing struct {
	items     source.Items
	documents Documents
	record    source.Record
	source    source.Source
	retry     bool
	now       func() time.Time
	log       *slog.Logger
	most      int64 // memory of the stored items, in bytes
	batch     *ingest.Batch
	known     map[string]source.ItemRecord // items before this sync, by key; read-only
	owned     map[string]bool              // documents of known items that the source owns

	mu       sync.Mutex
	stored   int64               // memory of the stored items, in bytes
	seen     map[string]bool     // listed keys
	names    map[string]string   // keys of the listed items, by document
	flight   map[string]flight   // items that are being read, by document
	dirty    []source.ItemRecord // rows that must be stored
	flushed  time.Time
	sum      source.Summary
	progress source.Progress
	broken   error // error of an incomplete listing
	failed   error // error of the store during the listing
}

// flight is an item that is being read.
type flight struct {
	row   source.ItemRecord
	state []byte
	fresh bool // the source did not have the item before
}

// run syncs the source once. The summary is correct even with an error.
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
		s.stored += int64(itemSize(row.Key, row.Address, row.State))
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

// checkEmpty asks the source whether it is really empty.
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

// rowKey returns the key under which an item is stored. A key that databases
// cannot store is replaced.
func rowKey(key string) string {
	if len(key) <= maxKey && key != "" && storable(key) && !strings.HasPrefix(key, moved) {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func storable(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// state implements Known for this sync. An item without documents, or with
// documents from an older program, has no state. So it is read again.
func (s *syncing) state(key string) (state []byte, ok bool) {
	row, has := s.known[rowKey(key)]
	if !has || len(row.State) == 0 || row.Status == source.Pending ||
		row.Status == source.Failed && s.retry || !s.batch.Current(row.Document) {
		return nil, false
	}
	return row.State, true
}

// list records the items and yields those that must be read.
func (s *syncing) list(ctx context.Context) iter.Seq[ingest.Input] {
	return func(yield func(ingest.Input) bool) {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("panic while listing a source", "source", s.record.Name, "panic", p, "stack", string(debug.Stack()))
				s.stop(fault.New(fault.Internal, "source_failed", "docent failed to sync this source; the log has the details"))
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
			if !s.fits(it) {
				s.stop(fault.New(fault.Invalid, "source_too_large",
					"the items of this source need more than %d MiB; select fewer of them, or remove the source and add it again", s.most>>20))
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

// stop records that the listing is incomplete.
func (s *syncing) stop(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken = err
	}
}

// fits reports whether the store may hold an item. A sync holds all stored items in
// memory. Items that do not grow always fit.
func (s *syncing) fits(it source.Item) bool {
	key := rowKey(it.Key)
	row, has := s.known[key]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[key] {
		return true
	}
	state := it.State
	if state == nil {
		state = row.State // it stays
	}
	grows := itemSize(key, address(it), state)
	if has {
		grows -= itemSize(key, row.Address, row.State)
	}
	s.stored += int64(grows)
	return grows <= 0 || s.stored <= s.most
}

// itemSize estimates the memory of a stored item in a sync, in bytes.
func itemSize(key, address string, state []byte) int {
	const fixed = 512
	return fixed + len(key) + 2*len(address) + len(state)
}

// listed records an item and reports whether it must be read.
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
		return true // it must be read even if it has not changed
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

// reason truncates a long reason.
func reason(text fault.Text) fault.Text {
	if len(text.Message)+len(text.Params) > maxReason {
		text = fault.Plain(strings.ToValidUTF8(text.Message[:min(maxReason, len(text.Message))], "") + "…")
	}
	return text
}

// address returns the address of an item for people, or "" if it is too long.
func address(it source.Item) string {
	if len(it.Address) > maxAddress || !storable(it.Address) {
		return ""
	}
	return it.Address
}

// name returns the source of an item's document. This is the item's address,
// unless another item of the source has the same address.
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

// admit records items before they are read. It also records whether the source
// owns their documents.
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
			Source: row.Document, Name: name, Size: it.Size, Modified: it.Modified, DateFrom: it.DateFrom,
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

// movedKey returns the key of the row for a document whose item has moved.
func movedKey(document string) string {
	sum := sha256.Sum256([]byte(document))
	return moved + hex.EncodeToString(sum[:])
}

// finish records the result of an item.
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

// put adds a row to the queue. The caller holds the lock.
func (s *syncing) put(row source.ItemRecord) {
	row.At = s.now()
	s.dirty = append(s.dirty, row)
}

// flush stores the queued rows if there are enough of them or if all is set.
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

// at returns the progress of the sync.
func (s *syncing) at() source.Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.progress
}

// removeGone removes the items that were missing in a complete listing.
func (s *syncing) removeGone(ctx context.Context) error {
	var gone []source.ItemRecord
	keeps, _ := s.source.(source.Partial)
	partial := keeps != nil && keeps.Partial()
	for key, row := range s.known {
		if !s.seen[key] && (!partial || strings.HasPrefix(key, moved)) {
			gone = append(gone, row)
		}
	}
	for document, key := range s.names { // rows that this sync recorded
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

// removeOwned removes items, and their documents that the source owns and no
// other source has. It keeps the documents in keep. It returns the number of
// items.
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
