package insights

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/auth"
	"docent/auth/audit"
	"docent/insight"
	"docent/internal/fault"
	"docent/payload"
)

// AskedQuestion is a question that somebody asked.
type AskedQuestion struct {
	// ID identifies it.
	ID int64 `json:"id"`
	// Timestamp is the time of the answer.
	Timestamp time.Time `json:"timestamp"`
	// Question is the text.
	Question string `json:"question"`
	// Outcome says how well the documents answer it.
	Outcome string `json:"outcome" enum:"answered,unsure,not_found"`
	// Rating is the last rating.
	Rating int `json:"rating" enum:"-1,0,1" doc:"The last rating: -1 for a negative one, 1 for a positive one, 0 without one."`
	// Channel is the way by which the question came.
	Channel string `json:"channel" enum:"page,widget,websocket,api,mcp,terminal,agent"`
	// Language is the language of the question.
	Language string `json:"language" doc:"The ISO 639-1 code of the language of the question. Empty if unknown."`
	// Evidence says how well the passages support an answer.
	Evidence *float64 `json:"evidence,omitempty" doc:"From 0 to 1. Absent without a search."`
	// Collections are the collections of the question.
	Collections []string `json:"collections" doc:"The collections in the question. If it names none, those of the passages."`
	// Mark is the decision of a person.
	Mark string `json:"mark" enum:",off_topic,test" doc:"off_topic for a question that is not about the documents, test for a kept one."`
	// Gap is the gap of the question.
	Gap int64 `json:"gap,omitempty" doc:"The id of its gap. Absent without one."`
	// Asker is the principal who asked.
	Asker string `json:"asker,omitempty" doc:"Who asked. Present only if the server runs with --read-conversations."`
}

// AskedAnswer is a question with its answer.
type AskedAnswer struct {
	AskedQuestion

	// SessionID is the id of the conversation.
	SessionID string `json:"session_id,omitempty" doc:"The conversation. Present only if the server runs with --read-conversations."`
	// Reason is the reason of the last rating.
	Reason string `json:"reason,omitempty" doc:"The reason of the last rating. Absent without one." enum:"wrong,outdated,incomplete,wrong_source,unclear,other"`
	// Turn is the turn in the conversation.
	Turn int64 `json:"turn,omitempty" doc:"The turn in the conversation."`
	// Message is the answer.
	Message *payload.RAGMessage `json:"message,omitempty" doc:"The answer as people saw it. Absent if it is withheld or too large."`
	// Withheld says why there is no answer.
	Withheld string `json:"withheld,omitempty" enum:"file,rights" doc:"Why the answer is withheld: it used a private file, or documents that you may not read."`
}

