package table

import (
	"slices"
	"strings"

	"docent/internal/fault"
)

// Status says how well a reply answers a question.
type Status int

// The statuses.
const (
	// NoQuestion: the question does not ask a table.
	NoQuestion Status = iota
	// Unclear: the question asks a table, but it does not tell the row, the column, or the operation, or it has words that
	// the table does not have.
	Unclear
	// Answered: the reply answers the question.
	Answered
)

// Reply is the answer to a question about a table.
type Reply struct {
	// Status says how well it answers the question.
	Status Status
	// Source is the position of the table in the list of sources.
	Source int
	// Said is the answer in words, or the reason why there is none.
	Said fault.Text
	// Rows are the rows to show, as positions in Table.Rows.
	Rows []int
	// Used are the rows behind the answer. They include Rows.
	Used []int
	// Columns are the columns to show.
	Columns []int
	// Groups are the results of groups of rows, if the question asks for them.
	Groups Groups
	// Query is the operation behind an answer, in the words of SQL, or "".
	Query string
	// Near reports that the table has most of an unclear question, so its rows are worth showing with the reason.
	Near bool
	// Whole reports that the table has all words of an unclear question.
	Whole bool

	// Computed reports that an unclear reply has a result. Its words say what is not sure.
	Computed bool

	// cell reports that the answer is cells of a named row, or the rows with a value of a named column.
	cell bool
	// asked are the columns of the cells that the question asks for.
	asked []int
	// counts reports that the answer counts rows, and that whole cells select them.
	counts bool
	// named reports that the question names one row.
	named bool
	// entitled is the number of words of the question in the title. It decides between tables with the same score.
	entitled int
	// score says how much of the question the reading explains, and how well it answers.
	score float64
}

// maxShown limits the rows of a reply.
const maxShown = 20

// maxQuestion limits the bytes of a question about a table. Longer texts, such as a pasted log, have no such question, and
// the roles of many words take long to find.
const maxQuestion = 500

// maxNearest limits the rows of an unclear reply.
const maxNearest = 6

// Ask answers a question from the table that fits it best. It answers only if each word of the question has a role, if it
// understands the operation, and if no other table fits as well.
func Ask(question string, sources []Source) Reply {
	best, tie := Reply{Source: -1}, false
	if len(question) > maxQuestion {
		return best
	}
	for i := range sources {
		reply := read(question, &sources[i])
		reply.entitled = sources[i].entitled(question)
		if reply.Source = i; !sources[i].Table.Typed() && !reply.looksUp() {
			continue
		}
		switch {
		case reply.Status == NoQuestion:
		case best.Status == NoQuestion || reply.score > best.score || reply.score == best.score && reply.entitled > best.entitled:
			best, tie = reply, false
		case reply.score == best.score && reply.entitled == best.entitled && reply.Said.Message != best.Said.Message:
			tie = true
		}
	}
	if tie && best.Status == Answered {
		best.Status, best.Said = Unclear, fault.NewText("table_several", "Several tables fit this question. One of them is %s.",
			sources[best.Source].named())
	}
	return best
}

// looksUp reports whether the reply is a cell, counts rows with whole cells, or has a named row but not the rest of the question.
// Tables of texts have no other replies, because their words are often there by chance.
func (r Reply) looksUp() bool { return r.counts || r.cell || r.Status == Unclear && r.Near && r.named }

// read answers a question from a table by the reading with the highest score.
func read(question string, s *Source) Reply {
	out := Reply{}
	for _, r := range readings(question, s) {
		reply := answering{phrasing{r}}.answer()
		if reply.Status != NoQuestion && (out.Status == NoQuestion || reply.score > out.score) {
			out = reply
		}
	}
	return out
}

