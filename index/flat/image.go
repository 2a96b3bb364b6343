package flat

import (
	"context"
	"errors"
	"fmt"
	"io"

	"docent/index"
	"docent/internal/flat"
	"docent/rag/retrieve"
)

// A saved index is a flat stream with the matrices, so that no vector has to be read
// and quantized to load it.
const (
	imageMagic   = "DVEC"
	imageVersion = 1
)

// Save implements retrieve.VectorSaver.
func (x *Index) Save(to io.Writer) error {
	if x.cfg.Float32 {
		return nil
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	w := flat.NewWriter(to, imageMagic, imageVersion)
	names := make([]string, 0, len(x.codes))
	for name := range x.codes {
		names = append(names, name)
	}
	flat.Put(w, []int64{int64(x.vectors.Dimensions())})
	flat.PutStrings(w, names)
	for _, name := range names {
		vectors, m := x.vectors.Collection(name), x.codes[name]
		ids, scaled := make([]int64, len(vectors)), make([]uint8, len(vectors))
		for i, v := range vectors {
			ids[i] = v.ID
			if v.Scaled {
				scaled[i] = 1
			}
		}
		flat.Put(w, ids)
		flat.Put(w, scaled)
		flat.PutAll(w, len(ids)*m.width, parts(m, func(b *block) []int8 { return b.codes }))
		flat.PutAll(w, len(ids), parts(m, func(b *block) []float32 { return b.scales }))
		flat.PutAll(w, len(ids), parts(m, func(b *block) []float32 { return b.errors }))
	}
	if err := w.Err(); err != nil {
		return fmt.Errorf("vector index: save: %w", err)
	}
	return nil
}

func parts[T any](m *matrix, of func(*block) []T) func(yield func([]T) bool) {
	return func(yield func([]T) bool) {
		for _, b := range m.blocks {
			if !yield(of(b)) {
				return
			}
		}
	}
}

// Load implements retrieve.VectorSaver. Searches go on with the old contents until the
// new ones are ready.
func (x *Index) Load(_ context.Context, data []byte, entry func(id int64) (retrieve.Entry, bool)) error {
	fresh := New(x.cfg)
	err := fresh.load(data, entry)
	if err != nil {
		fresh = New(x.cfg)
		err = fmt.Errorf("vector index: load: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.vectors, x.codes = fresh.vectors, fresh.codes
	return err
}

// load fills an empty index that nobody uses.
func (x *Index) load(data []byte, entry func(id int64) (retrieve.Entry, bool)) error {
	r := flat.NewReader(data, imageMagic, imageVersion)
	dimensions, names := flat.Take[int64](r), flat.TakeStrings(r)
	if r.Err() != nil || len(dimensions) != 1 {
		return errors.Join(errors.New("its head is wrong"), r.Err())
	}
	saved := make([]index.Saved, len(names))
	for i, name := range names {
		s := index.Saved{Collection: name, IDs: flat.Take[int64](r), Scaled: flat.Take[uint8](r)}
		codes, scales, distances := flat.Take[int8](r), flat.Take[float32](r), flat.Take[float32](r)
		m, n := newMatrix(int(dimensions[0])), len(s.IDs)
		if n == 0 || m.width < 1 || len(s.Scaled) != n || len(scales) != n || len(distances) != n ||
			len(codes)/n != m.width || len(codes)%n != 0 {
			return fmt.Errorf("the parts of collection %q do not fit together", name)
		}
		for at := 0; at < n; at += blockRows {
			end := min(at+blockRows, n)
			m.blocks = append(m.blocks, &block{
				codes: codes[at*m.width : end*m.width], scales: scales[at:end], errors: distances[at:end], saved: true,
			})
		}
		saved[i], x.codes[name] = s, m
	}
	if err := r.Err(); err != nil {
		return err
	}
	return x.vectors.Load(saved, int(dimensions[0]), entry)
}
