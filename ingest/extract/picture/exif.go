package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

const (
	// tagOrientation is the tag of the orientation of a picture.
	tagOrientation = 274
	// tagSubfile is the tag that marks previews in a TIFF.
	tagSubfile = 254
	// maxEntries bounds the tags that are read of one directory.
	maxEntries = 1000
	// maxFrames bounds the pages of a TIFF.
	maxFrames = 2000
	// maxSegments bounds the parts of a picture that are searched for metadata.
	maxSegments = 200
)

// orientation returns how a picture is turned: a number of the Exif standard, from 1 for
// upright to 8. Cameras write it, because they store pictures as their sensor lies.
func orientation(data []byte) int {
	exif := exifOf(data)
	if exif == nil {
		return 1
	}
	t, ok := openTIFF(exif)
	if !ok {
		return 1
	}
	if n := t.short(t.first, tagOrientation); n >= 1 && n <= 8 {
		return n
	}
	return 1
}

// exifOf returns the metadata of a picture, which have the form of a TIFF.
func exifOf(data []byte) []byte {
	switch Media(data) {
	case "image/tiff":
		return data
	case "image/jpeg":
		return exifOfJPEG(data)
	case "image/png":
		rest := data[8:]
		for range maxSegments {
			if len(rest) < 12 {
				return nil
			}
			n := int(binary.BigEndian.Uint32(rest))
			if n < 0 || n > len(rest)-12 {
				return nil
			}
			if string(rest[4:8]) == "eXIf" {
				return rest[8 : 8+n]
			}
			rest = rest[12+n:]
		}
	case "image/webp":
		rest := data[12:]
		for range maxSegments {
			if len(rest) < 8 {
				return nil
			}
			n := int(binary.LittleEndian.Uint32(rest[4:]))
			if n < 0 || n > len(rest)-8 {
				return nil
			}
			if string(rest[:4]) == "EXIF" {
				return bytes.TrimPrefix(rest[8:8+n], []byte("Exif\x00\x00"))
			}
			rest = rest[min(8+n+n%2, len(rest)):]
		}
	}
	return nil
}

// exifOfJPEG returns the metadata of a JPEG.
func exifOfJPEG(data []byte) []byte {
	rest := data[2:]
	for range maxSegments {
		if len(rest) < 4 || rest[0] != 0xff || rest[1] == 0xda {
			return nil
		}
		n := int(binary.BigEndian.Uint16(rest[2:]))
		if n < 2 || n+2 > len(rest) {
			return nil
		}
		if exif, ok := bytes.CutPrefix(rest[4:2+n], []byte("Exif\x00\x00")); ok && rest[1] == 0xe1 {
			return exif
		}
		rest = rest[2+n:]
	}
	return nil
}

// directories is data in the form of a TIFF: a list of directories with tags.
type directories struct {
	data  []byte
	order binary.ByteOrder
	first int // offset of the first directory
}

func openTIFF(data []byte) (directories, bool) {
	if len(data) < 8 {
		return directories{}, false
	}
	t := directories{data: data, order: binary.LittleEndian}
	if data[0] == 'M' {
		t.order = binary.BigEndian
	}
	t.first = int(t.order.Uint32(data[4:]))
	return t, t.order.Uint16(data[2:]) == 42
}

// entries returns the tags of a directory, and the offset of the next directory.
func (t directories) entries(at int) (entries []byte, next int) {
	if at < 8 || at > len(t.data)-2 {
		return nil, 0
	}
	n := int(t.order.Uint16(t.data[at:]))
	end := at + 2 + 12*n
	if n > maxEntries || end > len(t.data)-4 {
		return nil, 0
	}
	return t.data[at+2 : end], int(t.order.Uint32(t.data[end:]))
}

// short returns the value of a small number in a directory, or 0.
func (t directories) short(at int, tag uint16) int {
	entries, _ := t.entries(at)
	for ; len(entries) >= 12; entries = entries[12:] {
		if t.order.Uint16(entries) != tag {
			continue
		}
		if t.order.Uint16(entries[2:]) == 4 { // a long number
			return int(t.order.Uint32(entries[8:]))
		}
		return int(t.order.Uint16(entries[8:]))
	}
	return 0
}

// frames returns the offsets of the pages of a TIFF, without previews. The result is nil
// for other pictures.
func frames(data []byte) []int {
	if Media(data) != "image/tiff" {
		return nil
	}
	t, ok := openTIFF(data)
	if !ok {
		return nil
	}
	var out []int
	seen := map[int]bool{}
	for at := t.first; at != 0 && !seen[at] && len(seen) < maxFrames; {
		seen[at] = true
		entries, next := t.entries(at)
		if entries == nil {
			break
		}
		if t.short(at, tagSubfile)&1 == 0 {
			out = append(out, at)
		}
		at = next
	}
	return out
}

// frame returns the picture of a page. It is data itself for other pictures than a TIFF.
func frame(data []byte, index int) ([]byte, bool) {
	offsets := frames(data)
	if len(offsets) == 0 {
		return data, index == 0
	}
	if index < 0 || index >= len(offsets) {
		return nil, false
	}
	if t, _ := openTIFF(data); t.first != offsets[index] {
		data = bytes.Clone(data)
		t.order.PutUint32(data[4:], uint32(offsets[index])) //nolint:gosec // an offset in the file
	}
	return data, true
}

// pages returns the number of pages of a picture.
func pages(data []byte) int { return max(len(frames(data)), 1) }

// upright turns a picture by its orientation.
func upright(img *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 {
		return img
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 {
		to = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			tx, ty := x, y
			switch orientation {
			case 2:
				tx = w - 1 - x
			case 3:
				tx, ty = w-1-x, h-1-y
			case 4:
				ty = h - 1 - y
			case 5:
				tx, ty = y, x
			case 6:
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8:
				tx, ty = y, w-1-x
			}
			copy(to.Pix[to.PixOffset(tx, ty):], img.Pix[img.PixOffset(x, y):img.PixOffset(x, y)+4])
		}
	}
	return to
}