// Asks reports whether a question has words of an operation, a comparison, or a unit, so that it may ask a table.
func Asks(question string) bool {
	if len(question) > maxQuestion {
		return false
	}
	r := newReading(question, &Source{Table: &Table{}})
	for i, w := range r.words {
		_, superlative := w.superlative()
		_, compares := w.comparative()
		_, _, _, limits := r.comparatorAt(i)
		computes := slices.ContainsFunc([][]string{countPhrases, averagePhrases, sumPhrases, differPhrases}, func(phrases []string) bool {
			return r.phraseAt(i, phrases) > 0
		})
		if superlative || computes || compares || limits || isCurrency(canonicalUnit(w.text)) || w.isNumber() {
			return true
		}
	}
	return r.has(muchPhrases, unknown) || r.has(listPhrases, unknown)
}

// answering chooses and does the operation.
type answering struct{ phrasing }

// answer answers the question.
func (r answering) answer() Reply {
	if r.has(whyPhrases, unknown) || len(r.words) == 0 {
		return Reply{}
	}
	r.extreme() // it marks the words of a superlative
	if len(r.filters) == 0 && len(r.mentions()) == 0 && len(r.conditions) == 0 && !r.named() && !r.describes() {
		return Reply{}
	}
	computes := len(r.conditions) > 0 || slices.Contains(r.roles, operation)
	if scattered(r) || isSingle(r.t) && computes { // one thing has nothing to compare
		return Reply{}
	}
	if r.asks(oftenPhrases) && !r.often {
		r.missing = append(r.missing, "often")
	}
	if reply, ok := r.doubtful(); ok {
		return reply
	}
	if len(r.missing) > 0 {
		return r.unclear(r.lacking())
	}
	return r.operate()
}

// scattered reports whether the question only has words that stand in different rows, inside of longer cells. Then the words are
// there by chance.
func scattered(r answering) bool {
	if len(r.conditions) > 0 || len(r.mentions()) > 0 || r.named() || slices.Contains(r.roles, operation) {
		return false
	}
	for i, f := range r.filters {
		if slices.ContainsFunc(r.filters[:i], func(g filter) bool {
			return f.column == g.column && !f.whole && !g.whole && !f.not && !g.not && len(intersect(f.rows, g.rows)) == 0
		}) {
			return true
		}
	}
	return false
}

// byChance reports whether the question only has words that are a small part of a longer cell.
func byChance(r answering) bool {
	asks := r.asks(muchPhrases) || slices.Contains(r.roles, operation)
	return len(r.conditions) == 0 && len(r.mentions()) == 0 && !r.named() && !asks && !slices.ContainsFunc(r.filters, func(f filter) bool {
		return f.whole || r.mostOf(f)
	})
}

// operate does the operation of a question whose words are all known.
func (r answering) operate() Reply {
	if r.times.n > 0 {
		return r.answerTimes()
	}
	if r.free && (r.asks(countPhrases) || r.asks(muchPhrases)) {
		return answerFree(r)
	}
	if len(r.ambiguous) > 0 {
		return r.unclear(r.severalColumns(r.ambiguous))
	}
	if groups := (grouper{r}); !r.negative() {
		if g, ok := groups.find(); ok {
			return groups.answer(g)
		}
		if groups.open() {
			return r.unclear(r.noOperation())
		}
	}
	e, superlative := r.extreme()
	if !superlative && len(r.superlatives()) > 1 {
		reply := r.unclear(r.noOperation())
		reply.score += malusNothing
		return reply
	}
	negative := r.negative()
	_, _, stocked := r.stockValue()
	differs := r.asks(differPhrases) || r.compares()
	if !differs && r.open(superlative) || negative && superlative {
		return r.unclear(r.noOperation())
	}
	switch {
	case negative && !r.asks(countPhrases):
		rows, asked := r.selected(), r.asked()
		if list := trains(r); len(rows) == 1 && len(asked) == 0 && len(list) > 0 {
			return r.answerAcross(rows[0], list, true)
		}
		if len(rows) == 1 && len(asked) == 1 && len(asked[0].columns) > 1 && r.t.sameKind(asked[0].columns) {
			return r.answerAcross(rows[0], asked[0].columns, true)
		}
		return r.answerWithout()
	case differs:
		return r.answerDifference()
	case superlative:
		return r.answerExtreme(e)
	case r.asks(worthPhrases) && (stocked || !r.asks(sumPhrases)):
		return r.answerWorth()
	case r.asks(averagePhrases):
		return r.answerAggregate(average)
	case r.asks(countPhrases) || r.often:
		return r.answerCount(negative)
	case r.asks(sumPhrases) || r.spends():
		return r.answerAggregate(sum)
	}
	return r.answerRows()
}

