package mail

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"docent/ingest/outline"
)

// tnefSignature begins data in the Transport Neutral Encapsulation Format, which Outlook
// sends as winmail.dat.
var tnefSignature = []byte{0x78, 0x9f, 0x3e, 0x22}

// The attributes and properties that are read.
const (
	tnefBody        = 0x800c
	tnefFileName    = 0x8010
	tnefFileData    = 0x800f
	tnefFileStart   = 0x9002
	tnefProperties  = 0x9003
	tnefFileMAPI    = 0x9005
	tnefCodePage    = 0x9007
	mapiBody        = 0x1000
	mapiRTF         = 0x1009
	mapiHTML        = 0x1013
	mapiLongName    = 0x3707
	mapiName        = 0x3704
	mapiFileData    = 0x3701
	maxTNEF         = 10_000 // attributes and properties
	tnefHeader      = 6
	attributeHeader = 9
)

// tnef is the content of a winmail.dat.
type tnef struct {
	text, html, rtf []byte
	files           []tnefFile
	count           int
	codePage        string
}

type tnefFile struct {
	name string
	data []byte
}

// isTNEF reports whether a part is a winmail.dat.
func (e *entity) isTNEF() bool {
	return e.media == "application/ms-tnef" || e.media == "application/vnd.ms-tnef" || strings.EqualFold(e.filename, "winmail.dat")
}

// readTNEF reads a winmail.dat. It returns nil for other data.
func readTNEF(data []byte) *tnef {
	if !bytes.HasPrefix(data, tnefSignature) || len(data) < tnefHeader {
		return nil
	}
	t := &tnef{codePage: "windows-1252"}
	for rest := data[tnefHeader:]; len(rest) >= attributeHeader && t.count < maxTNEF; t.count++ {
		id := binary.LittleEndian.Uint16(rest[1:])
		n := binary.LittleEndian.Uint32(rest[5:])
		rest = rest[attributeHeader:]
		if uint64(n) > uint64(len(rest)) {
			break
		}
		t.attribute(id, rest[:n])
		rest = rest[min(int(n)+2, len(rest)):] // with a checksum
	}
	return t
}

// attribute reads an attribute.
func (t *tnef) attribute(id uint16, data []byte) {
	switch id {
	case tnefCodePage:
		if len(data) >= 4 {
			if name := codePage(binary.LittleEndian.Uint32(data)); name != "" {
				t.codePage = name
			}
		}
	case tnefBody:
		t.text = bytes.TrimRight(data, "\x00")
	case tnefFileStart:
		t.files = append(t.files, tnefFile{})
	case tnefProperties:
		t.properties(data, func(id uint16, value []byte, wide bool) {
			switch id {
			case mapiBody:
				t.text = []byte(mapiText(value, wide, t.codePage))
			case mapiHTML:
				t.html = value
			case mapiRTF:
				t.rtf = value
			}
		})
	case tnefFileName, tnefFileData, tnefFileMAPI:
		if len(t.files) > 0 {
			t.file(&t.files[len(t.files)-1], id, data)
		}
	}
}

// file reads an attribute of a file.
func (t *tnef) file(f *tnefFile, id uint16, data []byte) {
	switch id {
	case tnefFileName:
		if f.name == "" {
			f.name = decodeText(bytes.TrimRight(data, "\x00"), t.codePage)
		}
	case tnefFileData:
		f.data = data
	case tnefFileMAPI:
		t.properties(data, func(id uint16, value []byte, wide bool) {
			switch id {
			case mapiLongName:
				f.name = mapiText(value, wide, t.codePage)
			case mapiName:
				if f.name == "" {
					f.name = mapiText(value, wide, t.codePage)
				}
			case mapiFileData:
				if len(f.data) == 0 {
					f.data = value
				}
			}
		})
	}
}

