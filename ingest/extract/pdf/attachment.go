package pdf

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"docent/ingest/extract/part"
	"docent/ingest/extract/pdf/pdfium"
	"docent/internal/fault"
)

// maxAttachments bounds the attachments of a PDF, and maxAttached their bytes.
const (
	maxAttachments = 1000
	maxAttached    = 256 << 20
)

// MayHold reports whether a file begins like a PDF, which may have attachments.
func MayHold(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head[:min(len(head), 64)], "\xef\xbb\xbf \t\r\n"), signature)
}

// Holds reports whether a PDF has attachments. Their dictionaries are never compressed.
func Holds(data []byte) bool { return bytes.Contains(data, []byte("/EmbeddedFile")) }

// Attachments yields the attachments of a PDF, such as the files of a portfolio. A PDF
// that cannot be opened has none, because reading it gives the reason.
func (r *Reader) Attachments(ctx context.Context, data []byte) iter.Seq2[part.Part, error] {
	return func(yield func(part.Part, error) bool) {
		found, err := r.attachments(ctx, data)
		if err != nil && fault.KindOf(err) != fault.Invalid {
			yield(part.Part{}, err)
			return
		}
		for _, p := range found {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func (r *Reader) attachments(ctx context.Context, data []byte) (found []part.Part, err error) {
	size, next, count := 0, 0, 1
	err = r.reading.inside(ctx, r.timeout, func(ctx context.Context) error {
		for restarts := 0; next < count && restarts <= maxRestarts; restarts++ {
			err := r.reading.open(ctx, data, func(ctx context.Context, doc *pdfium.Document) error {
				n, err := doc.Attachments(ctx)
				if err != nil { // the PDF breaks the sandbox
					count = 0
					return ctx.Err()
				}
				for count = min(n, maxAttachments); next < count; {
					name, content, err := doc.Attachment(ctx, next)
					next++
					if ctx.Err() != nil {
						return ctx.Err()
					}
					p := part.Part{Name: part.Clean(name), Data: content}
					if p.Name == "" {
						p.Name = fmt.Sprintf("attachment-%d", next)
					}
					if size += len(content); err != nil || size > maxAttached {
						p.Data, p.Reason = nil, fault.NewText("attachment_unreadable", "damaged or too large: the attachment of the PDF cannot be read")
					}
					found = append(found, p)
					if doc.Sandbox.Broken() != nil || doc.Sandbox.Used() > renewAt+min(len(data), pdfium.MaxCopied) {
						restarts-- // a new sandbox for the others
						return nil //nolint:nilerr // the others may be whole
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}
