package chunk

// Almost every word of base64 or hexadecimal digits occurs once. An index of a few
// megabytes of them takes more memory and time than that of a large manual, and
// nobody searches for them. Only the first of them in a document become passages.

const (
	// maxEncoded bounds the encoded data of a document that becomes passages, in
	// bytes.
	maxEncoded = 64 << 10
	// minEncoded is the least length of a word of encoded data, in bytes.
	minEncoded = 32
)

// isEncoded reports whether a piece of text is base64 or hexadecimal digits: at
// least nine of ten bytes are in long words, which have many digits, few special
// characters, and letters and digits that alternate as no names do. Paths and
// UUIDs have more special characters, and names fewer digits.
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

// traits count the characters of words.
type traits struct {
	bytes   int
	digits  int
	special int // characters other than letters and digits
	foreign int // characters that encoded data does not have
	changes int // neighbors of different sorts
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
