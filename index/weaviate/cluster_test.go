//go:build weaviate

package weaviate_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"testing"

	"docent/index/weaviate"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

func TestEncodersInCluster(t *testing.T) { runEncoders(t, nodes, indextest.RunApproximate) }

func TestNearest(t *testing.T) {
	indextest.RunApproximate(t, func(t *testing.T) (retrieve.Nearest, indextest.Writer) {
		x := open(t, weaviate.Config{Nodes: nodes, Class: "Test" + rand.Text()})
		if err := x.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := x.Drop(context.Background()); err != nil {
				t.Error(err)
			}
		})
		return x, x
	})
}

// TestRefresh fills an index from a corpus, and builds it again for another model.
func TestRefresh(t *testing.T) {
	class := "Test" + rand.Text()
	for n := range 2 { // another model each time
		entries := indextest.Entries(20 + n)
		chunks, vectors := make([]corpus.Chunk, len(entries)), make([][]float32, len(entries))
		for i, e := range entries {
			chunks[i], vectors[i] = corpus.Chunk{Text: e.Text}, e.Vector
		}
		x := open(t, weaviate.Config{
			Nodes: nodes, Class: class,
			Corpus:   corpus.NewFixed([]corpus.Document{{Collection: "default", Source: "a"}}, [][]corpus.Chunk{chunks}, [][][]float32{vectors}),
			Embedder: fmt.Sprint("model ", n),
		})
		for range 2 { // the second time, nothing has changed
			if done, err := x.Refresh(t.Context()); err != nil || !done {
				t.Fatal(done, err)
			}
		}
		hits, err := x.Nearest(t.Context(), entries[3].Vector, 100, retrieve.Filter{})
		if err != nil || len(hits) != len(entries) {
			t.Fatalf("%d of %d passages are found, %v", len(hits), len(entries), err)
		}
	}
}

// TestRestart: no search fails while a node is killed and starts again.
func TestRestart(t *testing.T) {
	x := open(t, weaviate.Config{Nodes: nodes, Class: "Test" + rand.Text()})
	if err := x.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Drop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	entries := indextest.Entries(500)
	if err := x.Put(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	for user := range 4 {
		asking.Go(func() {
			for n := user; ctx.Err() == nil; n++ {
				hits, err := x.Nearest(t.Context(), entries[n%len(entries)].Vector, 10, retrieve.Filter{})
				if err != nil || len(hits) != 10 {
					t.Errorf("%d hits, %v", len(hits), err)
				}
			}
		})
	}
	defer asking.Wait()
	defer stop()
	if err := processes[2].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = processes[2].Wait() // it was killed
	var err error
	if processes[2], err = startNode(3, data); err != nil {
		t.Fatal(err)
	}
	waiting, end := context.WithTimeout(t.Context(), startTimeout)
	defer end()
	if !wait(waiting, func() bool { return x.Put(waiting, entries[:10]) == nil }) { // it writes to all copies
		t.Error("the node does not come back")
	}
}
