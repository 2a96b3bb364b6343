package table

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"docent/internal/fault"
)

// Group is a group of rows with the same cell in a column.
type Group struct {
	// Name is the cell, and Value the result of its rows.
	Name, Value string
	// Rows are the rows of the group.
	Rows []int
}

// Groups are the results of groups of rows, such as the number of orders of each customer.
type Groups struct {
	// By and Of are the headers of the names and the values.
	By, Of string
	// List has the largest value first, or the smallest one if the question asks for it.
	List []Group
}

// maxGroups limits the groups of a reply.
const maxGroups = 50

// groupWords stand in front of the column by which rows are grouped.
var groupWords = setOf("per pro je by each every nach jede jeder jedes jeden jedem")

// grouping is the way that a question groups rows.
type grouping struct {
	column int
	words  []int // positions of the words that name the column
	few    bool  // the smallest group is first
}

// grouper finds and answers questions about groups of rows.
type grouper struct{ answering }

// find finds "per customer", and "which customer has the most orders".
func (r grouper) find() (grouping, bool) {
	if _, ok := r.extreme(); ok && !r.computes() { // "the largest by size"
		return r.most()
	}
	for _, m := range r.asked() {
		if len(m.columns) != 1 || !r.groupable(m.columns[0]) {
			continue
		}
		g := grouping{column: m.columns[0], words: m.words}
		for k := m.words[0] - 1; k >= 0 && k >= m.words[0]-2; k-- {
			if groupWords[r.words[k].text] {
				return g, true
			}
			if !isArticle(r.words[k].text) {
				break
			}
		}
	}
	return r.most()
}

// open reports whether the question asks for groups by something that no column has, as in "orders per customer" without customers.
func (r grouper) open() bool {
	if !r.computes() {
		return false
	}
	for i := 1; i < len(r.words); i++ {
		before := r.words[i-1].text
		if (before == "per" || before == "pro" || before == "je") && r.roles[i] != column && r.roles[i] != cell && !isUnit(r.words[i].text) {
			return true
		}
	}
	return false
}

// computes reports whether the question counts or adds up.
func (r grouper) computes() bool {
	return r.asks(countPhrases) || r.asks(sumPhrases) || r.asks(averagePhrases)
}

// most finds the column of "which customer has the most orders", if the orders are the rows.
func (r grouper) most() (grouping, bool) {
	e, ok := r.extreme()
	asked := r.asked()
	if !ok || e.concepts != "" || e.judges || e.own > 0 || e.nth > 0 {
		return grouping{}, false
	}
	if len(asked) != 1 || len(asked[0].columns) != 1 || !r.groupable(asked[0].columns[0]) {
		return grouping{}, false
	}
	first := asked[0].words[0]
	rows := slices.ContainsFunc(r.nouns(), func(i int) bool { return i > e.word && r.isLabelWord(i) })
	if first == 0 || first > e.word || !rows || !r.listing() {
		return grouping{}, false
	}
	return grouping{column: asked[0].columns[0], words: asked[0].words, few: e.up < 0}, true
}

// groupable reports whether a column has few values for many rows: texts, or whole numbers such as years.
func (r grouper) groupable(c int) bool {
	col, seen := r.t.Columns[c], map[string]bool{}
	if slices.Contains(r.labels, c) || col.Kind != Text && col.Kind != Flag && (col.Kind != Number || col.Decimals > 0 || col.Unit != "") {
		return false
	}
	data := r.t.Data()
	for _, i := range data {
		seen[r.t.Rows[i].Cells[c].Text] = true
	}
	return len(seen) > 1 && len(seen) < len(data) && len(seen) <= maxGroups
}

// answer answers with the number of rows of each group, or with a sum or an average.
func (r grouper) answer(g grouping) Reply {
	all := answering{phrasing{r.copy()}}
	for _, i := range g.words {
		all.roles[i], all.matched[i] = light, nil
	}
	if counts := all.asks(countPhrases) || !all.asks(averagePhrases) && !all.asks(sumPhrases); g.few || counts && len(all.asked()) == 0 {
		return r.reply(g, -1, sum)
	}
	op := sum
	switch {
	case all.asks(averagePhrases):
		op = average
	case !all.asks(sumPhrases) && !all.asks(muchPhrases):
		return r.unclear(r.noOperation())
	}
	c, reason := all.measure(op)
	if c < 0 {
		return reason
	}
	return r.reply(g, c, op)
}

// reply groups the selected rows. It counts them if c is negative.
func (r grouper) reply(g grouping, c int, op aggregate) Reply {
	rows := r.selected()
	if c >= 0 {
		rows = r.t.valued(rows, c)
	}
	byName, values := map[string]*Group{}, map[string]float64{}
	var names []string
	for _, i := range rows {
		name := r.t.Rows[i].Cells[g.column].Text
		if byName[name] == nil {
			byName[name], names = &Group{Name: name}, append(names, name)
		}
		byName[name].Rows = append(byName[name].Rows, i)
		if values[name]++; c >= 0 {
			values[name] += r.t.Rows[i].Cells[c].Value - 1
		}
	}
	if len(names) == 0 {
		return r.nothingFits()
	}
	out := Groups{By: r.t.Columns[g.column].Header, Of: "#"}
	for _, name := range names {
		own := byName[name]
		switch {
		case c < 0:
			own.Value = strconv.Itoa(len(own.Rows))
		case op == average:
			values[name] /= float64(len(own.Rows))
			own.Value = r.t.value(round(values[name], max(2, r.t.Columns[c].Decimals)), c, max(2, r.t.Columns[c].Decimals))
		default:
			own.Value = r.t.value(round(values[name], r.t.Columns[c].Decimals), c, r.t.Columns[c].Decimals)
		}
		out.List = append(out.List, *own)
	}
	slices.SortStableFunc(out.List, func(a, b Group) int {
		d := cmp.Compare(values[b.Name], values[a.Name])
		if g.few {
			return -d
		}
		return d
	})
	by, selected := r.t.header(g.column), "COUNT(*)"
	said := fault.NewText("table_groups", "Rows of %s for each %s. Groups: %d.", r.source.named(), by, len(out.List))
	if c >= 0 {
		out.Of, selected = r.t.Columns[c].Header, "SUM("+sqlName(r.t.Columns[c])+")"
		said = fault.NewText("table_group_sums", "The sum of %s for each %s. Groups: %d.", r.t.header(c), by, len(out.List))
		if op == average {
			selected = strings.Replace(selected, "SUM", "AVG", 1)
			said = fault.NewText("table_group_averages", "The average of %s for each %s. Groups: %d.", r.t.header(c), by, len(out.List))
		}
	}
	reply := r.answered(r.withGaps(r.among(said), len(r.selected())-len(rows)), rows, []int{g.column})
	name := sqlName(r.t.Columns[g.column])
	reply.Query = r.query(name+", "+selected) + " GROUP BY " + name
	reply.Groups, reply.counts = out, true
	return reply
}
