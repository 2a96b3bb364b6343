package pdf

import "testing"

// The lines of a wrapped cell come before the other cells of their row.
func TestWrappedCells(t *testing.T) {
	t.Parallel()
	page := at("F1", 10, 50, 750, "Part") + at("F1", 10, 200, 750, "Interval") + at("F1", 10, 350, 750, "Work")
	for i, row := range [][4]string{{"Oil filter of", "the feed pump", "500 h", "replace"}, {"Main bearing of", "the gearbox", "4,000 h", "grease it"}, {"Drive belt of", "the mixer", "2,000 h", "tighten"}} {
		y := 730 - 30*i
		page += at("F1", 10, 50, y, row[0]) + at("F1", 10, 50, y-11, row[1])
		page += at("F1", 10, 200, y-i%2*5, row[2]) + at("F1", 10, 350, y-i%2*5, row[3]) // at the top or in the middle
	}
	page += at("F1", 10, 50, 620, "Other parts last as long as the pump itself.")
	wantBlocks(t, onePage(page, "", ""), "th Part | Interval | Work\ntr Oil filter of the feed pump | 500 h | replace\n"+
		"tr Main bearing of the gearbox | 4,000 h | grease it\ntr Drive belt of the mixer | 2,000 h | tighten\n"+
		"p Other parts last as long as the pump itself.\n")
}
