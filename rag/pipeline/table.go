package pipeline

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"docent/internal/fault"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/table"
	"docent/rag/talk"
)

const (
	// maxTableDocuments limits the documents whose tables are asked.
	maxTableDocuments = 8
	// tableK is the number of passages whose tables are asked if the documents of the answer do not have the table.
	tableK = retrieve.MaxK
	// maxCells limits the used cells of one passage.
	maxCells = 200
	// maxTablePassages limits the passages that the answer of a table adds.
	maxTablePassages = 20
)

// tableAnswer answers a request from a table.
type tableAnswer struct{ *answering }

// tablePlace is the place of a table in the text of a document.
type tablePlace struct {
	document   int64
	start, end int
}

// has reports whether a passage has rows of the table.
func (t tablePlace) has(p corpus.Passage) bool {
	return p.Kind == corpus.Table && p.DocumentID == t.document && p.Start < t.end && t.start < p.End
}

// tables are the tables of the documents of passages.
type tables struct {
	documents []*table.Document
	sources   []table.Source
	// owners are the positions of the documents of the sources.
	owners []int
}

// readTables reads the tables of the first documents of passages. Retrieval found these passages, so the reader may see them.
func (a tableAnswer) readTables(ctx context.Context, results []retrieve.Result) tables {
	var out tables
	var seen []int64
	for _, result := range results {
		d := result.Passage.Document
		reader := a.pipeline.tables
		if d.ID < 0 { // of a file of the conversation; see First
			reader = a.pipeline.fileTables
		}
		if reader == nil || slices.Contains(seen, d.ID) || len(seen) >= maxTableDocuments {
			continue
		}
		seen = append(seen, d.ID)
		stored := d
		stored.ID = max(d.ID, -d.ID)
		document, err := reader.Read(ctx, stored)
		if err != nil {
			a.pipeline.cfg.Logger.WarnContext(ctx, "tables not read; the answer is made without them", "document", d.ID, "error", err)
			continue
		}
		own := *document
		own.Document = d
		out.documents = append(out.documents, &own)
		for _, s := range own.Sources() {
			out.sources, out.owners = append(out.sources, s), append(out.owners, len(out.documents)-1)
		}
	}
	return out
}

// ask answers a question about one table. It returns false if the question is not one.
func (a tableAnswer) ask(ctx context.Context) bool {
	found := a.readTables(ctx, a.found.Results)
	for i, s := range found.sources {
		if s.Table.Typed() {
			a.rows = append(a.rows, tablePlace{found.documents[found.owners[i]].Document.ID, s.Table.Start, s.Table.End})
		}
	}
	question := a.question
	if f := a.followUp; a.exchanged != "" {
		question = a.exchanged
	} else if f != nil && (f.Replaced || talk.Contrasts(question)) {
		question = f.Whole
	}
	reply := table.Ask(question, found.sources)
	wider, known := false, len(found.sources) > 0 || table.Wording(question) != ""
	if reply.Status != table.Answered && known && (a.pipeline.tables != nil || a.pipeline.fileTables != nil) && table.Asks(question) {
		if wide := a.moreTables(ctx); len(wide.sources) > len(found.sources) {
			other := table.Ask(question, wide.sources)
			if wider = other.Status == table.Answered || other.Computed && !reply.Computed; wider {
				reply, found = other, wide
			}
		}
	}
	if reply.Status == table.NoQuestion || len(found.sources) == 0 {
		return false
	}
	owner := found.documents[found.owners[reply.Source]]
	asked := found.sources[reply.Source].Table
	place := tablePlace{owner.Document.ID, asked.Start, asked.End}
	if reply.Whole { // its rows may answer the question, but not those of other tables
		a.rows = slices.DeleteFunc(a.rows, func(t tablePlace) bool { return t == place })
	}
	if reply.Status == table.Unclear && (!reply.Near || !wider && !a.leads(place) && !(reply.Computed && a.ranks(place))) {
		return false
	}
	a.writeTable(reply, asked, owner)
	a.out.Outcome = rag.Answered
	if reply.Status == table.Unclear {
		a.out.Outcome = rag.Unsure
	}
	return true
}

// askWhole answers a message whose parts look like several questions, but which one table answers as a whole, such as "which flats
// are under 850 euro and have two rooms".
func (a tableAnswer) askWhole(ctx context.Context) bool {
	found, out, rows := a.found, a.out, a.rows
	a.found.Question, a.found.Results = a.question, mergedResults(a.parts)
	a.out.Passages = passages(a.found.Results)
	if a.ask(ctx) && a.out.Outcome == rag.Answered {
		return true
	}
	a.found, a.out, a.rows = found, out, rows
	return false
}

// moreTables reads the tables of more documents than those of the answer.
func (a tableAnswer) moreTables(ctx context.Context) tables {
	query := retrieve.Query{Question: a.found.Question, K: tableK, Collections: a.req.Collections, Documents: a.req.Documents}
	if wording := table.Wording(a.found.Question); wording != "" {
		query.Wordings = []string{wording}
	}
	more, err := a.retrieve(ctx, query)
	if err != nil {
		a.pipeline.cfg.Logger.WarnContext(ctx, "no more tables found; the answer is made without them", "error", err)
		return tables{}
	}
	return a.readTables(ctx, slices.DeleteFunc(more.Results, func(r retrieve.Result) bool { return r.Passage.Kind != corpus.Table }))
}

