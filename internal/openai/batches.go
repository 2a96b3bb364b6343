package openai

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// minHalved is the shortest text in bytes that is halved. If a server refuses a
// shorter one, the reason is not its length.
const minHalved = 128

// surelyLong is the length in bytes from which a text is taken for too long if the server
// fails for it, but not for its halves. llama.cpp answers such a text with status 500.
const surelyLong = 1 << 10

// Batches sends texts to a server in requests that the server takes. It finds the
// limits of the server: if the server refuses several texts, it sends each half in a
// request of its own. If the server refuses a single text, it sends the halves of this
// text and joins their results. It remembers the limits that it found. It is safe for
// concurrent use.
type Batches[V any] struct {
	// MaxBytes limits the texts of one request, unless a single text is longer.
	MaxBytes int
	// Join returns the result of a text from the results of its parts.
	Join func(parts []V) V
	// Learned is called with the limits after they have changed. 0 means no limit.
	Learned func(texts, bytes int)

	mu sync.Mutex // guards the fields below
	// texts is the largest number of texts in a request.
	texts int
	// bytes is the length of the longest text; 0 if it is unknown.
	bytes int
}

// Limit sets the known limits: the number of texts in a request, and the bytes of a text,
// or 0.
func (b *Batches[V]) Limit(texts, bytes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.texts, b.bytes = texts, bytes
}

// Limits returns the limits that are known.
func (b *Batches[V]) Limits() (texts, bytes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.texts, b.bytes
}

// Halvable reports whether Batches divides these texts if a server refuses them.
func Halvable(texts []string) bool { return len(texts) > 1 || len(texts[0]) >= minHalved }

// Send returns one result for each text. send makes one request and returns one result
// for each of its texts.
func (b *Batches[V]) Send(ctx context.Context, texts []string, send func(context.Context, []string) ([]V, error)) ([]V, error) {
	parts := make([][]V, len(texts)) // the results of each text
	var batch []string
	var owners []int // the text of each part in batch
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		results, err := b.halve(ctx, batch, send)
		if err != nil {
			return err
		}
		for i, owner := range owners {
			parts[owner] = append(parts[owner], results[i])
		}
		batch, owners, size = batch[:0], owners[:0], 0
		return nil
	}
	for at, text := range texts {
		limit, longest := b.Limits()
		for _, part := range divide(text, longest) {
			if len(batch) >= limit || size+len(part) > b.MaxBytes {
				if err := flush(); err != nil {
					return nil, err
				}
			}
			batch, owners, size = append(batch, part), append(owners, at), size+len(part)
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	out := make([]V, len(texts))
	for i, p := range parts {
		out[i] = p[0]
		if len(p) > 1 {
			out[i] = b.Join(p)
		}
	}
	return out, nil
}

// halve sends texts in one request, or in halves if the server refuses them.
func (b *Batches[V]) halve(ctx context.Context, texts []string, send func(context.Context, []string) ([]V, error)) ([]V, error) {
	results, err := send(ctx, texts)
	lasting, divided := refused(err)
	if err == nil || !divided || !Halvable(texts) || ctx.Err() != nil {
		return results, err
	}
	if len(texts) == 1 {
		left, right := half(texts[0])
		results, err = b.halves(ctx, []string{left}, []string{right}, send)
		if err != nil {
			return nil, err
		}
		if lasting || len(texts[0]) >= surelyLong {
			b.learn(0, len(texts[0])-1)
		}
		return []V{b.Join(results)}, nil
	}
	middle := (len(texts) + 1) / 2
	results, err = b.halves(ctx, texts[:middle], texts[middle:], send)
	if err == nil && lasting && !b.tooLong(texts) { // otherwise, the number of texts may be all right
		b.learn(middle, 0)
	}
	return results, err
}

func (b *Batches[V]) halves(ctx context.Context, left, right []string, send func(context.Context, []string) ([]V, error)) ([]V, error) {
	first, err := b.halve(ctx, left, send)
	if err != nil {
		return nil, err
	}
	second, err := b.halve(ctx, right, send)
	if err != nil {
		return nil, err
	}
	return append(first[:len(first):len(first)], second...), nil
}

// tooLong reports whether one of the texts is over the known limit.
func (b *Batches[V]) tooLong(texts []string) bool {
	_, limit := b.Limits()
	return limit > 0 && slices.ContainsFunc(texts, func(text string) bool { return len(text) > limit })
}

// learn lowers the limits. 0 leaves a limit.
func (b *Batches[V]) learn(texts, bytes int) {
	b.mu.Lock()
	changed := false
	if texts > 0 && texts < b.texts {
		b.texts, changed = texts, true
	}
	if bytes > 0 && (b.bytes == 0 || bytes < b.bytes) {
		b.bytes, changed = bytes, true
	}
	texts, bytes = b.texts, b.bytes
	b.mu.Unlock()
	if changed && b.Learned != nil {
		b.Learned(texts, bytes)
	}
}

// refused reports whether less input may help, and whether the limit is a lasting one.
// Some servers answer input over their limit with status 500.
func refused(err error) (lasting, divided bool) {
	var refusal *StatusError
	if !errors.As(err, &refusal) {
		return false, false
	}
	switch refusal.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusOK:
		return true, true
	case http.StatusInternalServerError:
		return false, true
	default:
		return false, false
	}
}

// divide returns a text in parts of at most limit bytes; 0 means no limit.
func divide(text string, limit int) []string {
	if limit <= 0 || len(text) <= limit || len(text) < minHalved {
		return []string{text}
	}
	left, right := half(text)
	return append(divide(left, limit), divide(right, limit)...)
}

// half divides a text near its middle, at a space if there is one. Neither part is
// blank if the text has words.
func half(text string) (left, right string) {
	text = strings.TrimSpace(text)
	middle := len(text) / 2
	for middle > 0 && !utf8.RuneStart(text[middle]) {
		middle--
	}
	if at := strings.LastIndexAny(text[:middle], " \t\r\n"); at > middle/2 {
		middle = at
	}
	return strings.TrimSpace(text[:middle]), strings.TrimSpace(text[middle:])
}
