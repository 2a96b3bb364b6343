package weaviate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"iter"
	"net/http"
	"sync"
	"time"

	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// encodedID is the id of the object with the revision of the encoder.
const encodedID = "00000000-0000-4000-8000-000000000002"

// EncoderConfig describes an encoder.
type EncoderConfig struct {
	// Model is the name of the encoder. Required.
	Model string
	// Dimensions is the length of its vectors. Required.
	Dimensions int
	// Languages selects the documents that the encoder takes.
	Languages corpus.Languages
	// Encodings has the vectors of chunks. Required.
	Encodings corpus.Encodings
	// Chunks applies all changes of the corpus, and counts the chunks of documents in
	// some languages. Required.
	Chunks func(ctx context.Context, languages corpus.Languages) (int, error)
}

// Encoder has the vectors of an encoder in classes of their own. Weaviate finds the
// nearest ones, and the vectors of given chunks come from EncoderConfig.Encodings. It is
// safe for concurrent use.
type Encoder struct {
	cfg EncoderConfig
	// index has the classes. Its corpus has the vectors of the encoder.
	index *Index

	mu    sync.Mutex // held by follow; it guards the following fields
	count int        // of the last refresh that succeeded
	again time.Time  // no refresh of a Retriever begins earlier
}

var _ retrieve.EncoderVectors = (*Encoder)(nil)

// OpenEncoder adds an encoder to the index. It does not wait for the cluster. Call it
// before all other methods.
func (x *Index) OpenEncoder(cfg EncoderConfig) (*Encoder, error) {
	for name, missing := range map[string]bool{
		"Model": cfg.Model == "", "Dimensions": cfg.Dimensions < 1, "Encodings": cfg.Encodings == nil, "Chunks": cfg.Chunks == nil,
	} {
		if missing {
			return nil, fault.New(fault.Invalid, "config_weaviate_incomplete", "weaviate: Config.%s is missing", name)
		}
	}
	// Processes of different versions may take other languages, so each has its own class.
	kind := fmt.Sprintf("%q %d %t %q", cfg.Model, cfg.Dimensions, cfg.Languages.Except, cfg.Languages.Listed)
	own := x.cfg
	own.Class = fmt.Sprintf("%sEncoder%x", x.cfg.Class, sha256.Sum256([]byte(kind)))[:len(x.cfg.Class)+len("Encoder")+16]
	own.Corpus, own.Embedder, own.Dimensions = encodedCorpus{x.cfg.Corpus, cfg}, cfg.Model, cfg.Dimensions
	e := &Encoder{cfg: cfg, index: &Index{
		cfg: own, client: x.client, owner: rand.Text(), encoder: " " + own.Class, zeros: true,
	}}
	x.encoders = append(x.encoders, e)
	return e, nil
}

// encodedCorpus is a corpus with the vectors of an encoder.
type encodedCorpus struct {
	corpus.Corpus
	EncoderConfig
}

// Changes implements corpus.Corpus. Documents that the encoder does not take have no
// vectors.
func (c encodedCorpus) Changes(ctx context.Context, since int64, _ string) iter.Seq2[corpus.Change, error] {
	return func(yield func(corpus.Change, error) bool) {
		for change, err := range c.Corpus.Changes(ctx, since, c.Model) {
			if err == nil {
				change.Vectors = make([][]float32, len(change.Chunks))
				if len(change.Chunks) > 0 && c.Languages.Accept(change.Document.Language) {
					ids := make([]int64, len(change.Chunks))
					for i := range ids {
						ids[i] = change.Chunks[i].ID
					}
					change.Vectors, err = c.Encodings.ReadEncodings(ctx, c.Model, ids)
				}
			}
			if !yield(change, err) || err != nil {
				return
			}
		}
	}
}

// Nearest implements retrieve.Nearest.
func (e *Encoder) Nearest(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	return e.index.Nearest(ctx, vector, k, filter)
}

// Vectors implements retrieve.EncoderVectors. It does not ask Weaviate.
func (e *Encoder) Vectors(ctx context.Context, ids []int64) ([][]float32, error) {
	vectors, err := e.cfg.Encodings.ReadEncodings(ctx, e.cfg.Model, ids)
	for i, v := range vectors {
		if len(v) != e.cfg.Dimensions {
			vectors[i] = nil
		}
	}
	return vectors, err
}

// Refresh implements retrieve.EncoderVectors. If no node answers, or while another
// process writes, it returns the count of vectors without all changes. Index.Follow
// applies them later.
func (e *Encoder) Refresh(ctx context.Context) (done, total int, err error) {
	if total, err = e.cfg.Chunks(ctx, e.cfg.Languages); err != nil {
		return 0, 0, fmt.Errorf("weaviate: count the chunks of the encoder: %w", err)
	}
	if !e.due() {
		return e.counted(), total, nil
	}
	switch _, err := e.follow(ctx); {
	case fault.KindOf(err) == fault.Unavailable:
		e.index.cfg.Log.Error("the vectors of the encoder in Weaviate are not up to date", "model", e.cfg.Model, "error", err)
	case err != nil:
		return 0, 0, err
	}
	return e.counted(), total, nil
}

// due reports whether no refresh has failed lately.
func (e *Encoder) due() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !time.Now().Before(e.again)
}

func (e *Encoder) counted() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.count
}

