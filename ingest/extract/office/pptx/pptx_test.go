package pptx_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office/pptx"
)

func TestPPTX(t *testing.T) {
	t.Parallel()
	doc := extracttest.Check(t, pptx.Read, extracttest.File(t, "../testdata/deck.pptx"), "Pump P-7", `h1@0 Pump P-7
p@0 Training for operators
h1@1 Placing
p@1 Größe: 40 × 60 cm, 5 m²
p@1 Below on the left
p@1 Below on the right
p@1 The pump on a level floor
p@1 Notes: Show the spirit level.
h1@2 Steps
li@2 - Unpack the pump
li@2 - Fill it with oil
th@2 Part | Interval
tr@2 Seal | 4,000 h
tr@2 Oil | 500 h
h1@4 Wear
th@4 | Seals
tr@4 2023 | 12
tr@4 2024 | 7.5
p@4 In a group
`)
	if got := strings.Join(doc.PageLabels, " "); got != "1 2 3 4 5" {
		t.Errorf("pages %q", got)
	}
}

// slideOf is a presentation with one slide that has a content.
func slideOf(t testing.TB, content string) []byte {
	return extracttest.Pack(t, map[string]string{
		"_rels/.rels":              `<Relationships><Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="deck/main.xml"/></Relationships>`,
		"[Content_Types].xml":      `<Types><Override PartName="/deck/main.xml" ContentType="application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"/></Types>`,
		"deck/main.xml":            `<q:presentation xmlns:q="http://purl.oclc.org/ooxml/presentationml/main" xmlns:z="http://purl.oclc.org/ooxml/officeDocument/relationships"><q:sldId id="256" z:id="rId1"/><q:sldId id="256" z:id="rId1"/></q:presentation>`,
		"deck/_rels/main.xml.rels": `<Relationships><Relationship Id="rId1" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/slide" Target="/deck/one.xml"/></Relationships>`,
		"deck/one.xml":             `<p:sld>` + content + `</p:sld>`,
		"deck/_rels/one.xml.rels":  `<Relationships><Relationship Id="n" Type="x/notesSlide" Target="one.xml"/><Relationship Id="d" Type="x/diagramData" Target="d.xml"/></Relationships>`,
		"deck/d.xml":               `<dgm:dataModel><dgm:pt><a:p><a:t>First</a:t></a:p></dgm:pt><dgm:pt/><dgm:pt><a:p><a:t>Second</a:t></a:p></dgm:pt></dgm:dataModel>`,
	})
}

