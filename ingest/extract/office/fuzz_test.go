package office_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"docent/ingest/extract/office"
	"docent/internal/fault"
)

// unpack returns the parts of a packed document.
func unpack(t testing.TB, data []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, f := range r.File {
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		parts[f.Name] = string(content)
	}
	return parts
}

// fuzzRead reads a document: it keeps its promises, or the error says why it
// cannot be read.
func fuzzRead(t *testing.T, read office.Read, data []byte) {
	doc, err := read(t.Context(), "a", data)
	if err != nil {
		if fault.KindOf(err) != fault.Invalid && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		return
	}
	verify(t, doc)
}

// fuzzPart reads a packed document whose main part the fuzzer writes.
func fuzzPart(f *testing.F, name, part string, read office.Read) {
	parts := unpack(f, file(f, name))
	// Parts that are not read only make each round slower.
	for other, content := range parts {
		if len(content) > 64<<10 {
			delete(parts, other)
		}
	}
	if main := parts[part]; len(main) < 16<<10 {
		f.Add(main)
	}
	f.Fuzz(func(t *testing.T, content string) {
		if len(content) > 64<<10 {
			return
		}
		changed := map[string]string{}
		for other := range parts {
			changed[other] = parts[other]
		}
		changed[part] = content
		fuzzRead(t, read, packWith(t, zip.Store, changed))
	})
}

func FuzzDOCX(f *testing.F) {
	f.Add(`<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:numId w:val="1"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:gridSpan w:val="2"/><w:vMerge/><w:p/></w:tc></w:tr></w:tbl><m:oMath><m:f><m:num/></m:f></m:oMath>`)
	fuzzPart(f, "manual.docx", "word/document.xml", office.DOCX)
}

func FuzzPPTX(f *testing.F) {
	f.Add(`<p:sld><p:grpSp><p:sp><p:ph type="title"/><a:off x="1" y="2"/><a:p><a:pPr lvl="1"><a:buAutoNum/></a:pPr><a:r><a:t>a</a:t></a:r></a:p></p:sp></p:grpSp><p:graphicFrame><a:tbl><a:tr><a:tc vMerge="1"/></a:tr></a:tbl></p:graphicFrame></p:sld>`)
	fuzzPart(f, "deck.pptx", "ppt/slides/slide1.xml", office.PPTX)
}

func FuzzXLSX(f *testing.F) {
	f.Add(`<worksheet><cols><col min="1" max="2" hidden="1"/></cols><sheetData><row r="1"><c r="A1" s="1" t="s"><v>0</v></c><c t="inlineStr"><is><t>a</t></is></c></row></sheetData><mergeCells><mergeCell ref="A1:B9"/></mergeCells></worksheet>`)
	fuzzPart(f, "book.xlsx", "xl/worksheets/sheet1.xml", office.XLSX)
}

func FuzzODF(f *testing.F) {
	f.Add(`<office:spreadsheet><table:table table:name="A"><table:table-row table:number-rows-repeated="9"><table:table-cell table:number-columns-repeated="3" table:number-rows-spanned="2"><text:p>a</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>`)
	f.Add(`<draw:page><draw:g><draw:frame svg:x="1cm" svg:y="2cm"><draw:text-box><text:list><text:list-item><text:p>a<text:note><text:p>b</text:p></text:note></text:p></text:list-item></text:list></draw:text-box><svg:desc>c</svg:desc></draw:frame></draw:g><presentation:notes/></draw:page>`)
	fuzzPart(f, "deck.odp", "content.xml", office.ODF)
}

func FuzzRTF(f *testing.F) {
	f.Add([]byte(`{\rtf1\ansi\ansicpg932{\fonttbl{\f0\fcharset128 A;}}{\stylesheet{\s1 heading 1;}}\pard\s1 a\par{\*\x y}\trowd\trhdr\clvmrg\cellx1\intbl b\cell\row{\footnote c}\u-1?\'83\'7c{\upr{a}{\*\ud b}}\bin3 abc}`))
	f.Add(file(f, "manual.rtf"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		fuzzRead(t, office.RTF, data)
	})
}

// FuzzDetect tells the kind of anything packed and of compound files.
func FuzzDetect(f *testing.F) {
	f.Add(file(f, "book.xls"))
	f.Add(pack(f, map[string]string{"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<a/>"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := office.DetectArchive(t.Context(), data); err != nil && fault.KindOf(err) != fault.Invalid {
			t.Fatal(err)
		}
		if _, err := office.DetectOLE(data); fault.KindOf(err) != fault.Invalid {
			t.Fatal(err)
		}
	})
}
