package pdf

import (
	"context"
	"strings"

	"docent/ingest/extract/pdf/pdfium"
	"docent/ingest/outline"
)

// maxAnnotations bounds the annotations that are read from a page.
const maxAnnotations = 5000

// readExtra reads the form fields and notes of a page, which its text does not
// contain.
func readExtra(ctx context.Context, page *pdfium.Page) ([]string, error) {
	n, err := page.Annotations(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	seen := map[string]bool{}
	size := 0
	for i := range min(n, maxAnnotations) {
		a, err := page.Annotation(ctx, i)
		if err != nil {
			return nil, err
		}
		text := annotationText(a)
		if text == "" || seen[text] {
			continue
		}
		if size += len(text); size > maxPDFText {
			break
		}
		seen[text] = true
		out = append(out, text)
	}
	return out, nil
}

// annotationText returns the text of a note, or the label and the value of a
// form field.
func annotationText(a pdfium.Annotation) string {
	one := func(s string) string { return strings.Join(strings.Fields(outline.Clean(s)), " ") }
	if !a.Field {
		return strings.TrimSpace(outline.Clean(a.Contents))
	}
	label, value := one(a.Label), one(a.Value)
	if label == "" {
		label = one(a.Name)
		// In a name such as form1[0].page1[0].city[0] the last part names the
		// field.
		if at := strings.LastIndexByte(label, '.'); at >= 0 && at+1 < len(label) {
			label = label[at+1:]
		}
		label, _, _ = strings.Cut(label, "[")
	}
	switch {
	case value == "":
		return ""
	case label == "" || label == value:
		return value
	}
	return label + ": " + value
}
