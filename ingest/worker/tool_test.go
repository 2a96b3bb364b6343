package worker_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"docent/rag/corpus"

	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
	"docent/ingest/worker"
	"docent/internal/fault"
)

// withTools returns a pool with tesseract and LibreOffice. The tests require
// both.
func withTools(t *testing.T) *worker.Pool {
	t.Helper()
	tools := worker.FindTools()
	if tools.Tesseract == "" || tools.Soffice == "" {
		t.Fatalf("tesseract and LibreOffice are missing; run .ci/setup test: %+v", tools)
	}
	return newPool(t, worker.PoolConfig{Full: 1, Tools: tools, Languages: "eng"})
}

// TestScans reads the text in pictures and finds it on them.
func TestScans(t *testing.T) {
	t.Parallel()
	p := withTools(t)
	for name, media := range map[string]string{"scan.png": "image/png", "scan.tiff": "image/tiff", "scan.pdf": "application/pdf"} {
		src := intake.Source{Name: name, Media: media, Data: read(t, "testdata/"+name)}
		r, err := p.Read(t.Context(), src)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		const sentence = "The feed pump is serviced every 4,000 hours."
		start := strings.Index(r.Text, sentence)
		if start < 0 || r.Media != media || r.Chunks[0].Page == nil {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		if !p.Shows(r.Media) {
			t.Errorf("%s has no pages to show", name)
		}
		page, err := p.ReadPage(t.Context(), src, 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		marks := page.Marks(pdf.PassageIn(r.Text, start, start+len(sentence)))
		if len(marks) == 0 || marks[0].Y < 0.2 || marks[0].Y > 0.35 || marks[0].Width < 0.5 {
			t.Errorf("%s: the sentence is marked at %+v", name, marks)
		}
		if png, pages, err := p.DrawPage(t.Context(), src, 0, 600); err != nil || pages != 1 || !bytes.HasPrefix(png, []byte("\x89PNG")) {
			t.Errorf("%s: %d bytes, %d pages, %v", name, len(png), pages, err)
		}
	}
}

// TestScanWithoutTesseract checks that the error says what to do.
func TestScanWithoutTesseract(t *testing.T) {
	t.Parallel()
	p := newPool(t, worker.PoolConfig{Full: 1})
	_, err := p.Read(t.Context(), intake.Source{Name: "scan.png", Data: read(t, "testdata/scan.png")})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), "install tesseract") {
		t.Error(err)
	}
}

// recognizer is OCR that always finds the same text.
type recognizer string

func (r recognizer) Recognize(context.Context, []byte) (worker.Recognized, error) {
	return worker.Recognized{Text: string(r)}, nil
}

// TestOtherRecognizer reads pictures with another recognizer, such as a vision
// model.
func TestOtherRecognizer(t *testing.T) {
	t.Parallel()
	p := newPool(t, worker.PoolConfig{Full: 1, Recognizer: recognizer("The valve is blue.\n\nIt is closed.")})
	r, err := p.Read(t.Context(), intake.Source{Name: "scan.png", Data: read(t, "testdata/scan.png")})
	if err != nil || r.Text != "The valve is blue.\n\nIt is closed." {
		t.Errorf("%q, %v", r.Text, err)
	}
	p = newPool(t, worker.PoolConfig{Full: 1, Recognizer: recognizer("")})
	if _, err := p.Read(t.Context(), intake.Source{Name: "scan.pdf", Data: read(t, "testdata/scan.pdf")}); fault.Message(err) != "no text: OCR found no text in the pictures" {
		t.Error(err)
	}
}

// TestOldOffice reads documents of Office 2003 and earlier with LibreOffice.
func TestOldOffice(t *testing.T) {
	t.Parallel()
	p := withTools(t)
	data := read(t, "../extract/office/testdata/manual.doc")
	r, err := p.Read(t.Context(), intake.Source{Name: "old/manual.doc", Data: data})
	if err != nil || r.Media != "application/msword" || len(r.Chunks) == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	without := newPool(t, worker.PoolConfig{Full: 1})
	if _, err := without.Read(t.Context(), intake.Source{Name: "manual.doc", Data: data}); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), "LibreOffice") {
		t.Errorf("without LibreOffice: %v", err)
	}
}

// TestSlides draws a slide with LibreOffice and finds a passage on it.
func TestSlides(t *testing.T) {
	t.Parallel()
	p := withTools(t)
	src := intake.Source{Name: "deck.pptx", Data: read(t, "../extract/office/testdata/deck.pptx")}
	r, err := p.Read(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	src.Media = r.Media
	last := r.Chunks[len(r.Chunks)-1]
	if last.Page == nil || !p.Shows(r.Media) {
		t.Fatalf("%s: %+v has no page", r.Media, last)
	}
	png, pages, err := p.DrawPage(t.Context(), src, *last.Page, 800)
	if err != nil || pages <= *last.Page || !bytes.HasPrefix(png, []byte("\x89PNG")) {
		t.Fatalf("%d bytes, %d pages, %v", len(png), pages, err)
	}
	first := r.Chunks[0]
	page, err := p.ReadPage(t.Context(), src, *first.Page)
	if err != nil {
		t.Fatal(err)
	}
	if marks := page.Marks(pdf.PassageIn(r.Text, first.Start, first.End)); len(marks) == 0 {
		t.Errorf("%q is not found on its slide", first.Text)
	}
}

// TestSheets draws the sheet that contains a passage, even if hidden sheets
// precede it.
func TestSheets(t *testing.T) {
	t.Parallel()
	p := withTools(t)
	for _, name := range []string{"sheets.xlsx", "sheets.ods"} {
		src := intake.Source{Name: name, Data: read(t, "../extract/office/testdata/"+name)}
		r, err := p.Read(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		src.Media = r.Media
		for _, sentence := range []string{"The pump runs at 40 bar.", "The valve opens at 3 bar.", "The motor has 5 kW."} {
			i := slices.IndexFunc(r.Chunks, func(c corpus.Chunk) bool { return strings.Contains(c.Text, sentence) })
			if i < 0 || r.Chunks[i].Page == nil {
				t.Fatalf("%s: %q is in no passage: %+v", name, sentence, r.Chunks)
			}
			c := r.Chunks[i]
			page, err := p.ReadPage(t.Context(), src, *c.Page)
			if err != nil {
				t.Fatal(err)
			}
			start := c.Start + strings.Index(c.Text, sentence)
			if marks := page.Marks(pdf.PassageIn(r.Text, start, start+len(sentence))); len(marks) == 0 {
				t.Errorf("%s: %q is not on page %d", name, sentence, *c.Page)
			}
		}
	}
}

// TestToolsAreConfined runs a program that tries forbidden operations.
func TestToolsAreConfined(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside := dir + "/outside"
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPool(t, worker.PoolConfig{})
	server := strconv.Itoa(os.Getpid())
	out, err := p.RunTool(t.Context(), "/bin/sh", "-c", "echo in > inside && cat inside; cat "+outside+" || echo no file; (echo > /dev/tcp/127.0.0.1/1) 2>/dev/null || echo no network; echo x > /tmp/docent-escaped || echo no writing; cat /proc/"+server+"/environ || echo no environment; kill -0 "+server+" || echo no signals; setsid true || echo no other group; cat /etc/shadow || echo no passwords")
	want := "in\nno file\nno network\nno writing\nno environment\nno signals\nno other group\nno passwords\n"
	if err != nil || out != want {
		t.Errorf("got %q, %v; want %q", out, err, want)
	}
}
