package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"docent/ingest/extract/pdf"
	"docent/ingest/extract/picture"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// Recognized is the text of a picture.
type Recognized struct {
	// Text is the text; blank lines separate paragraphs.
	Text string
	// Words are the words with their positions in the picture. It is empty if the
	// recognizer reports no positions.
	Words []pdf.Word
	// Confidence is the certainty of the words, weighted by their length, from 0 to 100.
	// It is 0 if the recognizer reports none.
	Confidence float64
}

// Recognizer recognizes text in pictures (OCR). It is safe for concurrent use.
type Recognizer interface {
	// Recognize reads a PNG. For a picture without text it returns no text and no
	// error.
	Recognize(ctx context.Context, png []byte) (Recognized, error)
}

const (
	// maxRecognized bounds the recognized pages of one document. A page takes
	// one to three seconds of processor time.
	maxRecognized = 200
	// recognizedWidth is the width in pixels at which a page is recognized. It
	// corresponds to 240 dots per inch for A4.
	recognizedWidth = 2000
)

// recognize recognizes the text of some pages of a document. note describes the
// omitted pages; "" if none.
func (p *Pool) recognize(ctx context.Context, data []byte, pages []int) (text map[int]string, note string, err error) {
	if len(pages) > maxRecognized {
		note = fmt.Sprintf("only the first %d of %d scanned pages were read", maxRecognized, len(pages))
		pages = pages[:maxRecognized]
	}
	text = make(map[int]string, len(pages))
	noise := 0
	for _, page := range pages {
		png, _, err := p.draw(ctx, data, page, recognizedWidth)
		if err != nil {
			if fault.KindOf(err) == fault.Invalid {
				continue // this page cannot be drawn
			}
			return nil, "", err
		}
		found, err := p.recognizer.Recognize(ctx, png)
		if err != nil {
			return nil, "", fmt.Errorf("recognize page %d: %w", page, err)
		}
		if found.isNoise() {
			noise++
			continue
		}
		text[page] = found.Text
	}
	switch {
	case noise > 0 && noise == len(pages):
		return nil, "", errIllegible
	case noise > 0:
		note = fmt.Sprintf("%d of its %d scanned pages are not legible", noise, len(pages))
	}
	return text, note, nil
}

// errNothingFound is the error for pictures without text.
var errNothingFound = fault.New(fault.Invalid, "ocr_found_nothing", "no text: OCR found no text in the pictures")

// readRecognized reads a document again, with the text of its scanned pages.
func (p *Pool) readRecognized(ctx context.Context, src intake.Source, first intake.Reading, pages []int) (intake.Reading, error) {
	slow(ctx)
	text, note, err := p.recognize(ctx, src.Data, pages)
	if errors.Is(err, errIllegible) && first.Text != "" { // the other pages have text
		first.Note = cmp.Or(first.Note, "its scanned pages are not legible")
		return first, nil
	}
	if errors.Is(err, errIllegible) && picture.IsSmall(src.Data) {
		return first, errNothingFound
	}
	if err != nil {
		return first, err
	}
	if !slices.ContainsFunc(slices.Collect(maps.Values(text)), func(s string) bool { return strings.TrimSpace(s) != "" }) {
		if first.Text != "" {
			return first, nil
		}
		return first, errNothingFound
	}
	src.Recognized = text
	r, err := p.once(ctx, src)
	if r.Note == "" {
		r.Note = note
	}
	return r, err
}

// tesseract recognizes text with the program tesseract.
type tesseract struct {
	tools *toolbox

	mu        sync.Mutex // guards languages
	languages string     // "" before the installed ones are known
	turns     bool       // the model that finds the orientation of a page is installed
	asked     bool       // the installed models are known
}

// maxLanguages bounds the languages used together, because each takes time.
const maxLanguages = 4

func newTesseract(tools *toolbox, languages string) *tesseract {
	return &tesseract{tools: tools, languages: languages}
}

// expected returns the languages for tesseract: the configured or the installed
// ones. turns reports whether tesseract can find the orientation of a page.
func (t *tesseract) expected(ctx context.Context) (languages string, turns bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asked {
		return t.languages, t.turns, nil
	}
	err = inFolder(func(dir string) error {
		out, err := t.tools.run(ctx, dir, nil, t.tools.Tesseract, "--list-langs")
		if err != nil {
			return err
		}
		var found []string
		for name := range strings.FieldsSeq(string(out)) {
			switch {
			case name == "osd":
				t.turns = true
			case len(name) == 3 && len(found) < maxLanguages:
				found = append(found, name)
			}
		}
		t.languages = cmp.Or(t.languages, strings.Join(found, "+"))
		t.asked = true
		return nil
	})
	return t.languages, t.turns, err
}

// leastConfidence is the minimum confidence of an accepted word, in percent.
const leastConfidence = 30

// parseTSV parses the table that tesseract writes: level, page, block,
// paragraph, line, word, left, top, width, height, confidence, text.
func parseTSV(table string) Recognized {
	const columns = 12
	var r Recognized
	var text strings.Builder
	var width, height, all, sure float64
	var paragraph, line string
	for row := range strings.Lines(table) {
		cells := strings.SplitN(strings.TrimRight(row, "\r\n"), "\t", columns)
		if len(cells) < columns {
			continue
		}
		var box [4]float64
		for i := range box {
			box[i], _ = strconv.ParseFloat(cells[6+i], 64)
		}
		if cells[0] == "1" {
			width, height = box[2], box[3]
			continue
		}
		word := strings.TrimSpace(cells[11])
		confidence, _ := strconv.ParseFloat(cells[10], 64)
		if cells[0] == "5" && word != "" && confidence >= 0 {
			all += float64(len(word))
			sure += confidence * float64(len(word))
		}
		if cells[0] != "5" || word == "" || confidence < leastConfidence || width <= 0 || height <= 0 {
			continue
		}
		in, on := strings.Join(cells[1:4], "/"), strings.Join(cells[1:5], "/")
		switch {
		case text.Len() == 0:
		case in != paragraph:
			text.WriteString("\n\n")
		case on != line:
			text.WriteString("\n")
		default:
			text.WriteString(" ")
		}
		paragraph, line = in, on
		text.WriteString(word)
		r.Words = append(r.Words, pdf.Word{Text: word, X: box[0] / width, Y: box[1] / height, Width: box[2] / width, Height: box[3] / height})
	}
	r.Text = text.String()
	if all > 0 {
		r.Confidence = sure / all
	}
	return r
}
