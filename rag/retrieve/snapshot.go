package retrieve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"time"

	"docent/embed"
	"docent/internal/flat"
	"docent/rag/corpus"
)

// The snapshot is one file with all data derived from the corpus. It is a flat
// stream in the order of writeSnapshot.
// Its version changes with its contents, with the splitting of texts into
// sentences, and with the analysis of the indexes.
const (
	snapshotMagic   = "DSNP"
	snapshotVersion = 6
)

// Save writes the snapshot if there is one and anything has changed. It blocks
// updates but not searches.
func (r *Retriever) Save(ctx context.Context) error {
	r.updating.Lock()
	defer r.updating.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("retriever: save: %w", err)
	}
	return r.save()
}

func (r *Retriever) save() error {
	if r.cfg.Snapshot == "" || r.unsaved == 0 {
		return nil
	}
	start := time.Now()
	if err := flat.WriteFile(r.cfg.Snapshot, r.writeSnapshot); err != nil {
		return fmt.Errorf("retriever: save: %w", err)
	}
	r.unsaved = 0
	r.cfg.Log.Debug("snapshot written", "chunks", r.memory.len(), "revision", r.revision.Number, "took", time.Since(start))
	return nil
}

// writeSnapshot writes the stream. The caller holds
// r.updating, so that rows and indexes have the same revision.
func (r *Retriever) writeSnapshot(to io.Writer) error {
	var keywords bytes.Buffer
	if words, ok := r.cfg.Words.(Saver); ok {
		if err := words.Save(&keywords); err != nil {
			return err
		}
	}
	rows := &r.memory.rows // the caller holds updating, so they do not change
	w := flat.NewWriter(to, snapshotMagic, snapshotVersion)
	flat.PutStrings(w, []string{r.revision.Database, r.cfg.Embedder.Name(), r.rowFormat()})
	flat.Put(w, []int64{r.revision.Number, int64(r.dimensions)})
	var docs []*RowDocument
	var counts []uint32
	var all []*Row
	for _, id := range sortedKeys(rows.byDocument) {
		list := rows.byDocument[id]
		docs, counts, all = append(docs, list[0].Document), append(counts, uint32(len(list))), append(all, list...)
	}
	flat.Put(w, column(docs, func(d *RowDocument) int64 { return d.ID }))
	flat.PutStrings(w, column(docs, func(d *RowDocument) string { return d.Source }))
	flat.PutStrings(w, column(docs, func(d *RowDocument) string { return d.Collection }))
	flat.PutStrings(w, column(docs, func(d *RowDocument) string { return d.Language }))
	flat.Put(w, counts)
	flat.Put(w, column(all, func(r *Row) int64 { return r.ID }))
	flat.Put(w, column(all, func(r *Row) uint32 { return uint32(r.Ordinal) }))
	flat.Put(w, column(all, func(r *Row) uint8 { return kindNumber(r.Kind) }))
	flat.Put(w, column(all, func(r *Row) uint16 { return r.Heading }))
	for _, part := range []func(*Row) []uint16{(*Row).allTokens, (*Row).allSentences} {
		flat.Put(w, column(all, func(r *Row) uint16 { return uint16(len(part(r))) }))
		flat.PutAll(w, total(all, part), each(all, part))
	}
	vector := func(r *Row) []float32 { return r.Vector }
	flat.Put(w, column(all, func(r *Row) uint8 { return uint8(min(len(r.Vector), 1)) }))
	flat.PutAll(w, total(all, vector), each(all, vector))
	flat.Put(w, rows.frequency)
	flat.Put(w, keywords.Bytes())
	return w.Err()
}

// rowFormat names the contents of the rows in a snapshot.
func (r *Retriever) rowFormat() string {
	_, vectors := r.cfg.Nearest.(Mirror)
	switch {
	case r.keepsRows():
		return embed.StaticName
	case vectors:
		return "vectors"
	default:
		return "ids"
	}
}

func (r *Row) allTokens() []uint16    { return r.Tokens }
func (r *Row) allSentences() []uint16 { return r.Sentences }

func sortedKeys[V any](m map[int64]V) []int64 { return slices.Sorted(maps.Keys(m)) }

func column[S, T any](list []S, of func(S) T) []T {
	out := make([]T, len(list))
	for i, s := range list {
		out[i] = of(s)
	}
	return out
}

