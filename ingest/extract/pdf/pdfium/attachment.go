package pdfium

import (
	"context"
	"errors"
)

// MaxAttachment bounds the size of an attachment, in bytes.
const MaxAttachment = 64 << 20

// ErrAttachment is the error for an attachment that is damaged or too large.
var ErrAttachment = errors.New("pdfium: the attachment cannot be read")

// Attachments returns the number of attachments.
func (d *Document) Attachments(ctx context.Context) (int, error) {
	n, err := d.Call(ctx, "FPDFDoc_GetAttachmentCount", d.handle)
	return max(int(int32(n)), 0), err
}

// Attachment returns the name and the content of an attachment.
func (d *Document) Attachment(ctx context.Context, index int) (name string, data []byte, err error) {
	at, err := d.Call(ctx, "FPDFDoc_GetAttachment", d.handle, uint64(index))
	if err != nil || at == 0 {
		return "", nil, errors.Join(err, ErrAttachment)
	}
	if name, err = d.String(ctx, "FPDFAttachment_GetName", at); err != nil {
		return "", nil, err
	}
	if ok, err := d.Call(ctx, "FPDFAttachment_GetFile", at, 0, 0, d.Scratch()); err != nil || uint32(ok) == 0 {
		return name, nil, errors.Join(err, ErrAttachment)
	}
	sizes, err := d.Ints(1)
	if err != nil {
		return name, nil, err
	}
	size := int(uint32(sizes[0]))
	if size == 0 || size > MaxAttachment {
		return name, nil, ErrAttachment
	}
	buffer, err := d.Sandbox.Alloc(ctx, size)
	if err != nil {
		return name, nil, err
	}
	if ok, err := d.Call(ctx, "FPDFAttachment_GetFile", at, uint64(buffer), uint64(size), d.Scratch()); err != nil || uint32(ok) == 0 {
		return name, nil, errors.Join(err, ErrAttachment)
	}
	content, err := d.Sandbox.Bytes(buffer, size)
	if err != nil {
		return name, nil, err
	}
	data = append([]byte(nil), content...)
	_, err = d.Call(ctx, "free", uint64(buffer))
	return name, data, err
}
