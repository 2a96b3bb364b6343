package retrieve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"docent/embed"
	"docent/internal/flat"
	"docent/rag/corpus"
)

// The snapshot is one file with all data derived from the corpus, in the sections of
// writeSnapshot.
// Its version changes with its contents, with the splitting of texts into
// sentences, and with the analysis of the indexes.
const (
	snapshotMagic   = "DSNP"
	snapshotVersion = 11
)

// Save writes the snapshot if there is one and anything has changed. It blocks
// updates but not searches.
func (r *Retriever) Save(ctx context.Context) error {
	r.updating.Lock()
	defer r.updating.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("retriever: save: %w", err)
	}
	return r.save(ctx)
}

func (r *Retriever) save(ctx context.Context) error {
	if r.cfg.Snapshot == "" || r.unsaved == 0 {
		return nil
	}
	start, name := time.Now(), rand.Text()
	if r.cfg.Snapshots != nil {
		if err := r.cfg.Snapshots.PutSnapshot(ctx, name); err != nil {
			return fmt.Errorf("retriever: save: %w", err)
		}
	}
	if err := flat.WriteFile(r.cfg.Snapshot, func(to io.Writer) error { return r.writeSnapshot(to, name) }); err != nil {
		r.unsaved = 0 // the next attempt is after as many changes
		return fmt.Errorf("retriever: save: %w", err)
	}
	r.unsaved = 0
	r.cfg.Log.Debug("snapshot written", "chunks", r.memory.len(), "revision", r.revision.Number, "took", time.Since(start))
	return nil
}

// writeSnapshot writes the sections: the rows, the keyword index, the vector index, and
// then the vectors and the index of each encoder. Some can be empty. The caller holds
// r.updating, so that all have the same revision.
func (r *Retriever) writeSnapshot(to io.Writer, name string) error {
	rows := func(to io.Writer) error {
		w := flat.NewWriter(to, snapshotMagic, snapshotVersion)
		flat.PutStrings(w, []string{r.revision.Database, r.cfg.Embedder.Name(), r.rowFormat(), name})
		flat.Put(w, []int64{r.revision.Number, int64(r.dimensions)})
		putTable(w, &r.memory.rows) // they do not change, because the caller holds updating
		flat.Put(w, r.memory.rows.frequency)
		return w.Err()
	}
	words := func(io.Writer) error { return nil }
	if x, ok := r.cfg.Words.(Saver); ok {
		words = x.Save
	}
	sections := []func(io.Writer) error{rows, words, saveVectors(r.cfg.Nearest)}
	for _, m := range r.encoded {
		sections = append(sections, m.vectors.Save, saveVectors(m.Index))
	}
	return flat.WriteSections(to, sections...)
}

// saveVectors returns a function that writes the data of a vector index, if it has any.
func saveVectors(nearest Nearest) func(io.Writer) error {
	if x, ok := nearest.(VectorSaver); ok {
		return x.Save
	}
	return func(io.Writer) error { return nil }
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

// restore loads the snapshot if there is one that fits the corpus, and reports
// whether it did. Otherwise, it leaves the retriever empty. The caller holds
// r.updating. Searches may run if the snapshot has the present state.
func (r *Retriever) restore(ctx context.Context, now corpus.Revision) bool {
	if r.cfg.Snapshot == "" {
		return false
	}
	file, err := flat.Open(r.cfg.Snapshot)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		checked := make(chan error, 1)
		go func() { checked <- file.Check() }()
		err = r.readSnapshot(ctx, file.Body, now)
		if wrong := <-checked; wrong != nil {
			err = wrong
		}
		if r.files.Use(file); err != nil { // searches may read it in any case
			err = errors.Join(err, r.discard(ctx))
			r.files.Use(nil)
		}
	}
	if err != nil {
		r.cfg.Log.Info("the snapshot is not used; the index is made from the documents", "reason", err)
	}
	return err == nil
}

// discard empties the retriever, so that nothing uses a file any longer.
func (r *Retriever) discard(ctx context.Context) error {
	if x, ok := r.cfg.Words.(Saver); ok {
		_ = x.Load(nil) // it fails, and empties the index
	}
	if x, ok := r.cfg.Nearest.(VectorSaver); ok {
		_ = x.Load(ctx, nil, nil) // the same
	}
	return r.empty(ctx)
}

