package ebook

import (
	"bytes"
	"context"
	"encoding/binary"
	"regexp"
	"strings"

	"docent/ingest/extract/charset"
	"docent/ingest/extract/html"
	"docent/ingest/extract/metadata"
	"docent/ingest/outline"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// The limits of a book: its records, and the bytes of its text.
const (
	maxRecords = 1 << 16
	maxText    = 64 << 20
)

// isMobi reports whether a file is a Palm database with a book.
func isMobi(data []byte) bool {
	return len(data) > 78 && (string(data[60:68]) == "BOOKMOBI" || string(data[60:68]) == "TEXtREAd")
}

// mobi is an open book.
type mobi struct {
	records [][]byte
	head    []byte // the first record
}

func damaged() error {
	return fault.New(fault.Invalid, "mobi_damaged", "damaged: the book is cut off; download it again")
}

// Mobi reads a book of Mobipocket or Kindle.
func Mobi(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	b, err := openMobi(data)
	if err != nil {
		return nil, err
	}
	b.useKindle()
	if b.u16(12) != 0 {
		return nil, fault.New(fault.Invalid, "mobi_protected", "protected: the book has a copy protection; docent cannot read it")
	}
	unpack, err := b.unpacker()
	if err != nil {
		return nil, err
	}
	flags := b.trailers()
	var raw []byte
	for i := 1; i <= b.u16(8) && i < len(b.records); i++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		text, err := unpack(withoutTrailers(b.records[i], flags))
		if err != nil {
			return nil, err
		}
		if raw = append(raw, text...); len(raw) > maxText {
			return nil, fault.New(fault.Invalid, "mobi_large", "too large: the book has more than %d MiB of text", maxText>>20)
		}
	}
	raw = raw[:b.firstFlow(len(raw))]
	declared := "windows-1252"
	if b.u32(28) == 65001 {
		declared = "utf-8"
	}
	text, _, err := charset.Decode(bytes.ReplaceAll(raw, []byte{0}, nil), declared)
	if err != nil {
		return nil, err
	}
	text = largeLine.ReplaceAllStringFunc(text, heading)
	title, authors, date := b.about(declared)
	if len(authors) > 0 {
		text = "<p>" + strings.Join(authors, ", ") + "</p>" + text
	}
	doc, err := html.Read(ctx, text)
	if err != nil {
		return nil, err
	}
	if title != "" {
		doc.Title = title
	}
	doc.SetDate(metadata.ParseDate(date), corpus.Properties)
	return doc, nil
}

// largeLine is a paragraph of large and bold letters. Converters write headings so.
var largeLine = regexp.MustCompile(`(?is)<p[^>]*><font size="([4-7])"><b>([^<]*(?:<[^pP][^<]*)*?)</b></font></p>`)

// heading returns a large line as a heading.
func heading(line string) string {
	m := largeLine.FindStringSubmatch(line)
	level := map[string]string{"7": "h1", "6": "h2", "5": "h2", "4": "h3"}[m[1]]
	return "<" + level + ">" + m[2] + "</" + level + ">"
}

// openMobi opens the database of a book.
func openMobi(data []byte) (*mobi, error) {
	if !isMobi(data) {
		return nil, damaged()
	}
	count := int(binary.BigEndian.Uint16(data[76:]))
	if count == 0 || count > maxRecords || len(data) < 78+8*count {
		return nil, damaged()
	}
	b := &mobi{}
	at := func(i int) int {
		if i == count {
			return len(data)
		}
		return int(binary.BigEndian.Uint32(data[78+8*i:]))
	}
	for i := range count {
		from, to := at(i), at(i+1)
		if from > to || to > len(data) {
			return nil, damaged()
		}
		b.records = append(b.records, data[from:to])
	}
	b.head = b.records[0]
	if len(b.head) < 16 {
		return nil, damaged()
	}
	return b, nil
}

// u16 and u32 return a number of the header. They return 0 if the header is too short.
func (b *mobi) u16(at int) int {
	if at+2 > len(b.head) {
		return 0
	}
	return int(binary.BigEndian.Uint16(b.head[at:]))
}

