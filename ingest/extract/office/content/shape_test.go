package content_test

import (
	"errors"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office/content"
	"docent/ingest/outline"
)

// box is a shape with one paragraph at a place, in quarters of an inch.
func box(text string, x, y int64) *content.Shape {
	const quarter = 914400 / 4
	return &content.Shape{Placed: true, X: x * quarter, Y: y * quarter, Lines: []content.Line{{Text: text}}}
}

func TestAddSlide(t *testing.T) {
	t.Parallel()
	shapes := []*content.Shape{
		box("below", 0, 8),
		box("right", 9, 2),
		box("left", 0, 2),
		{Role: content.RoleRunning, Lines: []content.Line{{Text: "page 3"}}},
		{Hidden: true, Lines: []content.Line{{Text: "hidden"}}},
		{Role: content.RoleBody, Lines: []content.Line{{Text: "one", Mark: content.Inherited}, {Text: "two", Mark: content.Inherited}}},
		{Role: content.RoleTitle, Lines: []content.Line{{Text: "Pump"}, {Text: "manual"}}},
	}
	b := outline.NewBuilder(100)
	title, err := content.ShapeWriter{Builder: b}.AddSlide(shapes)
	if err != nil || title != "Pump manual" {
		t.Fatalf("title %q: %v", title, err)
	}
	want := "h1 Pump manual\nli - one\nli - two\np left\np right\np below\n"
	if got := extracttest.Show(b.Document("")); got != want {
		t.Errorf("blocks:\n%s\nwant:\n%s", got, want)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	shape := &content.Shape{Lines: []content.Line{
		{Text: "a", Mark: content.Number},
		{Text: "b", Mark: content.Number, Level: 1},
		{Text: "c", Mark: content.Number},
		{Text: "text"},
		{Text: "d", Mark: content.Number},
	}}
	b := outline.NewBuilder(100)
	if err := (content.ShapeWriter{Builder: b}).AddShapes([]*content.Shape{shape}); err != nil {
		t.Fatal(err)
	}
	if got := extracttest.Show(b.Document("")); got != "li 1. a\nli 1. b\nli 2. c\np text\nli 1. d\n" {
		t.Errorf("blocks:\n%s", got)
	}
}

func TestRefer(t *testing.T) {
	t.Parallel()
	failed := errors.New("no such chart")
	w := content.ShapeWriter{Builder: outline.NewBuilder(100), Refer: func(ref string) error {
		if ref != "rId1" {
			t.Errorf("refers to %s", ref)
		}
		return failed
	}}
	if err := w.AddShapes([]*content.Shape{{Children: []*content.Shape{{Ref: "rId1"}}}}); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}

func TestAddNotes(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(100)
	content.AddNotes(b, []*content.Shape{
		{Role: content.RoleRunning, Lines: []content.Line{{Text: "3"}}},
		{Role: content.RoleBody, Lines: []content.Line{{Text: "Mind this."}, {Text: " "}, {Text: "And that."}}},
	})
	if got := extracttest.Show(b.Document("")); got != "p Notes: Mind this.\np And that.\n" {
		t.Errorf("blocks:\n%s", got)
	}
}
