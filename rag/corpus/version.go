package corpus

import (
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// MaxVersions limits the versions that stores keep of a document, without the first one.
	MaxVersions = 10
	// maxEdits limits the pieces of each kind that a version keeps, and maxEditBytes their text.
	maxEdits, maxEditBytes = 20, 4 << 10
	// maxPiece limits a paragraph that is compared as a whole. Longer ones, such as tables and code, are compared by line.
	maxPiece = 1000
)

// Version is a change of the content of a document.
type Version struct {
	// At is the time when this content was stored.
	At time.Time
	// Title is the title in the file.
	Title string
	// SHA256 is the hash of the source in hex, and Size its size in bytes.
	SHA256 string
	Size   int64
	// Added and Removed count the paragraphs, and the lines of long ones, that the version before does not have, and that
	// this one does not have.
	Added, Removed int
	// Edits are the first of these. They are cut, so they can have less text than was changed.
	Edits []Edit
}

// Edit is text that was added or removed.
type Edit struct {
	// Added is false for removed text.
	Added bool `json:"added,omitempty"`
	// Text is the text, perhaps only its beginning.
	Text string `json:"text"`
}

// Compare returns the difference of two extracted texts as a version without its other fields. It ignores moved text and
// changes of spaces.
func Compare(before, after string) Version {
	was, is := pieces(before), pieces(after)
	removed, added := without(was, is), without(is, was)
	v := Version{Added: len(added), Removed: len(removed)}
	v.Edits = edits(edits(nil, false, removed), true, added)
	return v
}

// pieces divides a text into the paragraphs that are compared.
func pieces(text string) []string {
	var out []string
	for block := range strings.SplitSeq(text, "\n\n") {
		parts := []string{block}
		if len(block) > maxPiece {
			parts = strings.Split(block, "\n")
		}
		for _, p := range parts {
			if p = strings.Join(strings.Fields(p), " "); p != "" {
				out = append(out, p)
			}
		}
	}
	return out
}

// without returns the texts of list that others lack, as often as they lack them.
func without(list, others []string) []string {
	count := make(map[string]int, len(others))
	for _, t := range others {
		count[t]++
	}
	var out []string
	for _, t := range list {
		if count[t]--; count[t] < 0 {
			out = append(out, t)
		}
	}
	return out
}

// edits appends the first of some texts.
func edits(list []Edit, added bool, texts []string) []Edit {
	left := maxEditBytes
	for _, t := range texts[:min(len(texts), maxEdits)] {
		if cut := min(left, maxPiece); len(t) > cut {
			for cut > 0 && !utf8.RuneStart(t[cut]) {
				cut--
			}
			t = t[:cut] + "…"
		}
		if left -= len(t); left < 0 {
			break
		}
		list = append(list, Edit{added, t})
	}
	return list
}
