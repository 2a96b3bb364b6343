// Package flat writes slices of numbers so that they can be used directly in the
// loaded file, without decoding.
//
// A stream consists of a magic of four bytes, a uint32 version, and parts. A part
// is a uint64 count, that many little-endian numbers, and zeros up to a multiple
// of 8 bytes.
package flat

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"unsafe"
)

// Number is the element type of a part.
type Number interface {
	~int8 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int64 | ~float32
}

// littleEndian reports whether numbers have the same bytes in memory and in a stream.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// align is the alignment of each part, in bytes.
const align = 8

// Writer writes a stream. It keeps the first error; see Err.
type Writer struct {
	w   io.Writer
	n   int
	err error
}

// NewWriter begins a stream. The magic has four bytes.
func NewWriter(w io.Writer, magic string, version uint32) *Writer {
	out := &Writer{w: w}
	out.write(binary.LittleEndian.AppendUint32([]byte(magic), version))
	return out
}

// Err returns the first error of the underlying writer.
func (w *Writer) Err() error { return w.err }

func (w *Writer) write(b []byte) {
	if w.err == nil {
		var n int
		n, w.err = w.w.Write(b)
		w.n += n
	}
}

// Put appends a part.
func Put[T Number](w *Writer, part []T) {
	PutAll(w, len(part), func(yield func([]T) bool) { yield(part) })
}

// PutAll appends a part that comes in pieces with n numbers in total.
func PutAll[T Number](w *Writer, n int, pieces iter.Seq[[]T]) {
	w.write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
	total := 0
	for piece := range pieces {
		total += len(piece)
		w.write(bytesOf(piece))
	}
	if total != n && w.err == nil {
		w.err = fmt.Errorf("flat: a part of %d numbers, %d were promised", total, n)
	}
	w.write(make([]byte, (align-w.n%align)%align))
}

// bytesOf returns the little-endian bytes of numbers, in place if possible.
func bytesOf[T Number](part []T) []byte {
	if len(part) == 0 {
		return nil
	}
	if littleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(&part[0])), len(part)*int(unsafe.Sizeof(part[0])))
	}
	out, err := binary.Append(nil, binary.LittleEndian, part)
	if err != nil {
		panic("flat: " + err.Error()) // numbers of fixed size can be written
	}
	return out
}

// PutStrings appends a part with strings.
func PutStrings(w *Writer, list []string) {
	var out []byte
	for _, s := range list {
		out = binary.AppendUvarint(out, uint64(len(s)))
		out = append(out, s...)
	}
	Put(w, out)
}

// Reader reads the parts of a stream. It keeps the first error; see Err.
type Reader struct {
	data []byte
	at   int
	err  error
}

// NewReader returns a reader of a stream. The stream must not change while its parts are in use.
func NewReader(data []byte, magic string, version uint32) *Reader {
	r := &Reader{data: data, at: align}
	if len(data) < align || string(data[:4]) != magic || binary.LittleEndian.Uint32(data[4:]) != version {
		r.err = fmt.Errorf("flat: no %s header of version %d", magic, version)
	}
	return r
}

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Take returns the next part, or nil after an error. The part is a slice of the stream if possible. It has no spare
// capacity, so appending copies it.
func Take[T Number](r *Reader) []T {
	if r.err != nil {
		return nil
	}
	var zero T
	size := int(unsafe.Sizeof(zero))
	if r.at > len(r.data)-8 {
		r.err = fmt.Errorf("flat: no part at %d", r.at)
		return nil
	}
	n := binary.LittleEndian.Uint64(r.data[r.at:])
	r.at += 8
	if n > uint64(len(r.data)-r.at)/uint64(size) {
		r.err = fmt.Errorf("flat: the part at %d is cut off", r.at-8)
		return nil
	}
	raw := r.data[r.at : r.at+int(n)*size]
	r.at += (len(raw) + align - 1) / align * align
	if n == 0 {
		return nil
	}
	if littleEndian && uintptr(unsafe.Pointer(&raw[0]))%uintptr(size) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&raw[0])), int(n))
	}
	out := make([]T, n)
	if _, err := binary.Decode(raw, binary.LittleEndian, out); err != nil {
		r.err = fmt.Errorf("flat: part before %d: %w", r.at, err)
		return nil
	}
	return out[:n:n]
}

// TakeStrings returns the next part as strings.
func TakeStrings(r *Reader) []string {
	data := Take[byte](r)
	var out []string
	for len(data) > 0 {
		n, size := binary.Uvarint(data)
		if size <= 0 || n > uint64(len(data)-size) {
			r.err = fmt.Errorf("flat: string %d is cut off", len(out))
			return nil
		}
		out = append(out, string(data[size:size+int(n)]))
		data = data[size+int(n):]
	}
	return out
}
