package worker

import (
	"context"
	"fmt"

	"docent/internal/fault"
)

// errIllegible is the error of pictures in which OCR finds marks, but no words.
var errIllegible = fault.New(fault.Invalid,
	"ocr_illegible", "not legible: OCR found few real words in the pictures; scan it again with a higher resolution, or add it in another format")

const (
	// noiseBelow is the confidence in percent below which a text is noise. Letters that OCR
	// knows have about 90 percent, letters of another script and turned letters 35.
	noiseBelow = 50
	// doubtBelow is the confidence below which another try may read better.
	doubtBelow = 75
)

// isNoise reports whether a text has few real words.
func (r Recognized) isNoise() bool { return r.Confidence > 0 && r.Confidence < noiseBelow }

// readsBetter reports whether a try read more than another one.
func (r Recognized) readsBetter(than Recognized) bool {
	return r.Confidence*float64(len(r.Text)) > than.Confidence*float64(len(than.Text))
}

// Recognize runs tesseract. It tries again if the page may be turned or slanted.
func (t *tesseract) Recognize(ctx context.Context, png []byte) (Recognized, error) {
	languages, turns, err := t.expected(ctx)
	if err != nil {
		return Recognized{}, err
	}
	// With its model of orientations, tesseract turns pages by 90, 180, and 270 degrees.
	const withOrientation, plain = "1", "3"
	mode := plain
	if turns {
		mode = withOrientation
	}
	best, err := t.try(ctx, png, languages, mode)
	if err != nil || best.Confidence >= doubtBelow {
		return best, err
	}
	if turns && best.Text != "" { // the model errs on pages with few letters
		if best, err = t.better(ctx, best, png, languages, plain); err != nil {
			return best, err
		}
	}
	straight, placed, ok := straightened(png)
	if !ok || best.Confidence >= doubtBelow {
		return best, nil
	}
	found, err := t.try(ctx, straight, languages, mode)
	if err != nil {
		return best, err
	}
	if found.readsBetter(best) {
		for i := range found.Words {
			found.Words[i] = placed(found.Words[i])
		}
		return found, nil
	}
	return best, nil
}

// better tries again and returns the try that reads better.
func (t *tesseract) better(ctx context.Context, best Recognized, png []byte, languages, mode string) (Recognized, error) {
	found, err := t.try(ctx, png, languages, mode)
	if err == nil && found.readsBetter(best) {
		return found, nil
	}
	return best, err
}

// try runs tesseract once, in a mode of page segmentation.
func (t *tesseract) try(ctx context.Context, png []byte, languages, mode string) (found Recognized, err error) {
	args := []string{"stdin", "stdout", "--psm", mode}
	if languages != "" {
		args = append(args, "-l", languages)
	}
	err = inFolder(func(dir string) error {
		out, err := t.tools.run(ctx, dir, png, t.tools.Tesseract, append(args, "tsv")...)
		if err != nil {
			return fmt.Errorf("recognize: %w", err)
		}
		found = parseTSV(string(out))
		return nil
	})
	return found, err
}
