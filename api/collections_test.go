package api

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docent/internal/fault"
	"docent/rag/corpus"
)

// managed changes the collections of a world.
type managed struct{ *world }

func (s managed) Create(_ context.Context, name string, about corpus.About) error {
	s.more = append(s.more, corpus.CollectionInfo{Name: name, About: about})
	return s.broken
}

func (s managed) Change(_ context.Context, name string, edit func(*corpus.About)) error {
	for i := range s.more {
		if s.more[i].Name == name {
			edit(&s.more[i].About)
			return s.broken
		}
	}
	return fault.New(fault.NotFound, "no_collection", "there is no collection %.64q", name)
}

func (s managed) Empty(context.Context, string) (int, error) { return 2, s.broken }

func (s managed) Remove(_ context.Context, name string) (int, error) {
	s.more = nil
	return 3, s.broken
}

// TestCollections creates, changes, empties, and removes a collection.
func TestCollections(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := w.serve(t)
	c.want(204, "", "POST", "/api/collections", `{"name":"hr","title":"People","questions":["Who is who?"],"color":"teal"}`, "Content-Type", "application/json")
	c.want(204, "", "PATCH", "/api/collections/hr", `{"description":"All about us.","title":""}`, "Content-Type", "application/json")
	want := []corpus.CollectionInfo{{Name: "hr", About: corpus.About{Description: "All about us.", Color: "teal", Questions: []string{"Who is who?"}}}}
	if diff := cmp.Diff(want, w.more); diff != "" {
		t.Error(diff)
	}
	var listed []map[string]any
	_, body := c.do("GET", "/api/collections", "")
	if err := json.Unmarshal([]byte(body), &listed); err != nil {
		t.Fatal(err)
	}
	if got := listed[1]; got["title"] != "hr" || got["description"] != "All about us." || got["right"] != "manage" {
		t.Errorf("listed %v", got)
	}
	c.wantError(404, fault.NotFound, `there is no collection "none"`, "PATCH", "/api/collections/none", `{"title":"x"}`, "Content-Type", "application/json")
	c.want(200, `{"removed":2}`, "POST", "/api/collections/hr/empty", "")
	c.want(200, `{"removed":3}`, "DELETE", "/api/collections/hr", "")
}
