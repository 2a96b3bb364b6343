// Package terminal writes foreign text to a terminal.
package terminal

import (
	"io"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Writer removes control characters and bidi marks from text, so that documents
// and names cannot send commands to a terminal. Line ends and tabs stay. It is safe
// for concurrent use.
type Writer struct {
	to io.Writer

	mu   sync.Mutex // guards rest
	rest []byte     // the begin of a character
}

// NewWriter returns a Writer.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write implements io.Writer. It keeps an incomplete last character until the next
// call.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	in := slices.Concat(w.rest, p)
	out := make([]byte, 0, len(in))
	for len(in) > 0 && utf8.FullRune(in) {
		r, size := utf8.DecodeRune(in)
		if Shows(r) && (r != utf8.RuneError || size > 1) {
			out = append(out, in[:size]...)
		}
		in = in[size:]
	}
	w.rest = slices.Clone(in)
	if _, err := w.to.Write(out); err != nil {
		return 0, err //nolint:wrapcheck // as io.Writer
	}
	return len(p), nil
}

// Shows reports whether a terminal shows a character and does nothing else with
// it.
func Shows(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return true
	case unicode.IsControl(r):
		return false
	}
	return !unicode.Is(unicode.Bidi_Control, r)
}
