package bpe

import (
	"container/heap"
	"errors"
	"fmt"
	"math"
)

// maxText bounds how much of a text is divided, in bytes.
const maxText = 16 << 10

// Config describes a vocabulary.
type Config struct {
	// Vocabulary has the ids of tokens. Required: a token for each byte.
	Vocabulary map[string]int
	// Merges are pairs of tokens that become one, the most important first.
	Merges [][2]string
	// PrefixSpace puts a space before texts that do not begin with one. Default: false.
	PrefixSpace bool
}

// Tokens divides texts. It is safe for concurrent use.
type Tokens struct {
	prefixSpace bool
	bytes       [256]int32
	merges      map[pair]merge
}

// pair is two neighboring tokens.
type pair struct{ left, right int32 }

// merge joins a pair.
type merge struct{ rank, id int32 }

// New checks a vocabulary.
func New(cfg Config) (*Tokens, error) {
	t := &Tokens{prefixSpace: cfg.PrefixSpace, merges: make(map[pair]merge, len(cfg.Merges))}
	for token, id := range cfg.Vocabulary {
		if id < 0 || id > math.MaxInt32 {
			return nil, fmt.Errorf("the token %.40q has the id %d", token, id)
		}
	}
	for b, r := range characters() {
		id, ok := cfg.Vocabulary[string(r)]
		if !ok {
			return nil, fmt.Errorf("the vocabulary has no token %q for the byte %#02x", r, b)
		}
		t.bytes[b] = int32(id)
	}
	if len(cfg.Merges) > math.MaxInt32 {
		return nil, errors.New("there are too many merges")
	}
	for rank, m := range cfg.Merges {
		left, begins := cfg.Vocabulary[m[0]]
		right, ends := cfg.Vocabulary[m[1]]
		id, joined := cfg.Vocabulary[m[0]+m[1]]
		if !begins || !ends || !joined {
			return nil, fmt.Errorf("the vocabulary has no tokens for the merge of %.40q and %.40q", m[0], m[1])
		}
		// The last one of equal merges counts, as in the library tokenizers.
		t.merges[pair{int32(left), int32(right)}] = merge{int32(rank), int32(id)}
	}
	return t, nil
}

// characters returns the character for each byte in vocabularies.
func characters() (out [256]rune) {
	next := rune(256)
	for b := range out {
		if b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae {
			out[b] = rune(b)
			continue
		}
		out[b] = next
		next++
	}
	return out
}

// Append appends at most limit ids of a text to dst. It reads the first 16 KB of the
// text.
func (t *Tokens) Append(dst []int32, text string, limit int) []int32 {
	text = text[:min(len(text), maxText)]
	if t.prefixSpace && text != "" && text[0] != ' ' {
		text = " " + text
	}
	var w word
	for end := len(dst) + limit; text != "" && len(dst) < end; {
		n := firstWord(text)
		dst = w.append(dst, t, text[:n])
		dst = dst[:min(len(dst), max(end, 0))]
		text = text[n:]
	}
	return dst
}

// word is the list of the tokens of a word. Its buffers are reused.
type word struct {
	tokens []token
	queue  queue
}

// token is a token with the places of its neighbors, or -1.
type token struct {
	id         int32 // gone if it was joined with the token before it
	prev, next int
}

const gone = -1

// candidate is a possible merge of two neighboring tokens.
type candidate struct {
	merge
	at   int
	pair pair
}

// append appends the tokens of a word to dst.
func (w *word) append(dst []int32, t *Tokens, text string) []int32 {
	w.tokens, w.queue = w.tokens[:0], w.queue[:0]
	for i := range len(text) {
		w.tokens = append(w.tokens, token{t.bytes[text[i]], i - 1, i + 1})
	}
	w.tokens[len(text)-1].next = -1
	for i := range w.tokens {
		w.offer(t, i)
	}
	heap.Init(&w.queue)
	for len(w.queue) > 0 {
		c := heap.Pop(&w.queue).(candidate)
		left := &w.tokens[c.at]
		if left.id != c.pair.left || left.next < 0 || w.tokens[left.next].id != c.pair.right {
			continue // one of them has changed
		}
		right := &w.tokens[left.next]
		left.id, right.id, left.next = c.id, gone, right.next
		if left.next >= 0 {
			w.tokens[left.next].prev = c.at
		}
		w.push(t, c.at)
		if left.prev >= 0 {
			w.push(t, left.prev)
		}
	}
	for i := 0; i >= 0; i = w.tokens[i].next {
		dst = append(dst, w.tokens[i].id)
	}
	return dst
}

// offer adds the merge at a place to the queue, if there is one, without its order.
func (w *word) offer(t *Tokens, at int) bool {
	next := w.tokens[at].next
	if next < 0 {
		return false
	}
	p := pair{w.tokens[at].id, w.tokens[next].id}
	m, ok := t.merges[p]
	if ok {
		w.queue = append(w.queue, candidate{m, at, p})
	}
	return ok
}

// push is offer that keeps the order of the queue.
func (w *word) push(t *Tokens, at int) {
	if w.offer(t, at) {
		heap.Fix(&w.queue, len(w.queue)-1)
	}
}

// queue has the candidates of a word, the first merge on top.
type queue []candidate

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	if q[i].rank != q[j].rank {
		return q[i].rank < q[j].rank
	}
	return q[i].at < q[j].at
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *queue) Push(c any) { *q = append(*q, c.(candidate)) }

func (q *queue) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	*q = (*q)[:last]
	return c
}
