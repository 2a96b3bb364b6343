package payload

import (
	"bytes"
	"encoding/json"
)

// scan reads a typical frame faster than encoding/json: an object with known
// keys, each at most once, whose values are plain strings, integers, true,
// false, or null. For anything else, valid or not, it returns false, and
// encoding/json reads the frame. It copies the message.
func scan(data []byte) (in incoming, ok bool) {
	s := scanner{rest: data}
	if !s.next('{') {
		return in, false
	}
	var had uint16
	for {
		key, ok := s.text()
		if !ok || !s.next(':') {
			return in, false
		}
		bit, ok := in.read(&s, key)
		if !ok || had&bit != 0 {
			return in, false
		}
		had |= bit
		switch {
		case s.next(','):
		case s.next('}'):
			s.skip()
			return in, len(s.rest) == 0
		default:
			return in, false
		}
	}
}

// The keys that scan knows, as bits.
const (
	actionKey = 1 << iota
	messageKey
	historyKey
	timestampKey
	idKey
	nKey
	correlationKey
	hopsKey
)

// read reads the value of a key. It returns false if the value is not plain.
func (in *incoming) read(s *scanner, key []byte) (bit uint16, ok bool) {
	switch string(key) {
	case "action":
		in.Action, ok = s.value()
		return actionKey, ok
	case "message":
		in.Message, ok = s.message()
		return messageKey, ok
	case "history":
		in.History, ok = s.value()
		return historyKey, ok
	case "timestamp":
		_, ok = s.value()
		return timestampKey, ok
	case "id":
		in.ID, ok = s.value()
		return idKey, ok
	case "n":
		in.N, ok = s.value()
		return nKey, ok
	case "correlation":
		in.Correlation, ok = s.value()
		return correlationKey, ok
	case "hops":
		in.Hops, ok = s.value()
		return hopsKey, ok
	}
	return 0, false
}

// scanner holds the rest of the input.
type scanner struct{ rest []byte }

func (s *scanner) skip() {
	for len(s.rest) > 0 && (s.rest[0] == ' ' || s.rest[0] == '\n' || s.rest[0] == '\r' || s.rest[0] == '\t') {
		s.rest = s.rest[1:]
	}
}

// next consumes a character if the input continues with it.
func (s *scanner) next(c byte) bool {
	s.skip()
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// text consumes a string of ASCII without escapes, and returns it without
// quotes.
func (s *scanner) text() ([]byte, bool) {
	if !s.next('"') {
		return nil, false
	}
	n := bytes.IndexByte(s.rest, '"')
	if n < 0 {
		return nil, false
	}
	text := s.rest[:n]
	for _, c := range text {
		if c < ' ' || c == '\\' || c >= 0x80 {
			return nil, false
		}
	}
	s.rest = s.rest[n+1:]
	return text, true
}

// message consumes a string with its quotes. The string may have escapes, which
// are not decoded: only its end must be known.
func (s *scanner) message() (json.RawMessage, bool) {
	s.skip()
	if len(s.rest) == 0 || s.rest[0] != '"' {
		return nil, false
	}
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			m := bytes.Clone(s.rest[:i+1])
			s.rest = s.rest[i+1:]
			return m, true
		case c < ' ':
			return nil, false
		case c == '\\':
			n := escape(s.rest[i+1:])
			if n == 0 {
				return nil, false
			}
			i += n
		}
	}
	return nil, false
}

// escape returns the length of an escape after its backslash; 0 if it is
// invalid.
func escape(b []byte) int {
	const hex = 4
	switch {
	case len(b) == 0:
		return 0
	case bytes.IndexByte([]byte(`"\/bfnrt`), b[0]) >= 0:
		return 1
	case b[0] != 'u' || len(b) <= hex:
		return 0
	}
	for _, c := range b[1 : 1+hex] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return 0
		}
	}
	return 1 + hex
}

// value consumes a plain string, a small integer, true, false, or null, and
// decodes it like encoding/json.
func (s *scanner) value() (any, bool) {
	s.skip()
	if len(s.rest) == 0 {
		return nil, false
	}
	switch c := s.rest[0]; {
	case c == '"':
		text, ok := s.text()
		return string(text), ok
	case c >= '0' && c <= '9':
		return s.number()
	case s.word("true"):
		return true, true
	case s.word("false"):
		return false, true
	case s.word("null"):
		return nil, true
	}
	return nil, false
}

func (s *scanner) word(w string) bool {
	if !bytes.HasPrefix(s.rest, []byte(w)) {
		return false
	}
	s.rest = s.rest[len(w):]
	return true
}

// number consumes an integer that a float represents exactly.
func (s *scanner) number() (any, bool) {
	const digits = 15
	n, value := 0, 0
	for n < len(s.rest) && s.rest[n] >= '0' && s.rest[n] <= '9' {
		value = 10*value + int(s.rest[n]-'0')
		if n++; n > digits {
			return nil, false
		}
	}
	if n > 1 && s.rest[0] == '0' {
		return nil, false
	}
	s.rest = s.rest[n:]
	return float64(value), true // the caller refuses the rest of any other number
}
