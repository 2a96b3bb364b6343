package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"docent/ingest/chunk"
	"docent/ingest/extract/office"
	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// A message is a header in gob, which holds all that is small, and a body of raw
// bytes. Parent and child are the same program, so no version is needed.

const (
	// maxHeader bounds a message's header, in bytes. That of a document with the
	// most text has some 30 MiB of passages.
	maxHeader = 128 << 20
	// maxBody bounds a message's body, in bytes.
	maxBody = 512 << 20
)

// op is what a worker is asked to do.
type op string

const (
	opRead  op = "read"
	opParts op = "parts"
	opEdges op = "edges"
	opPage  op = "page"
	opDraw  op = "draw"
	// opPrepare makes the PDF reader ready.
	opPrepare op = "prepare"
)

// hello is the first message to a worker.
type hello struct {
	Chunk    chunk.Config
	CacheDir string
	// Prepares lets the worker write to CacheDir, which others only read: it runs
	// before there is any document.
	Prepares bool
	// Nice makes the worker yield to every other process.
	Nice bool
	// Hard is the most memory that the system gives the worker, in bytes.
	Hard int64
}

// request asks for one piece of work; the document is the body.
type request struct {
	Op   op
	Name string
	Line *intake.Line
	// Shared and Recognized are intake.Source's.
	Shared     []uint64
	Recognized map[int]string
	Page       int
	Width      int
	// CPU is the processor time that it may take.
	CPU time.Duration
	// Memory is the memory that the worker may have meanwhile, in bytes.
	Memory int64
}

// reply ends a piece of work. The reply to opParts comes after others that have
// More set and hold the parts.
type reply struct {
	Err     *wireError
	More    bool
	Reading intake.Reading // without Text, which is the body
	// Pages are those of the passages, -1 where there is none: gob does not tell
	// a pointer to 0 from none.
	ChunkPages []int
	// Parts are some parts, whose contents are the body.
	Parts []intake.Part
	Whole bool
	Edges []uint64
	Page  *pdf.Page
	Pages int
}

// wireError is an error on its way to the parent.
type wireError struct {
	Kind     fault.Kind
	Text     fault.Text
	Detail   string
	Panicked bool
	// Legacy is the media type of an *office.LegacyError.
	Legacy string
	// NoText says that it is a *pdf.ScannedError, and Scanned are its pages.
	NoText  bool
	Scanned []int
}

func toWire(err error) *wireError {
	if err == nil {
		return nil
	}
	w := &wireError{Kind: fault.KindOf(err), Text: fault.TextOf(err), Detail: err.Error(), Panicked: errors.Is(err, intake.ErrBroken)}
	var legacy *office.LegacyError
	if errors.As(err, &legacy) {
		w.Legacy = legacy.Media
	}
	var scanned *pdf.ScannedError
	if errors.As(err, &scanned) {
		w.NoText, w.Scanned = true, scanned.Pages
	}
	return w
}

// failure is the error that a reply carries.
func (w *wireError) failure() error {
	if w == nil {
		return nil
	}
	cause := errors.New(w.Detail)
	switch {
	case w.Panicked:
		cause = &deadError{detail: w.Detail}
	case w.Legacy != "":
		cause = &office.LegacyError{Media: w.Legacy}
	case w.NoText:
		cause = pdf.NewScannedError(w.Scanned, w.Text)
	}
	return &fault.Fault{Kind: w.Kind, Text: w.Text, Err: cause}
}

// send writes a message.
func send(w io.Writer, header any, body []byte) error {
	var b bytes.Buffer
	b.Write(make([]byte, 12))
	if err := gob.NewEncoder(&b).Encode(header); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	head := b.Bytes()
	if len(head) > maxHeader || len(body) > maxBody {
		return fmt.Errorf("a message of %d and %d bytes is too large", len(head), len(body))
	}
	binary.LittleEndian.PutUint32(head, uint32(len(head)-12))
	binary.LittleEndian.PutUint64(head[4:], uint64(len(body)))
	if _, err := w.Write(head); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	if _, err := w.Write(body); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	return nil
}

// receive reads a message.
func receive(r io.Reader, header any) (body []byte, err error) {
	var sizes [12]byte
	if _, err := io.ReadFull(r, sizes[:]); err != nil {
		return nil, err //nolint:wrapcheck // io.EOF says that the other side has ended
	}
	head, size := binary.LittleEndian.Uint32(sizes[:]), binary.LittleEndian.Uint64(sizes[4:])
	if head > maxHeader || size > maxBody {
		return nil, fmt.Errorf("a message of %d and %d bytes is too large", head, size)
	}
	limited := &io.LimitedReader{R: r, N: int64(head)}
	if err := gob.NewDecoder(limited).Decode(header); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	if _, err := io.Copy(io.Discard, limited); err != nil {
		return nil, fmt.Errorf("receive: %w", err)
	}
	body = make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("receive: %w", err)
	}
	return body, nil
}

// pack leaves out of a reply what its body has already.
func (rep *reply) pack(r intake.Reading) {
	rep.ChunkPages = make([]int, len(r.Chunks))
	for i, c := range r.Chunks {
		if r.Text[c.Start:c.End] == c.Text {
			r.Chunks[i].Text = ""
		}
		rep.ChunkPages[i] = -1
		if c.Page != nil {
			rep.ChunkPages[i] = *c.Page
			r.Chunks[i].Page = nil
		}
	}
	r.Text = ""
	rep.Reading = r
}

// errReply ends the use of a worker that answers with nonsense.
var errReply = errors.New("the worker's answer breaks the protocol")

// unpack puts passages and text together again and checks them: a worker may
// have been taken over by what it reads.
func (rep *reply) unpack(text string) (intake.Reading, error) {
	r := rep.Reading
	if len(rep.ChunkPages) != len(r.Chunks) || !utf8.ValidString(text) || !utf8.ValidString(r.Title) || !utf8.ValidString(r.Media) ||
		!utf8.ValidString(r.Language) || !utf8.ValidString(r.Note) {
		return intake.Reading{}, errReply
	}
	r.Text = text
	for i := range r.Chunks {
		c := &r.Chunks[i]
		if c.Start < 0 || c.End < c.Start || c.End > len(text) || c.Ordinal != i || c.Tokens < 0 {
			return intake.Reading{}, errReply
		}
		if c.Text == "" {
			c.Text = text[c.Start:c.End]
		}
		if c.Page = nil; rep.ChunkPages[i] >= 0 {
			c.Page = &rep.ChunkPages[i]
		}
		if !utf8.ValidString(c.Text) || !validHeadings(*c) {
			return intake.Reading{}, errReply
		}
	}
	return r, nil
}

func validHeadings(c corpus.Chunk) bool {
	for _, h := range c.Headings {
		if !utf8.ValidString(h) {
			return false
		}
	}
	return utf8.ValidString(c.PageLabel)
}
