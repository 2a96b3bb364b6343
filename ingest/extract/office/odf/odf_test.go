package odf_test

import (
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office/odf"
)

func TestODT(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, odf.Read, extracttest.File(t, "../testdata/manual.odt"), "Pump manual", `p ACME Pumps
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
p The pump from the side
p A picture:
p The end.
p Confidential
`)
}

func TestODS(t *testing.T) {
	t.Parallel()
	doc := extracttest.Check(t, odf.Read, extracttest.File(t, "../testdata/book.ods"), "", `h1@0 Parts
p@0 Spare parts of the pump
th@0 Part | Ordered | Price | Share | In stock | Weight
tr@0 Seal | 31.01.2024 | 1,234.50 € | 25.6% | TRUE | 0.1
tr@0 Valve | 2024-02-29 14:30:00 | -99.00 € | 100.0% | FALSE | 0.333333333333333
tr@0 Bolt | 7:05:00 | 1,000,000.00 € | 0.0% | TRUE | 12
th@0 Second | table
tr@0 x | #DIV/0!
th@0 Group | Member
tr@0 Rotor | shaft
tr@0 Rotor | blade
h1@2 Notes
p@2 One cell of text.
`)
	if got := strings.Join(doc.PageLabels, " "); got != "Parts  Notes" {
		t.Errorf("pages %q", got)
	}
}

func TestODP(t *testing.T) {
	t.Parallel()
	doc := extracttest.Check(t, odf.Read, extracttest.File(t, "../testdata/deck.odp"), "Pump P-7", `h1@0 Pump P-7
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
p@4 Seals
th@4 | Seals
tr@4 2023 | 12
tr@4 2024 | 7.5
p@4 In a group
`)
	if got := strings.Join(doc.PageLabels, " "); got != "1 2 3 4 5" {
		t.Errorf("pages %q", got)
	}
}

// openOf is an OpenDocument file with a body.
func openOf(t testing.TB, body string) []byte {
	return extracttest.Pack(t, map[string]string{
		"content.xml":           `<office:document-content>` + body + `</office:document-content>`,
		"META-INF/manifest.xml": `<manifest:manifest/>`,
		"mimetype":              "application/vnd.oasis.opendocument.text",
		"Object 1/content.xml":  `<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>E</mi><annotation>E = m c^2</annotation></math>`,
		"Object 2/content.xml":  `<chart:chart><chart:title><text:p>Wear</text:p></chart:title><draw:object xlink:href="../Object 2"/></chart:chart>`,
		"styles.xml":            `<style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer>`,
	})
}

