package chunk

// Sizes are the sizes of passages.
type Sizes = sizes

// NewSized returns a cutter with other sizes.
func NewSized(s Sizes) *Cutter {
	c := New(nil)
	c.sizes = s
	return c
}

// Metered counts words code point by code point.
func Metered(s string) int {
	var m meter
	for _, r := range s {
		m.add(r)
	}
	return m.words
}
