package extract_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/ingest/extract/pdf"
	"docent/internal/fault"
)

func decoded(t *testing.T, drawn []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestDrawPage(t *testing.T) {
	t.Parallel()
	e := newExtractor(t)
	for _, tt := range []struct {
		attrs string
		width int
		want  image.Point
		shown [2]float64
	}{
		{"", 600, image.Pt(600, 800), [2]float64{600, 800}},
		{"/Rotate 90", 600, image.Pt(600, 450), [2]float64{800, 600}},
		{"/CropBox[0 0 300 100]", 600, image.Pt(600, 200), [2]float64{300, 100}},
		{"", 1, image.Pt(200, 267), [2]float64{600, 800}},
		{"", 100_000, image.Pt(2400, 3200), [2]float64{600, 800}},
	} {
		data := sheets(sheet{attrs: tt.attrs, columns: []string{"Text."}})
		drawn, pages, err := e.DrawPage(t.Context(), data, 0, tt.width)
		if err != nil {
			t.Fatal(err)
		}
		img := decoded(t, drawn)
		if size := img.Bounds().Size(); size != tt.want || pages != 1 {
			t.Errorf("%s in %d is %v of %d pages", tt.attrs, tt.width, size, pages)
		}
		if r, g, b, a := img.At(1, 1).RGBA(); r != 0xFFFF || g != r || b != r || a != r {
			t.Errorf("%s: the ground is %v", tt.attrs, img.At(1, 1))
		}
		page, err := e.ReadPage(t.Context(), data, 0)
		if err != nil || math.Abs(page.Width-tt.shown[0]) > 0.01 || math.Abs(page.Height-tt.shown[1]) > 0.01 {
			t.Errorf("%s: %+v %v", tt.attrs, page, err)
		}
	}
}

// A very long or wide page is drawn smaller, so that it does not need the memory
// of many pages.
func TestDrawPageIsBounded(t *testing.T) {
	t.Parallel()
	e := newExtractor(t)
	for _, box := range []string{"0 0 20 14000", "0 0 14000 20", "0 0 0.01 100000", "0 0 100000 0.01", "0 0 1 10000000", "0 0 10000000 1", "0 0 1e30 1e30", "0 0 0 0", "9 9 1 1"} {
		data := sheets(sheet{attrs: "/MediaBox[" + box + "]", columns: []string{"Text."}})
		drawn, _, err := e.DrawPage(t.Context(), data, 0, pdf.MaxPageWidth)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s: %v", box, err)
			}
			continue
		}
		size := decoded(t, drawn).Bounds().Size()
		t.Logf("%s: %v", box, size)
		if size.X*size.Y > 8<<20 || size.X > 16<<10 || size.Y > 16<<10 {
			t.Errorf("%s is drawn as %v", box, size)
		}
		if _, err := e.ReadPage(t.Context(), data, 0); err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", box, err)
		}
	}
}

// TestDrawPageColours: colors are kept, and half-transparent objects are drawn
// on white.
func TestDrawPageColours(t *testing.T) {
	t.Parallel()
	stream := "1 0 0 rg 0 0 300 800 re f /G gs 0 0 1 rg 300 0 300 800 re f"
	data := fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</ExtGState<</G<</ca 0.5>>>>>>/Group<</S/Transparency/CS/DeviceRGB>>>>endobj\n"+
		"4 0 obj<</Length %d>>stream\n%s\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%%%EOF\n", len(stream), stream)
	drawn, _, err := newExtractor(t).DrawPage(t.Context(), data, 0, 300)
	if err != nil {
		t.Fatal(err)
	}
	img := decoded(t, drawn)
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 4 }
	for x, want := range map[int]color.RGBA{50: {255, 0, 0, 255}, 250: {127, 127, 255, 255}} {
		got := color.RGBAModel.Convert(img.At(x, 100)).(color.RGBA) //nolint:forcetypeassert // it is one
		if !near(got.R, want.R) || !near(got.G, want.G) || !near(got.B, want.B) || got.A != 255 {
			t.Errorf("at %d is %v, want %v", x, got, want)
		}
	}
}

