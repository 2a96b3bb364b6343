package payload

import (
	"cmp"
	"encoding/json"
	"math"
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
	// Replaces is, on a user_message that was edited or is to be answered anew,
	// the turn from which on it replaces what was said before; 0 if it replaces
	// nothing. Only docent.v1 has it.
	Replaces int64
	// N counts a turn's provisional frames from 1; 0 for others. Only docent.v1
	// has it.
	N int64
	// Sender is the other agent that said a user_message; "" if the user did.
	// Only docent.v1 has it, and it is not read.
	Sender string
	// Sentence names a message that is a fixed text; it is zero for others. Only
	// docent.v1 has it, and it is not read.
	Sentence fault.Sentence
	// Correlation is the id that an agent gave its request, and that what
	// answers it carries; "" if none. BAF's clients ignore it.
	Correlation string
	// Hops counts the agents that a message went through before, 0 to MaxHops,
	// so that agents which answer each other come to an end.
	Hops int
}

// AppendBAF appends the frame as BAF writes it, four keys in BAF's order, and
// after them what agents need to talk to each other, if it is set.
func (f Frame) AppendBAF(b []byte) []byte {
	return append(f.appendPeer(f.appendKeys(b)), '}')
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
	if f.Replaces != 0 {
		b = strconv.AppendInt(append(b, `,"replaces":`...), f.Replaces, 10)
	}
	if f.N != 0 {
		b = strconv.AppendInt(append(b, `,"n":`...), f.N, 10)
	}
	if f.Sender != "" {
		b = appendString(append(b, `,"sender":`...), f.Sender)
	}
	if f.Sentence.ID != "" {
		b = appendString(append(b, `,"sentence":{"id":`...), f.Sentence.ID)
		b = append(append(append(b, `,"params":`...), cmp.Or(f.Sentence.Params, "[]")...), '}')
	}
	return append(f.appendPeer(b), '}')
}

func (f Frame) appendPeer(b []byte) []byte {
	if f.Correlation != "" {
		b = appendString(append(b, `,"correlation":`...), f.Correlation)
	}
	if f.Hops != 0 {
		b = strconv.AppendInt(append(b, `,"hops":`...), int64(f.Hops), 10)
	}
	return b
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

// Bounds of what is read of a frame beside its message.
const (
	// MaxIDBytes bounds the id a client gives a message.
	MaxIDBytes = 128
	// MaxCorrelationBytes bounds the id an agent gives a request.
	MaxCorrelationBytes = 128
	// MaxHops bounds Frame.Hops.
	MaxHops = 1000
)

// DecodeBAF reads a frame of BAF's dialect: keys that BAF does not know are
// ignored, but for those between agents, which count where they are as they
// ought to be. What cannot be read is fault.Invalid with a sentence for its
// sender. A missing message is not an error: some actions need none.
func DecodeBAF(data []byte) (Frame, error) {
	f, in, err := decode(data)
	if err == nil {
		_ = in.peer(&f)
	}
	return f, err
}

// DecodeV1 reads a frame of docent.v1. With an error, the frame still holds the
// ID if there was one.
func DecodeV1(data []byte) (Frame, error) {
	f, in, err := decode(data)
	if in.ID != nil {
		id, ok := identifier(in.ID, MaxIDBytes)
		if !ok {
			return f, fault.New(fault.Invalid, "id_invalid", "id must be a string of 1 to %d bytes", MaxIDBytes)
		}
		f.ID = id
	}
	if err != nil {
		return f, err
	}
	return f, in.peer(&f)
}

// incoming is a frame as it is read; what is any may be of a wrong type.
type incoming struct {
	Action      any             `json:"action"`
	Message     json.RawMessage `json:"message"`
	History     any             `json:"history"`
	ID          any             `json:"id"`
	N           any             `json:"n"`
	Correlation any             `json:"correlation"`
	Hops        any             `json:"hops"`
}

func decode(data []byte) (f Frame, in incoming, err error) {
	in, plain := scan(data)
	if !plain {
		in = incoming{}
		err = unmarshal(data, &in)
	}
	if err != nil {
		return f, incoming{}, fault.Wrap(fault.Invalid, err, "frame_invalid", "a frame must be a JSON object with action and message")
	}
	action, ok := in.Action.(string)
	if !ok || action == "" {
		return f, in, fault.New(fault.Invalid, "frame_without_action", "a frame must have an action, which is a string")
	}
	f = Frame{Action: Action(action), Message: in.Message}
	f.History, _ = in.History.(bool)
	if n, ok := count(in.N, maxN); ok {
		f.N = int64(n)
	}
	return f, in, nil
}

// maxN bounds Frame.N: what a number of JSON can hold exactly.
const maxN = 1 << 53

// peer reads what agents add to a frame. Too many hops are MaxHops, so that
// nobody comes by them back to none.
func (in incoming) peer(f *Frame) (err error) {
	if in.Correlation != nil {
		id, ok := identifier(in.Correlation, MaxCorrelationBytes)
		if !ok {
			err = fault.New(fault.Invalid, "correlation_invalid", "correlation must be a string of 1 to %d bytes", MaxCorrelationBytes)
		}
		f.Correlation = id
	}
	if in.Hops != nil {
		hops, ok := count(in.Hops, MaxHops)
		if !ok {
			err = fault.New(fault.Invalid, "hops_invalid", "hops must be a whole number from 0 to %d", MaxHops)
		}
		f.Hops = hops
	}
	return err
}

// identifier is a value that is an id.
func identifier(v any, limit int) (string, bool) {
	text, ok := v.(string)
	if !ok || text == "" || len(text) > limit || strings.ContainsRune(text, 0) {
		return "", false
	}
	return text, true
}

// count is a value that counts something, at most limit.
func count(v any, limit int) (int, bool) {
	number, ok := v.(float64)
	switch {
	case ok && number > float64(limit):
		return limit, false
	case !ok || number < 0 || number != math.Trunc(number):
		return 0, false
	}
	return int(number), true
}
