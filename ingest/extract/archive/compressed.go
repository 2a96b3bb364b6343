package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"

	"docent/ingest/extract/part"
	"docent/internal/fault"
)

// maxWindow bounds the memory of a decompressor for xz and zstd.
const maxWindow = 64 << 20

// decompress returns the unpacked content of a compressed file.
func decompress(kind Kind, r io.Reader) (io.ReadCloser, error) {
	switch kind {
	case Gzip:
		return gzip.NewReader(r)
	case XZ:
		x, err := xz.NewReader(r, maxWindow)
		if err != nil {
			return nil, err
		}
		return io.NopCloser(x), nil
	case Zstd:
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	default:
		return io.NopCloser(bzip2.NewReader(r)), nil
	}
}

// compressed yields the files of a compressed TAR archive, or the single file.
func (w *walk) compressed(kind Kind, name string, data []byte) error {
	source, err := decompress(kind, bytes.NewReader(data))
	if err != nil {
		return damaged(err)
	}
	defer source.Close()
	// Omitted files have to be unpacked too. This budget bounds them.
	stream := &Budget{bytes: w.budget.bytes}
	content := bufio.NewReaderSize(&meter{w.ctx, source, stream}, 64<<10)
	head, err := content.Peek(512)
	if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return damaged(err)
	}
	if isTar(head) {
		return w.tar(content)
	}
	p := part.Part{Name: singleName(name)}
	if z, ok := source.(*gzip.Reader); ok {
		if original := part.Clean(z.Name); original != "" && p.Name == "content" {
			p.Name = original
		}
		p.Modified = z.ModTime
	}
	if p.Data, err = readEntry(&meter{w.ctx, content, w.budget}, 0); err != nil {
		return damaged(err)
	}
	return w.emit(p)
}

// tar yields the files of a TAR archive.
func (w *walk) tar(r io.Reader) error {
	t := tar.NewReader(r)
	for {
		if err := w.next(); err != nil {
			return err
		}
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(err)
		}
		name := part.Clean(decodeName(h.Name))
		if h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeGNUSparse || name == "" || part.IsHidden(name) {
			continue
		}
		p := part.Part{Name: name, Modified: h.ModTime}
		p.Data, err = readEntry(&meter{w.ctx, t, w.budget}, h.Size)
		if errors.Is(err, errEntrySize) {
			p.Data, p.Reason = nil, fault.TextOf(err)
		} else if err != nil {
			return damaged(err)
		}
		if err := w.emit(p); err != nil {
			return err
		}
	}
}

// damaged returns the error for an archive that cannot be read to its end.
func damaged(err error) error {
	if fault.KindOf(err) == fault.Invalid || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.Wrap(fault.Invalid, err, "archive_cut_off", "damaged: the archive cannot be unpacked to its end; pack it again")
}