func total[S, T any](list []S, of func(S) []T) int {
	n := 0
	for _, s := range list {
		n += len(of(s))
	}
	return n
}

func each[S, T any](list []S, of func(S) []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for _, s := range list {
			if !yield(of(s)) {
				return
			}
		}
	}
}

// restore loads the snapshot if there is one that fits the corpus, and reports
// whether it did. The caller holds r.updating.
func (r *Retriever) restore(ctx context.Context, now corpus.Revision) bool {
	if r.cfg.Snapshot == "" {
		return false
	}
	data, err := flat.ReadFile(r.cfg.Snapshot)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		err = r.readSnapshot(ctx, data, now)
	}
	if err != nil {
		r.cfg.Log.Info("the snapshot is not used; the index is made from the documents", "reason", err)
	}
	return err == nil
}

// readSnapshot loads a snapshot, or fails and leaves the retriever empty. Rows and
// indexes use the data itself, so that vectors are in memory once.
func (r *Retriever) readSnapshot(ctx context.Context, data []byte, now corpus.Revision) error {
	s, err := r.parseSnapshot(data, now)
	if err != nil {
		return err
	}
	if err := r.loadIndexes(ctx, s); err != nil {
		return err
	}
	r.memory.reset(s.rows)
	r.revision, r.dimensions, r.unsaved = s.revision, s.dimensions, 0
	return nil
}

// loadIndexes fills the mirrors from a snapshot, or fails and leaves them empty.
func (r *Retriever) loadIndexes(ctx context.Context, s *restored) error {
	if words, ok := r.cfg.Words.(Saver); ok {
		if err := words.Load(s.keywords); err != nil {
			return fmt.Errorf("keywords: %w", err)
		}
		if words.Len() != len(s.rows.byID) {
			return errors.Join(errParts, words.Delete(ctx, sortedKeys(s.rows.byID)))
		}
	}
	if nearest, ok := r.cfg.Nearest.(Mirror); ok {
		if err := nearest.Put(ctx, s.entries); err != nil {
			return errors.Join(err, r.unindex(ctx, sortedKeys(s.rows.byID)))
		}
	}
	return nil
}

// restored is the content of a snapshot.
type restored struct {
	revision   corpus.Revision
	dimensions int
	rows       rows
	entries    []Entry // for the vector index: without texts
	keywords   []byte
}

// parseSnapshot reads a snapshot of the corpus, which must not be newer than
// now.
func (r *Retriever) parseSnapshot(data []byte, now corpus.Revision) (*restored, error) {
	in := flat.NewReader(data, snapshotMagic, snapshotVersion)
	names, numbers := flat.TakeStrings(in), flat.Take[int64](in)
	if err := in.Err(); err != nil {
		return nil, err
	}
	switch {
	case len(names) != 3 || len(numbers) != 2:
		return nil, errors.New("its head is wrong")
	case names[0] != now.Database || numbers[0] > now.Number:
		return nil, errors.New("it is of another database")
	case names[1] != r.cfg.Embedder.Name() || names[2] != r.rowFormat():
		return nil, errors.New("it is of another embedder or has other rows")
	case numbers[1] < 0 || numbers[1] > maxDimensions:
		return nil, errors.New("its dimensions are wrong")
	}
	s := &restored{revision: corpus.Revision{Database: names[0], Number: numbers[0]}, dimensions: int(numbers[1])}
	p := takeParts(in)
	if err := in.Err(); err != nil {
		return nil, err
	}
	if err := s.build(p, r.cfg.Static.Tokens()); err != nil {
		return nil, err
	}
	s.keywords = p.keywords
	return s, nil
}

// maxDimensions limits the length of vectors in a snapshot.
const maxDimensions = 1 << 16

// snapshotParts are the parts after the head, by document and by row.
type snapshotParts struct {
	docIDs                    []int64
	sources, collections      []string
	languages                 []string
	counts                    []uint32
	ids                       []int64
	ordinals                  []uint32
	kinds                     []uint8
	headings                  []uint16
	tokenCounts, tokens       []uint16
	sentenceCounts, sentences []uint16
	hasVector                 []uint8
	vectors                   []float32
	frequency                 []uint32
	keywords                  []byte
}

