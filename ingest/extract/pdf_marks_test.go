package extract_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
)

// sheet is a page of a PDF made for a test: text in pale blue, with the text in
// [[ ]] in black. The drawn page thus shows where marks belong.
type sheet struct {
	attrs   string   // of the page, such as /Rotate 90
	columns []string // of lines
	matrix  string   // of the text; "" is upright
}

// sheets returns a PDF of such pages. They have 600 by 800 points unless their
// attributes set another size.
func sheets(pages ...sheet) []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[")
	for i := range pages {
		fmt.Fprintf(&b, "%d 0 R ", 3+2*i)
	}
	fmt.Fprintf(&b, "]/Count %d/MediaBox[0 0 600 800]>>endobj\n", len(pages))
	for i, page := range pages {
		var s strings.Builder
		black := false
		for c, column := range page.columns {
			place := fmt.Sprintf("1 0 0 1 %d 740 Tm", 50+c*270)
			if page.matrix != "" {
				place = page.matrix + " Tm"
			}
			fmt.Fprintf(&s, "BT /F1 12 Tf 16 TL %s ", place)
			for line := range strings.SplitSeq(column, "\n") {
				for line != "" {
					mark := "[["
					if black {
						mark = "]]"
					}
					piece, rest, found := strings.Cut(line, mark)
					colour := "0.6 0.6 1 rg"
					if black {
						colour = "0 g"
					}
					fmt.Fprintf(&s, "%s (%s) Tj ", colour, piece)
					line = rest
					if found {
						black = !black
					}
				}
				s.WriteString("T* ")
			}
			s.WriteString("ET ")
		}
		fmt.Fprintf(&b, "%d 0 obj<</Type/Page/Parent 2 0 R%s/Contents %d 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/StandardEncoding>>>>>>>>endobj\n", 3+2*i, page.attrs, 4+2*i)
		fmt.Fprintf(&b, "%d 0 obj<</Length %d>>stream\n%s\nendstream endobj\n", 4+2*i, s.Len(), s.String())
	}
	b.WriteString("trailer<</Root 1 0 R>>\n%%EOF\n")
	return []byte(b.String())
}

const filler = "The first pump stands in the cellar.\nIts motor is started by hand.\n"

// black is text that contains the passage "Close ... again."
const black = filler + "Before that: [[Close the valve of the feed line,\nwait for one minute and open it again.]] Then\nthe pressure is read at the gauge."

func TestMarksLieOnTheWords(t *testing.T) {
	t.Parallel()
	const from, to = "Close", "again."
	header := func(body string) sheet { return sheet{columns: []string{"Pump manual, third edition\n" + body}} }
	for _, tt := range []struct {
		name     string
		pages    []sheet
		from, to string // the passage begins and ends with them
		marks    []int  // how many on each page
	}{
		{"two lines", []sheet{{columns: []string{black}}}, from, to, []int{2}},
		{"turned right", []sheet{{attrs: "/Rotate 90", columns: []string{black}}}, from, to, []int{2}},
		// Marks cover whole lines, because the library mixes the pieces of this
		// page's lines.
		{"upside down", []sheet{{attrs: "/Rotate 180", columns: []string{filler + "[[Close the valve of the feed line,\nwait and open it again.]]\nThen read the gauge."}}}, from, to, []int{2}},
		{"turned left", []sheet{{attrs: "/Rotate 270", columns: []string{black}}}, from, to, []int{2}},
		{"cropped", []sheet{{attrs: "/CropBox[40 600 440 780]", columns: []string{black}}}, from, to, []int{2}},
		{"cropped and turned", []sheet{{attrs: "/CropBox[40 600 440 780]/Rotate 90", columns: []string{black}}}, from, to, []int{2}},
		{"away from the origin", []sheet{{attrs: "/MediaBox[-300 300 500 900]", columns: []string{black}}}, from, to, []int{2}},
		{"text that runs up", []sheet{{matrix: "0 1 -1 0 200 60", columns: []string{black}}}, from, to, []int{2}},
		{"text that runs down", []sheet{{matrix: "0 -1 1 0 200 700", columns: []string{black}}}, from, to, []int{2}},
		{"two columns", []sheet{{columns: []string{filler + "At the end of a day [[close\nall of the valves", "and note the pressure]] in\nthe book of the plant."}}}, "close", "pressure", []int{3}},
		{"a divided word", []sheet{{columns: []string{filler + "Read the chapter on [[instal-\nlation]] before you go on."}}}, "instal", "lation", []int{2}},
		{"ligatures", []sheet{{columns: []string{filler + "Use [[\\256ne \\257our and o\\256ce]] paper."}}}, "fine", "ice", []int{1}},
		{"over a page break", []sheet{
			{columns: []string{filler + "[[Close the valve of the feed]]"}},
			{columns: []string{"[[line before noon.]] Then have lunch.\n" + filler}},
		}, from, "noon.", []int{1, 1}},
		{"over a page break with running lines", []sheet{
			header("One.\n" + filler + "First."), header("Two.\n" + filler + "Second\nthing: [[close the valve of the feed]]"),
			header("[[line before noon.]] Then\nhave lunch.\nAnd rest."), header("Four.\n" + filler + "Fourth."), header("Five.\n" + filler + "Fifth."),
		}, "close", "noon.", []int{0, 1, 1, 0, 0}},
		{"the second of two equal sentences", []sheet{{columns: []string{
			"Close the valve. Then wait for a minute.\nNow [[close the valve.]] That is all.",
		}}}, "close", "valve.", []int{1}},
		{"a row of a table", []sheet{{columns: []string{
			"Name      Default    Range\npressure  4 bar      1 to 6 bar\n[[level     2 metres   1 to 9 metres]]\nflow      3 litres   1 to 4 litres",
		}}}, "level", "9 metres", []int{1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, data := newExtractor(t), sheets(tt.pages...)
			doc, _, err := e.Extract(t.Context(), intake.Source{Name: "a.pdf", Data: data})
			if err != nil {
				t.Fatal(err)
			}
			start := strings.Index(doc.Text, tt.from)
			end := strings.LastIndex(doc.Text, tt.to) + len(tt.to)
			if start < 0 || end <= start {
				t.Fatalf("no passage in %q", doc.Text)
			}
			for i := range tt.pages {
				page, err := e.ReadPage(t.Context(), data, i)
				if err != nil {
					t.Fatal(err)
				}
				marks := page.Marks(pdf.PassageIn(doc.Text, start, end))
				if len(marks) != tt.marks[i] {
					t.Errorf("page %d has %d marks: %+v", i, len(marks), marks)
				}
				drawn, pages, err := e.DrawPage(t.Context(), data, i, 1200)
				if err != nil || pages != len(tt.pages) || page.Pages != pages {
					t.Fatal(pages, page.Pages, err)
				}
				wantOnBlack(t, drawn, marks)
			}
		})
	}
}

