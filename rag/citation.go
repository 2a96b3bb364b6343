package rag

// marker is a citation marker in an answer.
type marker struct {
	// length counts its bytes.
	length int
	// docs are the numbers in it.
	docs []int
}

// parseMarker reads the citation marker that s begins with: [1], [1, 2] or 【1】.
func parseMarker(s string) (marker, bool) {
	var closing string
	at := 0
	switch {
	case len(s) > 0 && s[0] == '[':
		closing, at = "]", 1
	case len(s) >= 3 && s[:3] == "【":
		closing, at = "】", 3
	default:
		return marker{}, false
	}
	var m marker
	for {
		at += spaces(s[at:])
		n, digits := 0, 0
		for at < len(s) && '0' <= s[at] && s[at] <= '9' && digits < maxMarkerDigits {
			n = n*10 + int(s[at]-'0')
			at++
			digits++
		}
		if digits == 0 || len(m.docs) == maxMarkerDocs {
			return marker{}, false
		}
		m.docs = append(m.docs, n)
		at += spaces(s[at:])
		if at < len(s) && (s[at] == ',' || s[at] == ';') {
			at++
			continue
		}
		if len(s[at:]) < len(closing) || s[at:at+len(closing)] != closing {
			return marker{}, false
		}
		m.length = at + len(closing)
		return m, true
	}
}

const (
	// maxMarkerDigits bounds a number in a marker: passages are few.
	maxMarkerDigits = 4
	// maxMarkerDocs bounds the numbers in one marker.
	maxMarkerDocs = MaxK
)

// spaces counts the spaces that s begins with.
func spaces(s string) int {
	n := 0
	for n < len(s) && s[n] == ' ' {
		n++
	}
	return n
}
