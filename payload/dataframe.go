package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"docent/internal/fault"
)

// Column is one column of a DataFrame.
type Column struct {
	// Name is unique in the table.
	Name string
	// Values has one value for each row: anything that JSON can represent. NaN,
	// infinities, zero times, and nil are missing values.
	Values []any
}

// DataFrame is a table. In JSON it is a string that contains an object of
// columns. Each column is an object that maps the position of a row to its value,
// as in pandas. Times are milliseconds since 1970. Missing values are null.
type DataFrame struct {
	columns []Column
}

// NewDataFrame returns a table of columns in the given order. It fails with
// fault.Invalid if two columns have the same name or different lengths.
func NewDataFrame(columns ...Column) (DataFrame, error) {
	names := make(map[string]bool, len(columns))
	for _, c := range columns {
		if names[c.Name] {
			return DataFrame{}, fault.New(fault.Invalid, "table_column_twice", "a table has two columns %.64q", c.Name)
		}
		names[c.Name] = true
		if len(c.Values) != len(columns[0].Values) {
			return DataFrame{}, fault.New(fault.Invalid,
				"table_column_length", "column %.64q has %d values, but another one has %d", c.Name, len(c.Values), len(columns[0].Values))
		}
	}
	return DataFrame{columns: columns}, nil
}

// NewDataFrameRows returns a table of rows, each with a value for each name. It
// fails like NewDataFrame.
func NewDataFrameRows(names []string, rows ...[]any) (DataFrame, error) {
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i] = Column{Name: name, Values: make([]any, len(rows))}
	}
	for i, row := range rows {
		if len(row) != len(names) {
			return DataFrame{}, fault.New(fault.Invalid, "table_row_length", "row %d has %d values for %d columns", i, len(row), len(names))
		}
		for j, value := range row {
			columns[j].Values[i] = value
		}
	}
	return NewDataFrame(columns...)
}

// Columns returns the columns, which the caller must not change.
func (d DataFrame) Columns() []Column { return d.columns }

// Rows returns the number of rows.
func (d DataFrame) Rows() int {
	if len(d.columns) == 0 {
		return 0
	}
	return len(d.columns[0].Values)
}

// MarshalJSON writes a string such as "{\"age\":{\"0\":36,\"1\":41}}".
func (d DataFrame) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, c := range d.columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, c.Name), `:{`...)
		for row, value := range c.Values {
			if row > 0 {
				b = append(b, ',')
			}
			b = append(strconv.AppendInt(append(b, '"'), int64(row), 10), `":`...)
			text, err := Marshal(cell(value))
			if err != nil {
				return nil, fmt.Errorf("column %q, row %d: %w", c.Name, row, err)
			}
			b = append(b, text...)
		}
		b = append(b, '}')
	}
	return appendString(nil, string(append(b, '}'))), nil
}

// cell returns a value in the form that JSON represents.
func cell(value any) any {
	switch v := value.(type) {
	case time.Time:
		if v.IsZero() {
			return nil
		}
		return v.UnixMilli()
	case *time.Time:
		if v == nil {
			return nil
		}
		return cell(*v)
	}
	return value
}

// UnmarshalJSON reads such a string, or the object itself. Rows must be numbered
// from 0 in ascending order. Numbers become json.Number.
func (d *DataFrame) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		data = []byte(text)
	}
	if plain, changed := withoutNaN(data); changed {
		data = plain
	}
	r := json.NewDecoder(bytes.NewReader(data))
	r.UseNumber()
	var columns []Column
	err := members(r, func(name string) error {
		c := Column{Name: name, Values: []any{}}
		err := members(r, func(row string) error {
			if row != strconv.Itoa(len(c.Values)) {
				return fmt.Errorf("row %.20q where %d was to come", row, len(c.Values))
			}
			var value any
			err := r.Decode(&value)
			c.Values = append(c.Values, value)
			return err
		})
		columns = append(columns, c)
		return err
	})
	if err == nil && r.More() {
		err = errNotTable
	}
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "table_invalid", "a table must be an object of columns, each an object of values by row")
	}
	read, err := NewDataFrame(columns...)
	*d = read
	return err
}

var errNotTable = errors.New("not one object")

// members calls each for the keys of the next object; each reads the value.
func members(r *json.Decoder, each func(key string) error) error {
	if t, err := r.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(err, errNotTable)
	}
	for r.More() {
		key, err := r.Token()
		if err != nil {
			return err
		}
		name, ok := key.(string)
		if !ok {
			return errNotTable
		}
		if err := each(name); err != nil {
			return err
		}
	}
	_, err := r.Token()
	return err
}
