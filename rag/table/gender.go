package table

import (
	"slices"
	"strings"
)

// genders map words for people to the cells of a column of genders.
var genders = func() map[string][]string {
	out := map[string][]string{}
	for words, cells := range map[string]string{
		"women female females frauen weiblich weibliche weiblichen": "f w female weiblich frau woman",
		"men male males manner mannlich mannliche mannlichen":       "m male mannlich mann man",
	} {
		for _, w := range strings.Fields(words) {
			out[w] = strings.Fields(cells)
		}
	}
	return out
}()

// gender finds "women" and "männlich" in the cells of a column of genders.
func (r finder) gender(i int) (filter, bool) {
	cells := genders[r.words[i].text]
	for c, col := range r.t.Columns {
		if cells == nil || !slices.Contains(col.named, "gender") || col.Kind != Text {
			continue
		}
		f := filter{column: c, words: []int{i}, whole: true}
		for _, row := range r.t.Data() {
			if slices.Contains(cells, folding.Replace(strings.ToLower(r.t.Rows[row].Cells[c].Text))) {
				f.rows = append(f.rows, row)
			}
		}
		return f, len(f.rows) > 0
	}
	return filter{}, false
}
