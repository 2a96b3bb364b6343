package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docent/internal/fault"
	"docent/llm"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/evidence"
	"docent/rag/quote"
	"docent/rag/retrieve"
	"docent/rag/talk"
	"docent/rag/text"
)

// answering is the work on one request.
type answering struct {
	pipeline *Pipeline
	// req has its defaults filled in and Turns cut to History.
	req rag.Request
	// chosen are the documents of the request without those of its place. search adds them to req.
	chosen []int64
	// model is nil for Extractive.
	model      llm.Model
	thresholds Thresholds
	// found is the outcome of the search, if out.Search is set.
	found retrieve.Retrieval
	// question is the question to search and to quote for. It is a part of the request's question, or all of it.
	question string
	// wishes are those of the user.
	wishes rag.Wishes
	// message is the question with its kind.
	message talk.Message
	// replied reports that out is complete before a model or a quote: docent replied itself.
	replied bool
	// followUp is the message with the earlier question that completes it, or nil if the message stands alone.
	followUp *talk.FollowUp
	// exchanged is followUp as a question that a table answers, or "".
	exchanged string
	// parts are the questions of a message with several of them.
	parts []*answering
	// rows are the places of the tables with values among the documents of the results.
	rows []tablePlace
	out  rag.Answer
	// fallback is the text if the documents do not answer the question, or nil.
	fallback *rag.Approved
	// whole says that the reader sees only the whole answer.
	whole bool
	// wrote says that the reader has text of the model.
	wrote bool
	// failed is the failure of the model, if the answer consists of quotes instead.
	failed error
	// shown is the number of passages before shorten, or 0.
	shown int
}

// search understands the message and finds the passages for it, or replies without them.
func (a *answering) search(ctx context.Context) error {
	a.chosen = slices.Clone(a.req.Documents)
	var err error
	if a.req.Documents, err = a.pipeline.locate(ctx, a.req); err != nil {
		return err
	}
	a.message = talk.Read(a.req.Question, a.req.Turns)
	switch a.message.Kind {
	case talk.SmallTalk:
		if a.repliesTo(a.message.Talk) {
			said := a.message.Talk.Reply
			if a.message.Talk.Name == talk.Complaint && !talk.Asked(a.req.Turns) {
				said = talk.Unclear // there is no answer to complain about
			}
			a.reply(said)
			return nil // there is nothing to find for it
		}
	case talk.Task:
		if a.model == nil {
			a.reply(fault.NewText("talk_task", "I cannot do that. I answer questions from your documents and show the passages. For texts such as emails, I need a chat model."))
			return nil
		}
	case talk.OfPrevious:
		if done, err := a.previous(ctx); err != nil || done {
			return err
		}
	case talk.OfLibrary:
		if done, err := a.library(ctx); err != nil || done {
			return err
		}
	}
	if rest, ok := talk.NewSubject(a.question); ok && a.model == nil {
		a.question, a.req.Turns, a.req.Last = rest, nil, nil
	}
	// Questions on tables are answered here, before the search for passages.
	if done, err := a.searchParts(ctx); err != nil || done {
		return err
	}
	if gist := talk.Gist(a.question); gist != "" {
		a.question = gist
	}
	return a.searchQuestion(ctx)
}

// locate returns the documents of a request with those of its place. The library lists only those that the reader may read.
func (r *Pipeline) locate(ctx context.Context, req rag.Request) ([]int64, error) {
	lister, ok := r.cfg.Shelf.(corpus.Lister)
	if !ok {
		return req.Documents, nil
	}
	return corpus.Within(ctx, lister, req.Documents, req.Place, req.Collections) //nolint:wrapcheck // it names the operation
}

// repliesTo reports whether docent itself replies to small talk. A model answers complaints about its answers, and
// questions for the time or the weather.
func (a *answering) repliesTo(t *talk.Talk) bool {
	switch {
	case t.Name == talk.Vague && (len(a.chosen) > 0 || a.pipeline.files != nil):
		return false // the chosen documents are its subject
	case a.model == nil:
		return true
	case t.Name == talk.Complaint:
		return !talk.Asked(a.req.Turns)
	}
	return t.Name != talk.Outside
}

// reply makes the answer with a sentence of docent.
func (a *answering) reply(said fault.Text) {
	said = a.inLanguage(both(failureLine(a.failed), said))
	a.replied = true
	a.out.Outcome = rag.Replied
	a.out.Text, a.out.Named = said.Message, said.Sentence
	a.out.Sentences = unsupportedSentences(a.out.Text)
}

