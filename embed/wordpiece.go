package embed

import (
	"fmt"
	"sync"
)

// WordPiece cuts text into the tokens of a vocabulary of BERT's uncased kind. It
// normalizes, splits, and matches as the built-in model does. It is safe for
// concurrent use.
type WordPiece struct {
	vocab      *vocabulary
	tokenizers sync.Pool
}

// NewWordPiece reads a vocabulary. Each line of it is a token, and the line
// number is the id. packed is the file, compressed with gzip.
func NewWordPiece(packed string) (*WordPiece, error) {
	file, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	return ParseWordPiece(file)
}

// ParseWordPiece is NewWordPiece for a file that is not compressed.
func ParseWordPiece(file string) (*WordPiece, error) {
	v, err := newVocabulary(file)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	w := &WordPiece{vocab: v}
	w.tokenizers.New = func() any { return &tokenizer{v: v} }
	return w, nil
}

// Tokens returns the number of tokens. Ids are below it.
func (w *WordPiece) Tokens() int { return len(w.vocab.start) - 1 }

// ID returns the id of a token that begins a word, such as "[CLS]".
func (w *WordPiece) ID(token string) (uint16, bool) { return w.vocab.lookup(token) }

// Append appends the token ids of text to dst.
func (w *WordPiece) Append(dst []uint16, text string) []uint16 {
	t := w.tokenizers.Get().(*tokenizer)
	t.dst = dst
	t.append(text)
	dst, t.dst = t.dst, nil
	if cap(t.composed) <= 4*embedWindow {
		w.tokenizers.Put(t)
	}
	return dst
}
