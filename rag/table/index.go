package table

import (
	"slices"
	"strings"

	"docent/internal/lazyregexp"
)

// posting is a word in cells of a column, with its rows.
type posting struct {
	word word
	rows []int
}

// transcribed matches umlauts that are written as two letters. The groups are the letters to keep.
var transcribed = lazyregexp.New(`(^|[^aeioqu])([aou])e`)

// kinds returns the number of concepts of a word and its parts.
func kinds(w word) int {
	head, modifier := w.parts()
	return len(w.concepts()) + len(head) + len(modifier)
}

// setIndex finds the words and concepts of the columns, and the words of their cells, so that questions need not read all cells.
func (t *Table) setIndex(language string) {
	for c := range t.Columns {
		column := &t.Columns[c]
		column.names, column.english = words(column.Name), language == "en"
		for i := range column.names {
			if plain := newWord(transcribed.ReplaceAllString(column.names[i].text, "$1$2")); kinds(plain) > kinds(column.names[i]) {
				column.names[i] = plain // "geraetetyp"
			}
			column.names[i].head = headOf(column.names[i])
		}
		column.setConcepts()
		if column.Kind == Text {
			column.index = t.postings(c)
		}
	}
	setTotals(t)
}

// postings returns the words of the cells of a column, in the order of the rows. Totals are left out.
func (t *Table) postings(c int) []posting {
	var out []posting
	at := map[string]int{}
	for i, r := range t.Rows {
		if r.Total || r.Cells[c].Missing {
			continue
		}
		for _, w := range words(r.Cells[c].Text) {
			k, ok := at[w.text]
			if !ok {
				k = len(out)
				at[w.text] = k
				out = append(out, posting{word: w})
			}
			if p := &out[k]; len(p.rows) == 0 || p.rows[len(p.rows)-1] != i {
				p.rows = append(p.rows, i)
			}
		}
	}
	return out
}

// setConcepts finds the concepts of a column.
func (c *Column) setConcepts() {
	for i, w := range c.names {
		if _, ok := adjectives[w.text]; ok && i < len(c.names)-1 {
			continue // a high jump is no height
		}
		own := w.concepts()
		if c.english && w.text == "gross" { // and no German size
			own = []string{"gross"}
		}
		if own == nil {
			head, modifier := w.parts()
			own = slices.Concat(head, modifier)
		}
		c.named = append(c.named, own...)
		for _, short := range []string{"wt", "qty", "temp"} { // as in bodywt
			if strings.HasSuffix(w.text, short) && len(w.text) >= len(short)+3 {
				c.named = append(c.named, concepts[short]...)
			}
		}
	}
	if slices.ContainsFunc(priced, func(p string) bool { return slices.Contains(c.named, p) }) {
		c.named = append(c.named, "price")
	}
	unit := c.Unit
	if unit == "" && len(c.names) == 1 && (isUnit(c.names[0].text) || unitConcepts[c.names[0].text] != nil) {
		unit = canonicalUnit(c.names[0].text) // a column that is called "mpg"
	}
	c.typed = slices.Concat(dimensionConcepts[dimensionOf(unit)], unitConcepts[strings.ToLower(unit)])
	if above, _, ratio := strings.Cut(unit, "/"); ratio && isCurrency(above) {
		c.typed = append(c.typed, "price")
	}
	switch c.Kind {
	case Money:
		c.typed = append(c.typed, "price")
	case Date:
		c.typed = append(c.typed, "date")
	case Clock:
		c.typed = append(c.typed, "clock")
	case Duration:
		c.typed = append(c.typed, "duration")
	}
}

// words returns the words of the column's name.
func (c Column) words() []word { return c.names }

// concepts returns the kinds of the column's values by the words of its name, and by its type and unit.
func (c Column) concepts() (named, typed []string) { return c.named, c.typed }

// headOf returns the last part of a German compound if it is a known word, such as "bestand" of "Mindestbestand".
func headOf(w word) string {
	head := ""
	for r := range heads {
		if len(r) > len(head) && len(r) >= 4 && strings.HasSuffix(w.root, r) {
			head = r
		}
	}
	return head
}