// didPhrases ask for a sum together with a verb of payments, as in "what did we spend on tools".
var didPhrases = phrases("what did | what do | what have | what has | was haben | was hat | was habe")

// spends reports whether the question asks how much was paid, which is a sum of amounts.
func (r answering) spends() bool {
	asks := r.asks(muchPhrases) || phrased(r.reading, didPhrases)
	return asks && slices.ContainsFunc(r.words, func(w word) bool { return spending[w.text] }) &&
		slices.ContainsFunc(r.t.Columns, func(c Column) bool { return c.Kind == Money })
}

// open reports whether the question limits or orders rows in a way that it was not understood.
func (r *reading) open(superlative bool) bool {
	for i, w := range r.words {
		if r.roles[i] == condition || r.roles[i] == column || r.roles[i] == cell || r.roles[i] == operation {
			continue
		}
		switch w.text {
		case "than", "als", "over", "above", "under", "below", "uber", "unter", "between", "zwischen":
			return true
		}
		if superlative && ordinals[w.text] > 0 {
			return true
		}
	}
	return false
}

// named reports whether a word names the rows of the table.
func (r *reading) named() bool {
	for i := range r.words {
		for c := range r.matched[i] {
			if slices.Contains(r.labels, c) {
				return true
			}
		}
	}
	return slices.Contains(r.roles, titled)
}

// asks reports whether the question has a phrase of an operation.
func (r *reading) asks(phrases []string) bool {
	copied := slices.Clone(r.roles)
	text := r.text
	for i, role := range copied { // words of names do not ask
		if role == column || role == cell || role == qualifier {
			text = replaceWord(text, i)
		}
	}
	before := r.text
	r.text = text
	found := r.has(phrases, unknown)
	r.text = before
	return found
}

// listing reports whether the question asks for rows or for a part of them. "Was" asks only at the beginning of a German question.
func (r *reading) listing() bool {
	return r.words[0].text == "was" || r.asks(listPhrases) || r.asks(offerPhrases) && !r.asks(muchPhrases)
}

// asksTotal reports whether a word such as "total" may name a column of totals.
func (r *reading) asksTotal(i int) bool {
	return slices.Contains(r.words[i].concepts(), "total") || slices.Contains(r.words[i].concepts(), "quantity")
}

// negative reports whether the question says "no" or "not" outside of filters.
func (r *reading) negative() bool {
	n := 0
	for _, role := range r.roles {
		if role == nothing {
			n++
		}
	}
	for _, f := range r.filters {
		if f.not {
			n--
		}
	}
	return n > 0
}

// askedColumns returns the columns of all mentions that no condition uses.
func (r *reading) askedColumns() []int {
	var out []int
	for _, m := range r.asked() {
		out = append(out, m.columns...)
	}
	return out
}