// mapiText decodes a text property.
func mapiText(value []byte, wide bool, set string) string {
	if !wide {
		return strings.TrimRight(decodeText(value, set), "\x00")
	}
	units := make([]uint16, 0, len(value)/2)
	for ; len(value) >= 2; value = value[2:] {
		units = append(units, binary.LittleEndian.Uint16(value))
	}
	return strings.TrimRight(outline.Clean(string(utf16.Decode(units))), "\x00")
}

// The types of properties.
const (
	mapiMulti   = 0x1000
	mapiObject  = 0x000d
	mapiString8 = 0x001e
	mapiUnicode = 0x001f
	mapiBinary  = 0x0102
)

// properties calls fn with each text and binary property.
func (t *tnef) properties(data []byte, fn func(id uint16, value []byte, wide bool)) {
	r := &tnefReader{data: data}
	for n := r.long(); n > 0 && r.ok() && t.count < maxTNEF; n-- {
		t.count++
		tag := r.long()
		kind, id := uint16(tag), uint16(tag>>16) //nolint:gosec // the two halves
		if id >= 0x8000 {                        // a named property
			r.skip(16)
			if r.long() == 0 {
				r.skip(4)
			} else {
				r.bytes()
			}
		}
		values := uint32(1)
		single := kind &^ mapiMulti
		variable := single == mapiString8 || single == mapiUnicode || single == mapiBinary || single == mapiObject
		if kind&mapiMulti != 0 || variable {
			values = r.long()
		}
		for ; values > 0 && r.ok() && t.count < maxTNEF; values-- {
			t.count++
			if !variable {
				r.skip(sizeOf(single))
				continue
			}
			value := r.bytes()
			if single == mapiObject && len(value) > 16 {
				value = value[16:] // without the interface
			}
			if r.ok() {
				fn(id, value, single == mapiUnicode)
			}
		}
	}
}

// sizeOf returns the size of a value of a type, padded to four bytes.
func sizeOf(kind uint16) int {
	switch kind {
	case 0x0005, 0x0006, 0x0007, 0x0014, 0x0040:
		return 8
	case 0x0048:
		return 16
	}
	return 4
}

// tnefReader reads numbers and values.
type tnefReader struct {
	data   []byte
	failed bool
}

func (r *tnefReader) ok() bool { return !r.failed }

func (r *tnefReader) skip(n int) {
	if n > len(r.data) {
		r.data, r.failed = nil, true
		return
	}
	r.data = r.data[n:]
}

func (r *tnefReader) long() uint32 {
	if len(r.data) < 4 {
		r.failed = true
		return 0
	}
	n := binary.LittleEndian.Uint32(r.data)
	r.data = r.data[4:]
	return n
}

// bytes reads a value with its length before it.
func (r *tnefReader) bytes() []byte {
	n := r.long()
	if uint64(n) > uint64(len(r.data)) {
		r.failed = true
		return nil
	}
	value := r.data[:n]
	r.skip(min(int(n)+(4-int(n)%4)%4, len(r.data)))
	return value
}

// document returns the body of a winmail.dat, or nil.
func (t *tnef) document(ctx context.Context) *outline.Document {
	if len(t.html) > 0 {
		if doc, err := readPage(ctx, t.html); err == nil && strings.TrimSpace(doc.Text) != "" {
			return doc
		}
	}
	if len(t.rtf) > 0 {
		if rtf, err := decompressRTF(t.rtf); err == nil {
			if doc := readRTF(ctx, rtf, t.codePage); doc != nil && strings.TrimSpace(doc.Text) != "" {
				return doc
			}
		}
	}
	if len(t.text) == 0 {
		return nil
	}
	b := outline.NewBuilder(len(t.text))
	b.AddParagraphs(decodeText(t.text, t.codePage))
	return b.Document("")
}

// attachments returns the files of a winmail.dat as attachments.
func (t *tnef) attachments() []*entity {
	var out []*entity
	for _, f := range t.files {
		if len(f.data) > 0 {
			out = append(out, &entity{media: "application/octet-stream", filename: oneLine(f.name), body: f.data})
		}
	}
	return out
}
