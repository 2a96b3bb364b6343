package docx_test

import (
	"fmt"
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office/docx"
)

// lvl is a level of a list.
func lvl(rank int, format, text, more string) string {
	return fmt.Sprintf(`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/><w:lvlText w:val="%s"/>%s</w:lvl>`, rank, format, text, more)
}

// item is a paragraph of a list; num is "" for the list of its style.
func item(style, num string, rank int, text string) string {
	list := ""
	if num != "" {
		list = fmt.Sprintf(`<w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%s"/></w:numPr>`, rank, num)
	}
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/>` + list + `</w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func TestNumbering(t *testing.T) {
	t.Parallel()
	lists := `<w:numbering>` +
		`<w:abstractNum w:abstractNumId="0">` + lvl(0, "upperRoman", "Article %1.", `<w:pStyle w:val="H1"/>`) + lvl(1, "decimal", "§ %1.%2", `<w:pStyle w:val="H2"/><w:isLgl/>`) + `</w:abstractNum>` +
		`<w:abstractNum w:abstractNumId="1">` + lvl(0, "lowerLetter", "(%1)", "") + lvl(1, "lowerRoman", "(%2)", "") + lvl(2, "bullet", "o", "") + `</w:abstractNum>` +
		`<w:abstractNum w:abstractNumId="2">` + lvl(0, "bullet", "&#xF0A8;", `<w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr>`) + `</w:abstractNum>` +
		`<w:abstractNum w:abstractNumId="3">` + lvl(0, "none", "", "") + `</w:abstractNum>` +
		`<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>` +
		`<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="3"/></w:lvlOverride></w:num>` +
		`<w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num><w:num w:numId="5"><w:abstractNumId w:val="3"/></w:num></w:numbering>`
	styles := `<w:styles><w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>` +
		`<w:style w:styleId="H2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>`
	cell := `<w:tbl><w:tr><w:tc>` + item("", "2", 0, "in a cell") + item("", "2", 0, "again") + `</w:tc></w:tr></w:tbl>`
	body := item("H1", "", 0, "Scope") + item("H1", "", 0, "Duties") + item("H2", "", 0, "Of the owner") + item("H2", "", 0, "Of the tenant") +
		item("", "2", 0, "first") + item("", "2", 1, "inner") + item("", "2", 1, "next") + item("", "2", 2, "mark") + item("", "2", 0, "second") + item("", "2", 1, "inner") +
		item("H1", "0", 0, "Plain") + cell + item("", "3", 0, "anew") + item("", "3", 0, "on") + item("", "4", 0, "box") + item("", "5", 0, "none") + item("", "9", 0, "unknown") +
		item("H1", "", 0, "End") + item("H2", "", 0, "Last")
	data := extracttest.Pack(t, map[string]string{
		"_rels/.rels":        `<Relationships><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="/word/document.xml"/></Relationships>`,
		"word/document.xml":  `<w:document>` + body + `</w:document>`,
		"word/numbering.xml": lists, "word/styles.xml": styles,
	})
	extracttest.Check(t, docx.Read, data, "", `h1 Article I. Scope
h1 Article II. Duties
h2 § 2.1 Of the owner
h2 § 2.2 Of the tenant
li (a) first
li (i) inner
li (ii) next
li - mark
li (b) second
li (i) inner
h1 Plain
tr (c) in a cell (d) again
li (c) anew
li (d) on
li ☐ box
p none
li - unknown
h1 Article III. End
h2 § 3.1 Last
`)
}

func TestForms(t *testing.T) {
	t.Parallel()
	run := func(inner string) string { return `<w:r>` + inner + `</w:r>` }
	text := func(s string) string { return run(`<w:t xml:space="preserve">` + s + `</w:t>`) }
	box := func(value string) string {
		return run(`<w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/>`+value+`</w:checkBox></w:ffData></w:fldChar>`) +
			run(`<w:instrText> FORMCHECKBOX </w:instrText>`) + run(`<w:fldChar w:fldCharType="end"/>`)
	}
	control := func(value string) string {
		return `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="` + value + `"/></w14:checkbox></w:sdtPr><w:sdtContent>` + text("☒") + `</w:sdtContent></w:sdt>`
	}
	for name, tt := range map[string]struct{ body, want string }{
		"symbols":  {`<w:p>` + run(`<w:sym w:font="Wingdings" w:char="F0FE"/>`) + text(" yes ") + run(`<w:sym w:font="Wingdings" w:char="F0A8"/>`) + text(" no") + `</w:p>`, "☑ yes ☐ no"},
		"letters":  {`<w:p>` + run(`<w:rPr><w:rFonts w:ascii="Wingdings 2"/></w:rPr><w:t>R</w:t>`) + text(" yes ") + run(`<w:sym w:font="Segoe UI Symbol" w:char="2610"/>`) + text(" no") + `</w:p>`, "☑ yes ☐ no"},
		"fields":   {`<w:p>` + box(`<w:checked/>`) + text(" yes ") + box("") + text(" no") + `</w:p>`, "☑ yes ☐ no"},
		"controls": {`<w:p>` + control("1") + text(" yes ") + control("0") + text(" no") + `</w:p>`, "☑ yes ☐ no"},
		"choice": {`<w:p>` + text("Color: ") + run(`<w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList></w:ffData></w:fldChar>`) +
			run(`<w:fldChar w:fldCharType="end"/>`) + `</w:p>`, "Color: blue"},
		"struck":   {`<w:p>` + text("after ") + run(`<w:rPr><w:strike/></w:rPr><w:t>six</w:t>`) + text(" nine months") + `</w:p>`, "after nine months"},
		"unstruck": {`<w:p>` + text("after ") + run(`<w:rPr><w:strike w:val="0"/></w:rPr><w:t>six</w:t>`) + `</w:p>`, "after six"},
		"redline":  {`<w:p>` + text("a ") + run(`<w:rPr><w:dstrike/></w:rPr><w:t>long struck part</w:t>`) + `</w:p>`, "a ~~long struck part~~"},
		"field":    {`<w:p>` + text("See ") + run(`<w:fldChar w:fldCharType="begin"/>`) + run(`<w:instrText>HYPERLINK "https://example.org/a.pdf"</w:instrText>`) + run(`<w:fldChar w:fldCharType="separate"/>`) + text("here") + run(`<w:fldChar w:fldCharType="end"/>`) + text(".") + `</w:p>`, "See here (https://example.org/a.pdf)."},
		"link":     {`<w:p>` + text("See ") + `<w:hyperlink r:id="l">` + text("the form") + `</w:hyperlink></w:p>`, "See the form (https://example.org/form)"},
	} {
		data := extracttest.Pack(t, map[string]string{
			"_rels/.rels":                  `<Relationships><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="/word/document.xml"/></Relationships>`,
			"word/document.xml":            `<w:document>` + tt.body + `</w:document>`,
			"word/_rels/document.xml.rels": `<Relationships><Relationship Id="l" Type="x/hyperlink" TargetMode="External" Target="https://example.org/form"/></Relationships>`,
		})
		doc, err := docx.Read(t.Context(), "a.docx", data)
		if err != nil || strings.Join(strings.Fields(doc.Text), " ") != tt.want {
			t.Errorf("%s: got %v, want %q (%v)", name, doc, tt.want, err)
		}
	}
}
