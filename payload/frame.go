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

// TimeLayout is BAF's format of times: local, to the second, without a zone.
const TimeLayout = "2006-01-02 15:04:05"

// Frame is one message of the protocol.
type Frame struct {
	// Action is the type of the message; never empty.
	Action Action
	// Message is the content. Nil is written as null; a missing message is read
	// as nil.
	Message json.RawMessage
	// History marks stored messages that the server sends again.
	History bool
	// Time is the time of the message; zero is written as null. Readers ignore
	// it, as BAF does.
	Time time.Time
	// Seq orders the stored frames of a session, without gaps; 0 for others.
	// docent.v1 only.
	Seq int64
	// ID is the id that the client chose for its message; empty without one.
	// docent.v1 only.
	ID string
	// Turn is the number of the frame's turn; the greeting is turn 0. It is nil if
	// the frame belongs to no turn. docent.v1 only.
	Turn *int64
	// Replaces is the first turn that an edited or regenerated user_message
	// replaces, or 0. docent.v1 only.
	Replaces int64
	// N counts the provisional frames of a turn from 1; 0 for others. docent.v1
	// only.
	N int64
	// Sender is the agent that sent a user_message; empty for the user. Decoding
	// ignores it. docent.v1 only.
	Sender string
	// Sentence is the id of a message with a fixed text; zero for others. Decoding
	// ignores it. docent.v1 only.
	Sentence fault.Sentence
	// MessageID identifies the user interface of an agent_reply_gui. Actions in it
	// repeat the id. It is empty in other frames.
	MessageID string
	// Correlation is the id of a request between agents. Each response repeats it.
	// It is empty in other frames. BAF's clients ignore it.
	Correlation string
	// Hops counts the agents that the message has passed, from 0 to MaxHops. The
	// limit stops agents that answer each other endlessly.
	Hops int
}

// AppendBAF appends the frame as BAF writes it: four keys in BAF's order. The id of
// a user interface and the keys for other agents follow if they are set.
func (f Frame) AppendBAF(b []byte) []byte {
	return append(f.appendPeer(f.appendKeys(b)), '}')
}

// AppendV1 appends the frame with BAF's keys, followed by those of docent.v1.
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
		b = append(b, "null"...)
	} else {
		b = append(b, '"')
		b = f.Time.Local().AppendFormat(b, TimeLayout)
		b = append(b, '"')
	}
	if f.MessageID != "" {
		b = appendString(append(b, `,"message_id":`...), f.MessageID)
	}
	return b
}

// appendString appends s as JSON.
func appendString(b []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil { // strings always encode
		return append(b, `""`...)
	}
	return append(b, quoted...)
}

// Bounds of the fields of a frame, except its message.
const (
	// MaxIDBytes bounds the id that a client chooses for a message.
	MaxIDBytes = 128
	// MaxCorrelationBytes bounds the id that an agent chooses for a request.
	MaxCorrelationBytes = 128
	// MaxHops bounds Frame.Hops.
	MaxHops = 1000
)

// DecodeBAF reads a frame of BAF's dialect. It ignores unknown keys, and keys for
// other agents that have a wrong type. It fails with fault.Invalid and a sentence
// for the sender if the frame is unreadable. A missing message is not an error,
// because some actions need none.
func DecodeBAF(data []byte) (Frame, error) {
	f, in, err := decode(data)
	if err == nil {
		_ = in.peer(&f)
	}
	return f, err
}

// DecodeV1 reads a frame of docent.v1. Even with an error, it returns the frame's
// ID if it has one.
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

// incoming is a frame before the checks; fields of type any may hold a wrong
// type.
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

// maxN bounds Frame.N: JSON numbers represent integers exactly up to it.
const maxN = 1 << 53

// peer reads the keys between agents. More hops than MaxHops become MaxHops, so
// that no number leads back to none.
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

// identifier returns a value if it is a valid id.
func identifier(v any, limit int) (string, bool) {
	text, ok := v.(string)
	if !ok || text == "" || len(text) > limit || strings.ContainsRune(text, 0) {
		return "", false
	}
	return text, true
}

// count returns a value if it is a number from 0 to limit.
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