func TestPPTXParts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ slide, want string }{
		"letters":      {`<p:sp><p:txBody><a:p><a:pPr><a:buAutoNum type="alphaLcParenR" startAt="2"/></a:pPr><a:r><a:t>a</a:t></a:r></a:p><a:p><a:pPr><a:buAutoNum type="alphaLcParenR" startAt="2"/></a:pPr><a:r><a:t>b</a:t></a:r></a:p></p:txBody></p:sp>`, "li@0 b) a\nli@0 c) b\n"},
		"boxes":        {`<p:sp><p:txBody><a:p><a:pPr><a:buFont typeface="Wingdings"/><a:buChar char="þ"/></a:pPr><a:r><a:t>a</a:t></a:r></a:p></p:txBody></p:sp>`, "li@0 ☑ a\n"},
		"struck":       {`<p:sp><p:txBody><a:p><a:r><a:t>The notice is </a:t></a:r><a:r><a:rPr strike="sngStrike"/><a:t>six </a:t></a:r><a:r><a:rPr/><a:t>nine months</a:t></a:r></a:p></p:txBody></p:sp>`, "p@0 The notice is nine months\n"},
		"numbers":      {`<p:sp><p:txBody><a:p><a:pPr><a:buAutoNum/></a:pPr><a:r><a:t>a</a:t></a:r></a:p><a:p><a:pPr lvl="1"><a:buAutoNum/></a:pPr><a:r><a:t>b</a:t></a:r></a:p><a:p><a:pPr><a:buAutoNum/></a:pPr><a:r><a:t>c</a:t></a:r></a:p></p:txBody></p:sp>`, "li@0 1. a\nli@0 1. b\nli@0 2. c\n"},
		"diagram":      {`<p:graphicFrame><dgm:relIds r:dm="d"/></p:graphicFrame><p:graphicFrame><dgm:relIds r:dm="d"/></p:graphicFrame>`, "li@0 - First\nli@0 - Second\n"},
		"merged":       {`<p:graphicFrame><a:tbl><a:tblPr firstRow="1"/><a:tr><a:tc><a:p><a:r><a:t>x</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>1</a:t></a:r></a:p></a:tc></a:tr><a:tr><a:tc vMerge="1"/><a:tc><a:p><a:r><a:t>2</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>`, "th@0 x | 1\ntr@0 x | 2\n"},
		"old form":     {`<mc:AlternateContent><mc:Choice><p:sp><a:p><a:t>new</a:t></a:p></p:sp></mc:Choice><mc:Fallback><p:sp><a:p><a:t>old</a:t></a:p></p:sp></mc:Fallback></mc:AlternateContent>`, "p@0 new\n"},
		"formula":      {`<p:sp><a:p><a:r><a:t>E is </a:t></a:r><m:oMath><m:r><m:t>m</m:t></m:r><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></a:p></p:sp>`, "p@0 E is mc²\n"},
		"footer":       {`<p:sp><p:nvPr><p:ph type="ftr"/></p:nvPr><a:p><a:t>page</a:t></a:p></p:sp><p:pic><p:cNvPr descr="image1.png"/></p:pic>`, ""},
		"hidden shape": {`<p:sp><p:cNvPr hidden="1"/><a:p><a:t>gone</a:t></a:p></p:sp>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			extracttest.Check(t, pptx.Read, slideOf(t, tt.slide), "", tt.want)
		})
	}
}

func TestPPTXHostile(t *testing.T) {
	t.Parallel()
	const n = 20000
	for _, slide := range []string{
		strings.Repeat("<p:grpSp>", 390),
		strings.Repeat("<p:grpSp><a:off x='1' y='1'/></p:grpSp>", n),
		strings.Repeat("<p:sp><a:p><a:pPr lvl='99999999'><a:buAutoNum/></a:pPr><a:t>a</a:t></a:p></p:sp>", n),
		strings.Repeat("</p:sp><a:tc><a:p></a:tc><a:tr/>", n),
		"<p:sp><a:p>" + strings.Repeat("<m:oMath><m:e>", 190) + strings.Repeat("<m:t>a</m:t>", n),
		"<p:graphicFrame><a:tbl>" + strings.Repeat("<a:tr><a:tc vMerge='1'><a:p><a:t>text</a:t></a:p></a:tc></a:tr>", n),
	} {
		doc, err := pptx.Read(t.Context(), "a", slideOf(t, slide))
		if err != nil {
			t.Errorf("%.40s: %v", slide, err)
			continue
		}
		extracttest.Verify(t, doc)
	}
	if _, err := pptx.Read(extracttest.Canceled(t), "a", slideOf(t, "")); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func FuzzPPTX(f *testing.F) {
	f.Add(`<p:sld><p:grpSp><p:sp><p:ph type="title"/><a:off x="1" y="2"/><a:p><a:pPr lvl="1"><a:buAutoNum/></a:pPr><a:r><a:t>a</a:t></a:r></a:p></p:sp></p:grpSp><p:graphicFrame><a:tbl><a:tr><a:tc vMerge="1"/></a:tr></a:tbl></p:graphicFrame></p:sld>`)
	extracttest.FuzzPart(f, "../testdata/deck.pptx", "ppt/slides/slide1.xml", pptx.Read)
}