type questionsInput struct {
	Outcome    []string  `query:"outcome,explode" maxItems:"3" enum:"answered,unsure,not_found"`
	Rating     int       `query:"rating" enum:"-1,0,1" doc:"-1 lists answers that were rated down, 1 those that were rated up."`
	Mark       string    `query:"mark" enum:",off_topic,test"`
	Gap        int64     `query:"gap" minimum:"0" doc:"Lists only the questions of this gap."`
	Channel    string    `query:"channel" enum:",page,widget,websocket,api,mcp,terminal,agent"`
	Collection string    `query:"collection" maxLength:"200"`
	Since      time.Time `query:"since" doc:"Lists only questions at this time or later."`
	Until      time.Time `query:"until" doc:"Lists only questions before this time."`
	Cursor     string    `query:"cursor" maxLength:"100" doc:"The value next_cursor of the previous page."`
	Limit      int       `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type questionsOutput struct {
	Body struct {
		Questions  []AskedQuestion `json:"questions"`
		NextCursor string          `json:"next_cursor,omitempty" doc:"The cursor of the next page. Absent on the last page."`
	} `nameHint:"QuestionPage"`
}

type questionInput struct {
	ID int64 `path:"id" minimum:"1"`
}

type answerOutput struct{ Body AskedAnswer }

type markInput struct {
	route.JSONBody
	ID   int64 `path:"id" minimum:"1"`
	Body struct {
		Mark *string `json:"mark,omitempty" enum:",off_topic,test" doc:"off_topic also takes the question out of its gap."`
		Gap  int64   `json:"gap,omitempty" minimum:"1" doc:"Moves the question to this gap."`
	} `nameHint:"QuestionChange"`
}

func (s server) addQuestions(r *route.Router) {
	const list, one = "/api/insight/questions", "/api/insight/questions/{id}"
	const note = " Needs the scope admin, or the right manage in a collection of the question."
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-questions", Tags: tags, Errors: missing,
		Summary: "List the questions of all people, newest first", Description: "A question appears some seconds after its answer." + note,
	}, s.list)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: one, OperationID: "read-question", Tags: tags, Errors: missing,
		Summary:     "Read a question with its answer",
		Description: "Each request adds a record to the audit log." + note,
	}, s.read)
	route.Add(r, huma.Operation{
		Method: http.MethodPatch, Path: one, OperationID: "change-question", Tags: tags, Errors: missing,
		Summary: "Mark a question, or move it to a gap", DefaultStatus: http.StatusNoContent, MaxBodyBytes: 1 << 10, Description: note[1:],
	}, s.mark)
}

// filter returns the filter of a request.
func (in *questionsInput) filter(collections []string) (insight.Filter, error) {
	f := insight.Filter{
		Rating: in.Rating, Mark: insight.Mark(in.Mark), Gap: in.Gap, Channel: insight.Channel(in.Channel),
		Since: in.Since, Until: in.Until, Collections: collections, Limit: in.Limit + 1, // one more tells whether there is a next page
	}
	for _, o := range in.Outcome {
		f.Outcomes = append(f.Outcomes, payload.AnswerOutcome(o))
	}
	if in.Cursor != "" {
		var at int64
		f.Before = &insight.Answer{}
		if _, err := fmt.Sscanf(in.Cursor, "%d.%d", &at, &f.Before.ID); err != nil {
			return f, fault.New(fault.Invalid, "cursor_invalid", "the cursor does not belong to this list in this order")
		}
		f.Before.Time = time.UnixMicro(at)
	}
	return f, nil
}

func (s server) list(ctx context.Context, in *questionsInput) (*questionsOutput, error) {
	if err := route.CheckText("collection", in.Collection, "cursor", in.Cursor); err != nil {
		return nil, err
	}
	collections, err := s.scope(ctx, in.Collection)
	if err != nil {
		return nil, err
	}
	f, err := in.filter(collections)
	if err != nil {
		return nil, err
	}
	if s.Names {
		if err := s.record(ctx, audit.QuestionsListed, ""); err != nil {
			return nil, err
		}
	}
	found, err := s.Store.Answers(ctx, f)
	if err != nil {
		return nil, err
	}
	out := &questionsOutput{}
	out.Body.Questions = []AskedQuestion{}
	if len(found) > in.Limit {
		found = found[:in.Limit]
		last := found[in.Limit-1]
		out.Body.NextCursor = fmt.Sprintf("%d.%d", last.Time.UnixMicro(), last.ID)
	}
	for _, a := range found {
		out.Body.Questions = append(out.Body.Questions, s.question(a, collections))
	}
	return out, nil
}

// question returns the form of an answer for somebody who sees some collections; nil means all.
func (s server) question(a insight.Answer, visible []string) AskedQuestion {
	q := AskedQuestion{
		ID: a.ID, Timestamp: a.Time, Question: a.Question, Outcome: string(a.Outcome), Rating: a.Rating, Channel: string(a.Channel),
		Language: a.Language, Evidence: a.Evidence, Collections: []string{}, Mark: string(a.Mark), Gap: a.Gap,
	}
	for _, c := range a.Collections {
		if visible == nil || slices.Contains(visible, c) {
			q.Collections = append(q.Collections, c)
		}
	}
	if s.Names {
		q.Asker = auth.OwnerName(a.Asker)
	}
	return q
}

// find returns a question that the principal may see, and the collections that the principal sees.
func (s server) find(ctx context.Context, id int64) (insight.Answer, []string, error) {
	visible, err := s.scope(ctx, "")
	if err != nil {
		return insight.Answer{}, nil, err
	}
	a, err := s.Store.Answer(ctx, id)
	if err != nil {
		return a, nil, err
	}
	mine := func(c string) bool { return slices.Contains(visible, c) }
	if visible != nil && !slices.ContainsFunc(a.Collections, mine) {
		return a, nil, insight.NoQuestion()
	}
	return a, visible, nil
}

func (s server) read(ctx context.Context, in *questionInput) (*answerOutput, error) {
	a, visible, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.record(ctx, audit.QuestionRead, strconv.FormatInt(a.ID, 10)); err != nil {
		return nil, err
	}
	out := &answerOutput{Body: AskedAnswer{AskedQuestion: s.question(a, visible), Reason: a.Reason, Turn: a.Turn}}
	if s.Names {
		out.Body.SessionID = a.SessionID
	}
	out.Body.Message, out.Body.Withheld, err = s.message(ctx, a)
	return out, err
}

// message returns the answer as people saw it, unless it may contain text that the reader may not
// see.
func (s server) message(ctx context.Context, a insight.Answer) (m *payload.RAGMessage, withheld string, err error) {
	if a.Private {
		return nil, "file", nil
	}
	if len(a.Content) == 0 {
		return nil, "", nil
	}
	return s.readable(ctx, a.Content)
}

// readable returns a stored answer, unless the reader may not read its documents.
func (s server) readable(ctx context.Context, content []byte) (m *payload.RAGMessage, withheld string, err error) {
	m = new(payload.RAGMessage)
	if err := json.Unmarshal(content, m); err != nil {
		return nil, "", fmt.Errorf("read a stored answer: %w", err)
	}
	if s.Lacking == nil {
		return m, "", nil
	}
	var documents []int64
	for _, d := range m.Docs {
		documents = append(documents, d.Metadata.DocumentID)
	}
	lacking, err := s.Lacking(ctx, documents)
	if err != nil {
		return nil, "", err
	}
	if len(lacking) > 0 {
		return nil, "rights", nil
	}
	return m, "", nil
}

func (s server) mark(ctx context.Context, in *markInput) (*struct{}, error) {
	a, visible, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if in.Body.Gap != 0 {
		gap, _, err := s.findGap(ctx, in.Body.Gap)
		if err == nil {
			err = s.Gaps.JoinGap(ctx, a.ID, gap.ID)
		}
		if err != nil {
			return nil, err
		}
	}
	if in.Body.Mark == nil {
		return nil, nil //nolint:nilnil // there is no content
	}
	mark := insight.Mark(*in.Body.Mark)
	if mark == insight.Test {
		if err := s.keep(ctx, a, visible); err != nil {
			return nil, err
		}
	}
	return nil, s.Store.MarkAnswer(ctx, a.ID, mark) //nolint:nilnil // there is no content
}
