package pdf

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/ingest/outline"
	"docent/internal/fault"
)

func newReader(t testing.TB) *Reader {
	t.Helper()
	cache := t.TempDir()
	if dir, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(dir, "docent-test", "wasm")
	}
	r, err := New(Config{CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return r
}

// onePage returns a PDF with one page and the fonts F1 (Helvetica), F2 (bold),
// and F3 (object 5). page is added to the page, and root to the catalog. Further
// objects start at number 5.
func onePage(content, page, root string, objects ...string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R%s>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n", root)
	fmt.Fprintf(&b, "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"+
		"/F2<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>/F3 5 0 R>>>>%s>>endobj\n", page)
	fmt.Fprintf(&b, "4 0 obj<</Length %d>>stream\n%s\nendstream endobj\n", len(content), content)
	for i, object := range objects {
		fmt.Fprintf(&b, "%d 0 obj%s endobj\n", 5+i, object)
	}
	b.WriteString("trailer<</Root 1 0 R>>\n%%EOF\n")
	return []byte(b.String())
}

func stream(dictionary, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", dictionary, len(data), data)
}

// packed returns a stream that repeats data and compresses it several times.
func packed(t *testing.T, data string, times, layers int) string {
	t.Helper()
	filter := "/Filter[" + strings.Repeat("/FlateDecode", layers) + "]"
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	for range times {
		if _, err := z.Write([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for range layers - 1 {
		var outer bytes.Buffer
		z := zlib.NewWriter(&outer)
		if _, err := z.Write(b.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		b = outer
	}
	return stream(filter, b.String())
}

// at returns commands that write text at a position.
func at(font string, size, x, y int, text string) string {
	return fmt.Sprintf("BT /%s %d Tf %d %d Td (%s) Tj ET\n", font, size, x, y, text)
}

func blocks(doc *outline.Document) string {
	var b strings.Builder
	for _, block := range doc.Blocks {
		name := map[outline.Kind]string{outline.Paragraph: "p", outline.Heading: "h", outline.Header: "th", outline.Row: "tr"}[block.Kind]
		if block.Kind == outline.Heading {
			name += fmt.Sprint(block.Level)
		}
		fmt.Fprintf(&b, "%s %s\n", name, strings.ReplaceAll(doc.Text[block.Start:block.End], "\n", " / "))
	}
	return b.String()
}

func wantBlocks(t *testing.T, data []byte, want string) {
	t.Helper()
	doc, err := newReader(t).Read(t.Context(), "a.pdf", data)
	if err != nil {
		t.Fatal(err)
	}
	if got := blocks(doc); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Letters above U+FFFF consist of two halves.
func TestSurrogatePairs(t *testing.T) {
	t.Parallel()
	unicode := "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange " +
		"2 beginbfchar <41> <D835DC49> <42> <D83DDE00> endbfchar endcmap end"
	data := onePage(at("F1", 12, 50, 700, "The flow is ")+at("F3", 12, 150, 700, "AB"), "", "",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>", stream("", unicode))
	wantBlocks(t, data, "p The flow is 𝑉😀\n")
}

// Ideographs with spaces between them form one text.
func TestSpacedIdeographs(t *testing.T) {
	t.Parallel()
	text := hex.EncodeToString([]byte{0x51, 0x73, 0, 0x20, 0x4e, 0x8e, 0, 0x20, 0x7e, 0xa2, 0, 0x20, 0x51, 0x9b, 0, 0x20, 0x4f, 0x5c})
	data := onePage("BT /F3 12 Tf 50 700 Td <"+text+"> Tj ET", "", "",
		"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[6 0 R]>>",
		"<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>/DW 1000/FontDescriptor 7 0 R>>",
		"<</Type/FontDescriptor/FontName/STSong-Light/Flags 6/FontBBox[-25 -254 1000 880]/ItalicAngle 0/Ascent 880/Descent -120/CapHeight 880/StemV 93>>")
	wantBlocks(t, data, "p 关于红军作\n")
}

// Fields and notes follow the text of the page. Passwords are omitted.
func TestFormsAndNotes(t *testing.T) {
	t.Parallel()
	field := "<</Type/Annot/Subtype/Widget/Rect[0 0 90 20]"
	data := onePage(at("F1", 12, 50, 700, "Order form"), "/Annots[5 0 R 6 0 R 7 0 R 8 0 R 9 0 R 10 0 R 11 0 R]",
		"/AcroForm<</Fields[5 0 R 6 0 R 7 0 R 8 0 R 9 0 R]>>",
		field+"/FT/Tx/T(f1.city[0])/TU(City)/V(Bern)>>",
		field+"/FT/Ch/Ff 131072/T(color)/Opt[(red)(blue)]/V(blue)>>",
		field+"/FT/Btn/T(agree)/V/Yes/AS/Yes/AP<</N<</Yes 12 0 R/Off 12 0 R>>>>>>",
		field+"/FT/Btn/T(mail)/V/Off/AS/Off/AP<</N<</Yes 12 0 R/Off 12 0 R>>>>>>",
		field+"/FT/Tx/Ff 8192/T(secret)/V(hunter2)>>",
		"<</Type/Annot/Subtype/FreeText/Rect[0 0 90 20]/DA(/F1 9 Tf)/Contents(Mind the gap.)>>",
		"<</Type/Annot/Subtype/Link/Rect[0 0 90 20]/Contents(a link)>>",
		stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", " "))
	wantBlocks(t, data, "p Order form\np City: Bern\np color: blue\np agree: yes\np mail: no\np Mind the gap.\n")
}

func TestTables(t *testing.T) {
	t.Parallel()
	page := at("F1", 10, 50, 750, "The parts have these intervals of service.")
	for i, row := range [][3]string{{"Part", "Interval", "Work"}, {"Oil filter", "500 h", "replace"}, {"Main bearing", "4,000 h", "grease it"}, {"Drive belt", "2,000 h", "tighten"}} {
		for j, cell := range row {
			page += at("F1", 10, 50+150*j, 720-14*i, cell)
		}
	}
	page += at("F1", 10, 50, 640, "Other parts last as long as the pump itself.")
	wantBlocks(t, onePage(page, "", ""), "p The parts have these intervals of service.\n"+
		"th Part | Interval | Work\ntr Oil filter | 500 h | replace\ntr Main bearing | 4,000 h | grease it\ntr Drive belt | 2,000 h | tighten\n"+
		"p Other parts last as long as the pump itself.\n")
}

// Columns of prose, lists, and listings are not tables.
func TestNoTables(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string][][2]string{
		"prose": {
			{"The pump stands in the cellar of the", "of the feed line, wait for a minute"},
			{"house, and its motor is started by", "and open it again, until the gauge"},
			{"hand. Before that one has to close", "shows four bar. Then the motor may"},
			{"all valves but the one at the end", "be started by hand and runs alone"},
		},
		"list":     {{"1.", "Close the valve."}, {"2.", "Wait for a minute."}, {"3.", "Open it again."}, {"4.", "Read the gauge."}},
		"listing":  {{"11", "begin"}, {"12", "run the pump"}, {"13", "end"}, {"14", "begin"}, {"15", "stop"}},
		"contents": {{"Preface", "3"}, {"Installation", "5"}, {"Operation", "17"}, {"Faults", "30"}},
	} {
		page := ""
		for i, row := range rows {
			page += at("F1", 10, 50, 720-12*i, row[0]) + at("F1", 10, 260, 720-12*i, row[1])
		}
		doc, err := newReader(t).Read(t.Context(), "a.pdf", onePage(page, "", ""))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(doc.Text, " | ") {
			t.Errorf("%s became a table: %s", name, doc.Text)
		}
	}
}

func TestHeadingsByLetters(t *testing.T) {
	t.Parallel()
	page := at("F2", 20, 50, 750, "Pumps of the North")
	y := 720
	add := func(font string, size int, text string) { page += at(font, size, 50, y, text); y -= 16 }
	text := func() {
		for range 3 {
			add("F1", 10, "The pump stands in the cellar and its motor is started by hand every day")
		}
		add("F1", 10, "of the week.")
	}
	add("F2", 13, "1 Introduction")
	text()
	add("F2", 10, "Safety of the plant")
	text()
	doc, err := newReader(t).Read(t.Context(), "a.pdf", onePage(page, "", ""))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Title != "Pumps of the North" {
		t.Errorf("title %q", doc.Title)
	}
	var heads []string
	for _, line := range strings.Split(blocks(doc), "\n") {
		if strings.HasPrefix(line, "h") {
			heads = append(heads, line)
		}
	}
	if got := strings.Join(heads, "; "); got != "h1 Pumps of the North; h1 1 Introduction; h3 Safety of the plant" {
		t.Errorf("headings %q", got)
	}
}

// The error lists the pages that are pictures, for OCR.
func TestScannedPages(t *testing.T) {
	t.Parallel()
	image := stream("/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8", "x")
	_, err := newReader(t).Read(t.Context(), "a.pdf", onePage("600 0 0 800 0 0 cm /X Do", "", "", image))
	var scanned *ScannedError
	if !errors.As(err, &scanned) || fmt.Sprint(scanned.Pages) != "[0]" || fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
	doc, err := newReader(t).Read(t.Context(), "a.pdf", onePage(at("F1", 10, 50, 700, "Text"), "", ""))
	if err != nil || len(doc.Scanned) > 0 || doc.Text != "Text" {
		t.Errorf("a page of text: %+v, %v", doc, err)
	}
}

// Small files that need much memory or time fail or lose a page. They never
// exceed the memory of a sandbox.
func TestHostile(t *testing.T) {
	t.Parallel()
	const form = "/Type/XObject/Subtype/Form/BBox[0 0 600 800]"
	text := at("F1", 10, 50, 700, "The grommet is at seven.")
	twice := []string{}
	for i := range 30 {
		twice = append(twice, stream(fmt.Sprintf("%s/Resources<</XObject<</X %d 0 R>>>>", form, 6+i), "/X Do /X Do "+text))
	}
	whole := func(content string) []byte {
		data := onePage("", "", "")
		return bytes.Replace(data, []byte("<</Length 0>>stream\n\nendstream"), []byte(content), 1)
	}
	for name, data := range map[string][]byte{
		"a form that draws itself": onePage("/X Do "+text, "", "", stream(form+"/Resources<</XObject<</X 5 0 R>>>>", "/X Do /X Do "+text)),
		"forms that draw twice":    onePage("/X Do "+text, "", "", append(twice, stream(form, text))...),
		"blanks":                   whole(packed(t, strings.Repeat(" ", 1<<20), 512, 2)),
		"strings":                  whole(packed(t, "BT /F1 9 Tf 10 10 Td "+strings.Repeat("(grommet) Tj ", 1000), 700, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := newReader(t).Read(t.Context(), "a.pdf", data)
			if err != nil && fault.KindOf(err) != fault.Invalid {
				t.Errorf("got %v", err)
			}
			if doc != nil && len(doc.Text) > maxPDFText {
				t.Errorf("%d bytes of text", len(doc.Text))
			}
		})
	}
}
