package weaviate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"docent/index"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

const (
	// requestObjects is the maximum number of objects in a request that writes.
	requestObjects = 500
	// writers is the number of such requests at a time.
	writers = 3
	// batchChunks is the approximate number of chunks that are written before the next
	// revision is stored.
	batchChunks = writers * requestObjects
	// lease is the time after which another process may write. A batch takes less,
	// because each request has a timeout.
	lease = 2 * time.Minute
	// minPause and maxPause bound the pause of Follow after a failure, or while
	// another process writes.
	minPause = 250 * time.Millisecond
	maxPause = 30 * time.Second
	// logEvery is the interval of messages about progress.
	logEvery = 10 * time.Second
	// layout is the version of the objects. docent writes those of another version
	// again.
	layout = 2
	// shards is the number of parts of the index. Weaviate distributes them over its
	// nodes.
	shards = 3
	// replicas is the number of copies of each object, if there are as many nodes.
	replicas = 2
	// most is the number of changes in the index for each missing one, from which on
	// Filled does not wait for the rest.
	most = 20
	// consistency makes a write wait for all copies, so that a search finds the same
	// on each node. While a node is missing, writes fail, and are repeated later.
	consistency = "?consistency_level=ALL"
)

// stateID is the id of the object with the state.
const stateID = "00000000-0000-4000-8000-000000000001"

// identity says what an index contains. It is the description of the class, because
// all nodes agree about classes.
func (r *refreshing) identity() string {
	return fmt.Sprintf("docent: layout %d, database %s, embedder %s, dimensions %d", layout, r.database, r.cfg.Embedder, r.cfg.Dimensions)
}

// state is how far an index is.
type state struct {
	// Revision is that of the corpus.
	Revision int64 `json:"revision"`
}

// object is an object of Weaviate.
type object struct {
	Class      string    `json:"class"`
	ID         string    `json:"id"`
	Properties any       `json:"properties"`
	Vector     []float32 `json:"vector,omitempty"`
}

// passage has the properties of a chunk.
type passage struct {
	Chunk      int64  `json:"chunk"`
	Document   int64  `json:"document"`
	Collection string `json:"collection"`
	Source     string `json:"source"`
	Ordinal    int    `json:"ordinal"`
	// Revision is the revision of the corpus that wrote the object. Older objects of
	// the document are removed after the new ones are there.
	Revision int64 `json:"revision"`
}

// idOf makes the UUID of a chunk (version 8 of RFC 9562, for ids of one's own).
func idOf(chunk int64) string {
	var b [16]byte
	b[6], b[8] = 0x80, 0x80
	binary.BigEndian.PutUint32(b[0:], uint32(chunk>>32))
	binary.BigEndian.PutUint32(b[12:], uint32(chunk))
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Refresh applies all changes of the corpus to the index. If the index is empty or
// belongs to another database, model, or version, it writes the whole corpus. It does
// nothing and returns false while another process writes.
func (x *Index) Refresh(ctx context.Context) (done bool, err error) {
	r := refreshing{Index: x, next: time.Now().Add(logEvery)}
	if done, err = r.take(ctx); err != nil || !done {
		return false, err
	}
	defer r.giveBack(ctx)
	if err := r.prepare(ctx); err != nil {
		return false, err
	}
	return r.run(ctx)
}

// refreshing is one Refresh.
type refreshing struct {
	*Index
	held     time.Time // the time until which this process has the lease
	database string
	revision int64
	chunks   int // chunks that were written
	next     time.Time
}

// name is the name of the lease.
const name = "index weaviate"

// take takes or extends the lease.
func (r *refreshing) take(ctx context.Context) (bool, error) {
	now := time.Now()
	if r.held.Sub(now) > lease/2 {
		return true, nil
	}
	ok, err := r.cfg.Leases.LeaseEncoder(ctx, name+r.encoder, r.owner, now, now.Add(lease))
	if err != nil {
		return false, fmt.Errorf("weaviate: lease: %w", err)
	}
	r.held = now.Add(lease)
	return ok, nil
}

func (r *refreshing) giveBack(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), searchTimeout)
	defer cancel()
	now := time.Now()
	_, _ = r.cfg.Leases.LeaseEncoder(ctx, name+r.encoder, r.owner, now, now) //nolint:errcheck // the lease expires
}