// readSnapshot loads a snapshot. Rows and indexes use the data itself, so that the
// system can drop it from memory. After an error, the contents of the retriever are
// incomplete.
func (r *Retriever) readSnapshot(ctx context.Context, data []byte, now corpus.Revision) error {
	sections, err := flat.Sections(data)
	if err != nil {
		return err
	}
	if len(sections) < 3 {
		return errParts
	}
	in := flat.NewReader(sections[0], snapshotMagic, snapshotVersion)
	names, numbers := flat.TakeStrings(in), flat.Take[int64](in)
	if err := in.Err(); err != nil {
		return err
	}
	switch {
	case len(names) != 4 || len(numbers) != 2:
		return errors.New("its head is wrong")
	case names[0] != now.Database || numbers[0] > now.Number:
		return errors.New("it is of another database")
	case names[1] != r.cfg.Embedder.Name() || names[2] != r.rowFormat():
		return errors.New("it is of another embedder or has other rows")
	case numbers[1] < 0 || numbers[1] > maxDimensions:
		return errors.New("its dimensions are wrong")
	}
	if r.cfg.Snapshots != nil {
		if ok, err := r.cfg.Snapshots.HasSnapshot(ctx, names[3]); !ok && (err == nil || r.revision == (corpus.Revision{})) {
			return errors.Join(errors.New("the database does not know it; an earlier copy of the database has replaced it"), err)
		}
	}
	tokens := r.cfg.Static.Tokens()
	rows := newRows(tokens)
	if rows.saved, err = takeTable(in, int(numbers[1]), tokens); err != nil {
		return err
	}
	if copy(rows.frequency, flat.Take[uint32](in)) != tokens {
		return errParts
	}
	rows.chunks, rows.length = len(rows.saved.ids), len(rows.saved.tokens.Values)
	r.memory.reset(rows)
	r.revision, r.dimensions, r.unsaved = corpus.Revision{Database: names[0], Number: numbers[0]}, int(numbers[1]), 0
	return r.loadIndexes(ctx, sections[1], sections[2], sections[3:])
}

// maxDimensions limits the length of vectors in a snapshot.
const maxDimensions = 1 << 16

// loadIndexes fills the mirrors from their sections of a snapshot, and from the rows.
func (r *Retriever) loadIndexes(ctx context.Context, words, vectors []byte, encoded [][]byte) error {
	loading, ctx := errgroup.WithContext(ctx)
	if x, ok := r.cfg.Words.(Saver); ok {
		loading.Go(func() error {
			if err := x.Load(words); err != nil {
				return fmt.Errorf("keywords: %w", err)
			}
			if x.Len() != r.memory.rows.chunks {
				return errParts
			}
			return nil
		})
	}
	saved := &r.memory.rows.saved
	loading.Go(func() error { return loadVectors(ctx, r.cfg.Nearest, saved.ids, saved.entry, vectors) })
	for _, m := range r.encoded {
		loading.Go(func() error { return m.load(ctx, saved, encoded) })
	}
	return loading.Wait()
}

// loadVectors fills a vector index, if it is a mirror, from its section of a snapshot or
// from the entries of chunks.
func loadVectors(ctx context.Context, nearest Nearest, ids []int64, entry func(int64) (Entry, bool), data []byte) error {
	if x, ok := nearest.(VectorSaver); ok && len(data) > 0 {
		if err := x.Load(ctx, data, entry); err != nil {
			return fmt.Errorf("vectors: %w", err)
		}
		return nil
	}
	x, ok := nearest.(Mirror)
	if !ok {
		return nil
	}
	for part := range slices.Chunk(ids, loadedEntries) {
		batch := make([]Entry, len(part))
		for i, id := range part {
			if batch[i], ok = entry(id); !ok {
				return errParts
			}
		}
		if err := x.Put(ctx, batch); err != nil {
			return fmt.Errorf("vectors: %w", err)
		}
	}
	return nil
}

// loadedEntries is the number of saved entries that a vector index takes at a time.
const loadedEntries = 8192