// searchQuestion finds the passages for a question. If the question depends on earlier turns, a model rewrites it first.
func (a *answering) searchQuestion(ctx context.Context) error {
	query := retrieve.Query{
		Question: a.question, Turns: a.req.Turns, K: a.req.K, Collections: a.req.Collections, Documents: a.req.Documents,
		Language: a.message.Language,
	}
	if a.model != nil && talk.Asked(a.req.Turns) && (talk.Leans(a.question) || continues(a)) {
		question, err := a.rewrite(ctx)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("rewrite question: %w", ctx.Err())
		case err != nil:
			a.pipeline.cfg.Logger.WarnContext(ctx,
				"cannot rewrite the question; searching for it with earlier turns", "model", a.req.Model, "error", err)
		default:
			query.Question, query.Turns = question, nil
			return a.find(ctx, query)
		}
	}
	if f, ok := talk.Follow(a.question, a.req.Turns); ok && a.model == nil {
		return follower{a}.search(ctx, query, f)
	}
	return a.find(ctx, query)
}

// continues reports whether the message changes or completes the question before it.
func continues(a *answering) bool {
	_, ok := talk.Continues(a.question, a.req.Turns)
	return ok
}

// looked is the outcome of a search with its query.
type looked struct {
	query    retrieve.Query
	found    retrieve.Retrieval
	wordings []string
}

// find finds the passages for a query.
func (a *answering) find(ctx context.Context, query retrieve.Query) error {
	l, err := a.look(ctx, query)
	if err != nil {
		return err
	}
	a.take(ctx, l)
	return nil
}

// look searches for a query.
func (a *answering) look(ctx context.Context, query retrieve.Query) (looked, error) {
	period := talk.PeriodOf(query.Question, a.pipeline.cfg.Now())
	if !period.IsZero() {
		query.K = min(deeper*query.K, retrieve.MaxK)
	}
	found, err := a.retrieve(ctx, query)
	if err != nil {
		return looked{}, fmt.Errorf("retrieve passages: %w", err)
	}
	found, wordings, err := a.searchAgain(ctx, query, found)
	if err != nil {
		return looked{}, err
	}
	found.Results = inTime(found.Results, period, a.model == nil)
	if len(found.Results) > a.req.K {
		found.Results = found.Results[:a.req.K]
	}
	return looked{query, found, wordings}, nil
}

// take makes the passages of a search those of the answer.
func (a *answering) take(ctx context.Context, l looked) {
	a.found = l.found
	a.out.Passages = passages(l.found.Results)
	a.out.Search = &rag.Search{
		Text: l.found.Question, Wordings: l.wordings, K: a.req.K, Collections: a.listed(ctx), Documents: a.chosen, Place: a.req.Place,
		Evidence: l.found.Evidence,
	}
}

// listed returns the requested collections that exist for the reader. An answer
// names no others.
func (a *answering) listed(ctx context.Context) []string {
	names := slices.Clone(a.req.Collections)
	if len(names) == 0 || a.pipeline.cfg.Shelf == nil {
		return names
	}
	all, err := a.pipeline.cfg.Shelf.Collections(ctx)
	if err != nil {
		a.pipeline.cfg.Logger.WarnContext(ctx, "collections not listed", "error", err)
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.ContainsFunc(all, func(c corpus.CollectionInfo) bool { return c.Name == name })
	})
}

// passages returns results as the passages of an answer.
func passages(results []retrieve.Result) []rag.Passage {
	out := make([]rag.Passage, len(results))
	for i, r := range results {
		out[i] = rag.Passage{Passage: r.Passage, Score: r.Score}
	}
	return out
}

// writes reports whether a model writes the answer. It is asked whenever it has something to work with: passages, an earlier
// answer, or an order. The model then decides whether they answer the question.
func (a *answering) writes() bool {
	if a.model == nil || a.replied {
		return false
	}
	asks := a.message.Kind == talk.Question || a.message.Kind == talk.OfLibrary
	return !asks || len(a.found.Results) > 0 || talk.Asked(a.req.Turns)
}

// withoutModel makes the answer without a model.
func (a *answering) withoutModel(ctx context.Context) {
	switch {
	case a.replied:
		return
	case len(a.parts) > 0:
		if (tableAnswer{a}).askWhole(ctx) {
			return
		}
		a.joinParts(ctx)
		if line := failureLine(a.failed); !line.IsZero() {
			a.lead(line)
		}
		return
	}
	switch {
	case (tableAnswer{a}).ask(ctx):
		if line := failureLine(a.failed); !line.IsZero() && a.out.Named == (fault.Sentence{}) {
			a.lead(line)
		}
	case !answerQuotes(ctx, a):
		a.abstain(ctx)
	}
}

