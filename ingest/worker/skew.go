package worker

import (
	"bytes"
	"image"
	"image/png"
	"math"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"

	"docent/ingest/extract/pdf"
)

const (
	// skewWidth is the width in pixels at which the angle of the lines is measured.
	skewWidth = 400
	// maxSkew is the largest angle that is measured, in degrees.
	maxSkew = 25
	// clearSkew is the ratio of contrast between lines that makes an angle clear.
	clearSkew = 1.3
	// maxSkewPixels bounds the pictures that are turned.
	maxSkewPixels = 40 << 20
)

// straightened turns a picture so that its lines are level. placed maps a word of the new
// picture to its place in the old one. ok is false if the lines are level already, or if
// the picture has no clear lines.
func straightened(data []byte) (turned []byte, placed func(pdf.Word) pdf.Word, ok bool) {
	cfg, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil || cfg.Width <= 0 || cfg.Width > maxSkewPixels/max(cfg.Height, 1) {
		return nil, nil, false
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, nil, false
	}
	angle := skew(img)
	if angle == 0 {
		return nil, nil, false
	}
	b := img.Bounds()
	w, h := float64(b.Dx()), float64(b.Dy())
	sin, cos := math.Sincos(angle)
	wide, high := math.Abs(w*cos)+math.Abs(h*sin), math.Abs(w*sin)+math.Abs(h*cos)
	// to maps a point of the old picture, from its center, to the new picture.
	to := f64.Aff3{cos, sin, wide/2 - cos*w/2 - sin*h/2, -sin, cos, high/2 + sin*w/2 - cos*h/2}
	out := image.NewGray(image.Rect(0, 0, int(wide), int(high)))
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.ApproxBiLinear.Transform(out, to, img, b, draw.Over, nil)
	var encoded bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&encoded, out); err != nil {
		return nil, nil, false
	}
	placed = func(word pdf.Word) pdf.Word {
		x, y := (word.X+word.Width/2)*wide-wide/2, (word.Y+word.Height/2)*high-high/2
		word.Width, word.Height = word.Width*wide/w, word.Height*high/h
		word.X = (cos*x-sin*y+w/2)/w - word.Width/2
		word.Y = (sin*x+cos*y+h/2)/h - word.Height/2
		return word
	}
	return encoded.Bytes(), placed, true
}

// skew returns the angle of the lines of a picture in radians, or 0 if they are level or
// not clear. Rows of pixels along the lines have the highest contrast to each other.
func skew(img image.Image) float64 {
	b := img.Bounds()
	height := max(1, b.Dy()*skewWidth/b.Dx())
	if height > 4*skewWidth {
		return 0
	}
	small := image.NewGray(image.Rect(0, 0, skewWidth, height))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), img, b, draw.Src, nil)
	var dark []image.Point
	for y := range height {
		for x := range skewWidth {
			if small.GrayAt(x, y).Y < 160 {
				dark = append(dark, image.Pt(x, y))
			}
		}
	}
	if len(dark)*3 > skewWidth*height { // a photo, not letters on paper
		return 0
	}
	level, best, angle := contrast(dark, height, 0), 0.0, 0.0
	for degrees := -maxSkew; degrees <= maxSkew; degrees++ {
		a := float64(degrees) * math.Pi / 180
		if c := contrast(dark, height, a); c > best {
			best, angle = c, a
		}
	}
	if best < clearSkew*level {
		return 0
	}
	return angle
}

// contrast returns how much the rows at an angle differ in their number of dark points.
func contrast(dark []image.Point, height int, angle float64) float64 {
	rows := make([]float64, height+2*skewWidth)
	sin, cos := math.Sincos(angle)
	for _, p := range dark {
		if y := int(cos*float64(p.Y)-sin*float64(p.X)) + skewWidth; y >= 0 && y < len(rows) {
			rows[y]++
		}
	}
	sum := 0.0
	for i := 1; i < len(rows); i++ {
		d := rows[i] - rows[i-1]
		sum += d * d
	}
	return sum
}
