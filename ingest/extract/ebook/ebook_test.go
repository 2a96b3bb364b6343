package ebook

import (
	"bytes"
	"encoding/binary"
	"testing"

	"docent/ingest/extract/extracttest"
)

// pump are the blocks of the book in testdata.
const pump = `p Ada Orchard
h1 Operation
p The pump runs for 4,000 hours. “Größe” counts.
h2 Start
li - Open the valve.
li - Press the button.
th Part | Hours
tr Seal | 500
h1 Service
p Change the oil each May.
`

func TestKindle(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pump.mobi", "pump.azw3", "both.mobi"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := extracttest.Check(t, Mobi, extracttest.File(t, "testdata/"+name), "The Pump", pump)
			if name != "both.mobi" && doc.Date.Year() != 2025 {
				t.Errorf("date %v", doc.Date)
			}
		})
	}
}

const novel = `<?xml version="1.0" encoding="windows-1251"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink"><description><title-info><genre>sf</genre>
<author><first-name>Ada</first-name><last-name>Orchard</last-name><email>a@b</email></author><book-title>The Pump</book-title><date value="2025-03-04">spring</date></title-info>
<document-info><author><nickname>scanner</nickname></author><date value="2026-01-01"/></document-info></description>
<body><title><p>The</p><p>Pump</p></title><section><title><p>Operation</p></title><p>It <strong>runs</strong>.<a l:href="#n1">[1]</a></p><section><title><p>Start</p></title>
<poem><stanza><v>Open the valve,</v><v>press the button.</v></stanza></poem><subtitle>Hours</subtitle><table><tr><th>Part</th></tr><tr><td>Seal</td></tr></table></section></section></body>
<body name="notes"><section id="n1"><p>` + "\xcf\xf0\xe8" + `</p></section></body><binary id="c.jpg">AAAA</binary></FictionBook>`

func TestFiction(t *testing.T) {
	t.Parallel()
	doc := extracttest.Check(t, Fiction, []byte(novel), "The Pump", `p Ada Orchard
h1 The Pump
h1 Operation
p It runs.[1]
h2 Start
p Open the valve,
p press the button.
h3 Hours
th Part
tr Seal
h1 notes
p При
`)
	if doc.Date.Year() != 2025 || doc.Charset != "windows-1251" {
		t.Errorf("date %v, charset %q", doc.Date, doc.Charset)
	}
	if doc, err := Fiction(t.Context(), "a", extracttest.File(t, "testdata/pump.fb2")); err != nil || doc.Title != "The Pump" {
		t.Errorf("a book of Calibre: %+v, %v", doc, err)
	}
	if doc, err := Fiction(t.Context(), "a", []byte(novel[:900])); err != nil || doc.Text == "" {
		t.Errorf("a book that is cut off: %+v, %v", doc, err)
	}
	if doc, err := Fiction(t.Context(), "a", bytes.Repeat([]byte("<section><p>a"), 10_000)); err != nil || len(doc.Text) > 10_000 {
		t.Errorf("deep sections: %v", err) // the text before the limit counts
	}
	if _, err := Fiction(extracttest.Canceled(t), "a", []byte(novel)); err == nil {
		t.Error("a canceled reading has no error")
	}
}

// TestHuffman unpacks a record with a code of 8 bits for each phrase.
func TestHuffman(t *testing.T) {
	t.Parallel()
	huff := make([]byte, 24+4*256+8*32)
	copy(huff, "HUFF")
	binary.BigEndian.PutUint32(huff[8:], 24)
	binary.BigEndian.PutUint32(huff[12:], 24+4*256)
	for i := range 256 {
		binary.BigEndian.PutUint32(huff[24+4*i:], 0xff<<8|0x80|8)
	}
	// Phrase 0 is packed: it is the phrases 1 and 2. Phrase 3 is packed in itself.
	var cdic, texts []byte
	cdic = binary.BigEndian.AppendUint32(append(cdic, "CDIC\x00\x00\x00\x10"...), 4)
	cdic = binary.BigEndian.AppendUint32(cdic, 2)
	for _, p := range []struct {
		text  string
		plain bool
	}{{"\xfe\xfd", false}, {"pump ", true}, {"leaks", true}, {"\xfc", false}} {
		cdic = binary.BigEndian.AppendUint16(cdic, uint16(8+len(texts))) //nolint:gosec // it is small
		n := uint16(len(p.text))                                         //nolint:gosec // it is small
		if p.plain {
			n |= 0x8000
		}
		texts = append(binary.BigEndian.AppendUint16(texts, n), p.text...)
	}
	b := &mobi{head: make([]byte, 256), records: [][]byte{nil, huff, append(cdic, texts...)}}
	binary.BigEndian.PutUint16(b.head, 17480)
	binary.BigEndian.PutUint32(b.head[112:], 1)
	binary.BigEndian.PutUint32(b.head[116:], 2)
	unpack, err := b.unpacker()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := unpack([]byte{255, 254}); err != nil || string(got) != "pump leakspump " {
			t.Errorf("got %q, %v", got, err)
		}
	}
	for _, record := range []string{"\xfc", "\x00"} {
		_, err = unpack([]byte(record))
		extracttest.Refused(t, err, "damaged")
	}
}

func TestPalmDoc(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"abc": "abc", "\x02\xff\xfeb": "\xff\xfeb", "a\xc1b": "a Ab", "ab\x80\x12c": "abababac"[:7] + "c", "": "", "\x00": "\x00", "a\x80": "a",
	} {
		if got, err := palmDoc([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	_, err := palmDoc([]byte("\x80\x11"))
	extracttest.Refused(t, err, "damaged")
	if got := withoutTrailers([]byte("text\x00\x82"), 2); string(got) != "text" {
		t.Errorf("%q", got)
	}
	if got := withoutTrailers([]byte("text\xc3\x01"), 1); string(got) != "text" {
		t.Errorf("%q", got)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	whole := extracttest.File(t, "testdata/pump.mobi")
	protected := bytes.Clone(whole)
	at := binary.BigEndian.Uint32(protected[78:])
	binary.BigEndian.PutUint16(protected[at+12:], 2)
	_, err := Mobi(t.Context(), "a", protected)
	extracttest.Refused(t, err, "protected")
	for _, n := range []int{70, 90, 400} {
		_, err := Mobi(t.Context(), "a", whole[:n])
		extracttest.Refused(t, err, "damaged")
	}
}

func FuzzMobi(f *testing.F) {
	f.Add(extracttest.File(f, "testdata/pump.mobi"))
	f.Add(extracttest.File(f, "testdata/pump.azw3"))
	f.Fuzz(func(t *testing.T, data []byte) { extracttest.FuzzRead(t, Mobi, data) })
}

func FuzzFiction(f *testing.F) {
	f.Add([]byte(novel))
	f.Fuzz(func(t *testing.T, data []byte) { extracttest.FuzzRead(t, Fiction, data) })
}
