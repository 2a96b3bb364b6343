package transcript

import (
	"archive/zip"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// DOCX writes a transcript as a Word document. No maintained library writes this format, so it
// writes the few parts that Word needs.
func DOCX(w io.Writer, markdown []byte, title string, created time.Time) error {
	out := zip.NewWriter(w)
	for _, part := range []struct{ name, content string }{
		{"[Content_Types].xml", contentTypes},
		{"_rels/.rels", packageRelations},
		{"docProps/core.xml", fmt.Sprintf(coreProperties, escapedXML(title), created.UTC().Format(time.RFC3339))},
		{"word/_rels/document.xml.rels", documentRelations},
		{"word/styles.xml", wordStyles},
		{"word/document.xml", wordDocument(blocks(markdown))},
	} {
		f, err := out.CreateHeader(&zip.FileHeader{Name: part.name, Method: zip.Deflate, Modified: created})
		if err == nil {
			_, err = io.WriteString(f, xml.Header+part.content)
		}
		if err != nil {
			return fmt.Errorf("write %s: %w", part.name, err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write the document: %w", err)
	}
	return nil
}

const (
	contentTypes = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>` +
		`<Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>` +
		`<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`
	relations        = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	packageRelations = relations +
		`<Relationship Id="d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>` +
		`<Relationship Id="c" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" ` +
		`Target="docProps/core.xml"/></Relationships>`
	documentRelations = relations +
		`<Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`
	coreProperties = `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" ` +
		`xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
		`<dc:title>%s</dc:title><dcterms:created xsi:type="dcterms:W3CDTF">%s</dcterms:created></cp:coreProperties>`
	wordNamespace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
)

// wordStyles are the styles that the document names.
var wordStyles = func() string {
	var b strings.Builder
	b.WriteString(`<w:styles ` + wordNamespace + `><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/>` +
		`<w:sz w:val="22"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120"/></w:pPr></w:pPrDefault></w:docDefaults>` +
		`<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>`)
	for level, size := range []int{36, 28, 26, 24, 22, 22} {
		fmt.Fprintf(&b, `<w:style w:type="paragraph" w:styleId="Heading%d"><w:name w:val="heading %d"/><w:basedOn w:val="Normal"/>`+
			`<w:pPr><w:keepNext/><w:spacing w:before="240" w:after="80"/><w:outlineLvl w:val="%d"/></w:pPr>`+
			`<w:rPr><w:b/><w:sz w:val="%d"/></w:rPr></w:style>`, level+1, level+1, level, size)
	}
	b.WriteString(`</w:styles>`)
	return b.String()
}()

// step is the indentation of each level, in twentieths of a point.
const step = 360

func wordDocument(all []block) string {
	var b strings.Builder
	b.WriteString(`<w:document ` + wordNamespace + `><w:body>`)
	for _, block := range all {
		switch block.kind {
		case headingBlock:
			wordParagraph(&b, fmt.Sprintf(`<w:pStyle w:val="Heading%d"/>`, block.level), block.runs)
		case itemBlock:
			indent := (block.level + 1) * step
			runs := append([]run{{text: block.mark + "\t"}}, block.runs...)
			wordParagraph(&b, fmt.Sprintf(`<w:tabs><w:tab w:val="left" w:pos="%d"/></w:tabs><w:ind w:left="%d" w:hanging="%d"/>`, indent, indent, step), runs)
		case tableBlock:
			wordTable(&b, block.rows)
		default:
			wordParagraph(&b, fmt.Sprintf(`<w:ind w:left="%d"/>`, block.level*step), block.runs)
		}
	}
	b.WriteString(`<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" ` +
		`w:header="567" w:footer="567" w:gutter="0"/></w:sectPr></w:body></w:document>`)
	return b.String()
}

func wordParagraph(b *strings.Builder, properties string, runs []run) {
	b.WriteString(`<w:p><w:pPr>` + properties + `</w:pPr>`)
	for _, r := range runs {
		b.WriteString(`<w:r><w:rPr>`)
		if r.code {
			b.WriteString(`<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas" w:cs="Consolas"/>`)
		}
		if r.bold {
			b.WriteString(`<w:b/>`)
		}
		if r.italic {
			b.WriteString(`<w:i/>`)
		}
		if r.raised {
			b.WriteString(`<w:position w:val="6"/><w:sz w:val="16"/>`) // readers keep it as text, other than a superscript
		}
		b.WriteString(`</w:rPr>`)
		for i, line := range strings.Split(r.text, "\n") {
			if i > 0 {
				b.WriteString(`<w:br/>`)
			}
			for j, part := range strings.Split(line, "\t") {
				if j > 0 {
					b.WriteString(`<w:tab/>`)
				}
				if part != "" {
					b.WriteString(`<w:t xml:space="preserve">` + escapedXML(part) + `</w:t>`)
				}
			}
		}
		b.WriteString(`</w:r>`)
	}
	b.WriteString(`</w:p>`)
}

func wordTable(b *strings.Builder, rows [][][]run) {
	b.WriteString(`<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblBorders>`)
	for _, side := range []string{"top", "left", "bottom", "right", "insideH", "insideV"} {
		b.WriteString(`<w:` + side + ` w:val="single" w:sz="4" w:color="999999"/>`)
	}
	b.WriteString(`</w:tblBorders></w:tblPr><w:tblGrid>`)
	for range rows[0] {
		b.WriteString(`<w:gridCol/>`)
	}
	b.WriteString(`</w:tblGrid>`)
	for i, row := range rows {
		b.WriteString(`<w:tr>`)
		if i == 0 {
			b.WriteString(`<w:trPr><w:tblHeader/></w:trPr>`)
		}
		for _, cell := range row {
			b.WriteString(`<w:tc><w:tcPr/>`)
			wordParagraph(b, "", cell)
			b.WriteString(`</w:tc>`)
		}
		b.WriteString(`</w:tr>`)
	}
	b.WriteString(`</w:tbl>`)
	wordParagraph(b, "", nil) // Word joins tables without one
}

// escapedXML escapes text. It replaces characters that XML does not allow.
func escapedXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes all
	return b.String()
}
