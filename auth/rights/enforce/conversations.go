package enforce

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/auth/rights"
	"docent/payload"
	"docent/rag/corpus"
)

// Unavailable replaces the source of passages that the reader may no longer open.
const Unavailable = "no longer available"

// Conversations is a store of conversations. In what it reads, it removes passages
// of documents that the reader of the context may not read now. It never removes
// the text of an answer. It is safe for concurrent use.
type Conversations struct {
	journal.Store
	journal.Feedbacks

	rights *rights.Rights
}

// NewConversations returns a store with the rights of readers.
func NewConversations(r *rights.Rights, store journal.Store, feedbacks journal.Feedbacks) Conversations {
	return Conversations{store, feedbacks, r}
}

// Messages implements journal.Store.
func (c Conversations) Messages(ctx context.Context, session int64, query journal.MessageQuery) ([]chat.Message, error) {
	messages, err := c.Store.Messages(ctx, session, query)
	if err != nil {
		return nil, err //nolint:wrapcheck // the store names the operation
	}
	return messages, c.withhold(ctx, messages)
}

// Receive implements journal.Store.
func (c Conversations) Receive(ctx context.Context, in journal.Incoming) (journal.Receipt, error) {
	receipt, err := c.Store.Receive(ctx, in)
	if err != nil {
		return receipt, err //nolint:wrapcheck // the store names the operation
	}
	return receipt, c.withhold(ctx, receipt.History)
}

// Steps implements journal.Store.
func (c Conversations) Steps(ctx context.Context, session int64, query journal.MessageQuery) ([]chat.Reasoning, error) {
	steps, err := c.Store.Steps(ctx, session, query)
	if err != nil {
		return nil, err //nolint:wrapcheck // the store names the operation
	}
	return steps, c.withholdSteps(ctx, steps)
}

// answerType is the stored type of answers with passages.
const answerType = "rag_answer"

// withhold removes passages that the reader of ctx may not read from answers.
func (c Conversations) withhold(ctx context.Context, messages []chat.Message) error {
	answers := map[int]*payload.RAGMessage{}
	var documents []int64
	for i, m := range messages {
		if m.Type != answerType || m.IsUser || len(m.Content) == 0 {
			continue
		}
		answer := new(payload.RAGMessage)
		if err := json.Unmarshal(m.Content, answer); err != nil {
			return fmt.Errorf("rights: read the answer with seq %d: %w", m.Seq, err)
		}
		answers[i] = answer
		for _, d := range answer.Docs {
			if id := d.Metadata.DocumentID; id != 0 { // documents of the session have no id
				documents = append(documents, id)
			}
		}
	}
	hidden, err := c.rights.Lacking(readerOrNobody(ctx), documents, rights.Read)
	if err != nil || len(hidden) == 0 {
		return err
	}
	for i, answer := range answers {
		if !withholdDocs(answer.Docs, hidden) {
			continue
		}
		if messages[i].Content, err = json.Marshal(answer); err != nil {
			return fmt.Errorf("rights: write the answer with seq %d: %w", messages[i].Seq, err)
		}
	}
	return nil
}

// withholdDocs removes hidden passages. It returns false if there are none.
func withholdDocs(docs []payload.RAGDoc, hidden []int64) bool {
	changed := false
	for i, d := range docs {
		if slices.Contains(hidden, d.Metadata.DocumentID) {
			changed = true
			docs[i] = payload.RAGDoc{Metadata: payload.RAGMetadata{Source: Unavailable, Title: Unavailable, Unavailable: true}}
		}
	}
	return changed
}

// namedDocument matches the ids of documents in the results of tools.
var namedDocument = regexp.MustCompile(`document(?:=\\?"| )(\d{1,18})\b`)

// withholdSteps removes results of tools that contain documents that the reader of
// ctx may not read.
func (c Conversations) withholdSteps(ctx context.Context, steps []chat.Reasoning) error {
	in := make([][]int64, len(steps))
	var documents []int64
	for i, s := range steps {
		if s.StepKind != string(payload.StepToolResult) {
			continue
		}
		for _, match := range namedDocument.FindAllSubmatch(s.Payload, -1) {
			if id, err := strconv.ParseInt(string(match[1]), 10, 64); err == nil {
				in[i] = append(in[i], id)
			}
		}
		documents = append(documents, in[i]...)
	}
	hidden, err := c.rights.Lacking(readerOrNobody(ctx), documents, rights.Read)
	if err != nil || len(hidden) == 0 {
		return err
	}
	for i := range steps {
		if !slices.ContainsFunc(in[i], func(id int64) bool { return slices.Contains(hidden, id) }) {
			continue
		}
		if err := withholdStep(&steps[i]); err != nil {
			return err
		}
	}
	return nil
}

func withholdStep(s *chat.Reasoning) error {
	var step payload.ReasoningStep
	if err := json.Unmarshal(s.Payload, &step); err != nil {
		return fmt.Errorf("rights: read the step with seq %d: %w", s.Seq, err)
	}
	details, _ := step.Details.(payload.ToolResultDetails)
	details.Content = Unavailable
	step.Details, step.Summary, s.Summary = details, Unavailable, Unavailable
	var err error
	if s.Payload, err = json.Marshal(step); err != nil {
		return fmt.Errorf("rights: write the step with seq %d: %w", s.Seq, err)
	}
	return nil
}

// readerOrNobody returns ctx with a reader: without one, a reader without rights.
// The runtime also reads conversations for itself, for example when it starts.
func readerOrNobody(ctx context.Context) context.Context {
	if _, ok := corpus.ReaderOf(ctx); ok {
		return ctx
	}
	return corpus.WithReader(ctx, corpus.Reader{})
}