// follow applies all changes of the corpus and of the stored vectors, and counts the
// vectors. It returns false if another process writes.
func (e *Encoder) follow(ctx context.Context) (done bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if done, err = e.write(ctx); err == nil {
		var count int
		if count, err = e.index.countObjects(ctx); err == nil {
			e.count = count
		}
	}
	if err != nil {
		e.again = time.Now().Add(maxPause)
	}
	return done && err == nil, err
}

// write applies the changes of the corpus first: all vectors that it adds afterwards are
// of a later revision, or of chunks that a later change removes.
func (e *Encoder) write(ctx context.Context) (bool, error) {
	r := &refreshing{Index: e.index, next: time.Now().Add(logEvery)}
	if ok, err := r.take(ctx); err != nil || !ok {
		return false, err
	}
	defer r.giveBack(ctx)
	if err := r.prepare(ctx); err != nil {
		return false, err
	}
	since, err := e.since(ctx, r)
	if err != nil {
		return false, err
	}
	if done, err := r.run(ctx); err != nil || !done {
		return false, err
	}
	return e.add(ctx, r, since)
}

// since returns the revision of the encoder that the classes have. New classes have no
// objects that changes of the corpus could remove.
func (e *Encoder) since(ctx context.Context, r *refreshing) (int64, error) {
	if r.revision > 0 {
		var have struct{ Properties state }
		path := "/v1/objects/" + r.stateClass() + "/" + encodedID + consistency
		err := r.client.call(ctx, searchTimeout, http.MethodGet, path, nil, &have)
		if isStatus(err, http.StatusNotFound) {
			err = nil
		}
		return have.Properties.Revision, err
	}
	now, err := r.cfg.Corpus.Revision(ctx)
	if err != nil {
		return 0, fmt.Errorf("weaviate: revision: %w", err)
	}
	if err := e.saveEncoded(ctx, 0); err != nil {
		return 0, err
	}
	r.revision = now.Number
	return 0, r.saveState(ctx, now.Number)
}

// add adds the stored vectors after a revision of the encoder. It returns false if the
// lease is lost.
func (e *Encoder) add(ctx context.Context, r *refreshing, since int64) (bool, error) {
	var batch []corpus.Encoding
	last := since
	for encoding, err := range e.cfg.Encodings.Encoded(ctx, e.cfg.Model, since) {
		if err != nil {
			return false, fmt.Errorf("weaviate: vectors by %s since %d: %w", e.cfg.Model, since, err)
		}
		if len(batch) >= batchChunks {
			// The next vector may have the last revision, too.
			if done, err := e.put(ctx, r, batch, max(since, last-1)); err != nil || !done {
				return false, err
			}
			batch = batch[:0]
			if time.Now().After(r.next) {
				r.next = time.Now().Add(logEvery)
				e.index.cfg.Log.Info("filling the vectors of the encoder in Weaviate", "model", e.cfg.Model, "passages", r.chunks)
			}
		}
		batch, last = append(batch, encoding), encoding.Revision
	}
	if len(batch) == 0 {
		return true, nil
	}
	return e.put(ctx, r, batch, last)
}

// put writes vectors, and then the revision of the encoder.
func (e *Encoder) put(ctx context.Context, r *refreshing, batch []corpus.Encoding, revision int64) (bool, error) {
	if ok, err := r.take(ctx); err != nil || !ok {
		return false, err
	}
	ids := make([]int64, len(batch))
	vectors := make(map[int64][]float32, len(batch))
	for i, encoding := range batch {
		ids[i], vectors[encoding.ChunkID] = encoding.ChunkID, encoding.Vector
	}
	passages, err := e.index.cfg.Corpus.Passages(ctx, ids)
	if err != nil {
		return false, fmt.Errorf("weaviate: passages: %w", err)
	}
	var entries []retrieve.Entry
	for _, p := range passages {
		if d := &p.Document; e.cfg.Languages.Accept(d.Language) {
			entries = append(entries, retrieve.Entry{
				ID: p.ID, DocumentID: d.ID, Collection: d.Collection, Source: d.Source, Ordinal: p.Ordinal, Vector: vectors[p.ID],
			})
		}
	}
	if err := r.Index.put(ctx, entries, r.revision); err != nil {
		return false, err
	}
	r.chunks += len(entries)
	return true, e.saveEncoded(ctx, revision)
}

// saveEncoded stores the revision of the encoder.
func (e *Encoder) saveEncoded(ctx context.Context, revision int64) error {
	return e.index.write(ctx, []object{{Class: e.index.stateClass(), ID: encodedID, Properties: state{revision}}})
}

// counts is the response to a count.
type counts struct {
	Data struct {
		Aggregate map[string][]struct{ Meta struct{ Count int } }
	}
	Errors graphErrors
}

func (c *counts) failed() error { return c.Errors.first() }

// countObjects counts the objects of the class. There are none before a process has
// created it.
func (x *Index) countObjects(ctx context.Context) (int, error) {
	err := x.client.call(ctx, searchTimeout, http.MethodGet, "/v1/schema/"+x.cfg.Class, nil, nil)
	if isStatus(err, http.StatusNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var out counts
	err = x.client.call(ctx, searchTimeout, http.MethodPost, "/v1/graphql",
		map[string]string{"query": fmt.Sprintf(`{Aggregate {%s {meta {count}}}}`, x.cfg.Class)}, &out)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, part := range out.Data.Aggregate[x.cfg.Class] {
		total += part.Meta.Count
	}
	return total, nil
}
