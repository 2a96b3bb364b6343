package wiring

import (
	"context"
	"testing"
	"testing/synctest"

	"docent/internal/cores"
	"docent/internal/quota"
	"docent/rag/retrieve"
)

// gate is a Searcher whose searches send to began, and end when they receive from end.
type gate struct{ began, end chan struct{} }

func (g gate) Retrieve(context.Context, retrieve.Query) (retrieve.Retrieval, error) {
	g.began <- struct{}{}
	<-g.end
	return retrieve.Retrieval{}, nil
}

func TestSearchesOfOneClientWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		running := gate{make(chan struct{}), make(chan struct{})}
		s := sharedSearcher{running, cores.NewShares(1, 0), nil}
		search := func(client quota.Client) {
			go func() {
				if _, err := s.Retrieve(quota.WithClient(t.Context(), client), retrieve.Query{}); err != nil {
					t.Error(err)
				}
			}()
		}
		visitor, other := quota.Client{Principal: "widget", Address: "203.0.113.7"}, quota.Client{Principal: "widget", Address: "203.0.113.8"}
		clients := []quota.Client{visitor, visitor, visitor, other, {Principal: "ada"}, {}, {}}
		for _, client := range clients {
			search(client)
		}
		began := func() (n int) {
			for {
				synctest.Wait()
				select {
				case <-running.began:
					n++
				default:
					return n
				}
			}
		}
		if n := began(); n != 5 { // commands, "", do not wait
			t.Errorf("%d searches run, want one of each client and both commands", n)
		}
		for range 5 {
			running.end <- struct{}{}
		}
		for range 2 {
			if n := began(); n != 1 {
				t.Fatalf("%d of the waiting searches run, want 1", n)
			}
			running.end <- struct{}{}
		}
	})
}