// answerQuotes makes the answer from quotes, with a line above them if they may not answer the question. It returns false if
// there is nothing to quote.
func answerQuotes(ctx context.Context, a *answering) bool {
	a.out.Outcome = a.quotable()
	if a.out.Outcome == rag.NotFound || !a.quote(ctx) {
		return false
	}
	judge{a}.quotes(ctx)
	if a.out.Outcome == rag.Answered && (tableAnswer{a}).onlyRows() {
		a.out.Outcome = rag.Unsure
	}
	line := failureLine(a.failed)
	if a.out.Outcome == rag.Unsure {
		line = both(line, unsureLine(a.found))
	}
	if !line.IsZero() {
		a.lead(line)
	}
	return true
}

// minNamed is the evidence below which passages that lack a subject of the question are not worth showing.
const minNamed = .02

// quotable returns the outcome of an answer that quotes the passages. Passages are not shown if they are about another subject:
// if they lack a code or the asked kind of answers.
func (a *answering) quotable() rag.Outcome {
	outcome := a.thresholds.Outcome(a.found.Evidence)
	signs := a.found.Signs
	other := signs.Absent || signs.Without != "" || a.found.Evidence < minNamed && len(a.found.Coverage.Subjects) > 0
	if len(a.found.Results) == 0 || outcome == rag.Unsure && other {
		return rag.NotFound
	}
	return outcome
}

// unsureLine is the line before the quotes of an unsure answer. It names subjects of the question that the passages lack, or the
// language of the passages.
func unsureLine(found retrieve.Retrieval) fault.Text {
	if language, ok := otherLanguage(found.Signs); ok {
		return fault.NewText("unsure_language", "These passages come closest. They may not answer the question: they are %s. Ask in that language, or "+
			"install the model for other languages (`docent model --help`).", language)
	}
	names := found.Coverage.Subjects
	line := fault.NewText("unsure", "These passages come closest. They may not answer the question.")
	if len(names) > 0 {
		line = fault.NewText("unsure_lacking", "These passages come closest, but they do not mention %s.", codeSpans(names))
	}
	return line
}

// lead puts a plain line before the quotes of an answer.
func (a *answering) lead(line fault.Text) {
	line = a.inLanguage(line)
	const gap = "\n\n"
	by := len(line.Message) + len(gap)
	a.out.Text, a.out.Named, a.out.Lead = line.Message+gap+a.out.Text, line.Sentence, len(line.Message)
	for i := range a.out.Sentences {
		a.out.Sentences[i].Start += by
		a.out.Sentences[i].End += by
	}
}

// abstain makes the answer that names the searched documents and says that
// they do not support an answer.
func (a *answering) abstain(ctx context.Context) {
	a.out.Outcome = rag.NotFound
	said := a.searched(ctx)
	if said.IsZero() {
		said = fault.NewText("unknown_in_all", "I don't know. I searched the documents and found nothing that answers this.")
	}
	if len(a.out.Passages) > 0 {
		said = nearest(said, a.found)
	}
	said = a.inLanguage(both(failureLine(a.failed), said))
	a.out.Text, a.out.Named = said.Message, said.Sentence
	a.out.Sentences = unsupportedSentences(a.out.Text)
}

// nearest adds why the nearest passages do not answer the question.
func nearest(said fault.Text, found retrieve.Retrieval) fault.Text {
	without, c := found.Signs.Without, found.Coverage
	language, other := otherLanguage(found.Signs)
	switch {
	case other && !found.Signs.Absent:
		return fault.NewText("unknown_language", "%s The nearest passages are %s. Ask in that language, or install the model for other "+
			"languages (`docent model --help`).", said, language)
	case len(c.Unseen) > 0:
		return fault.NewText("unknown_unseen", "%s Nothing mentions %s. The nearest passages are listed.", said, codeSpans(c.Unseen))
	case without == evidence.Date:
		return fault.NewText("unknown_no_date", "%s The nearest passages give no date for it.", said)
	case without == evidence.Price:
		return fault.NewText("unknown_no_price", "%s The nearest passages give no price for it.", said)
	case without == evidence.Duration:
		return fault.NewText("unknown_no_duration", "%s The nearest passages give no length of time for it.", said)
	case len(c.Lacking) > 0 && len(c.Covered) > 0:
		return fault.NewText("unknown_lacking",
			"%s The nearest passages mention %s, but not %s.", said, codeSpans(c.Covered), codeSpans(c.Lacking))
	default:
		return fault.NewText("unknown_with_passages", "%s The nearest passages are listed, but they do not answer it.", said)
	}
}

// codeSpans lists names or words for a sentence.
func codeSpans(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = text.CodeSpan(w)
	}
	return strings.Join(quoted, ", ")
}

