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

	"docent/ingest/extract/office"
	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
	"docent/ingest/jsonl"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// A message has a header in gob for all small values and a body of raw bytes.
// Parent and child run the same program, so the format needs no version.

const (
	// maxHeader bounds the header of a message, in bytes. The passages of a
	// document with the maximum text take about 30 MiB.
	maxHeader = 128 << 20
	// maxBody bounds the body of a message, in bytes.
	maxBody = 512 << 20
)

// op is the operation that a request asks for.
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
	CacheDir string
	// Prepares lets the worker write to CacheDir. Other workers only read it.
	// Such a worker runs before any document is read.
	Prepares bool
	// Nice gives the worker the lowest priority.
	Nice bool
	// Hard is the memory limit that the system enforces, in bytes.
	Hard int64
}

// request asks for one operation. Its body is the document.
type request struct {
	Op   op
	Name string
	Line *jsonl.Line
	// Shared and Recognized are those of intake.Source.
	Shared     []uint64
	Recognized map[int]string
	Page       int
	Width      int
	// CPU is the limit of processor time for the operation.
	CPU time.Duration
	// Memory is the memory limit of the worker during the operation, in bytes.
	Memory int64
}

// reply ends a piece of work. The reply to opParts comes after others that have
// More set and hold the parts.
type reply struct {
	Err     *wireError
	More    bool
	Reading intake.Reading // without Text, which is in the body
	// ChunkPages are the pages of the passages; -1 without one. They are
	// separate because gob does not distinguish a pointer to 0 from nil.
	ChunkPages []int
	// Parts are some parts, whose contents are the body.
	Parts []intake.Part
	Whole bool
	Edges []uint64
	Page  *pdf.Page
	Pages int
}

// wireError is an error in the form that is sent to the parent.
type wireError struct {
	Kind     fault.Kind
	Text     fault.Text
	Detail   string
	Panicked bool
	// Legacy is the media type of an *office.LegacyError.
	Legacy string
	// NoText is set for a *pdf.ScannedError. Scanned are its pages.
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

// failure returns the error in a reply.
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

// pack removes data from a reply that the body already contains.
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

// errReply is the error for a worker that sends invalid replies.
var errReply = errors.New("the worker's answer breaks the protocol")

// unpack restores the passages and the text of a reply and checks them, because
// a document may have taken over the worker.
func (rep *reply) unpack(text string) (intake.Reading, error) {
	r := rep.Reading
	if len(rep.ChunkPages) != len(r.Chunks) || !utf8.ValidString(text) || !utf8.ValidString(r.Title) || !utf8.ValidString(r.Media) ||
		!utf8.ValidString(r.Language) || !utf8.ValidString(r.Note) || !utf8.ValidString(r.Version) || !r.DateFrom.Known() {
		return intake.Reading{}, errReply
	}
	r.Text, r.Tags = text, corpus.CleanTags(r.Tags)
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
