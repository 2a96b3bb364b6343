package ingesttest

import (
	"context"
	"sync"
	"testing"
	"time"

	"docent/ingest"
	"docent/internal/storetest"
)

// counting is an embedder that counts the texts. It blocks once it has had some, if
// stopAt is set.
type counting struct {
	stopAt  int
	stopped chan struct{} // closed when it blocks

	mu    sync.Mutex
	texts map[string]int
}

func newCounting(stopAt int) *counting {
	return &counting{stopAt: stopAt, stopped: make(chan struct{}), texts: map[string]int{}}
}

func (c *counting) Name() string    { return "next" }
func (c *counting) Dimensions() int { return 2 }

func (c *counting) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopAt > 0 && len(c.texts) >= c.stopAt {
		close(c.stopped)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		c.texts[text]++
		out[i] = []float32{1, float32(i)}
	}
	return out, nil
}

func (c *counting) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	v, err := c.EmbedDocuments(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// ingestReembed: of several processes, one embeds at a time. If it ends, another one
// embeds the rest.
func ingestReembed(t *testing.T, db Database) {
	a, b, ctx := db.Open(t), db.Open(t), storetest.Within(t)
	const chunks = 700 // more than one batch
	store(t, a, put("/a", "word", chunks))
	first, second := newCounting(1), newCounting(0)
	run := func(ctx context.Context, s Store, e *counting, wait bool) (int, error) {
		return ingest.Reembed(ctx, ingest.Reembedding{Store: s, Leases: s, Embedder: e, Wait: wait, Lease: time.Minute})
	}
	dying, kill := context.WithCancel(ctx)
	defer kill()
	died := make(chan error, 1)
	go func() {
		_, err := run(dying, a, first, true)
		died <- err
	}()
	select {
	case <-first.stopped:
	case err := <-died:
		t.Fatalf("it ended in the first batch: %v", err)
	}
	n, err := run(ctx, b, second, false)
	storetest.OK(t, err)
	storetest.Want(t, "beside another process", n, 0)
	kill()
	if err := <-died; err == nil {
		t.Error("the first process did not end")
	}
	n, err = run(ctx, b, second, false)
	storetest.OK(t, err)
	storetest.Want(t, "all vectors", len(first.texts)+n, chunks)
	for text := range second.texts {
		if first.texts[text] > 0 || second.texts[text] > 1 {
			t.Fatalf("%q was embedded twice", text)
		}
	}
}

// ingestReembedKilled: the lease of a killed process expires, and a waiting process
// takes over.
func ingestReembedKilled(t *testing.T, db Database) {
	s, ctx := db.Open(t), storetest.Within(t)
	store(t, s, put("/a", "word", 3))
	now := time.Now()
	held, err := s.LeaseEncoder(ctx, "embedder next", "killed", now, now.Add(300*time.Millisecond))
	storetest.OK(t, err)
	storetest.Want(t, "the lease of the killed process", held, true)
	n, err := ingest.Reembed(ctx, ingest.Reembedding{Store: s, Leases: s, Embedder: newCounting(0), Wait: true, Lease: 60 * time.Millisecond})
	storetest.OK(t, err)
	storetest.Want(t, "vectors", n, 3)
	if took := time.Since(now); took < 300*time.Millisecond {
		t.Errorf("it took over after %v, before the lease had expired", took)
	}
}
