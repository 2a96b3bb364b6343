// Package xlsx reads Excel workbooks (XLSX).
package xlsx

import (
	"context"
	"encoding/xml"
	"fmt"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/office/ooxml"
	"docent/ingest/extract/office/sheet"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// Read reads an Excel workbook. Each visible sheet becomes a page with its name
// as a heading and its tables row by row. Values are written as Excel displays
// them. Read omits hidden sheets, rows, and columns, but not
// rows that a filter hides.
func Read(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	a, err := zipxml.Open(data)
	if err != nil {
		return nil, err
	}
	main, err := ooxml.MainPart(ctx, a, "xl/workbook.xml")
	if err != nil {
		return nil, err
	}
	w := &workbook{a: a, b: outline.NewBuilder(1 << 16), budget: sheet.MaxCells}
	if err := w.read(ctx, main); err != nil {
		return nil, err
	}
	return w.document(ooxml.Title(ctx, a)), nil
}

// workbook is the state of reading a workbook.
type workbook struct {
	a        *zipxml.Archive
	b        *outline.Builder
	sheets   []sheetPart
	date1904 bool
	strings  sharedStrings
	styles   styles
	labels   []string
	budget   int // number of cells that may follow

	uncomputed int // number of formulas without a value
}

// sheetPart is a visible sheet.
type sheetPart struct {
	name, target string
	number       int // index among all sheets, as LibreOffice draws them
}

// document returns the finished document.
func (w *workbook) document(title string) *outline.Document {
	doc := w.b.Document(title)
	doc.PageLabels = w.labels
	if w.uncomputed > 0 {
		doc.Note = fmt.Sprintf("%d of its formulas have no value yet; open it in Excel and save it again", w.uncomputed)
	}
	return doc
}

// read reads the workbook's parts.
func (w *workbook) read(ctx context.Context, main string) error {
	relations, err := w.a.Relations(ctx, main)
	if err != nil {
		return err
	}
	if err := w.readSheets(ctx, main, relations); err != nil {
		return err
	}
	for _, r := range relations {
		switch r.Type {
		case "sharedStrings":
			if err := w.strings.read(ctx, w.a, r.Target); err != nil {
				return err
			}
		case "styles":
			data, err := w.a.Part(r.Target)
			if err != nil {
				return err
			}
			// Styles may be damaged. Values without them are better than none.
			if w.styles, err = readStyles(ctx, data); ctx.Err() != nil {
				return err
			}
		}
	}
	for _, s := range w.sheets {
		w.b.Page = s.number
		for len(w.labels) < s.number {
			w.labels = append(w.labels, "") // for a sheet that is not read
		}
		w.labels = append(w.labels, s.name)
		r := &sheetReader{w: w, grid: sheet.Grid{Budget: &w.budget}, hiddenColumns: map[int]bool{}}
		if err := w.a.Stream(ctx, s.target, r.token); err != nil {
			return err
		}
		if err := r.finish(ctx, s.target); err != nil {
			return err
		}
		if len(r.grid.Rows) > 0 {
			sheet.AddHeading(w.b, s.name, len(w.sheets))
		}
		if err := r.grid.AddTables(ctx, w.b); err != nil {
			return err
		}
		if err := w.drawings(ctx, s.target); err != nil {
			return err
		}
	}
	return nil
}

// finish completes the cells of a sheet with the facts that follow them.
func (s *sheetReader) finish(ctx context.Context, part string) error {
	s.w.uncomputed += s.uncomputed
	if err := s.showFiltered(ctx, part); err != nil {
		return err
	}
	return s.showLinks(ctx, part)
}

// maxSheets bounds the sheets of a workbook.
const maxSheets = 5000

// readSheets reads the list of sheets.
func (w *workbook) readSheets(ctx context.Context, main string, relations []zipxml.Relation) error {
	data, err := w.a.Part(main)
	if err != nil {
		return err
	}
	if data == nil {
		return fault.New(fault.Invalid,
			"excel_without_sheets", "damaged: its list of sheets is missing; open it in Excel and save it again")
	}
	targets := map[string]string{}
	for _, r := range relations {
		if r.Type == "worksheet" {
			targets[r.ID] = r.Target
		}
	}
	sheets := 0 // including hidden sheets and sheets with only a chart
	return zipxml.Tokens(ctx, data, func(t xml.Token) error {
		e, ok := t.(xml.StartElement)
		if !ok {
			return nil
		}
		switch e.Name.Local {
		case "workbookPr":
			v := zipxml.Attr(e, "date1904")
			w.date1904 = v == "1" || v == "true"
		case "sheet":
			number := sheets
			sheets++
			state := zipxml.Attr(e, "state")
			id := zipxml.AttrIn(e, "r", "id")
			if target := targets[id]; target != "" && state != "hidden" && state != "veryHidden" && sheets <= maxSheets {
				w.sheets = append(w.sheets, sheetPart{zipxml.Attr(e, "name"), target, number})
				delete(targets, id)
			}
		}
		return nil
	})
}

// drawings adds the text boxes and charts of a sheet.
func (w *workbook) drawings(ctx context.Context, part string) error {
	relations, err := w.a.Relations(ctx, part)
	if err != nil {
		return err
	}
	for _, r := range relations {
		if r.Type != "drawing" {
			continue
		}
		data, err := w.a.Part(r.Target)
		if err != nil {
			return err
		}
		d, err := ooxml.ReadDrawing(ctx, data)
		if err != nil {
			return err
		}
		parts, err := w.a.Relations(ctx, r.Target)
		if err != nil {
			return err
		}
		if err := ooxml.NewReferences(w.a, w.b).Slide(ctx, parts).AddShapes(d.Shapes); err != nil {
			return err
		}
	}
	return nil
}

// sharedStrings are the texts that cells refer to by number.
type sharedStrings struct {
	text string
	ends []uint32
}

// at returns the text with a number, or "".
func (s *sharedStrings) at(i int) string {
	if i < 0 || i >= len(s.ends) {
		return ""
	}
	start := uint32(0)
	if i > 0 {
		start = s.ends[i-1]
	}
	return s.text[start:s.ends[i]]
}

// maxStrings bounds the shared texts.
const maxStrings = 2 * sheet.MaxCells

// read reads the part of shared texts.
func (s *sharedStrings) read(ctx context.Context, a *zipxml.Archive, name string) error {
	var b strings.Builder
	inText, skip, script, struck := false, 0, "", false
	err := a.Stream(ctx, name, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch {
			case skip > 0 || t.Name.Local == "rPh": // the phonetic reading of a word
				skip++
			case t.Name.Local == "t":
				inText = true
			case t.Name.Local == "vertAlign":
				script = zipxml.Attr(t, "val")
			case t.Name.Local == "strike":
				value := zipxml.Attr(t, "val")
				struck = value == "" || isOn(value)
			}
		case xml.EndElement:
			inText = false
			switch {
			case skip > 0:
				skip--
			case t.Name.Local == "r":
				script, struck = "", false
			case t.Name.Local == "si":
				if b.Len() > outline.MaxText || len(s.ends) >= maxStrings {
					return sheet.ErrTextTooLarge
				}
				s.ends = append(s.ends, uint32(b.Len())) //nolint:gosec // bounded by MaxText
			}
		case xml.CharData:
			if inText && skip == 0 && !struck {
				b.WriteString(content.Scripted(string(t), map[string]int{"superscript": 1, "subscript": -1}[script]))
			}
		}
		return nil
	})
	s.text = b.String()
	return err
}
