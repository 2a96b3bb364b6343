package docx

import (
	"context"
	"encoding/xml"
	"path"
	"slices"
	"strings"

	"docent/ingest/extract/charset"
	"docent/ingest/extract/html"
	"docent/ingest/extract/office/content"
	"docent/ingest/extract/office/ooxml"
	"docent/ingest/extract/office/rtf"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
)

// readParts reads the other parts: styles, numbering, notes, headers, and
// footers.
func (w *word) readParts(ctx context.Context, main string) (headers, footers []string, err error) {
	relations, err := w.a.Relations(ctx, main)
	if err != nil {
		return nil, nil, err
	}
	targets := map[string]string{}
	for _, r := range relations {
		w.refs[r.ID] = r
		targets[r.Type] = r.Target
	}
	part := func(kind, usual string) []byte {
		if name := targets[kind]; name != "" {
			usual = name
		}
		data, failed := w.a.Part(path.Clean(usual))
		if err == nil {
			err = failed
		}
		return data
	}
	w.styles = readStyles(ctx, part("styles", "word/styles.xml"))
	if w.links, err = w.a.Links(ctx, main); err != nil {
		return nil, nil, err
	}
	w.numbering = readNumbering(ctx, part("numbering", "word/numbering.xml"))
	footnotes, endnotes := part("footnotes", "word/footnotes.xml"), part("endnotes", "word/endnotes.xml")
	if err != nil {
		return nil, nil, err
	}
	if err := w.readNotes(ctx, "f", footnotes); err != nil {
		return nil, nil, err
	}
	if err := w.readNotes(ctx, "e", endnotes); err != nil {
		return nil, nil, err
	}
	for _, r := range relations {
		if r.Type != "header" && r.Type != "footer" || len(headers)+len(footers) >= content.MaxRunning {
			continue
		}
		text, err := w.running(ctx, r.Target)
		switch {
		case err != nil:
			return nil, nil, err
		case content.IsPageLabel(text) || slices.Contains(headers, text) || slices.Contains(footers, text):
		case r.Type == "header":
			headers = append(headers, text)
		default:
			footers = append(footers, text)
		}
	}
	return headers, footers, nil
}

// running returns the text of a header or footer on one line.
func (w *word) running(ctx context.Context, name string) (string, error) {
	data, err := w.a.Part(name)
	if data == nil || err != nil {
		return "", err
	}
	h := &word{a: w.a, b: outline.NewBuilder(1 << 10), styles: w.styles, numbering: &numbering{}, notes: map[string]string{}}
	if err := h.read(ctx, data); err != nil {
		return "", err
	}
	return strings.Join(strings.Fields(h.b.Document("").Text), " "), nil
}

// startDrawing opens an element of a picture, chart, or diagram.
func (w *word) startDrawing(e xml.StartElement) {
	switch e.Name.Space + ":" + e.Name.Local {
	case "wp:docPr":
		w.addAlt(zipxml.Attr(e, "descr"))
	case "v:shape":
		w.addAlt(zipxml.Attr(e, "alt"))
	case "c:chart":
		w.refer(zipxml.AttrIn(e, "r", "id"))
	case "dgm:relIds":
		w.refer(zipxml.AttrIn(e, "r", "dm"))
	}
}

// addAlt adds the description of a picture to the innermost paragraph.
func (w *word) addAlt(s string) {
	if n := len(w.open); n > 0 {
		if text := content.AltText(s); text != "" && len(w.open[n-1].alts) < content.MaxRunning && !slices.Contains(w.open[n-1].alts, text) {
			w.open[n-1].alts = append(w.open[n-1].alts, text)
		}
	}
}

// refer schedules a part to be added after the paragraph. Each part is added
// once.
func (w *word) refer(id string) {
	if _, ok := w.refs[id]; ok {
		w.pending = append(w.pending, id)
	}
}

// addPending adds the scheduled parts.
func (w *word) addPending(ctx context.Context) error {
	if len(w.pending) == 0 || len(w.open) > 0 || w.table != nil {
		return nil
	}
	ids := w.pending
	w.pending = nil
	for _, id := range ids {
		r, ok := w.refs[id]
		if !ok {
			continue
		}
		delete(w.refs, id)
		if err := w.addPart(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// addPart adds a chart, a diagram, or an included document.
func (w *word) addPart(ctx context.Context, r zipxml.Relation) error {
	var add func(context.Context, *outline.Builder, []byte) error
	switch r.Type {
	case "chart":
		add = ooxml.AddChart
	case "diagramData":
		add = ooxml.AddDiagram
	case "aFChunk":
		add = addIncluded
	default:
		return nil
	}
	data, err := w.a.Part(r.Target)
	if err != nil {
		return err
	}
	w.wasItem = false
	return add(ctx, w.b, data)
}

// readPage reads an included web page.
func readPage(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	text, _, err := charset.DecodePage(data)
	if err != nil {
		return nil, err
	}
	return html.Read(ctx, text)
}

// addIncluded adds an included document in HTML or RTF.
func addIncluded(ctx context.Context, b *outline.Builder, data []byte) error {
	read := readPage
	switch head := strings.TrimSpace(string(data[:min(len(data), 512)])); {
	case strings.HasPrefix(head, rtf.Signature):
		read = rtf.Read
	case !strings.Contains(head, "<") || strings.HasPrefix(head, "PK"):
		return nil
	}
	doc, err := read(ctx, "", data)
	if err != nil {
		return err
	}
	for i, block := range doc.Blocks {
		separator := "\n\n"
		if i > 0 {
			separator = doc.Text[doc.Blocks[i-1].End:block.Start]
		}
		b.Add(block.Kind, block.Level, separator, doc.Text[block.Start:block.End])
	}
	return nil
}