func TestODFParts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"note":     {`<text:p>Text<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note> goes  on.</text:p>`, "p Text goes on.\np A note.\n"},
		"deleted":  {`<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>kept<office:annotation><text:p>comment</text:p></office:annotation></text:p>`, "p kept\n"},
		"lists":    {`<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/><text:list-level-style-bullet text:level="2"/></text:list-style><text:list text:style-name="L"><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list></text:list-item></text:list><text:p>between</text:p><text:list text:style-name="L" text:continue-numbering="true"><text:list-item><text:p>c</text:p><text:p>more</text:p></text:list-item></text:list>`, "li 1. a\nli - b\np between\nli 2. c\nli more\n"},
		"box":      {`<text:p>out<draw:frame><draw:text-box><text:p>in</text:p></draw:text-box><svg:desc>alt</svg:desc></draw:frame></text:p>`, "p in\np alt\np out\n"},
		"formula":  {`<text:p>Here <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>.</text:p>`, "p Here E = m c^2.\n"},
		"chart":    {`<text:p>Before<draw:frame><draw:object xlink:href="./Object 2"/></draw:frame></text:p>`, "p Before\np Wear\n"},
		"title":    {`<style:style style:name="P1" style:parent-style-name="Title"/><text:p text:style-name="P1">Name</text:p>`, "h1 Name\n"},
		"in table": {`<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:table-cell><text:p>a</text:p><table:table><table:table-row><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table></table:table-cell></table:table-row></table:table>`, "th 1\ntr a b\n"},
		"hidden":   {`<text:section text:display="none"><text:p>gone</text:p></text:section><text:p>a<text:s text:c="99999999"/>b</text:p>`, "p a b\n"},
		"numbers": {
			`<text:outline-style><text:outline-level-style text:level="1" style:num-format="I" style:num-prefix="Article "/><text:outline-level-style text:level="2" style:num-format="1" loext:num-list-format="%1%.%2%" text:display-levels="2"/></text:outline-style><style:style style:name="Free" style:list-style-name=""/><text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="a" style:num-prefix="(" style:num-suffix=")" text:start-value="3"/><text:list-level-style-number text:level="2" style:num-format="i" style:num-suffix="." text:display-levels="2"/></text:list-style>` +
				`<text:h text:outline-level="1">Scope</text:h><text:h text:outline-level="1">Duties</text:h><text:h text:outline-level="2">Owner</text:h><text:h text:outline-level="2"><text:number>II.2</text:number>Tenant</text:h><text:h text:outline-level="1" text:style-name="Free">Annex</text:h>` +
				`<table:table><table:table-row><table:table-cell><text:list text:style-name="L"><text:list-item><text:p>snow</text:p><text:list><text:list-item><text:p>grey</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>sand</text:p></text:list-item></text:list></table:table-cell></table:table-row></table:table>`,
			"h1 Article I Scope\nh1 Article II Duties\nh2 II.1 Owner\nh2 II.2 Tenant\nh1 Annex\ntr (c) snow c.i. grey (d) sand\n",
		},
		"boxes":  {`<style:style style:name="S"><style:text-properties style:font-name="Wingdings"/></style:style><text:p><text:span text:style-name="S">&#xF0FE;</text:span> lamp <text:span text:style-name="S">o</text:span> horn</text:p>`, "p ☑ lamp ☐ horn\n"},
		"struck": {`<style:style style:name="S"><style:text-properties style:text-line-through-style="solid"/></style:style><text:p>The notice is <text:span text:style-name="S">six </text:span>nine months.</text:p>`, "p The notice is nine months.\n"},
		"sheets": {`<style:style style:name="H"><style:table-properties table:display="false"/></style:style><office:spreadsheet><table:table table:name="A" table:style-name="H"><table:table-row><table:table-cell><text:p>gone</text:p></table:table-cell></table:table-row></table:table><table:table table:name="B"><table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/><table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="4"><text:p>x</text:p></table:table-cell></table:table-row><table:table-row table:visibility="filter"><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>`, "h1@1 B\nth@1 x | x\ntr@1 x | x\ntr@1 y\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			title := ""
			if name == "title" {
				title = "Name"
			}
			extracttest.Check(t, odf.Read, openOf(t, tt.body), title, tt.want)
		})
	}
}

func TestODFHostile(t *testing.T) {
	t.Parallel()
	const n = 10000
	for _, body := range []string{
		strings.Repeat("<text:list><text:list-item>", 190) + "<text:p>a",
		strings.Repeat("<text:p>a<text:note>", 190),
		strings.Repeat("</text:p></text:note></table:table-cell>", n) + "<text:p>a",
		strings.Repeat("<table:table-cell><text:p>a</text:p></table:table-cell>", n),
		strings.Repeat(`<draw:object xlink:href="./Object 2"/>`, n),
		"<draw:page>" + strings.Repeat("<draw:g>", 380),
		strings.Repeat(`<style:style style:name="P" style:parent-style-name="P"/><text:p text:style-name="P">a</text:p>`, n),
		"<draw:page><table:table><table:table-row><table:table-cell><text:p>a</text:p><draw:page></draw:page>",
		"<text:list><draw:page><draw:page><presentation:notes></presentation:notes></draw:page></draw:page></text:list><text:p>a",
		"<text:note><table:table><table:table-row><table:table-cell><text:note><text:p>a",
	} {
		doc, err := odf.Read(t.Context(), "a", openOf(t, body))
		if err != nil {
			t.Errorf("%.60s: %v", body, err)
			continue
		}
		extracttest.Verify(t, doc)
	}
	_, err := odf.Read(t.Context(), "a", openOf(t, `<office:spreadsheet><table:table><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>`))
	extracttest.Refused(t, err, "too large:")
}

func FuzzODF(f *testing.F) {
	f.Add(`<office:spreadsheet><table:table table:name="A"><table:table-row table:number-rows-repeated="9"><table:table-cell table:number-columns-repeated="3" table:number-rows-spanned="2"><text:p>a</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>`)
	f.Add(`<draw:page><draw:g><draw:frame svg:x="1cm" svg:y="2cm"><draw:text-box><text:list><text:list-item><text:p>a<text:note><text:p>b</text:p></text:note></text:p></text:list-item></text:list></draw:text-box><svg:desc>c</svg:desc></draw:frame></draw:g><presentation:notes/></draw:page>`)
	extracttest.FuzzPart(f, "../testdata/deck.odp", "content.xml", odf.Read)
}
