package dialect

import (
	"encoding/json"
	"strings"

	"docent/internal/fault"
	"docent/payload"
)

// Finder finds the id of a frame that is refused without being decoded, because
// the frame is too long or not valid JSON. The refusal needs the id. The Finder
// reads the frame in pieces and keeps only the current key or string.
type Finder struct {
	id      string
	deepest int

	depth   int
	object  bool // the frame is an object
	key     bool // a key comes next
	isID    bool // the value of id comes next
	text    bool // inside a string
	escaped bool // after a backslash
	kept    []byte
	keeping bool // kept holds the current string
}

const (
	// maxDepth is the maximum nesting that encoding/json reads.
	maxDepth = 10_000
	// MaxEscape is the maximum ratio of a text's length in JSON to its own length,
	// as in \u0041 for a letter.
	MaxEscape = 6
	// maxFound is the maximum length of an id as JSON, in bytes.
	maxFound = MaxEscape*payload.MaxIDBytes + 2
)

// See reads the next piece.
func (f *Finder) See(piece []byte) {
	for _, c := range piece {
		if f.text {
			f.within(c)
			continue
		}
		switch c {
		case '"':
			f.text, f.keeping = true, f.depth == 1 && (f.key || f.isID)
			if f.keeping {
				f.kept = append(f.kept[:0], c)
			}
		case '{', '[':
			if f.depth == 0 {
				f.object, f.key = c == '{', c == '{'
			}
			f.depth++
			f.deepest = max(f.deepest, f.depth)
		case '}', ']':
			f.depth--
		case ',':
			if f.depth == 1 {
				f.key, f.isID = f.object, false
			}
		}
	}
}

// ID returns the id that was found, or "".
func (f *Finder) ID() string { return f.id }

// within reads a byte inside a string.
func (f *Finder) within(c byte) {
	if f.keeping {
		if len(f.kept) < maxFound {
			f.kept = append(f.kept, c)
		} else {
			f.kept[0] = 0 // too long for an id
		}
	}
	switch {
	case f.escaped:
		f.escaped = false
	case c == '\\':
		f.escaped = true
	case c == '"':
		f.text = false
		if f.keeping {
			f.found()
		}
	}
}

// found reads a key of the frame, or its id.
func (f *Finder) found() {
	var text string
	err := json.Unmarshal(f.kept, &text)
	if f.key {
		f.key, f.isID = false, err == nil && text == "id"
		return
	}
	f.isID = false
	if err == nil && len(text) <= payload.MaxIDBytes && !strings.ContainsRune(text, 0) {
		f.id = text
	}
}

// Undecoded returns the id of a message that cannot be decoded, and the reason
// for the refusal. The reason is the given error, or an error that says that the
// message is nested too deeply.
func Undecoded(data []byte, refusal error) (id string, why error) {
	var f Finder
	f.See(data)
	if f.deepest > maxDepth {
		refusal = fault.Wrap(fault.Invalid, refusal, "message_too_deep", "this is nested too deeply; at most %d levels are allowed", maxDepth)
	}
	return f.id, refusal
}