func (b *mobi) u32(at int) int {
	if at+4 > len(b.head) {
		return 0
	}
	return int(binary.BigEndian.Uint32(b.head[at:]))
}

// size returns the end of the header of Mobipocket; 0 without one.
func (b *mobi) size() int {
	if len(b.head) < 24 || string(b.head[16:20]) != "MOBI" {
		return 0
	}
	return min(16+b.u32(20), len(b.head))
}

// trailers returns the flags of the data behind the text in each record.
func (b *mobi) trailers() int {
	if b.size() < 0xE4+16 || b.u32(36) < 5 {
		return 0
	}
	return b.u16(242)
}

// withoutTrailers removes the data behind the text of a record.
func withoutTrailers(record []byte, flags int) []byte {
	for f := flags >> 1; f != 0; f >>= 1 {
		if f&1 == 1 {
			record = record[:max(0, len(record)-trailer(record))]
		}
	}
	if flags&1 == 1 && len(record) > 0 { // bytes of a letter that goes on in the next record
		record = record[:max(0, len(record)-int(record[len(record)-1]&3)-1)]
	}
	return record
}

// trailer returns the size of the last entry behind the text. It is written backwards.
func trailer(record []byte) int {
	size := 0
	for i, shift := len(record)-1, 0; i >= 0 && shift < 28; i, shift = i-1, shift+7 {
		size |= int(record[i]&0x7f) << shift
		if record[i]&0x80 != 0 {
			break
		}
	}
	return size
}

// firstFlow returns the end of the text of a book for Kindle. Style sheets and drawings
// follow it.
func (b *mobi) firstFlow(size int) int {
	if i := b.u32(192); b.u32(36) >= 8 && i > 0 && i < len(b.records) {
		if r := b.records[i]; len(r) >= 28 && string(r[:4]) == "FDST" && binary.BigEndian.Uint32(r[8:]) > 0 {
			if end := int(binary.BigEndian.Uint32(r[16:])); end > 0 && end < size {
				return end
			}
		}
	}
	return size
}

// about returns the title, the authors, and the date of the book.
func (b *mobi) about(declared string) (title string, authors []string, date string) {
	decode := func(data []byte) string {
		text, _, err := charset.Decode(data[:min(len(data), 1000)], declared)
		if err != nil {
			return ""
		}
		return strings.Join(strings.Fields(text), " ")
	}
	if from, n := b.u32(84), b.u32(88); b.size() > 92 && n < 1000 && from+n <= len(b.head) {
		title = decode(b.head[from : from+n])
	}
	b.properties(func(kind int, value []byte) {
		switch text := decode(value); {
		case text == "":
		case kind == 100 && len(authors) < 50:
			authors = append(authors, text)
		case kind == 106:
			date = text
		case kind == 503:
			title = text
		}
	})
	return title, authors, date
}

// properties calls fn with each property of the book.
func (b *mobi) properties(fn func(kind int, value []byte)) {
	at := b.size()
	if at == 0 || b.u32(128)&0x40 == 0 || at+12 > len(b.head) || string(b.head[at:at+4]) != "EXTH" {
		return
	}
	count := b.u32(at + 8)
	for at += 12; count > 0 && at+8 <= len(b.head); count-- {
		n := b.u32(at + 4)
		if n < 8 || at+n > len(b.head) {
			return
		}
		fn(b.u32(at), b.head[at+8:at+n])
		at += n
	}
}

// useKindle chooses the newer text of a book that has both.
func (b *mobi) useKindle() {
	first := 0
	b.properties(func(kind int, value []byte) {
		if kind == 121 && len(value) == 4 {
			first = int(binary.BigEndian.Uint32(value))
		}
	})
	if first > 1 && first < len(b.records) && string(b.records[first-1]) == "BOUNDARY" && len(b.records[first]) >= 16 {
		b.records, b.head = b.records[first:], b.records[first]
	}
}
