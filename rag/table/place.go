package table

import "slices"

// place returns the column with the places of things, if the question asks where one is.
func place(r answering) (int, bool) {
	if !r.asks([]string{"where", "wo"}) {
		return 0, false
	}
	for _, concept := range []string{"place", "shelf"} {
		var list []int
		for c := range r.t.Columns {
			if r.t.described(c, concept) > 0 && !slices.Contains(r.labels, c) {
				list = append(list, c)
			}
		}
		if len(list) > 0 {
			return list[0], len(list) == 1
		}
	}
	return 0, false
}