func TestPageRefusals(t *testing.T) {
	t.Parallel()
	e := newExtractor(t)
	read := func(name string) []byte {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	manual := read("manual.pdf")
	for _, tt := range []struct {
		name string
		data []byte
		page int
		kind fault.Kind
		says string
	}{
		{"beyond the last", manual, 5, fault.NotFound, "the document has 5"},
		{"a number below zero", manual, -1, fault.NotFound, "no page -1"},
		{"far beyond", manual, math.MaxInt, fault.NotFound, "no page"},
		{"encrypted", read("encrypted.pdf"), 0, fault.Invalid, "encrypted"},
		{"half a file", manual[:len(manual)/2][:300], 0, "", ""},
		{"nothing", nil, 0, fault.Invalid, "damaged"},
		{"no PDF", []byte("<html>"), 0, fault.Invalid, "damaged"},
		{"a page that is none", []byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[9 0 R 2 0 R]/Count 3>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"), 1, "", ""},
	} {
		_, _, drawErr := e.DrawPage(t.Context(), tt.data, tt.page, 400)
		_, readErr := e.ReadPage(t.Context(), tt.data, tt.page)
		for _, err := range []error{drawErr, readErr} {
			kind := fault.KindOf(err)
			if tt.kind == "" && (err == nil || kind == fault.NotFound || kind == fault.Invalid) {
				continue // the library may accept or reject the data, but must not fail internally
			}
			if kind != tt.kind || !strings.Contains(fault.Message(err), tt.says) {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	}
	// A picture without text can be drawn.
	if _, _, err := e.DrawPage(t.Context(), read("picture.pdf"), 0, 400); err != nil {
		t.Error(err)
	}
}

func TestPagesAtOnce(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/manual.pdf")
	if err != nil {
		t.Fatal(err)
	}
	e := newExtractor(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, _, err := e.DrawPage(t.Context(), data, i%5, 300); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			page, err := e.ReadPage(t.Context(), data, i%5)
			if err != nil {
				t.Error(err)
				return
			}
			if want := []string{"i", "ii", "1", "2", "3"}[i%5]; page.Label != want {
				t.Errorf("page %d is called %q", i%5, page.Label)
			}
		})
	}
	wg.Wait()
}

// TestPageCanceled: a canceled call does not wait for a slow page.
func TestPageCanceled(t *testing.T) {
	t.Parallel()
	e, data := newExtractor(t), slowPDF()
	if _, _, err := e.DrawPage(t.Context(), sheets(sheet{}), 0, 200); err != nil { // the library is loaded
		t.Fatal(err)
	}
	for name, work := range map[string]func(context.Context) error{
		"draw": func(ctx context.Context) error { _, _, err := e.DrawPage(ctx, data, 0, 2400); return err },
		"read": func(ctx context.Context) error { _, err := e.ReadPage(ctx, data, 0); return err },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		err := work(ctx)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Waiting calls can be canceled too, and later calls still get their turn.
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if _, _, err := e.DrawPage(ctx, data, 0, 2400); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	<-time.After(100 * time.Millisecond)
	cancel()
	wg.Wait()
	if _, _, err := e.DrawPage(t.Context(), sheets(sheet{}), 0, 200); err != nil {
		t.Error(err)
	}
}

// On a page with very many characters, only a bounded number is read.
func TestPageOfManyLetters(t *testing.T) {
	t.Parallel()
	stream := "BT /F1 9 Tf 9 TL 10 790 Td " + strings.Repeat("(wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww) Tj T* ", 4000) + "ET"
	data := fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n"+
		"4 0 obj<</Length %d>>stream\n%s\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%%%EOF\n", len(stream), stream)
	page, err := newExtractor(t).ReadPage(t.Context(), data, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := page.Bytes(); n > 4<<20 {
		t.Errorf("it takes %d bytes", n)
	}
	if marks := page.Marks(pdf.Passage{Text: strings.Repeat("w", 5000)}); len(marks) == 0 || len(marks) > 2000 {
		t.Errorf("%d marks", len(marks))
	}
}
