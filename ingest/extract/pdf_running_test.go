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

// runningCase is a document with the lines of page on each page.
type runningCase struct {
	name       string
	page       func(i int) string
	keep, drop []string
}

// runningCases are documents with and without running lines. values are numbers of
// their pages.
func runningCases(values []int) []runningCase {
	return []runningCase{}
}

func TestPDFRunningLines(t *testing.T) {
	t.Parallel()
	values := []int{17, 4, 99, 12, 30}
	for _, tt := range runningCases(values) {
		n := len(values)
		if strings.HasPrefix(tt.name, "heads of") {
			n = 8
		}
		var pages []string
		for i := range n {
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
		for _, head := range []string{"Starting\n", "Stopping\n"} {
			if strings.Count(doc.Text, head) > 1 {
				t.Errorf("%s: %q is still on later pages", tt.name, head)
			}
		}
		for _, not := range tt.drop {
			if lines[not] {
				t.Errorf("%s: %q is still in %q", tt.name, not, doc.Text)
			}
		}
	}
}
