package approve

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"docent/insight"
	"docent/internal/fault"
)

// Bounds of a table.
const (
	// MaxRows bounds its rows.
	MaxRows = 1000
	// MaxBytes bounds its size.
	MaxBytes = 2 << 20
)

// The columns of a table.
const (
	question   = "question"
	answer     = "answer"
	wordings   = "wordings"
	signed     = "signed"
	owner      = "owner"
	review     = "review"
	collection = "collection"
)

// columns are the known columns. Tables need the first two.
var columns = []string{question, answer, wordings, signed, owner, review, collection}

// Row is a row of a table.
type Row struct {
	// Number counts the rows from 1, as spreadsheets do. The first row has the names of the columns.
	Number int
	fields map[string]string // by column, without missing columns
}

// ReadTable reads CSV in UTF-8. Commas, semicolons, or tabs separate the columns. The first row has their
// names, in any order. Empty rows are ignored.
func ReadTable(data []byte) ([]Row, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case len(data) > MaxBytes:
		return nil, fault.New(fault.Invalid, "csv_large", "the table has more than %d bytes; split it", MaxBytes)
	case !utf8.Valid(data):
		return nil, fault.New(fault.Invalid, "csv_not_utf8", "the table is not UTF-8; save it as CSV UTF-8")
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.FieldsPerRecord = separator(data), -1
	head, err := r.Read()
	if err != nil {
		return nil, unreadable(err)
	}
	for i, name := range head {
		head[i] = strings.ToLower(strings.TrimSpace(name))
		if head[i] != "" && !slices.Contains(columns, head[i]) {
			return nil, fault.New(fault.Invalid, "csv_column", "there is no column %q; the columns are %s", name, strings.Join(columns, ", "))
		}
	}
	for _, name := range columns[:2] {
		if !slices.Contains(head, name) {
			return nil, fault.New(fault.Invalid, "csv_column_missing", "the column %q is missing in the first row", name)
		}
	}
	var out []Row
	for number := 2; ; number++ {
		record, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, unreadable(err)
		case len(out) == MaxRows:
			return nil, fault.New(fault.Invalid, "csv_rows", "the table has more than %d rows; split it", MaxRows)
		case strings.TrimSpace(strings.Join(record, "")) == "":
			continue
		}
		row := Row{number, map[string]string{}}
		for i, name := range head {
			if name != "" {
				row.fields[name] = ""
				if i < len(record) {
					row.fields[name] = strings.TrimSpace(record[i])
				}
			}
		}
		out = append(out, row)
	}
}

// separator returns the most frequent separator in the first line.
func separator(data []byte) rune {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	best := ','
	for _, c := range ";\t" {
		if bytes.Count(line, []byte(string(c))) > bytes.Count(line, []byte(string(best))) {
			best = c
		}
	}
	return best
}

func unreadable(err error) error {
	if errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "csv_empty", "the table is empty; the first row has the names of the columns: %s",
			strings.Join(columns, ", "))
	}
	var at *csv.ParseError
	if errors.As(err, &at) {
		return fault.New(fault.Invalid, "csv_line", "cannot read line %d of the table: %v", at.Line, at.Err)
	}
	return err
}

// answerOf returns the answer of a row. It keeps the fields of an earlier answer that the table lacks.
func (r Row) answerOf(earlier insight.Approved, collection string) insight.Approved {
	a := earlier
	a.Collection, a.Text = collection, r.fields[answer]
	if list, ok := r.fields[wordings]; ok {
		a.Questions = append([]string{r.fields[question]}, strings.Split(list, "\n")...)
	} else if len(a.Questions) == 0 {
		a.Questions = []string{r.fields[question]}
	}
	if text := r.fields[signed]; text != "" {
		a.Signed = text
	}
	for name, field := range map[string]*string{owner: &a.Owner, review: &a.Review} {
		if text, ok := r.fields[name]; ok {
			*field = text
		}
	}
	return tidy(a)
}