// wantOnBlack checks that marks cover all black letters and no pale ones.
func wantOnBlack(t *testing.T, drawn []byte, marks []pdf.Mark) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	size := img.Bounds().Size()
	under := make([]int, len(marks))
	outside, pale := 0, 0
	for y := range size.Y {
		for x := range size.X {
			r, _, b, _ := img.At(x, y).RGBA()
			isBlack, isPale := b < 0x5000, b > r+0x3000
			if !isBlack && !isPale {
				continue
			}
			at := -1
			for i, m := range marks {
				area := image.Rect(int(m.X*float64(size.X)), int(m.Y*float64(size.Y)),
					int((m.X+m.Width)*float64(size.X))+1, int((m.Y+m.Height)*float64(size.Y))+1)
				if isPale {
					area = area.Inset(2)
				} else {
					area = area.Inset(-1)
				}
				if image.Pt(x, y).In(area) {
					at = i
				}
			}
			switch {
			case isBlack && at < 0:
				outside++
			case isBlack:
				under[at]++
			case at >= 0:
				pale++
			}
		}
	}
	if outside > 0 || pale > 0 {
		t.Errorf("%d black pixels are not marked, %d pale ones are; marks %+v", outside, pale, marks)
	}
	for i, n := range under {
		if n < 50 {
			t.Errorf("mark %d covers %d black pixels", i, n)
		}
	}
}

// A passage that is not on the page, or not in the document, is not an error.
func TestNoMarks(t *testing.T) {
	t.Parallel()
	e := newExtractor(t)
	data := sheets(sheet{columns: []string{filler + "The end."}}, sheet{})
	for i, passage := range []pdf.Passage{
		{},
		{Text: "..."},
		{Text: "Nothing of this sort is on that page at all."},
		{Text: "xyz"},
		{Text: "and this", Before: "Words which are not there ", After: " with others that are not there either"},
		{Before: filler, After: "The end."},
		{Text: "\xff\xfe bytes of no text \x00"},
	} {
		for n := range 2 {
			page, err := e.ReadPage(t.Context(), data, n)
			if err != nil {
				t.Fatal(err)
			}
			if marks := page.Marks(passage); marks == nil || len(marks) > 0 {
				t.Errorf("passage %d has marks %+v on page %d", i, marks, n)
			}
		}
	}
	page, err := e.ReadPage(t.Context(), data, 0)
	if err != nil {
		t.Fatal(err)
	}
	if marks := page.Marks(pdf.Passage{Text: filler}); len(marks) != 2 {
		t.Errorf("without what is around it the passage has marks %+v", marks)
	}
	if marks := page.Marks(pdf.Passage{Text: "cellar"}); len(marks) != 1 {
		t.Errorf("a word has marks %+v", marks)
	}
}

func TestPassageIn(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("é", pdf.PassageAround)
	p := pdf.PassageIn(text, pdf.PassageAround-1, pdf.PassageAround+3)
	if len(p.Text) != 4 || len(p.Before) > pdf.PassageAround ||
		p.Before+p.Text+p.After != text[len(text)/2-1-len(p.Before):][:len(p.Before)+4+len(p.After)] {
		t.Errorf("%d before, %q, %d after", len(p.Before), p.Text, len(p.After))
	}
	if p := pdf.PassageIn("a passage", 2, 9); p.Before != "a " || p.Text != "passage" || p.After != "" {
		t.Errorf("%+v", p)
	}
}
