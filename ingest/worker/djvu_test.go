package worker_test

import (
	"strings"
	"testing"

	"docent/ingest/extract/djvu"
	"docent/ingest/intake"
	"docent/ingest/worker"
	"docent/internal/fault"
)

// TestDjVu reads the text of a book with djvutxt.
func TestDjVu(t *testing.T) {
	t.Parallel()
	tools := worker.FindTools()
	if tools.Djvutxt == "" {
		t.Fatal("djvutxt is missing; run .ci/setup test")
	}
	p := newPool(t, worker.PoolConfig{Full: 1, Tools: tools})
	book := read(t, "testdata/book.djvu")
	r, err := p.Read(t.Context(), intake.Source{Name: "book.djvu", Data: book})
	want := "The keel of the Heron is made of oak.\nIt weighs 140 kilograms.\n\nThe mast is made of spruce."
	if err != nil || r.Text != want || r.Media != djvu.Media || len(r.Chunks) != 2 || *r.Chunks[1].Page != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	without := newPool(t, worker.PoolConfig{Full: 1})
	if _, err := without.Read(t.Context(), intake.Source{Name: "book.djvu", Data: book}); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), "djvutxt") {
		t.Errorf("without djvutxt: %v", err)
	}
	if _, err := p.Read(t.Context(), intake.Source{Name: "book.djvu", Data: book[:200]}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a cut book: %v", err)
	}
}
