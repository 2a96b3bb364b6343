package ws

import (
	"encoding/binary"
	"slices"

	"github.com/gorilla/websocket"
)

// The header of a frame that a server sends is the kind and the length of what
// follows, in the fewest bytes.
const (
	finalBit     = 0x80
	shortHeader  = 2
	middleHeader = 4
	longHeader   = 10
	middleLength = 126 // says that two bytes with the length follow
	longLength   = 127 // says that eight do
	maskKey      = 4   // bytes that clients have behind the header
	maskBit      = 0x80
	maxControl   = shortHeader + maskKey + middleLength - 1 // a client's longest control frame
)

// endsInClose reports whether the last that came of a client answers one of our
// close frames. Where its frames begin is not known any more.
func endsInClose(tail []byte) bool {
	for begin := max(0, len(tail)-maxControl); begin+shortHeader+maskKey+2 <= len(tail); begin++ {
		f := tail[begin:]
		if f[0] != finalBit|websocket.CloseMessage || int(f[1]) != maskBit+len(f)-shortHeader-maskKey {
			continue
		}
		code := binary.BigEndian.Uint16(f[shortHeader+maskKey:]) ^ binary.BigEndian.Uint16(f[shortHeader:])
		if slices.ContainsFunc(CloseCodes(), func(c CloseCode) bool { return c.Code == int(code) }) {
			return true
		}
	}
	return false
}

// beginFrame makes room for a header; the caller appends the text and calls
// endFrame.
func beginFrame(b []byte) []byte { return append(b, 0, 0, 0, 0) }

// endFrame writes the header of the text frame that begins at start.
func endFrame(b []byte, start int) []byte {
	n := len(b) - start - middleHeader
	switch {
	case n < middleLength:
		copy(b[start+shortHeader:], b[start+middleHeader:])
		b = b[:len(b)-middleHeader+shortHeader]
		b[start+1] = byte(n)
	case n <= 1<<16-1:
		b[start+1] = middleLength
		binary.BigEndian.PutUint16(b[start+shortHeader:], uint16(n))
	default:
		b = append(b, make([]byte, longHeader-middleHeader)...)
		copy(b[start+longHeader:], b[start+middleHeader:])
		b[start+1] = longLength
		binary.BigEndian.PutUint64(b[start+shortHeader:], uint64(n))
	}
	b[start] = finalBit | websocket.TextMessage
	return b
}

// controlFrame is a ping, pong or close frame; data has at most 125 bytes.
func controlFrame(kind int, data []byte) []byte {
	return append([]byte{finalBit | byte(kind), byte(len(data))}, data...)
}
