package docx_test

import (
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office/docx"
)

func TestDOCX(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, docx.Read, extracttest.File(t, "../testdata/manual.docx"), "Pump manual", `p ACME Pumps
h1 Pump manual
h1 Installation
p The area is 5 m² of CO₂, Größe × 2, Насос, ポンプ.
li 1. Unpack the pump
li 2. Fill it with oil
li - Spare seal
li - Spare valve
h2 Settings
th Name | Default | Meaning
tr pressure | 4 bar | the working pressure
tr pressure | 6 bar | the most
p A picture:
p The pump from the side
p The end.
p Confidential
`)
}

// wordOf is a Word document whose text is not at the usual place.
func wordOf(t testing.TB, body string) []byte {
	return extracttest.Pack(t, map[string]string{
		"_rels/.rels":                   `<Relationships><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="/text/document2.xml"/></Relationships>`,
		"[Content_Types].xml":           `<Types><Default Extension="xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>`,
		"text/document2.xml":            `<w:document>` + body + `</w:document>`,
		"text/_rels/document2.xml.rels": `<Relationships><Relationship Id="h" Type="x/header" Target="h.xml"/><Relationship Id="h2" Type="x/header" Target="h.xml"/><Relationship Id="f" Type="x/footer" Target="f.xml"/><Relationship Id="i" Type="x/aFChunk" Target="i.html"/><Relationship Id="j" Type="x/aFChunk" Target="i.rtf"/><Relationship Id="c" Type="x/chart" Target="c.xml"/></Relationships>`,
		"text/h.xml":                    `<w:hdr><w:p><w:r><w:t>ACME</w:t></w:r></w:p></w:hdr>`,
		"text/f.xml":                    `<w:ftr><w:p><w:r><w:t>Page 1 of 7</w:t></w:r></w:p></w:ftr>`,
		"text/i.html":                   `<html><h2>In</h2><p>cluded</p></html>`,
		"text/i.rtf":                    `{\rtf1 rich}`,
		"text/c.xml":                    `<c:chartSpace><c:title><a:t>Wear</a:t></c:title><c:ser><c:tx><c:v>Seals</c:v></c:tx><c:cat><c:pt idx="0"><c:v>2024</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>0.30000000000000004</c:v></c:pt></c:val></c:ser></c:chartSpace>`,
	})
}

func TestDOCXParts(t *testing.T) {
	t.Parallel()
	const cell = `<w:tc><w:tcPr>%</w:tcPr><w:p><w:r><w:t>#</w:t></w:r></w:p></w:tc>`
	c := func(property, text string) string {
		return strings.NewReplacer("%", property, "#", text).Replace(cell)
	}
	for name, tt := range map[string]struct{ body, want string }{
		"included": {`<w:altChunk r:id="i"/><w:altChunk r:id="i"/><w:altChunk r:id="j"/><w:altChunk r:id="x"/>`, "p ACME\nh2 In\np cluded\np rich\n"},
		"chart":    {`<w:p><w:r><w:t>See</w:t><w:drawing><wp:docPr descr="A chart"/><c:chart r:id="c"/></w:drawing></w:r></w:p>`, "p ACME\np See\np A chart\np Wear\nth | Seals\ntr 2024 | 0.3\n"},
		"merged":   {`<w:tbl><w:tr>` + c(`<w:gridSpan w:val="2"/>`, "a") + c(`<w:vMerge w:val="restart"/>`, "b") + `</w:tr><w:tr>` + c("", "1") + c("", "2") + c(`<w:vMerge/>`, "") + `</w:tr></w:tbl>`, "p ACME\ntr a |  | b\ntr 1 | 2 | b\n"},
		"scripts":  {`<w:p><w:r><w:t>πr</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:t> x</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="subscript"/></w:rPr><w:t>max</w:t></w:r></w:p>`, "p ACME\np πr² x_max\n"},
		"equation": {`<w:p><m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f><m:r><m:t>=</m:t></m:r><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>n=1</m:t></m:r></m:sub><m:sup><m:r><m:t>∞</m:t></m:r></m:sup><m:e><m:rad><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad></m:e></m:nary></m:oMath></w:p>`, "p ACME\np (a+b)/2=∑_(n=1)^∞ √x\n"},
		"ruby":     {`<w:p><w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>`, "p ACME\np 漢\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			extracttest.Check(t, docx.Read, wordOf(t, tt.body), "", tt.want)
		})
	}
}

func TestDOCXHostile(t *testing.T) {
	t.Parallel()
	const n = 20000
	for _, body := range []string{
		`<w:tbl><w:tr>` + strings.Repeat(`<w:tc><w:gridSpan w:val="99999"/><w:vMerge/></w:tc>`, n) + `</w:tr></w:tbl>`,
		strings.Repeat(`<w:altChunk r:id="i"/>`, n),
		`<w:p>` + strings.Repeat(`<w:drawing><wp:docPr descr="alt"/></w:drawing>`, n),
		strings.Repeat(`<w:tbl><w:tr><w:tc>`, 130) + `<w:p><w:r><w:t>a</w:t>`,
		strings.Repeat(`</w:tbl></w:tc></m:oMath></w:sdtContent>`, n),
		`<w:gridSpan/><w:vMerge/><w:tr/><w:tc/><w:vertAlign/>`,
	} {
		doc, err := docx.Read(t.Context(), "a", wordOf(t, body))
		if err != nil {
			t.Errorf("%.40s: %v", body, err)
			continue
		}
		extracttest.Verify(t, doc)
	}
}

func FuzzDOCX(f *testing.F) {
	f.Add(`<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:numId w:val="1"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:gridSpan w:val="2"/><w:vMerge/><w:p/></w:tc></w:tr></w:tbl><m:oMath><m:f><m:num/></m:f></m:oMath>`)
	extracttest.FuzzPart(f, "../testdata/manual.docx", "word/document.xml", docx.Read)
}
