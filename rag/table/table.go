package table

import (
	"slices"
	"time"
)

// Kind is the type of a column.
type Kind string

// The types of columns.
const (
	Text     Kind = "text"
	Number   Kind = "number"
	Money    Kind = "money"
	Percent  Kind = "percent"
	Date     Kind = "date"
	Duration Kind = "duration"
	Clock    Kind = "time" // a time of day, such as 17:52
	Flag     Kind = "flag" // yes or no
)

// Table is a table of a document.
type Table struct {
	// Caption is the line above the header in the same block, or "".
	Caption string
	// Context is the paragraph in front of the table, or "".
	Context string
	// Columns have types. Each row has as many cells.
	Columns []Column
	// Rows are the rows of data, without headers.
	Rows []Row
	// Turned reports that the rows are columns in the text, as in a comparison of products side by side.
	Turned bool
	// Start and End are byte offsets in the text. End is exclusive.
	Start, End int
}

// Column describes a column.
type Column struct {
	// Name is the header without its unit. The rows of a header are joined with spaces.
	Name string
	// Header is the header as written.
	Header string
	// Unit is the unit of numbers from the header or from all cells, such as kg or EUR, or "".
	Unit string
	// Kind is the type of the cells.
	Kind Kind
	// Comma reports that a comma separates decimals.
	Comma bool
	// Decimals is the largest number of decimals in a cell.
	Decimals int

	names []word
	// named are the concepts of the name, and typed those of the type and the unit.
	named, typed []string
	index        []posting
	// english reports that the text is English.
	english bool
}

// Row is a row of data.
type Row struct {
	// Cells have the order of the columns.
	Cells []Cell
	// Start and End are byte offsets in the text. End is exclusive.
	Start, End int
	// Total reports that the row sums up others. It is not counted as data.
	Total bool
}

// Cell is one cell.
type Cell struct {
	// Text is the text as written.
	Text string
	// Missing reports that the cell is empty or says that there is no value.
	Missing bool
	// Value is the value in the unit of the column: of a date in days since 1970, of a time of day or a duration in seconds, and
	// of a flag 0 or 1. It is 0 if Valued is false.
	Value float64
	// Valued reports that the cell has a value of the type of its column. It is false in columns of text.
	Valued bool
	// Start and End are byte offsets of Text in the text of the document, with its markup. End is exclusive. Both are 0 if the
	// cell is empty, or if its place is unknown.
	Start, End int
}

// Day returns the date of a value of a Date column.
func Day(value float64) time.Time { return time.Unix(int64(value*86400), 0).UTC() }

// Data returns the rows without totals, as positions in Rows.
func (t *Table) Data() []int {
	var out []int
	for i := range t.Rows {
		if !t.Rows[i].Total {
			out = append(out, i)
		}
	}
	return out
}

// Typed reports whether a column has another type than text. A table of texts is for readers, and not for questions.
func (t *Table) Typed() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Kind != Text })
}

// ordered reports whether values of the column can be compared.
func (c Column) ordered() bool { return c.Kind != Text && c.Kind != Flag }

// summable reports whether values of the column can be added.
func (c Column) summable() bool { return c.Kind == Number || c.Kind == Money || c.Kind == Duration }
