package xlsx_test

import (
	"fmt"
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office/xlsx"
)

func TestXLSX(t *testing.T) {
	t.Parallel()
	doc := extracttest.Check(t, xlsx.Read, extracttest.File(t, "../testdata/book.xlsx"), "", `h1@0 Parts
p@0 Spare parts of the pump
th@0 Part | Ordered | Price | Share | In stock | Weight
tr@0 Seal | 31.01.2024 | 1,234.50 € | 25.6% | TRUE | 0.1
tr@0 Valve | 2024-02-29 14:30:00 | -99.00 € | 100.0% | FALSE | 0.3333333333
tr@0 Bolt | 7:05:00 | 1,000,000.00 € | 0.0% | TRUE | 12
th@0 Second | table
tr@0 x | =1/0
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

// bookOf is a workbook with one sheet.
func bookOf(t testing.TB, sheet, strings, styles string) []byte {
	return extracttest.Pack(t, map[string]string{
		"xl/workbook.xml":            `<x:workbook xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheets><x:sheet name="S" r:id="a"/><x:sheet name="T" r:id="a"/><x:sheet name="U" state="veryHidden" r:id="b"/></x:sheets></x:workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="a" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="b" Type="x/worksheet" Target="worksheets/sheet2.xml"/><Relationship Id="s" Type="x/sharedStrings" Target="strings.xml"/><Relationship Id="t" Type="x/styles" Target="styles.xml"/></Relationships>`,
		"xl/strings.xml":             "<sst>" + strings + "</sst>",
		"xl/styles.xml":              "<styleSheet>" + styles + "</styleSheet>",
		"xl/worksheets/sheet1.xml":   "<worksheet>" + sheet + "</worksheet>",
		"xl/worksheets/sheet2.xml":   "<worksheet><row><c><v>1</v></c></row></worksheet>",
	})
}

func TestXLSXCells(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ sheet, strings, want string }{
		"shared":  {`<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" t="s"><v>9</v></c><c t="s"><v>0</v></c></row>`, `<si><r><t>a</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>2</t></r></si><si><t>日本</t><rPh><t>にほん</t></rPh></si>`, "h1@0 S\ntr@0 日本 | a²\n"},
		"inline":  {`<row><c t="inlineStr"><is><r><t>x </t></r><r><t>y</t></r></is></c><c t="b"><v>1</v></c><c t="e"><v>#DIV/0!</v></c><c t="str"><f>A1</f><v>formula</v></c><c t="d"><v>2024-01-31T00:00:00</v></c></row>`, "", "h1@0 S\ntr@0 x y | TRUE | #DIV/0! | formula | 2024-01-31\n"},
		"header":  {`<row r="1"><c t="str"><v>Number</v></c><c t="str"><v>Square</v></c></row><row r="3"><c><v>2</v></c><c><v>4</v></c></row>`, "", "h1@0 S\nth@0 Number | Square\ntr@0 2 | 4\n"},
		"merged":  {`<row r="1"><c t="str"><v>a</v></c><c><v>1</v></c></row><row r="2"><c r="B2"><v>2</v></c></row><mergeCells><mergeCell ref="A1:A2"/></mergeCells>`, "", "h1@0 S\ntr@0 a | 1\ntr@0 a | 2\n"},
		"hidden":  {`<cols><col min="2" max="3" hidden="1"/></cols><row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c><c r="D1"><v>4</v></c></row><row r="2" hidden="1"><c><v>9</v></c></row><row r="3"><c><v>5</v></c><c r="D3"><v>6</v></c></row>`, "", "h1@0 S\ntr@0 1 | 4\ntr@0 5 | 6\n"},
		"far off": {`<row r="1048576"><c r="XFD1048576"><v>1</v></c><c r="ZZZZZ1"><v>2</v></c></row><row r="99999999"><c r="A0"><v>3</v></c></row>`, "", "h1@0 S\np@0 1\np@0 3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			extracttest.Check(t, xlsx.Read, bookOf(t, tt.sheet, tt.strings, ""), "", tt.want)
		})
	}
}

