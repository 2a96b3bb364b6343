package worker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"docent/ingest/extract/djvu"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// readDjVu reads a document in DjVu with the program djvutxt, which ends each page with a form
// feed.
func (p *Pool) readDjVu(ctx context.Context, src intake.Source) (intake.Reading, error) {
	slow(ctx)
	err := inFolder(func(dir string) error {
		in := filepath.Join(dir, "document.djvu")
		if err := os.WriteFile(in, src.Data, 0o600); err != nil {
			return fmt.Errorf("write a document to read: %w", err)
		}
		out, err := p.tools.run(ctx, dir, nil, p.tools.Djvutxt, in)
		if err != nil {
			return err
		}
		src.Recognized = map[int]string{}
		for i, page := range strings.Split(string(out), "\f") {
			if strings.TrimSpace(page) != "" {
				src.Recognized[i] = page
			}
		}
		return nil
	})
	if err != nil {
		return intake.Reading{Media: djvu.Media}, err
	}
	if len(src.Recognized) == 0 {
		return intake.Reading{Media: djvu.Media}, fault.New(fault.Invalid, "djvu_without_text",
			"no text: it has only pictures of pages; convert it to PDF, so that OCR can read it")
	}
	return p.once(ctx, src)
}