// searched names the searched documents. It is zero if they are unknown.
func (a *answering) searched(ctx context.Context) fault.Text {
	if len(a.req.Documents) > 0 {
		return fault.NewText("unknown_in_chosen",
			"I don't know. I searched only the chosen documents and found nothing that answers this.")
	}
	if a.pipeline.files != nil {
		return fault.NewText("unknown_in_files",
			"I don't know. I searched the files of this conversation and the documents, and found nothing that answers this.")
	}
	if a.pipeline.cfg.Shelf == nil {
		return fault.Text{}
	}
	all, err := a.pipeline.cfg.Shelf.Collections(ctx)
	if err != nil {
		a.pipeline.cfg.Logger.WarnContext(ctx, "collections not listed", "error", err)
		return fault.Text{}
	}
	var names []string
	documents := 0
	for _, c := range all {
		if len(a.req.Collections) > 0 && !slices.Contains(a.req.Collections, c.Name) {
			continue
		}
		if c.Documents > 0 {
			documents += c.Documents
			names = append(names, c.Name)
		}
	}
	switch {
	case documents == 0 && len(a.req.Collections) > 0 && len(a.out.Search.Collections) == 0:
		return fault.NewText("unknown_no_readable_documents", "I don't know: the collections of this agent have no documents that you may read.")
	case documents == 0 && len(a.req.Collections) > 0:
		return fault.NewText("unknown_no_documents_in",
			"I don't know: there are no documents in %s. %s", inCollections(a.out.Search.Collections), a.pipeline.hint())
	case documents == 0:
		return fault.NewText("unknown_no_documents", "I don't know: there are no documents yet. %s", a.pipeline.hint())
	case documents == 1:
		return fault.NewText("unknown_in_one_document",
			"I don't know. I searched 1 document in %s and found nothing that answers this.", inCollections(names))
	}
	return fault.NewText("unknown_in_documents",
		"I don't know. I searched %d documents in %s and found nothing that answers this.", documents, inCollections(names))
}

// hint is the advice for people without documents.
func (r *Pipeline) hint() fault.Text {
	if r.cfg.IngestHint == rag.DefaultIngestHint {
		return rag.IngestHint()
	}
	return fault.Plain(r.cfg.IngestHint)
}

// maxNamed limits the collections that an answer names.
const maxNamed = 5

// inCollections lists collections for a sentence.
func inCollections(names []string) fault.Text {
	list := codeSpans(names[:min(len(names), maxNamed)])
	switch {
	case len(names) == 1:
		return fault.NewText("in_collection", "the collection %s", list)
	case len(names) > maxNamed:
		return fault.NewText("in_collections_and_more", "the collections %s and %d more", list, len(names)-maxNamed)
	default:
		return fault.NewText("in_collections", "the collections %s", list)
	}
}

// quote makes the answer from quotes. It returns false if there is nothing to
// quote.
func (a *answering) quote(ctx context.Context) bool {
	query := quote.Query{Question: a.question, Searched: a.found.Question, Terms: a.found.Terms, Language: a.message.Language}
	if f := a.followUp; f != nil {
		query.Searched = f.Whole
		if !f.Asks {
			query.Question = f.Whole
		}
		if !f.Replaced {
			query.Terms = preferring(text.Stems(f.Part), query.Terms)
		}
		if f.Asks && f.Bound {
			query.Said = talk.LastAnswer(a.req.Turns)
		}
	}
	query.Similar = func(texts []string) []float64 { return a.compare(ctx, texts) }
	for _, r := range a.found.Results {
		query.Passages = append(query.Passages, quote.Passage{Passage: r.Passage, Score: r.Score})
	}
	written, sentences := quote.Answer(a.pipeline.cfg.Static, query)
	a.out.Text, a.out.Sentences = written, nil
	for _, s := range sentences {
		a.out.Sentences = append(a.out.Sentences, rag.Sentence{Start: s.Start, End: s.End, Passages: s.Passages, Support: rag.Strong})
	}
	return len(sentences) > 0
}

// weightEarlier is the weight of the words of earlier turns in the choice of quotes. With weight 1, answers repeat the answer
// to the question before.
const weightEarlier = .15

// preferring returns terms with a lower weight for those of earlier turns. own are the stems of the present question.
func preferring(own map[string]bool, terms []text.Term) []text.Term {
	out := slices.Clone(terms)
	for i := range out {
		if !own[text.Analysis{}.Stem(out[i])] {
			out[i].IDF *= weightEarlier
		}
	}
	return out
}

// compare returns the similarity of the question and each text, or nil without
// a Comparer for the languages of the passages.
func (a *answering) compare(ctx context.Context, texts []string) []float64 {
	comparer := a.pipeline.cfg.Comparer
	if comparer == nil {
		return nil
	}
	var languages []string
	for _, r := range a.found.Results {
		languages = append(languages, r.Passage.Document.Language)
	}
	values, err := comparer.Compare(ctx, a.found.Question, languages, texts)
	if err != nil {
		a.pipeline.cfg.Logger.WarnContext(ctx, "sentences not compared; the answer is chosen without", "error", err)
		return nil
	}
	return values
}