func TestNumberFormats(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ code, value, want string }{
		{"General", "0.30000000000000004", "0.3"},
		{"General", "1E+20", "1E+20"},
		{"General", "123456789012", "123456789012"},
		{"0", "2.5", "3"},
		{"0.00", "1.005", "1.01"},
		{"#,##0", "1234567.8", "1,234,568"},
		{"#,##0", "-1234", "-1,234"},
		{"#,##0.##", "1.5", "1.5"},
		{"#,##0.##", "2", "2"},
		{"#,##0.00 &quot;kg&quot;", "1234.5", "1,234.50 kg"},
		{"0%", "0.025", "3%"},
		{"0.0%", "-0.5", "-50.0%"},
		{"0.00E+00", "12345", "1.23E+04"},
		{"# ?/?", "2.5", "2 1/2"},
		{"# ??/??", "0.3333333", "1/3"},
		{"[$€-407] #,##0.00", "5", "€ 5.00"},
		{"_(* #,##0.00_);_(* \\(#,##0.00\\);_(* &quot;-&quot;??_)", "-5", "(5.00)"},
		{"_(* #,##0.00_);_(* \\(#,##0.00\\);_(* &quot;-&quot;??_)", "0", "-"},
		{"#,##0,&quot;K&quot;", "12345678", "12,346K"},
		{"0.0,,&quot; M&quot;", "12345678", "12.3 M"},
		{"000-00-0000", "123456789", "123-45-6789"},
		{"00000", "42", "00042"},
		{"[&gt;=100]&quot;big&quot;;&quot;small&quot;", "99", "small"},
		{"[Red]-0;[Blue]0.0", "-2", "2.0"},
		{";;;", "7", ""},
		{"yyyy-mm-dd", "45322", "2024-01-31"},
		{"d.m.yy h:mm", "45322.75", "31.1.24 18:00"},
		{"dddd, mmmm d", "45322", "Wednesday, January 31"},
		{"h:mm AM/PM", "0.5", "12:00 PM"},
		{"[h]:mm", "1.5", "36:00"},
		{"mm:ss.0", "0.00010069", "00:08.7"},
		{"yyyy\\-mm", "59", "1900-02"},
		{"yyyy/m/d", "1", "1900/1/1"},
		{"yyyy", "99999999", "99999999"},
		{"@", "12", "12"},
		{"&quot;No. &quot;0", "7", "No. 7"},
	} {
		styles := `<numFmts><numFmt numFmtId="200" formatCode="` + tt.code + `"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="200"/></cellXfs>`
		doc, err := xlsx.Read(t.Context(), "a", bookOf(t, `<row><c t="str"><v>v</v></c><c s="1"><v>`+tt.value+`</v></c></row>`, "", styles))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(doc.Text, "S\n\n"), "v"), " |"), " ")
		if got != tt.want {
			t.Errorf("%s of %s is %q, want %q", tt.code, tt.value, got, tt.want)
		}
	}
}

func TestXLSXHostile(t *testing.T) {
	t.Parallel()
	const n = 20000
	var diagonal, merges strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&diagonal, `<row><c r="%c%c%c1"><v>1</v></c></row>`, 'A'+i/676%20, 'A'+i/26%26, 'A'+i%26)
		fmt.Fprintf(&merges, `<mergeCell ref="A%d:A1048576"/>`, i+1)
	}
	for _, sheet := range []string{
		diagonal.String(),
		strings.Repeat(`<row><c><v>1</v></c></row>`, 4000) + merges.String(),
		strings.Repeat(`<row><c r="B1"><v>1</v></c></row>`, 4000) + merges.String(),
		strings.Repeat(`<cols><col min="1" max="999999999" hidden="1"/></cols>`, n),
		`<row>` + strings.Repeat(`<c r="A1"><v>1</v></c>`, n),
		strings.Repeat(`<row r="5" hidden="1">`, 390),
	} {
		doc, err := xlsx.Read(t.Context(), "a", bookOf(t, sheet, "", ""))
		if err != nil {
			t.Errorf("%.60s: %v", sheet, err)
			continue
		}
		extracttest.Verify(t, doc)
	}
	_, err := xlsx.Read(t.Context(), "a", bookOf(t, strings.Repeat(" ", 9<<20), "", ""))
	extracttest.Refused(t, err, "damaged:")
}

func FuzzXLSX(f *testing.F) {
	f.Add(`<worksheet><cols><col min="1" max="2" hidden="1"/></cols><sheetData><row r="1"><c r="A1" s="1" t="s"><v>0</v></c><c t="inlineStr"><is><t>a</t></is></c></row></sheetData><mergeCells><mergeCell ref="A1:B9"/></mergeCells></worksheet>`)
	extracttest.FuzzPart(f, "../testdata/book.xlsx", "xl/worksheets/sheet1.xml", xlsx.Read)
}
