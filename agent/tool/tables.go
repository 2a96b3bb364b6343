package tool

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/table"
	"docent/rag/table/query"
)

const (
	// maxListedTables limits the tables of a list.
	maxListedTables = 20
	// maxTablePassages limits the passages of a table that get a number.
	maxTablePassages = 100
)

type queryTables struct {
	SQL  string `json:"sql,omitempty" description:"One SELECT in the dialect of SQLite, on tables from the list. If not given, the tables are listed."`
	Find string `json:"find,omitempty" description:"What the tables are about, to list only fitting ones."`
}

// tableName matches the names of tables: the number of the document, and the position of the table.
var tableName = regexp.MustCompile(`\bt(\d{1,18})_(\d{1,6})\b`)

// tables answers queries on the tables of documents.
type tables struct {
	knowledge
	reader *table.Reader
}

// withTables returns the tool query_tables, or none if the library cannot read chunks.
func (k knowledge) withTables() []func() (Tool, error) {
	chunks, ok := k.Library.(table.Chunks)
	if !ok {
		return nil
	}
	t := tables{k, table.NewReader(chunks)}
	return []func() (Tool, error){with("query_tables",
		"Compute on the tables of the documents with SQL: sums, counts, comparisons, the largest or smallest row. "+
			"Call it without sql first to see the tables and their columns. Each row has the column passage with its number: cite it, such as [1].", t.query)}
}

func (t tables) query(ctx context.Context, in queryTables) (any, error) {
	if strings.TrimSpace(in.SQL) == "" {
		return t.listTables(ctx, clip(in.Find, maxQuery))
	}
	if err := query.Check(in.SQL); err != nil {
		return nil, refusal("ValueError", "%v", err)
	}
	used, note, err := t.named(ctx, in.SQL)
	if err != nil {
		return nil, err
	}
	result, err := query.Run(ctx, used, in.SQL)
	if err != nil {
		if fault.KindOf(err) == fault.Invalid {
			return nil, refusal("ValueError", "%v", err)
		}
		return nil, safe(err, fault.NewText("tables_not_queried", "the tables cannot be queried now"))
	}
	findings(ctx).queried(strings.TrimSpace(in.SQL))
	var b strings.Builder
	b.WriteString(strings.Join(result.Columns, " | ") + "\n")
	for _, row := range result.Rows {
		b.WriteString(strings.Join(row, " | ") + "\n")
	}
	if len(result.Rows) == 0 {
		b.WriteString("(no rows)\n")
	}
	if result.Cut {
		b.WriteString("(there are more rows; select fewer)\n")
	}
	b.WriteString(note)
	return strings.TrimSpace(b.String()), nil
}

// named reads the tables that a query names. note tells the passages of each.
func (t tables) named(ctx context.Context, sql string) (used []query.Table, note string, err error) {
	var b strings.Builder
	seen := map[string]bool{}
	for _, m := range tableName.FindAllStringSubmatch(sql, -1) {
		if seen[m[0]] {
			continue
		}
		seen[m[0]] = true
		if len(seen) > query.MaxTables {
			return nil, "", refusal("ValueError", "the query has more than %d tables", query.MaxTables)
		}
		id, _ := strconv.ParseInt(m[1], 10, 64)
		position, _ := strconv.Atoi(m[2])
		d, err := t.document(ctx, id)
		if err != nil {
			return nil, "", err
		}
		if position < 1 || position > len(d.Tables) {
			return nil, "", refusal("ValueError", "there is no table %s; call query_tables without sql to see the tables", m[0])
		}
		one := query.Table{Name: m[0], Table: &d.Tables[position-1]}
		var numbers []int
		for _, row := range one.Table.Rows {
			number := 0
			if p, ok := d.Passage(row); ok && len(numbers) < maxTablePassages {
				number = findings(ctx).number(retrieve.Result{Passage: p})
			}
			one.Passages = append(one.Passages, number)
			if number > 0 && !slices.Contains(numbers, number) {
				numbers = append(numbers, number)
			}
		}
		if len(numbers) > 0 {
			fmt.Fprintf(&b, "(the rows of %s are in the passages [%d] to [%d])\n", m[0], numbers[0], numbers[len(numbers)-1])
		}
		used = append(used, one)
	}
	if len(used) == 0 {
		return nil, "", refusal("ValueError", "the query names no table; call query_tables without sql to see the tables")
	}
	return used, b.String(), nil
}

// document returns a document that the reader may see, with its tables.
func (t tables) document(ctx context.Context, id int64) (*table.Document, error) {
	d, err := t.Library.Document(ctx, id)
	if err != nil {
		return nil, safe(err, fault.NewText("document_not_read", "the document cannot be read now"))
	}
	if !scope(ctx).has(d) {
		return nil, refusal("ValueError", "document %d is not among the documents that the user wants answers from", d.ID)
	}
	d.Text = ""
	out, err := t.reader.Read(ctx, d)
	if err != nil {
		return nil, safe(err, fault.NewText("document_not_read", "the document cannot be read now"))
	}
	return out, nil
}

// listTables lists the tables of the documents that a search finds, or of the first documents.
func (t tables) listTables(ctx context.Context, find string) (any, error) {
	ids, err := t.candidates(ctx, strings.TrimSpace(find))
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	n := 0
	for _, id := range ids {
		d, err := t.document(ctx, id)
		if err != nil {
			return nil, err
		}
		for i := range d.Tables {
			if n++; n > maxListedTables {
				b.WriteString("(there are more tables; use find to see others)\n")
				return strings.TrimSpace(b.String()), nil
			}
			b.WriteString(described(fmt.Sprintf("t%d_%d", id, i+1), d.Document, &d.Tables[i]))
		}
	}
	if n == 0 {
		return "No tables were found.", nil
	}
	return strings.TrimSpace(b.String()), nil
}

// candidates returns documents that may have tables.
func (t tables) candidates(ctx context.Context, find string) ([]int64, error) {
	within := scope(ctx)
	var ids []int64
	if find == "" {
		documents, err := t.Library.Documents(ctx, corpus.DocumentFilter{Status: corpus.Ready, Limit: documentPage})
		if err != nil {
			return nil, safe(err, fault.NewText("documents_not_listed", "the documents cannot be listed now"))
		}
		for _, d := range documents {
			if within.has(d) {
				ids = append(ids, d.ID)
			}
		}
		return ids, nil
	}
	found, err := t.Searcher.Retrieve(ctx, retrieve.Query{
		Question: find, K: retrieve.MaxK / 2, Collections: within.Collections,
		Documents: within.Documents,
	})
	if err != nil {
		return nil, safe(err, fault.NewText("documents_not_searched", "the documents cannot be searched now"))
	}
	for _, r := range found.Results {
		if id := r.Passage.DocumentID; r.Passage.Kind == corpus.Table && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// described describes a table for the model, with its first row.
func described(name string, d corpus.Document, t *table.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "table %s: %d rows, from %s %s\n", name, len(t.Data()), printable(clip(d.Title, 200)), printable(clip(t.Caption, 200)))
	for i, column := range query.ColumnNames(t) {
		if i == len(t.Columns) {
			break
		}
		c := t.Columns[i]
		fmt.Fprintf(&b, "  %q %s", column, c.Kind)
		if c.Unit != "" {
			fmt.Fprintf(&b, " in %s", printable(c.Unit))
		}
		fmt.Fprintf(&b, ", such as %s\n", printable(clip(t.Rows[0].Cells[i].Text, 80)))
	}
	return b.String()
}
