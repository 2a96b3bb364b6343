package chunk

// Almost every word of base64 or hexadecimal data occurs once. An index of a
// few megabytes of it takes more memory and time than the index of a large
// manual, and nobody searches for it. Only the first part of such data in a
// document becomes passages.

const (
	// maxEncoded bounds the encoded data of a document that becomes passages, in
	// bytes.
	maxEncoded = 64 << 10
	// minEncoded is the minimum length of a word of encoded data, in bytes.
	minEncoded = 32
)

// isEncoded reports whether a piece of text is base64 or hexadecimal data. At
// least nine of ten bytes must be in long words. These words must have many
// digits, few special characters, and frequent changes between letters and
// digits. Paths and UUIDs have more special characters, and names have fewer
// digits.
func isEncoded(text string) bool {
	var all, long traits
	start := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] > ' ' {
			continue
		}
		all.bytes += i - start
		if i-start >= minEncoded {
			long.add(text[start:i])
		}
		start = i + 1
	}
	return long.bytes > 0 && long.bytes*10 >= all.bytes*9 && long.foreign == 0 &&
		long.digits*8 >= long.bytes && long.special*10 <= long.bytes && long.changes*4 >= long.bytes
}

// traits counts the kinds of characters in words.
type traits struct {
	bytes   int
	digits  int
	special int // characters other than letters and digits
	foreign int // characters that encoded data does not have
	changes int // changes between letters and digits
}

// add counts a word.
func (t *traits) add(word string) {
	var last byte
	t.bytes += len(word)
	for i := range len(word) {
		sort := byte('a')
		switch c := word[i]; {
		case c >= 'a' && c <= 'z':
		case c >= 'A' && c <= 'Z':
			sort = 'A'
		case c >= '0' && c <= '9':
			sort = '0'
			t.digits++
		case c == '+', c == '/', c == '-', c == '_', c == '=':
			sort = '+'
			t.special++
		default:
			t.foreign++
			return
		}
		if sort != last {
			t.changes++
		}
		last = sort
	}
}
