package text

import (
	"hash/maphash"
	"strings"
	"sync/atomic"

	"github.com/blevesearch/snowballstem"
)

const (
	// maxStemBytes is the maximum length of a word that is stemmed here, and of one
	// that a StemCache keeps.
	maxStemBytes = 64
	// cachedStems is the number of words in a StemCache. They need up to about 1.5 MB.
	cachedStems = 1 << 13
)

// StemCache stems words of one language, and keeps the stems of the latest words,
// because a text repeats most of its words. The zero value is empty. It is safe for
// concurrent use.
type StemCache struct {
	// slots has a word at the position of its hash.
	slots [cachedStems]atomic.Pointer[stemmed]
}

// stemmed is a word with its stem.
type stemmed struct{ word, stem string }

var stemSeed = maphash.MakeSeed()

// Stem returns the stem of a word in lower case. snowball is always the stemmer of the
// same language.
func (c *StemCache) Stem(word string, snowball func(*snowballstem.Env) bool) string {
	if len(word) > maxStemBytes {
		return snowballed(word, snowball)
	}
	slot := &c.slots[maphash.String(stemSeed, word)%cachedStems]
	if found := slot.Load(); found != nil && found.word == word {
		return found.stem
	}
	word = strings.Clone(word) // it is part of a text, which must not stay in memory
	found := &stemmed{word, snowballed(word, snowball)}
	slot.Store(found)
	return found.stem
}

func snowballed(word string, snowball func(*snowballstem.Env) bool) string {
	env := snowballstem.NewEnv(word)
	snowball(env)
	return env.Current()
}
