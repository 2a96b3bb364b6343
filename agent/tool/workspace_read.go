package tool

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"
	"unicode/utf8"
)

func (w *Workspaces) readFile(ctx context.Context, in readFile) (any, error) {
	s, err := w.find(in.Workspace)
	if err != nil {
		return nil, err
	}
	local, err := s.local(in.Path)
	if err != nil {
		return nil, err
	}
	if in.Offset < 0 || in.Limit < 0 {
		return nil, refusal("WorkspaceError", "offset and limit cannot be negative")
	}
	// Opening a pipe would wait for a writer.
	f, err := s.root.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, s.failed(err, in.Path)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, s.failed(err, in.Path)
	}
	if !info.Mode().IsRegular() {
		return nil, refusal("WorkspaceError", "Not a file: %s", shown(in.Path))
	}
	text, err := page(ctx, f, info.Size(), in)
	var own *Error
	if err != nil && !errors.As(err, &own) {
		return nil, s.failed(err, in.Path)
	}
	return text, err
}

// page reads a part of a file as text.
func page(ctx context.Context, f io.ReaderAt, size int64, in readFile) (string, error) {
	head := make([]byte, min(size, sniffed))
	if err := readAt(f, head, 0); err != nil {
		return "", err
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return "", refusal("WorkspaceError",
			"%s is not UTF-8 text but a file of %d bytes and type %s; it cannot be read", shown(in.Path), size, http.DetectContentType(head))
	}
	if size == 0 {
		return fmt.Sprintf("(empty file: %s)", printable(in.Path)), nil
	}
	if in.Offset >= size {
		return "", refusal("WorkspaceError", "offset %d is behind the end: %s has %d bytes", in.Offset, shown(in.Path), size)
	}
	// Extra bytes on both sides show where characters begin.
	from := max(in.Offset-utf8.UTFMax, 0)
	limit := int64(min(cmp.Or(in.Limit, DefaultPage), MaxPage))
	text := make([]byte, min(in.Offset+limit+utf8.UTFMax, size)-from)
	if err := readAt(f, text, from); err != nil {
		return "", err
	}
	start, end := runes(text, int(in.Offset-from), int(min(in.Offset+limit, size)-from))
	first := from + int64(start)
	text = text[start:end]
	if from+int64(end) < size {
		text = text[:lineEnd(text)]
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return "", refusal("WorkspaceError",
			"%s is not text: there are NUL bytes from offset %d on", shown(in.Path), first+int64(bytes.IndexByte(text, 0)))
	}
	result := func(n int) string { return string(text[:n]) + pageNote(first, first+int64(n), size, "offset") }
	return result(fitting(ctx, string(text), result)), nil
}

// lineEnd returns the offset after the last line break in the second half of a text. Without one, it returns the length of
// the text.
func lineEnd[T string | []byte](text T) int {
	for i := len(text); i > len(text)/2; i-- {
		if text[i-1] == '\n' {
			return i
		}
	}
	return len(text)
}

// pageNote describes which part of a text a page is. It is empty for the whole text.
func pageNote(first, last, size int64, parameter string) string {
	if first == 0 && last == size {
		return ""
	}
	note := fmt.Sprintf("\n[bytes %d to %d of %d", first, last, size)
	if last < size {
		return note + fmt.Sprintf("; %d are left, read on with %s=%d]", size-last, parameter, last)
	}
	return note + "; this is the end]"
}

// readAt fills b. If the file has become shorter, zeros remain at the end, which do not count as text.
func readAt(f io.ReaderAt, b []byte, offset int64) error {
	if _, err := f.ReadAt(b, offset); err != nil && !errors.Is(err, io.EOF) {
		return err //nolint:wrapcheck // the caller says what it read
	}
	return nil
}

// runes moves the ends of a part of text to the starts of characters. It moves the start backwards, and also the end,
// unless nothing would remain.
func runes(text []byte, start, end int) (from, to int) {
	from, to = runeStart(text, start), runeStart(text, end)
	if to <= from { // one character, or less, was asked for
		_, n := utf8.DecodeRune(text[from:])
		to = from + n
	}
	return from, to
}

// runeStart returns the start of the character at i. It returns i if the bytes there are not a character.
func runeStart(text []byte, i int) int {
	for back := range min(i, utf8.UTFMax-1) + 1 {
		if start := i - back; start < len(text) && utf8.RuneStart(text[start]) {
			if _, n := utf8.DecodeRune(text[start:]); start+n > i {
				return start
			}
			break
		}
	}
	return i
}
