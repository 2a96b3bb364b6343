package payload

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"docent/internal/fault"
)

// TimeLayout is how BAF writes a time: local, to the second, without a zone.
const TimeLayout = "2006-01-02 15:04:05"

// Frame is one message on the wire.
type Frame struct {
	// Action says what it is; never empty.
	Action Action
	// Message is its content; nil is written as null, and read where the
	// sender left it out.
	Message json.RawMessage
	// History marks what is shown again.
	History bool
	// Time is when it was made; zero is null. Readers ignore it, as BAF does.
	Time time.Time
	// Seq orders the frames that are stored, per session and without gaps; 0
	// for others. Only docent.v1 has it.
	Seq int64
	// ID is the id that the client gave its message; "" if none. Only
	// docent.v1 has it.
	ID string
	// Turn is the turn the frame belongs to, the greeting being 0; nil if to
	// none. Only docent.v1 has it.
	Turn *int64
}

// AppendBAF appends the frame as BAF writes it, four keys in BAF's order.
func (f Frame) AppendBAF(b []byte) []byte {
	return append(f.appendKeys(b), '}')
}

// AppendV1 appends the frame with the keys of docent.v1 after BAF's.
func (f Frame) AppendV1(b []byte) []byte {
	b = f.appendKeys(b)
	if f.Seq != 0 {
		b = strconv.AppendInt(append(b, `,"seq":`...), f.Seq, 10)
	}
	if f.ID != "" {
		b = appendString(append(b, `,"id":`...), f.ID)
	}
	if f.Turn != nil {
		b = strconv.AppendInt(append(b, `,"turn":`...), *f.Turn, 10)
	}
	return append(b, '}')
}

func (f Frame) appendKeys(b []byte) []byte {
	b = appendString(append(b, `{"action":`...), string(f.Action))
	b = append(b, `,"message":`...)
	if len(f.Message) == 0 {
		b = append(b, "null"...)
	} else {
		b = append(b, f.Message...)
	}
	b = strconv.AppendBool(append(b, `,"history":`...), f.History)
	b = append(b, `,"timestamp":`...)
	if f.Time.IsZero() {
		return append(b, "null"...)
	}
	b = append(b, '"')
	b = f.Time.Local().AppendFormat(b, TimeLayout)
	return append(b, '"')
}

// appendString appends s as JSON.
func appendString(b []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil { // a string always encodes
		return append(b, `""`...)
	}
	return append(b, quoted...)
}

// MaxIDBytes bounds the id a client gives a message.
const MaxIDBytes = 128

// DecodeBAF reads a frame that a BAF client sent: keys that BAF does not know
// are ignored. What cannot be read is fault.Invalid with a sentence for its
// sender. A missing message is not an error: some actions need none.
func DecodeBAF(data []byte) (Frame, error) {
	f, _, err := decode(data)
	return f, err
}

// DecodeV1 reads a frame that a docent.v1 client sent. With an error, the frame
// still holds the ID if there was one.
func DecodeV1(data []byte) (Frame, error) {
	f, id, err := decode(data)
	if id == nil {
		return f, err
	}
	text, ok := id.(string)
	if !ok || text == "" || len(text) > MaxIDBytes || strings.ContainsRune(text, 0) {
		return f, fault.New(fault.Invalid, "id must be a string of 1 to %d bytes", MaxIDBytes)
	}
	f.ID = text
	return f, err
}

func decode(data []byte) (f Frame, id any, err error) {
	var in struct {
		Action  any             `json:"action"`
		Message json.RawMessage `json:"message"`
		ID      any             `json:"id"`
		History any             `json:"history"`
	}
	if err := unmarshal(data, &in); err != nil {
		return f, nil, fault.Wrap(fault.Invalid, err, "a frame must be a JSON object with action and message")
	}
	action, ok := in.Action.(string)
	if !ok || action == "" {
		return f, in.ID, fault.New(fault.Invalid, "a frame must have an action, which is a string")
	}
	f = Frame{Action: Action(action), Message: in.Message}
	f.History, _ = in.History.(bool)
	return f, in.ID, nil
}
