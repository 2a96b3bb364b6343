package reason

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"docent/agent"
	"docent/rag/pipeline"
	"docent/rag/retrieve"

	"docent/internal/fault"

	"docent/payload"
	words "docent/rag/text"
)

const (
	// maxStepText limits a text in a step's details, in characters, as in BAF.
	maxStepText = 4000
	// maxSummary limits a step's summary, in characters.
	maxSummary = 500
)

// answer says the model's answer. If the model saw passages, it comes with its evidence. Otherwise it is plain text.
func (u *run) answer(ctx context.Context, text, stopReason string) error {
	results := u.findings.Results()
	if len(results) == 0 {
		text = u.unchecked(text)
		u.notes.add(notedAnswer{u.step, words.Shorten(text, maxNoted)})
		return u.s.Reply(ctx, text+pipeline.CutNote(u.noteLanguage(), stopReason))
	}
	message := agent.AnswerMessage(pipeline.Cite(u.static, pipeline.Written{
		Model: u.name, Question: u.question, Language: u.noteLanguage(), Text: text, StopReason: stopReason, Results: results,
	}))
	if message.Answer == pipeline.CutNote(u.noteLanguage(), stopReason) { // nothing but invented markers
		return u.giveUp(ctx)
	}
	message.Docs, message.Queries = message.Docs[:shownDocs(message)], u.findings.Queries()
	u.notes.add(notedAnswer{u.step, words.Shorten(message.Answer, maxNoted)})
	return u.s.ReplyRAG(ctx, message)
}

// noteLanguage returns the language of notes after the answer.
func (u *run) noteLanguage() string { return pipeline.NoteLanguage(u.wishes, u.question) }

// maxRemark is the length of a reply that needs no documents, in bytes, such as a question back.
const maxRemark = 80

// unchecked removes the citations of an answer without passages, because they belong to none. It marks an answer that should
// have come from the documents.
func (u *run) unchecked(text string) string {
	plain := words.Unmarked(text)
	if plain == "" {
		plain = text
	}
	if u.o.Knowledge == nil || len(u.findings.Searches()) > 0 || plain == strings.TrimSpace(text) && len(text) <= maxRemark {
		return plain
	}
	return plain + pipeline.UncheckedNote(u.noteLanguage())
}

// keep records the partial answer of a model that failed or was stopped. If the model saw passages, the answer comes with
// its evidence.
func (u *run) keep(text string) {
	results := u.findings.Results()
	if len(results) == 0 || text == "" {
		return
	}
	message := agent.AnswerMessage(pipeline.CiteBegun(u.static, pipeline.Written{
		Model: u.name, Question: u.question, Language: u.noteLanguage(), Text: text, Results: results,
	}))
	message.Docs, message.Queries = message.Docs[:shownDocs(message)], u.findings.Queries()
	agent.KeepDraft(u.s, text, message)
}

// shownDocs returns the number of passages with an answer: at least up to the last cited one, and others up to a limit.
func shownDocs(m payload.RAGMessage) int {
	n := min(len(m.Docs), retrieve.MaxK)
	for _, s := range m.Sentences {
		for _, d := range s.Docs {
			n = max(n, d)
		}
	}
	return n
}

// maxSearches is the maximum number of searches that an answer lists if it found
// nothing.
const maxSearches = 5

// giveUp says that there is no answer. By default it lists the searches.
func (u *run) giveUp(ctx context.Context) error {
	text := fault.Plain(u.o.Fallback)
	if u.o.Fallback == DefaultFallback {
		text = fault.NewText("no_answer", DefaultFallback)
	}
	if searches := u.findings.Searches(); len(searches) > 0 && u.o.Fallback == DefaultFallback {
		var queries []string
		for _, s := range searches {
			if q := "“" + words.Shorten(strings.Join(strings.Fields(s.Query), " "), 100) + "”"; !slices.Contains(queries, q) &&
				len(queries) < maxSearches {
				queries = append(queries, q)
			}
		}
		text = fault.NewText("no_answer_after_searches", DefaultFallback+" I searched the documents for %s.", strings.Join(queries, ", "))
	}
	return u.s.Say(ctx, text)
}

const (
	// maxNoted limits a text in the scratchpad, in characters.
	maxNoted = 2000
	// maxScratchpad limits the scratchpad as JSON, in bytes. The oldest notes are dropped first.
	maxScratchpad = 64 << 10
)

// scratchpad is the record of a run, with BAF's keys.
type scratchpad struct {
	notes []json.RawMessage
	bytes int
}

type (
	notedCalls struct {
		Step        int         `json:"step"`
		ToolCalls   []notedCall `json:"tool_calls"`
		ToolResults []string    `json:"tool_results"`
	}
	notedCall struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	notedRejection struct {
		Step           int    `json:"step"`
		RejectedAnswer string `json:"rejected_answer"`
		PendingTaskIDs []int  `json:"pending_task_ids"`
	}
	notedAnswer struct {
		Step   int    `json:"step"`
		Answer string `json:"answer"`
	}
	notedTasks struct {
		FinalTaskList []payload.Task `json:"final_task_list"`
	}
)

func (p *scratchpad) add(note any) {
	data, err := payload.Marshal(note)
	if err != nil { // our own structs always encode
		return
	}
	p.notes = append(p.notes, data)
	p.bytes += len(data) + 1
	for p.bytes > maxScratchpad && len(p.notes) > 1 {
		p.bytes -= len(p.notes[0]) + 1
		p.notes = p.notes[1:]
	}
}

func (p *scratchpad) reject(step int, text string, pending []payload.PendingTask) {
	ids := []int{}
	for _, t := range pending {
		ids = append(ids, t.ID)
	}
	p.add(notedRejection{step, words.Shorten(text, maxNoted), ids})
}

// entries returns the notes. It never returns nil.
func (p *scratchpad) entries() []json.RawMessage { return append([]json.RawMessage{}, p.notes...) }
