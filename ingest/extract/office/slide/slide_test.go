package slide_test

import (
	"errors"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office/slide"
	"docent/ingest/outline"
)

// box is a shape with one paragraph at a place, in quarters of an inch.
func box(text string, x, y int64) *slide.Shape {
	const quarter = 914400 / 4
	return &slide.Shape{Placed: true, X: x * quarter, Y: y * quarter, Lines: []slide.Line{{Text: text}}}
}

func TestAddSlide(t *testing.T) {
	t.Parallel()
	shapes := []*slide.Shape{
		box("below", 0, 8),
		box("right", 9, 2),
		box("left", 0, 2),
		{Role: slide.RoleRunning, Lines: []slide.Line{{Text: "page 3"}}},
		{Hidden: true, Lines: []slide.Line{{Text: "hidden"}}},
		{Role: slide.RoleBody, Lines: []slide.Line{{Text: "one", Mark: slide.Inherited}, {Text: "two", Mark: slide.Inherited}}},
		{Role: slide.RoleTitle, Lines: []slide.Line{{Text: "Pump"}, {Text: "manual"}}},
	}
	b := outline.NewBuilder(100)
	title, err := slide.Writer{Builder: b}.AddSlide(shapes)
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
	shape := &slide.Shape{Lines: []slide.Line{
		{Text: "a", Mark: slide.Number},
		{Text: "b", Mark: slide.Number, Level: 1},
		{Text: "c", Mark: slide.Number},
		{Text: "text"},
		{Text: "d", Mark: slide.Number},
	}}
	b := outline.NewBuilder(100)
	if err := (slide.Writer{Builder: b}).AddShapes([]*slide.Shape{shape}); err != nil {
		t.Fatal(err)
	}
	if got := extracttest.Show(b.Document("")); got != "li 1. a\nli 1. b\nli 2. c\np text\nli 1. d\n" {
		t.Errorf("blocks:\n%s", got)
	}
}

func TestRefer(t *testing.T) {
	t.Parallel()
	failed := errors.New("no such chart")
	w := slide.Writer{Builder: outline.NewBuilder(100), Refer: func(ref string) error {
		if ref != "rId1" {
			t.Errorf("refers to %s", ref)
		}
		return failed
	}}
	if err := w.AddShapes([]*slide.Shape{{Children: []*slide.Shape{{Ref: "rId1"}}}}); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}

func TestAddNotes(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(100)
	slide.AddNotes(b, []*slide.Shape{
		{Role: slide.RoleRunning, Lines: []slide.Line{{Text: "3"}}},
		{Role: slide.RoleBody, Lines: []slide.Line{{Text: "Mind this."}, {Text: " "}, {Text: "And that."}}},
	})
	if got := extracttest.Show(b.Document("")); got != "p Notes: Mind this.\np And that.\n" {
		t.Errorf("blocks:\n%s", got)
	}
}
