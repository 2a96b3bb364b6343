package xlsx_test

import (
	"strings"
	"testing"

	"docent/ingest/extract/office/xlsx"
)

func TestRows(t *testing.T) {
	t.Parallel()
	row := func(n, more, text string) string {
		return `<row r="` + n + `"` + more + `><c r="A` + n + `" t="str"><v>` + text + `</v></c><c r="B` + n + `"><v>` + n + `</v></c></row>`
	}
	const hidden = ` hidden="1"`
	rows := row("1", "", "Part") + row("2", "", "Seal") + row("3", hidden, "Pump") + row("4", "", "Belt")
	for name, tt := range map[string]struct {
		sheet, styles string
		want, note    string
	}{
		"filtered":       {rows + `</sheetData><autoFilter ref="A1:B4"><filterColumn colId="0"/></autoFilter>`, "", "Part | 1\nSeal | 2\nPump | 3\nBelt | 4", ""},
		"hidden":         {rows + `</sheetData><autoFilter ref="A1:B4"/>`, "", "Part | 1\nSeal | 2\nBelt | 4", ""},
		"below a filter": {rows + `</sheetData><autoFilter ref="A1:B2"><filterColumn colId="0"/></autoFilter>`, "", "Part | 1\nSeal | 2\nBelt | 4", ""},
		"closed group":   {row("1", "", "Part") + row("2", "", "Seal") + row("3", hidden+` outlineLevel="1"`, "Pump") + `</sheetData>`, "", "Part | 1\nSeal | 2\nPump | 3", ""},
		"headers":        {row("1", "", "Fees") + `<row r="2"><c r="A2" t="str"><v>Summer</v></c><c r="B2" t="str"><v>Winter</v></c><c r="C2" t="str"><v>Berth</v></c></row>` + row("3", "", "x") + `</sheetData>`, "", "Fees | 1\nSummer | Winter | Berth\nx | 3", ""},
		"merged headers": {
			`<row r="1"><c r="A1" t="str"><v>Berth</v></c><c r="B1" t="str"><v>Fees</v></c></row><row r="2"><c r="B2" t="str"><v>Summer</v></c><c r="C2" t="str"><v>Winter</v></c></row>` +
				`<row r="3"><c r="A3" t="str"><v>North</v></c><c r="B3"><v>25</v></c><c r="C3"><v>20</v></c></row></sheetData><mergeCells><mergeCell ref="B1:C1"/></mergeCells>`,
			"", "Berth | Fees Summer | Fees Winter\nNorth | 25 | 20", "",
		},
		"link without value": {`<row r="1"><c r="A1"><f>HYPERLINK("https://example.org/a";"here")</f></c></row>`, "", "here (https://example.org/a)", ""},
		"struck run":         {`<row r="1"><c r="A1" t="inlineStr"><is><r><t>Fee</t></r><r><rPr><strike/></rPr><t> 10</t></r><r><t> 12</t></r></is></c></row>`, "", "Fee 12", ""},
		"formula":            {`<row r="1"><c r="A1" t="str"><v>Total</v></c><c r="B1"><f>B2*2</f></c></row>`, "", "Total | =B2*2", "1 of its formulas have no value yet"},
		"computed":           {`<row r="1"><c r="A1" t="str"><v>Total</v></c><c r="B1"><f>B2*2</f><v>4</v></c></row>`, "", "Total | 4", ""},
		"link":               {`<row r="1"><c r="A1" t="str"><f>HYPERLINK("https://example.org/a","here")</f><v>here</v></c></row>`, "", "here (https://example.org/a)", ""},
		"fonts": {
			`<row r="1"><c r="A1" s="1" t="str"><v>$90</v></c><c r="B1" t="str"><v>$79</v></c><c r="C1" s="2" t="str"><v>þ</v></c></row>`,
			`<fonts><font/><font><strike/></font><font><name val="Wingdings"/></font></fonts><cellXfs><xf fontId="0"/><xf fontId="1"/><xf fontId="2"/></cellXfs>`, "$79 | ☑", "",
		},
	} {
		doc, err := xlsx.Read(t.Context(), "a", bookOf(t, tt.sheet, "", tt.styles))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(strings.TrimPrefix(doc.Text, "S\n\n"), "\n\n", "\n")
		if got != tt.want || !strings.HasPrefix(doc.Note, tt.note) || tt.note == "" && doc.Note != "" {
			t.Errorf("%s: got %q (%s), want %q", name, got, doc.Note, tt.want)
		}
	}
}
