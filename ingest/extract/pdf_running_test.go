package extract_test

import (
	"fmt"
	"strings"
	"testing"
)

// linesPDF is a PDF with the given lines on each page.
func linesPDF(pages ...string) []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[")
	for i := range pages {
		fmt.Fprintf(&b, "%d 0 R ", 3+2*i)
	}
	fmt.Fprintf(&b, "]/Count %d>>endobj\n", len(pages))
	for i, page := range pages {
		var stream strings.Builder
		stream.WriteString("BT /F1 10 Tf 14 TL 50 750 Td ")
		for line := range strings.SplitSeq(page, "\n") {
			fmt.Fprintf(&stream, "(%s) Tj T* ", line)
		}
		stream.WriteString("ET")
		fmt.Fprintf(&b, "%d 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n", 3+2*i, 4+2*i)
		fmt.Fprintf(&b, "%d 0 obj<</Length %d>>stream\n%s\nendstream endobj\n", 4+2*i, stream.Len(), stream.String())
	}
	b.WriteString("trailer<</Root 1 0 R>>\n%%EOF\n")
	return []byte(b.String())
}

func TestPDFRunningLines(t *testing.T) {
	t.Parallel()
	values := []int{17, 4, 99, 12, 30}
	for _, tt := range []struct {
		name       string
		page       func(i int) string
		keep, drop []string
	}{
		{
			"values are not page numbers",
			func(i int) string {
				return fmt.Sprintf("Model K-%d\nOpening pressure: %d bar\nBody of valve %c.\nIt is of brass.\nMade in Bern.\nWeight: %d kg", 100+i, values[i], 'A'+i, values[4-i])
			},
			[]string{"Model K-100", "Model K-104", "Opening pressure: 17 bar", "Opening pressure: 99 bar", "Weight: 30 kg", "Weight: 17 kg", "valve C."},
			nil,
		},
		{
			"header and footers",
			func(i int) string {
				return fmt.Sprintf("Pump  Manual\nEdition 7\nBody of part %c.\nMore of it.\nAnd more.\nPage %d of 5\n- %d -", 'A'+i, i+1, i+11)
			},
			[]string{"Body of part A.", "And more."},
			[]string{"Pump Manual", "Edition 7", "Page 3 of 5", "- 13 -"},
		},
		{
			"numbers that change beside the page's",
			func(i int) string {
				return fmt.Sprintf("Body %c.\nMore.\nMore again.\nEnd.\nSheet %d of lot %d", 'A'+i, i+1, values[i])
			},
			[]string{"Sheet 1 of lot 17", "Sheet 5 of lot 30"},
			nil,
		},
		{
			"bare page numbers",
			func(i int) string {
				return fmt.Sprintf("Body %[1]c.\nMore %[1]c.\nMore again.\nEnd of %[1]c.\n%[2]d", 'A'+i, i+8)
			},
			[]string{"Body E.", "End of E."},
			[]string{"8", "12"},
		},
		{
			"one sentence a page",
			func(i int) string { return fmt.Sprintf("Step %d", i+1) },
			[]string{"Step 1", "Step 5"},
			nil,
		},
	} {
		var pages []string
		for i := range values {
			pages = append(pages, tt.page(i))
		}
		doc, _ := extractFile(t, "a.pdf", linesPDF(pages...))
		lines := map[string]bool{}
		for line := range strings.SplitSeq(doc.Text, "\n") {
			lines[strings.Join(strings.Fields(line), " ")] = true
		}
		for _, want := range tt.keep {
			if !strings.Contains(doc.Text, want) {
				t.Errorf("%s: %q is gone from %q", tt.name, want, doc.Text)
			}
		}
		for _, not := range tt.drop {
			if lines[not] {
				t.Errorf("%s: %q is still in %q", tt.name, not, doc.Text)
			}
		}
	}
}
