package chunk

// Metered counts words code point by code point.
func Metered(s string) int {
	var m meter
	for _, r := range s {
		m.add(r)
	}
	return m.words
}
