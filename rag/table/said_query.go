package table

import (
	"slices"
	"strconv"
	"strings"

	"docent/rag/text"
)

// maxQueryName limits a name in a query in characters.
const maxQueryName = 80

// sqlName writes the name of a column for a query.
func sqlName(c Column) string { return quotedName(c.Header) }

func quotedName(s string) string {
	return `"` + strings.ReplaceAll(text.Shorten(s, maxQueryName), `"`, `""`) + `"`
}

func quotedValue(s string) string {
	return "'" + strings.ReplaceAll(text.Shorten(s, maxQueryName), "'", "''") + "'"
}

// selection writes the names of columns for a query.
func (r phrasing) selection(columns []int) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = sqlName(r.t.Columns[c])
	}
	return strings.Join(list, ", ")
}

// query describes the operation that answered the question, in the words of SQL. more are conditions besides those of the question.
func (r phrasing) query(selected string, more ...string) string {
	var named []string // two rows that are named apart
	var list []string
	for _, f := range r.filters {
		switch one := r.filterCondition(f); {
		case r.apart():
			named = append(named, one)
		default:
			list = append(list, one)
		}
	}
	if len(named) > 0 {
		list = append([]string{"(" + strings.Join(named, " OR ") + ")"}, list...)
	}
	for _, l := range r.conditions {
		value := l.said
		if value == noCell {
			list = append(list, sqlName(r.t.Columns[l.column])+" IS NULL")
			continue
		}
		if l.other < 0 && (r.t.Columns[l.column].Kind == Date || strings.Contains(value, " ")) {
			value = quotedValue(value)
		} else if l.other >= 0 {
			value = sqlName(r.t.Columns[l.other])
		}
		sign := map[operator]string{atLeast: ">=", atMost: "<="}[l.op]
		if low, high, ok := strings.Cut(l.said, "–"); ok && l.op == between {
			sign, value = "BETWEEN", low+" AND "+high
		} else if sign == "" {
			sign = l.op.String()
		}
		list = append(list, sqlName(r.t.Columns[l.column])+" "+sign+" "+value)
	}
	title, _, _ := strings.Cut(r.source.Title, "\n")
	out := "SELECT " + selected + " FROM " + quotedName(title)
	if list = append(list, more...); len(list) > 0 {
		out += " WHERE " + strings.Join(list, " AND ")
	}
	return out
}

// filterCondition describes the rows of a filter.
func (r phrasing) filterCondition(f filter) string {
	var values []string
	for _, i := range f.rows {
		if v := r.t.Rows[i].Cells[f.column].Text; !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	name := sqlName(r.t.Columns[f.column])
	if len(values) == 1 {
		return name + map[bool]string{false: " = ", true: " <> "}[f.not] + quotedValue(values[0])
	}
	var said []string
	for _, i := range f.words {
		said = append(said, r.words[i].written)
	}
	return name + map[bool]string{false: " LIKE ", true: " NOT LIKE "}[f.not] + quotedValue("%"+strings.Join(said, " ")+"%")
}

// having describes the condition that columns have a value, or none.
func (r phrasing) having(columns []int, not bool) []string {
	var out []string
	for _, c := range columns {
		name := sqlName(r.t.Columns[c])
		switch flag := r.t.Columns[c].Kind == Flag; {
		case flag && not:
			out = append(out, name+" <> yes")
		case flag:
			out = append(out, name+" = yes")
		case not:
			out = append(out, name+" IS NULL")
		default:
			out = append(out, name+" IS NOT NULL")
		}
	}
	return out
}

// ranking describes the first rows by a column.
func (r phrasing) ranking(columns []int, c int, e extreme, down bool) string {
	order := " DESC"
	if down {
		order = " ASC"
	}
	limit := " LIMIT " + strconv.Itoa(e.n)
	if e.nth > 0 {
		limit = " LIMIT 1 OFFSET " + strconv.Itoa(e.nth-1)
	}
	return r.query(r.selection(columns)) + " ORDER BY " + sqlName(r.t.Columns[c]) + order + limit
}
