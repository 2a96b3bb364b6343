package picture_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"docent/ingest/extract/picture"
)

// corner is a picture of 40 × 20 pixels that is black at its upper left.
func corner() image.Image {
	img := image.NewGray(image.Rect(0, 0, 40, 20))
	for y := range 20 {
		for x := range 40 {
			img.SetGray(x, y, color.Gray{Y: 255})
			if x < 10 && y < 10 {
				img.SetGray(x, y, color.Gray{})
			}
		}
	}
	return img
}

// exif is metadata with an orientation.
func exif(orientation byte) []byte {
	return append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), orientation, 0, 0, 0, 0, 0, 0)
}

// photo is a JPEG with an orientation.
func photo(t *testing.T, orientation byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, corner(), &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	meta := exif(orientation)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(meta)+2)) //nolint:gosec // short
	return append(append(head, meta...), b.Bytes()[2:]...)
}

func TestOrientation(t *testing.T) {
	t.Parallel()
	for orientation, want := range map[byte]struct {
		at   image.Point // of the black corner
		wide bool
	}{
		1: {image.Pt(0, 0), true}, 2: {image.Pt(1, 0), true}, 3: {image.Pt(1, 1), true}, 4: {image.Pt(0, 1), true},
		5: {image.Pt(0, 0), false}, 6: {image.Pt(1, 0), false}, 7: {image.Pt(1, 1), false}, 8: {image.Pt(0, 1), false},
	} {
		data := photo(t, orientation)
		page, err := picture.Page(data, 0)
		if err != nil || page.Width > page.Height != want.wide {
			t.Errorf("orientation %d: the page is %+v (%v)", orientation, page, err)
		}
		drawn, n, err := picture.Draw(data, 0, 1000)
		if err != nil || n != 1 {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(drawn))
		if err != nil {
			t.Fatal(err)
		}
		b := img.Bounds()
		x, y := 3+want.at.X*(b.Dx()-6), 3+want.at.Y*(b.Dy()-6)
		if r, _, _, _ := img.At(min(x, b.Dx()-1), min(y, b.Dy()-1)).RGBA(); r > 0x8000 || b.Dx() > b.Dy() != want.wide {
			t.Errorf("orientation %d: the corner is not at %v of %v", orientation, want.at, b)
		}
	}
}

// fax is a TIFF with pages of 16 × 20 pixels, each with a gray level, and a preview.
func fax(levels ...byte) []byte {
	data := []byte("II*\x00\x00\x00\x00\x00")
	link := 4 // where the offset of the next directory belongs
	add := func(level byte, preview uint32) {
		pixels := len(data)
		data = append(data, bytes.Repeat([]byte{level}, 16*20)...)
		binary.LittleEndian.PutUint32(data[link:], uint32(len(data))) //nolint:gosec // short
		at := uint32(pixels)                                          //nolint:gosec // short
		tags := [][2]uint32{{254, preview}, {256, 16}, {257, 20}, {258, 8}, {259, 1}, {262, 1}, {273, at}, {277, 1}, {278, 20}, {279, 16 * 20}}
		data = binary.LittleEndian.AppendUint16(data, uint16(len(tags))) //nolint:gosec // short
		for _, tag := range tags {
			data = binary.LittleEndian.AppendUint16(data, uint16(tag[0])) //nolint:gosec // short
			data = binary.LittleEndian.AppendUint16(data, 4)
			data = binary.LittleEndian.AppendUint32(data, 1)
			data = binary.LittleEndian.AppendUint32(data, tag[1])
		}
		link = len(data)
		data = append(data, 0, 0, 0, 0)
	}
	for i, level := range levels {
		add(level, 0)
		if i == 0 {
			add(7, 1)
		}
	}
	return data
}

func TestPages(t *testing.T) {
	t.Parallel()
	data := fax(10, 120, 240)
	for i, level := range []uint32{10, 120, 240} {
		drawn, n, err := picture.Draw(data, i, 1000)
		if err != nil || n != 3 {
			t.Fatalf("page %d of %d: %v", i, n, err)
		}
		img, err := png.Decode(bytes.NewReader(drawn))
		if err != nil {
			t.Fatal(err)
		}
		if r, _, _, _ := img.At(8, 8).RGBA(); r>>8 != level {
			t.Errorf("page %d has the level %d, want %d", i, r>>8, level)
		}
	}
	if _, _, err := picture.Draw(data, 3, 1000); err == nil {
		t.Error("there is a fourth page")
	}
	doc, err := picture.Read(t.Context(), data, map[int]string{0: "First.", 2: "Third."})
	if err != nil || doc.Text != "First.\n\nThird." || doc.Blocks[1].Page != 2 {
		t.Errorf("got %+v, %v", doc, err)
	}
	binary.LittleEndian.PutUint32(data[len(data)-4:], 8) // a loop
	if _, _, err := picture.Draw(data, 0, 1000); err != nil {
		t.Error(err)
	}
}

func FuzzDraw(f *testing.F) {
	f.Add(fax(1, 2))
	f.Add([]byte("II*\x00\x48\x01\x00\xc5")) // the offset is far behind the end
	f.Add(append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, 34}, exif(6)...))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if page, err := picture.Page(data, 0); err == nil && page.Width*page.Height < 1<<20 {
			_, _, _ = picture.Draw(data, page.Pages-1, 100)
		}
	})
}
