package pipeline

import (
	"strings"

	"docent/rag/text"
)

const (
	// maxThinking limits the reasoning of a model that readers see, in bytes.
	maxThinking = 64 << 10
	// thinkingPiece is the length from which reasoning is passed on, in bytes. Models
	// write it word by word.
	thinkingPiece = 200
)

// thinking collects the reasoning of a model.
type thinking struct {
	all  strings.Builder
	sent int // bytes of all that are passed on
}

// add adds reasoning and returns the piece that is passed on now, or "". over says that the
// answer has begun.
func (t *thinking) add(reasoning string, over bool) string {
	if left := maxThinking - t.all.Len(); left > 0 {
		t.all.WriteString(text.Cut(reasoning, left)) // adds an ellipsis if it cuts
	}
	piece := t.all.String()[t.sent:]
	if len(piece) < thinkingPiece && !over {
		return ""
	}
	t.sent = t.all.Len()
	return piece
}