// prepare creates the classes if they are missing, and reads the revision. It empties
// an index of something else.
func (r *refreshing) prepare(ctx context.Context) error {
	now, err := r.cfg.Corpus.Revision(ctx)
	if err != nil {
		return fmt.Errorf("weaviate: revision: %w", err)
	}
	r.database = now.Database
	var class struct{ Description string }
	err = r.client.call(ctx, searchTimeout, http.MethodGet, "/v1/schema/"+r.cfg.Class, nil, &class)
	switch {
	case isStatus(err, http.StatusNotFound):
		return r.create(ctx, r.identity())
	case err != nil:
		return err
	case class.Description != r.identity():
		r.cfg.Log.Warn("the index in Weaviate is of another database, model, or version: building it again")
		if err := r.drop(ctx); err != nil {
			return err
		}
		return r.create(ctx, r.identity())
	}
	have, err := r.readState(ctx, consistency)
	switch {
	case isStatus(err, http.StatusNotFound): // the nodes are starting
		return fault.Wrap(fault.Unavailable, err, "weaviate_state",
			"Weaviate does not have the state of the index yet; if that stays so, delete the class %s", r.cfg.Class)
	case err != nil:
		return err
	}
	if r.revision = have.Revision; r.revision > now.Number {
		r.revision = 0
		r.cfg.Log.Warn("the corpus is older than the index in Weaviate: building it again")
		if err := r.drop(ctx); err != nil {
			return err
		}
		return r.create(ctx, r.identity())
	}
	return nil
}

func (x *Index) stateClass() string { return x.cfg.Class + "State" }

// Drop deletes the index and the vectors of its encoders. Refresh builds it again.
func (x *Index) Drop(ctx context.Context) error {
	for _, e := range x.encoders {
		if err := e.index.drop(ctx); err != nil {
			return err
		}
	}
	return x.drop(ctx)
}