func takeParts(in *flat.Reader) *snapshotParts {
	p := &snapshotParts{docIDs: flat.Take[int64](in), sources: flat.TakeStrings(in), collections: flat.TakeStrings(in)}
	p.languages = flat.TakeStrings(in)
	p.counts, p.ids, p.ordinals = flat.Take[uint32](in), flat.Take[int64](in), flat.Take[uint32](in)
	p.kinds, p.headings = flat.Take[uint8](in), flat.Take[uint16](in)
	p.tokenCounts, p.tokens = flat.Take[uint16](in), flat.Take[uint16](in)
	p.sentenceCounts, p.sentences = flat.Take[uint16](in), flat.Take[uint16](in)
	p.hasVector, p.vectors = flat.Take[uint8](in), flat.Take[float32](in)
	p.frequency, p.keywords = flat.Take[uint32](in), flat.Take[byte](in)
	return p
}

var errParts = errors.New("its parts do not fit together")

// build makes rows from the parts. Tokens must be below the given number.
func (s *restored) build(p *snapshotParts, tokens int) error {
	n, docs := len(p.ids), len(p.docIDs)
	for _, l := range []int{len(p.ordinals), len(p.kinds), len(p.headings), len(p.tokenCounts), len(p.sentenceCounts), len(p.hasVector)} {
		if l != n {
			return errParts
		}
	}
	for _, l := range []int{len(p.sources), len(p.collections), len(p.languages), len(p.counts)} {
		if l != docs {
			return errParts
		}
	}
	if len(p.frequency) != tokens {
		return errParts
	}
	if n > 0 && len(p.tokens) > 0 && int(slices.Max(p.tokens)) >= tokens {
		return errParts
	}
	s.rows = rows{
		byID: make(map[int64]*Row, n), byDocument: make(map[int64][]*Row, docs),
		frequency: slices.Clone(p.frequency), seen: make([]uint32, tokens), length: len(p.tokens),
	}
	s.entries = make([]Entry, 0, n)
	slab, pointers := make([]Row, n), make([]*Row, n)
	at := 0
	for d, id := range p.docIDs {
		count := int(p.counts[d])
		if count < 1 || count > n-at {
			return errParts
		}
		doc := &RowDocument{ID: id, Source: p.sources[d], Collection: p.collections[d], Language: p.languages[d]}
		for i := at; i < at+count; i++ {
			w := &slab[i]
			if int(p.kinds[i]) >= len(kinds) {
				return errParts
			}
			*w = Row{ID: p.ids[i], Document: doc, Ordinal: int(p.ordinals[i]), Kind: kinds[p.kinds[i]], Heading: p.headings[i]}
			var ok [3]bool
			w.Tokens, p.tokens, ok[0] = split(p.tokens, int(p.tokenCounts[i]))
			w.Sentences, p.sentences, ok[1] = split(p.sentences, int(p.sentenceCounts[i]))
			w.Vector, p.vectors, ok[2] = split(p.vectors, int(p.hasVector[i])*s.dimensions)
			if !ok[0] || !ok[1] || !ok[2] || !w.sound() {
				return errParts
			}
			pointers[i] = w
			s.rows.byID[w.ID] = w
			s.entries = append(s.entries, Entry{
				ID: w.ID, DocumentID: id, Collection: doc.Collection, Source: doc.Source,
				Ordinal: w.Ordinal, Vector: w.Vector,
			})
		}
		s.rows.byDocument[id] = pointers[at : at+count : at+count]
		doc.SetMean(s.rows.byDocument[id])
		at += count
	}
	if at != n || len(s.rows.byID) != n || len(s.rows.byDocument) != docs {
		return errParts
	}
	return nil
}

// sound reports whether the positions of a row are within its tokens.
func (r *Row) sound() bool {
	last := r.Heading
	for _, end := range r.Sentences {
		if end < last {
			return false
		}
		last = end
	}
	return int(last) <= len(r.Tokens)
}

// split splits s after n elements. It is not ok if s has fewer.
func split[T any](s []T, n int) (head, rest []T, ok bool) {
	if n > len(s) {
		return nil, nil, false
	}
	if n == 0 {
		return nil, s, true
	}
	return s[:n:n], s[n:], true
}