// answerRows answers with a cell, with several cells of a row, or with a list of rows.
func (r answering) answerRows() Reply {
	rows, asked := r.selected(), r.asked()
	if len(r.filters) == 0 && len(r.conditions) == 0 {
		if rows := r.selected(); len(asked) == 0 && r.named() && len(rows) <= maxShown && r.asks([]string{
			"list", "show", "all",
			"liste", "zeige", "nenne", "alle",
		}) {
			return r.answered(r.saidList(len(rows)), rows, r.shownColumns(nil))
		}
		if len(rows) == 1 && len(asked) > 0 { // the table is about one thing
			return r.answerRow(rows[0], asked)
		}
		return r.unclear(r.noOperation())
	}
	if len(rows) == 0 {
		return r.nothingFits()
	}
	implied := len(asked) > 0 || len(r.conditions) > 0 || r.asks(whenPhrases) || r.asks(muchPhrases)
	if byChance(r) {
		return Reply{}
	}
	if r.onlyMentioned() {
		reply := r.unclear(r.noColumn())
		reply.Near = false
		return reply
	}
	if verbs := r.verbs(); len(verbs) > 0 && !implied && (r.onlyNamed() || !r.named()) {
		r.missing = verbs
		return r.unclear(r.lacking())
	}
	if list := trains(r); len(rows) == 1 && len(asked) == 0 && len(list) > 0 {
		return r.answerAcross(rows[0], list, false)
	}
	if _, placed := place(r); len(rows) == 1 && (!r.lists() || placed && len(asked) == 0) {
		return r.answerRow(rows[0], asked)
	}
	var columns []int
	for _, m := range asked {
		if len(m.columns) > 1 {
			m.columns = r.ofKind(m.columns)
		}
		if len(m.columns) > 1 && m.strength < byWord && len(asked) > 1 {
			continue
		}
		columns = append(columns, m.columns...)
	}
	if len(rows) == 1 && len(columns) == 0 && r.onlyNamed() && r.asks(whoPhrases) &&
		!(slices.Contains(r.roles, titled) && r.hasTexts()) {
		return r.unclear(r.noColumn())
	}
	if len(columns) == 0 && r.asks(whenPhrases) {
		if c, ok := r.dateColumn(aDay, 0); ok {
			columns = []int{c}
		}
	}
	switch {
	case len(r.filters) == len(rows) && len(rows) > 1 && len(rows) <= 4 && len(columns) > 0: // each row is named
	case r.partly() && !r.lists() && !(r.listing() && len(r.conditions) > 0 && len(columns) > 0):
		return r.unclear(r.severalRows(len(rows)))
	case r.lists() || len(r.conditions) > 0 || r.named() && len(columns) == 0:
	case len(columns) == 0 || len(rows) > maxShown:
		return r.unclear(r.severalRows(len(rows)))
	}
	if len(columns) == 0 && len(rows) > 1 {
		columns = amounts(r.t)
	}
	columns = append(r.used(), columns...)
	_, _, calendar := limiter{r.reading}.rangeColumns()
	whole := calendar && len(asked) == 0 && len(r.conditions) > 1 || r.valuedBy() != nil && r.onlyCodes()
	if whole || !slices.ContainsFunc(columns, func(c int) bool { return !slices.Contains(r.labels, c) }) {
		columns = nil // the names of the rows alone answer nothing
	}
	reply := r.answered(r.saidList(len(rows)), rows, r.shownColumns(columns))
	reply.cell = reply.Status == Answered && (r.namesRow() || r.valuedBy() != nil)
	return reply
}

// verbs returns the verbs without a place in the table.
func (r answering) verbs() []string {
	var out []string
	for i, w := range r.words {
		if lightVerbs[w.text] && r.roles[i] == light {
			out = append(out, w.written)
		}
	}
	return out
}

// onlyCodes reports whether only codes name the rows.
func (r answering) onlyCodes() bool {
	return len(r.labels) == 1 && strings.ContainsAny(r.t.Rows[0].Cells[r.labels[0]].Text, "0123456789")
}

// hasTexts reports whether another column than those with the names of rows has texts, such as names of people.
func (r *reading) hasTexts() bool {
	for c := range r.t.Columns {
		if r.t.Columns[c].Kind == Text && !slices.Contains(r.labels, c) {
			return true
		}
	}
	return false
}

// onlyNamed reports whether the question has only the names of rows.
func (r answering) onlyNamed() bool {
	return len(r.conditions) == 0 && !slices.ContainsFunc(r.filters, func(f filter) bool { return !slices.Contains(r.labels, f.column) })
}

// maxNameWords is the number of words up to which a cell is a name or a short list, and no sentence.
const maxNameWords = 6