// onlyRows reports whether all quotes are rows of tables with values. Such a question is one for a table, and ask did not
// understand it, so the rows may be wrong.
func (a tableAnswer) onlyRows() bool {
	for _, s := range a.out.Sentences {
		for _, n := range s.Passages {
			p := a.out.Passages[n-1]
			if !slices.ContainsFunc(a.rows, func(t tablePlace) bool { return t.has(p.Passage) }) {
				return false
			}
		}
	}
	return len(a.out.Sentences) > 0
}

// leads reports whether the best passage has rows of a table.
func (a tableAnswer) leads(t tablePlace) bool { return t.has(a.found.Results[0].Passage) }

// ranks reports whether a passage of the answer is of the document with a table.
func (a tableAnswer) ranks(t tablePlace) bool {
	return slices.ContainsFunc(a.found.Results, func(r retrieve.Result) bool { return t.document == r.Passage.DocumentID })
}

// writeTable writes the reply with its rows. Each row cites its passage.
func (a tableAnswer) writeTable(reply table.Reply, t *table.Table, d *table.Document) {
	said := reply.Said
	if more := len(reply.Used) - len(reply.Rows); more > 0 && len(reply.Groups.List) == 0 {
		said = fault.NewText("table_more", "%s %d more rows are not shown.", said, more)
	}
	said = a.inLanguage(said)
	a.out.Named, a.out.Lead, a.out.Sentences = said.Sentence, len(said.Message), nil
	var b strings.Builder
	b.WriteString(said.Message)
	if len(reply.Rows) == 0 {
		if reply.Status == table.Answered && reply.Query != "" { // such as a count of 0
			a.out.Queries = append(a.out.Queries, reply.Query)
		}
		a.out.Text, a.out.Lead = b.String(), 0
		a.out.Sentences = unsupportedSentences(a.out.Text)
		return
	}
	if len(reply.Groups.List) > 0 {
		a.writeGroups(&b, reply, t, d)
		return
	}
	b.WriteString("\n\n|")
	for _, c := range reply.Columns {
		b.WriteString(" " + cellText(t.Columns[c].Header) + " |")
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(reply.Columns)) + "\n")
	for i, n := range reply.Rows {
		if i > 0 {
			b.WriteString("\n")
		}
		start := b.Len()
		b.WriteString("|")
		number := a.passageOf(d, t.Rows[n])
		for k, c := range reply.Columns {
			b.WriteString(" " + cellText(t.Rows[n].Cells[c].Text))
			if k == len(reply.Columns)-1 && number > 0 {
				b.WriteString(" [" + strconv.Itoa(number) + "]")
			}
			b.WriteString(" |")
		}
		s := rag.Sentence{Start: start, End: b.Len(), Support: rag.Strong}
		if number > 0 {
			s.Passages = []int{number}
		}
		a.out.Sentences = append(a.out.Sentences, s)
	}
	for _, n := range reply.Used { // the other rows have their passages in the list of sources
		a.passageOf(d, t.Rows[n])
	}
	if reply.Status == table.Answered {
		a.markCells(reply, t, d)
	}
	a.out.Text = b.String()
}

// markCells names the query and the cells behind an answer.
func (a tableAnswer) markCells(reply table.Reply, t *table.Table, d *table.Document) {
	if reply.Query != "" {
		a.out.Queries = append(a.out.Queries, reply.Query)
	}
	for _, n := range reply.Used {
		number := a.passageOf(d, t.Rows[n])
		if number == 0 {
			continue
		}
		p := &a.out.Passages[number-1]
		for _, c := range reply.Columns {
			if cell := t.Rows[n].Cells[c]; cell.End > cell.Start && len(p.Cells) < maxCells {
				p.Cells = append(p.Cells, rag.Span{Start: cell.Start, End: cell.End})
			}
		}
	}
}

// cellText writes a cell for a Markdown table.
func cellText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "[", `\[`, "<", "&lt;", "*", `\*`, "_", `\_`, "`",
		"\\`").Replace(strings.Join(strings.Fields(s), " "))
}

// passageOf returns the number of the passage with a row. It adds the passage if retrieval did not find it. It returns 0 if there
// are too many.
func (a tableAnswer) passageOf(d *table.Document, row table.Row) int {
	p, ok := d.Passage(row)
	if !ok {
		return 0
	}
	for i, known := range a.out.Passages {
		if known.DocumentID == d.Document.ID && known.Ordinal == p.Ordinal {
			return i + 1
		}
	}
	if len(a.out.Passages) >= len(a.found.Results)+maxTablePassages {
		return 0
	}
	if d.Document.ID < 0 {
		p.ID, p.DocumentID = -p.ID, -p.DocumentID
	}
	a.out.Passages = append(a.out.Passages, rag.Passage{Passage: p})
	return len(a.out.Passages)
}
