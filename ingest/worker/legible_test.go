package worker_test

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"

	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// moved returns a PNG turned by an angle in degrees around its center, or mirrored.
func moved(t *testing.T, data []byte, degrees float64, mirrored bool) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	w, h := float64(b.Dx()), float64(b.Dy())
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	wide, high := math.Abs(w*cos)+math.Abs(h*sin), math.Abs(w*sin)+math.Abs(h*cos)
	to := f64.Aff3{cos, -sin, wide/2 - cos*w/2 + sin*h/2, sin, cos, high/2 - sin*w/2 - cos*h/2}
	if mirrored {
		to = f64.Aff3{-1, 0, w, 0, 1, 0}
	}
	out := image.NewGray(image.Rect(0, 0, int(wide), int(high)))
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.BiLinear.Transform(out, to, img, b, draw.Over, nil)
	var buf bytes.Buffer
	if err := png.Encode(&buf, out); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestTurnedScans reads pictures that lie on their head or on their side, or are slanted.
func TestTurnedScans(t *testing.T) {
	t.Parallel()
	p := withTools(t)
	scan := read(t, "testdata/scan.png")
	const sentence = "The feed pump is serviced every 4,000 hours."
	for _, degrees := range []float64{180, 90, 12} {
		src := intake.Source{Name: "scan.png", Data: moved(t, scan, degrees, false)}
		r, err := p.Read(t.Context(), src)
		start := strings.Index(r.Text, sentence)
		if err != nil || start < 0 {
			t.Errorf("turned by %v: %q, %v", degrees, r.Text, err)
			continue
		}
		page, err := p.ReadPage(t.Context(), src, 0)
		if err != nil {
			t.Fatal(err)
		}
		marks := page.Marks(pdf.PassageIn(r.Text, start, start+len(sentence)))
		if len(marks) == 0 || marks[0].X < 0 || marks[0].Y < 0 || marks[0].X+marks[0].Width > 1 {
			t.Errorf("turned by %v: the sentence is marked at %+v", degrees, marks)
		}
	}
	_, err := p.Read(t.Context(), intake.Source{Name: "scan.png", Data: moved(t, scan, 0, true)})
	if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(fault.Message(err), "not legible") {
		t.Errorf("mirrored: %v", err)
	}
}