// onlyMentioned reports whether only words in sentences select the rows. Such words are there by chance.
func (r answering) onlyMentioned() bool {
	sentence := func(f filter) bool {
		return !f.whole && !f.not && !slices.ContainsFunc(f.rows, func(row int) bool {
			return len(strings.Fields(r.t.Rows[row].Cells[f.column].Text)) <= maxNameWords
		})
	}
	return len(r.conditions) == 0 && len(r.filters) > 0 && !slices.ContainsFunc(r.filters, func(f filter) bool { return !sentence(f) })
}

// partly reports whether the words are only a part of the names of several rows.
func (r answering) partly() bool {
	return slices.ContainsFunc(r.filters, func(f filter) bool { return slices.Contains(r.labels, f.column) && len(f.rows) > 1 && !f.not })
}

// lists reports whether the question asks for rows. A question with "which" about a column asks for its cell.
func (r answering) lists() bool {
	if len(r.conditions) > 0 && len(r.asked()) == 0 || r.valuedBy() != nil {
		return true
	}
	return r.listing() && len(r.asked()) == 0
}

// ofKind keeps the columns of the kind that the question asks for.
func (r answering) ofKind(columns []int) []int {
	var out []int
	for _, c := range columns {
		if r.asks(whenPhrases) && (r.t.Columns[c].Kind == Date || r.t.Columns[c].Kind == Clock) {
			out = append(out, c)
		}
	}
	if len(out) > 0 {
		return out
	}
	return columns
}

// answerRow answers with cells of a row.
func (r answering) answerRow(row int, asked []mention) Reply {
	var columns []int
	for _, m := range specific(r.reading, asked) {
		list := r.ofKind(r.narrowedBy(m))
		if len(list) > 1 && r.asks([]string{"which", "welche", "welcher", "welches", "what"}) && r.t.sameKind(list) && m.strength == byWord {
			return r.answerAcross(row, list, false)
		}
		if len(list) > 1 {
			return r.unclear(r.severalColumns(list))
		}
		columns = append(columns, list...)
	}
	if list := wanted(r); len(columns) > 0 || len(list) > 1 {
		columns = append(columns, list...)
		slices.Sort(columns)
		columns = slices.Compact(columns)
	}
	if len(columns) == 0 {
		c, ok := r.namedLabel()
		if !ok {
			c, ok = r.implied()
		}
		if !ok {
			reply := r.unclear(r.noColumn())
			reply.Near = false // the row itself may be the answer
			return reply
		}
		columns = []int{c}
	}
	for _, c := range columns {
		if r.t.Rows[row].Cells[c].Missing {
			return r.unclear(r.noValue(row, c))
		}
	}
	said := r.saidCell(row, columns[0])
	if len(columns) > 1 {
		said = r.saidList(1)
	}
	reply := r.answered(said, []int{row}, r.shownColumns(append(r.used(), columns...)))
	reply.cell = reply.Status == Answered && r.namesRow()
	reply.asked = columns
	return reply
}

// namesRow reports whether the question has the whole name of one row, and no other cells.
func (r *reading) namesRow() bool {
	return len(r.filters) == 1 && r.filters[0].whole && len(r.filters[0].rows) == 1 && slices.Contains(r.labels, r.filters[0].column)
}

// namedLabel returns the column of names that the question asks for: it is named, and the row is named by another column.
func (r answering) namedLabel() (int, bool) {
	for i := range r.words {
		for c, strength := range r.matched[i] {
			if strength == byWord && slices.Contains(r.labels, c) && !slices.ContainsFunc(r.filters,
				func(f filter) bool { return f.column == c }) {
				return c, true
			}
		}
	}
	return 0, false
}

// narrowedBy returns the columns of a mention that units in the question fit.
func (r answering) narrowedBy(m mention) []int {
	var out []int
	for i, w := range r.words {
		if r.roles[i] != unitOf {
			continue
		}
		for _, c := range m.columns {
			if _, ok := converted(1, w.text, r.t.Columns[c].Unit); ok && r.t.Columns[c].Unit != "" {
				out = append(out, c)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	return m.columns
}