// drop deletes the classes.
func (x *Index) drop(ctx context.Context) error {
	for _, class := range []string{x.cfg.Class, x.stateClass()} {
		if err := x.client.call(ctx, writeTimeout, http.MethodDelete, "/v1/schema/"+class, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// create creates the classes.
func (x *Index) create(ctx context.Context, identity string) error {
	var nodes struct{ Nodes []struct{ Name string } }
	if err := x.client.call(ctx, searchTimeout, http.MethodGet, "/v1/nodes", nil, &nodes); err != nil {
		return err
	}
	replication := map[string]any{"factor": min(replicas, max(len(nodes.Nodes), 1))}
	// Weaviate indexes only the properties that docent filters by. A comparison needs an
	// index of ranges: without one, it reads the objects of each revision.
	property := func(name, kind string, indexed bool) map[string]any {
		p := map[string]any{"name": name, "dataType": []string{kind}, "indexFilterable": indexed}
		if kind == "text" {
			p["tokenization"], p["indexSearchable"] = "field", false
		}
		return p
	}
	revision := property("revision", "int", false)
	revision["indexRangeFilters"] = true
	err := x.client.call(ctx, writeTimeout, http.MethodPost, "/v1/schema", map[string]any{
		"class": x.stateClass(), "vectorizer": "none", "replicationConfig": replication, "vectorIndexConfig": map[string]any{"skip": true},
		"properties": []any{property("revision", "int", false)},
	}, nil)
	if err != nil && !isStatus(err, http.StatusUnprocessableEntity) { // it can exist without the other class
		return err
	}
	if err := x.saveState(ctx, 0); err != nil {
		return err
	}
	// Where this class exists, the state exists.
	return x.client.call(ctx, writeTimeout, http.MethodPost, "/v1/schema", map[string]any{
		"class": x.cfg.Class, "description": identity, "vectorizer": "none", "replicationConfig": replication,
		"shardingConfig":    map[string]any{"desiredCount": shards},
		"vectorIndexConfig": map[string]any{"distance": "dot"},
		"properties": []any{
			property("chunk", "int", false), property("document", "int", true), property("collection", "text", true),
			property("source", "text", false), property("ordinal", "int", false), revision,
		},
	}, nil)
}

// run applies the changes since the revision of the index.
func (r *refreshing) run(ctx context.Context) (bool, error) {
	now, err := r.cfg.Corpus.Revision(ctx)
	if err != nil {
		return false, fmt.Errorf("weaviate: revision: %w", err)
	}
	if r.revision == now.Number {
		return true, nil
	}
	var batch []corpus.Change
	last, pending := r.revision, 0
	for change, err := range r.cfg.Corpus.Changes(ctx, r.revision, r.cfg.Embedder) {
		if err != nil {
			return false, fmt.Errorf("weaviate: changes since %d: %w", r.revision, err)
		}
		batch, last = append(batch, change), max(last, change.Revision)
		if pending += len(change.Chunks); pending < batchChunks {
			continue
		}
		// Two documents may share a revision, and the second may still follow.
		if done, err := r.apply(ctx, batch, last-1); err != nil || !done {
			return false, err
		}
		batch, pending = batch[:0], 0
		if time.Now().After(r.next) {
			r.next = time.Now().Add(logEvery)
			r.cfg.Log.Info("building the index in Weaviate", "revision", r.revision, "of", now.Number, "passages", r.chunks)
		}
	}
	return r.apply(ctx, batch, max(last, now.Number))
}

// apply writes changed documents, and then the revision. It returns false if the lease
// is lost.
func (r *refreshing) apply(ctx context.Context, changes []corpus.Change, revision int64) (bool, error) {
	if ok, err := r.take(ctx); err != nil || !ok {
		return false, err
	}
	documents := make([]int64, len(changes))
	var entries []retrieve.Entry
	written := int64(0)
	for i := range changes {
		d := &changes[i].Document
		documents[i], written = d.ID, max(written, changes[i].Revision)
		for n, c := range changes[i].Chunks {
			entries = append(entries, retrieve.Entry{
				ID: c.ID, DocumentID: d.ID, Collection: d.Collection, Source: d.Source, Ordinal: c.Ordinal, Vector: changes[i].Vectors[n],
			})
		}
	}
	if err := r.put(ctx, entries, written); err != nil {
		return false, err
	}
	if err := r.delete(ctx, documents, written); err != nil {
		return false, err
	}
	r.chunks += len(entries)
	r.revision = revision
	return true, r.saveState(ctx, revision)
}

// put writes entries with a vector, as objects of a revision.
func (x *Index) put(ctx context.Context, entries []retrieve.Entry, revision int64) error {
	var objects []object
	for _, e := range entries {
		if len(e.Vector) == 0 {
			continue
		}
		vector := index.Unit(e.Vector)
		zero := x.zeros && vector == nil && index.Usable(e.Vector, x.cfg.Dimensions) != nil
		if !zero && len(vector) != x.cfg.Dimensions {
			if len(vector) != 0 {
				x.cfg.Log.Warn("a stored vector cannot be used", "chunk", e.ID, "dimensions", len(e.Vector), "want", x.cfg.Dimensions)
			}
			continue
		}
		objects = append(objects, object{
			Class: x.cfg.Class, ID: idOf(e.ID), Vector: vector,
			Properties: passage{e.ID, e.DocumentID, e.Collection, e.Source, e.Ordinal, revision},
		})
	}
	return x.write(ctx, objects)
}

// written is the response to a batch.
type written []struct {
	Result struct {
		Errors *struct {
			Error []struct{ Message string }
		}
	}
}

// failed makes a batch go to another node if an object was not stored.
func (w *written) failed() error {
	for _, o := range *w {
		if e := o.Result.Errors; e != nil && len(e.Error) > 0 {
			return errors.New(short([]byte(e.Error[0].Message)))
		}
	}
	return nil
}

func (x *Index) write(ctx context.Context, objects []object) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for part := range slices.Chunk(objects, requestObjects) {
		group.Go(func() error {
			var out written
			return x.client.call(ctx, writeTimeout, http.MethodPost, "/v1/batch/objects"+consistency, map[string]any{"objects": part}, &out)
		})
	}
	return group.Wait()
}

// deleted is the response to a deletion.
type deleted struct {
	Results struct{ Matches, Failed int64 }
}

// delete removes the objects of documents that are of an older revision.
func (x *Index) delete(ctx context.Context, documents []int64, before int64) error {
	if len(documents) == 0 {
		return nil
	}
	where := map[string]any{"operator": "And", "operands": []any{
		map[string]any{"path": []string{"document"}, "operator": "ContainsAny", "valueIntArray": documents},
		map[string]any{"path": []string{"revision"}, "operator": "LessThan", "valueInt": before},
	}}
	for {
		var out deleted
		err := x.client.call(ctx, writeTimeout, http.MethodDelete, "/v1/batch/objects"+consistency,
			map[string]any{"match": map[string]any{"class": x.cfg.Class, "where": where}}, &out)
		switch {
		case err != nil:
			return err
		case out.Results.Failed > 0:
			return fault.New(fault.Unavailable, "weaviate_delete", "Weaviate could not delete %d objects", out.Results.Failed)
		case out.Results.Matches < maxFetch: // Weaviate deletes so many at a time
			return nil
		}
	}
}

// saveState stores the revision of the index.
func (x *Index) saveState(ctx context.Context, revision int64) error {
	return x.write(ctx, []object{{Class: x.stateClass(), ID: stateID, Properties: state{revision}}})
}

// refreshAll refreshes the index and the vectors of its encoders.
func (x *Index) refreshAll(ctx context.Context) (done bool, err error) {
	if done, err = x.Refresh(ctx); done {
		x.filled.Store(true)
	}
	for _, e := range x.encoders {
		ok, failed := e.follow(ctx)
		done, err = done && ok, errors.Join(err, failed)
	}
	return done, err
}

// Filled fails with fault.Unavailable until Follow has refreshed the index once, or the
// index has most changes. While a node is missing, the last changes have to wait. The error
// says how far the index is.
func (x *Index) Filled(ctx context.Context) error {
	if x.filled.Load() {
		return nil
	}
	now, err := x.cfg.Corpus.Revision(ctx)
	if err != nil {
		return fmt.Errorf("weaviate: revision: %w", err)
	}
	have, err := x.readState(ctx, "?consistency_level=ONE")
	var missing *statusError // there is no class yet
	if err != nil && !errors.As(err, &missing) {
		return err
	}
	if missing == nil && (now.Number-have.Revision)*most <= have.Revision {
		x.filled.Store(true)
		return nil
	}
	return index.Filling("index in Weaviate", have.Revision, now.Number)
}

// readState returns the revision of the index.
func (x *Index) readState(ctx context.Context, consistency string) (state, error) {
	var have struct{ Properties state }
	err := x.client.call(ctx, searchTimeout, http.MethodGet, "/v1/objects/"+x.stateClass()+"/"+stateID+consistency, nil, &have)
	return have.Properties, err
}

// Follow refreshes the index at once and after each change of the corpus until ctx ends,
// which is not an error. After a failure, or while another process writes, it tries again
// after a pause.
func (x *Index) Follow(ctx context.Context) error {
	changed, err := x.cfg.Corpus.Watch(ctx)
	if err != nil {
		return fmt.Errorf("weaviate: watch the corpus: %w", err)
	}
	again := time.NewTimer(0)
	defer again.Stop()
	for pause := minPause; ; {
		select {
		case <-again.C:
		case _, ok := <-changed:
			if !ok {
				return nil
			}
		}
		done, err := x.refreshAll(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case done && err == nil:
			again.Stop()
			pause = minPause
			continue
		case err != nil:
			x.cfg.Log.Error("the index in Weaviate could not follow the documents", "error", err, "again_in", pause)
		}
		again.Reset(pause)
		pause = min(2*pause, maxPause)
	}
}
