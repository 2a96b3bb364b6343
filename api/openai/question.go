package openai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/api/route"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/talk"
)

// unsupportedID is the id of errors about parameters.
const unsupportedID = "unsupported_parameter"

func unsupported(name, why string) error {
	return fault.New(fault.Invalid, unsupportedID, "docent does not support the parameter %s: %s", name, why)
}

// Caller is the part of a request that is not in its body.
type Caller struct {
	Session string `header:"X-Session-ID" maxLength:"255" doc:"Continues this stored session, or creates it."`

	origin string // the address of the server as the client knows it
}

// Resolve implements huma.Resolver.
func (c *Caller) Resolve(hc huma.Context) []error {
	r, _ := humago.Unwrap(hc)
	c.origin = route.Origin(r)
	return nil
}

// question is a question to the agent.
type question struct {
	Caller

	rag.Request
	stops []string
	// agent is the agent of a session, or "" for that of the stored session.
	agent string
	// task is a request for something other than an answer from documents, or nil.
	task *task
	// streams says that the client reads the answer while it is written.
	streams bool
}

// refusal is a parameter that would change the meaning of the answer.
type refusal struct {
	name    string
	refused bool
	why     string
}

// refuse returns the error of the first refused parameter.
func refuse(all ...refusal) error {
	for _, r := range all {
		if r.refused {
			return unsupported(r.name, r.why)
		}
	}
	return nil
}

// Reasons of refusals.
const (
	noTools   = "docent answers from documents and calls no tools of clients"
	oneAnswer = "docent gives one answer"
	noTokens  = "docent does not know the probabilities of tokens"
	onlyWords = "docent answers with text"
	markdown  = "the answers are Markdown with citations"
)

// question makes a question of the user's last message. The earlier messages are its
// history, except in a session, which has its own.
func (s server) question(ctx context.Context, c Caller, model string, metadata any, turns []talk.Turn) (question, error) {
	collections, chat, err := s.chosen(ctx, model)
	if err != nil {
		return question{}, err
	}
	if m, _ := metadata.(map[string]any); c.Session == "" && m["session_id"] != nil {
		text, ok := m["session_id"].(string)
		if !ok {
			return question{}, unsupported("metadata.session_id", "it must be a text")
		}
		c.Session = text
	}
	documents, err := chosenDocuments(metadata)
	if err != nil {
		return question{}, err
	}
	place, err := chosenPlace(metadata)
	if err != nil {
		return question{}, err
	}
	last := len(turns) - 1
	if last < 0 || turns[last].Role != talk.User || strings.TrimSpace(turns[last].Text) == "" {
		return question{}, fault.New(fault.Invalid, "no_user_message", "the last message must be a question of the user")
	}
	earlier := turns[max(0, last-rag.MaxHistory):last]
	agent := ""
	if slices.Index(s.Agents, model) > 0 { // the first one stands for all, for clients that do not choose
		agent = model
	}
	return question{Caller: c, agent: agent, Request: rag.Request{
		Model: chat, Question: turns[last].Text, Turns: earlier, History: len(earlier), Collections: collections, Documents: documents,
		Place: place,
	}}, nil
}

// chosenDocuments returns the ids under documents in the metadata, a text such as "12, 15".
func chosenDocuments(metadata any) ([]int64, error) {
	m, _ := metadata.(map[string]any)
	if m["documents"] == nil {
		return nil, nil
	}
	text, ok := m["documents"].(string)
	var ids []int64
	for _, part := range strings.Split(text, ",") {
		id, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil || id <= 0 {
			ok = false
		}
		ids = append(ids, id)
	}
	if !ok || len(ids) > payload.MaxAskDocuments {
		return nil, unsupported("metadata.documents",
			fmt.Sprintf(`it must be a text with at most %d ids of documents, such as "12, 15"`, payload.MaxAskDocuments))
	}
	return ids, nil
}

// chosenPlace returns the folders and the tags in the metadata, which are texts such as "manuals/pumps, prices".
func chosenPlace(metadata any) (place corpus.Place, err error) {
	m, _ := metadata.(map[string]any)
	for name, to := range map[string]*[]string{"folders": &place.Folders, "tags": &place.Tags} {
		if m[name] == nil {
			continue
		}
		text, ok := m[name].(string)
		for part := range strings.SplitSeq(text, ",") {
			*to = append(*to, strings.TrimSpace(part))
		}
		if !ok || !payload.ArePlaces(*to) {
			return corpus.Place{}, unsupported("metadata."+name,
				fmt.Sprintf("it must be a text with at most %d names, with a comma between them", payload.MaxAskPlaces))
		}
	}
	return place, nil
}

// turn adds a message to the conversation. Messages of system and developer are ignored,
// and so is everything but text in earlier messages, such as pictures and results of tools.
func turn(turns []talk.Turn, role string, content any, last bool) ([]talk.Turn, error) {
	text, err := textOf(content, !last)
	if err != nil {
		return nil, err
	}
	switch {
	case role == "user" && (text != "" || last):
		return append(turns, talk.Turn{Role: talk.User, Text: text}), nil
	case role == "assistant" && (text != "" || last):
		return append(turns, talk.Turn{Role: talk.Assistant, Text: text}), nil
	case role == "user", role == "assistant", role == "system", role == "developer":
		return turns, nil
	case !last && (role == "tool" || role == "function"):
		return turns, nil
	default:
		return nil, unsupported("messages.role", "messages are of user, assistant, system, or developer")
	}
}

// textOf returns the text of a message. Other parts are refused, unless lenient.
func textOf(content any, lenient bool) (string, error) {
	switch content := content.(type) {
	case nil:
		return "", nil
	case string:
		return content, nil
	case []any:
		var b strings.Builder
		for _, part := range content {
			p, _ := part.(map[string]any)
			text, ok := p["text"].(string)
			kind := p["type"]
			ok = ok && (kind == "text" || kind == "input_text" || kind == "output_text")
			switch {
			case ok:
				b.WriteString(text)
			case !lenient:
				return "", unsupported("messages.content", "the last message contains only text")
			}
		}
		return b.String(), nil
	default:
		return "", unsupported("messages.content", "it must be a text or a list of texts")
	}
}

// wait returns an answer. Meanwhile it calls final with pieces of the text from its
// beginning. Answers of sessions come without pieces.
type wait func(final func(piece string)) (answer, error)

// ignore is for callers who need the whole answer only.
func ignore(string) {}

// ask starts an answer. The caller must call wait once.
func (s server) ask(ctx context.Context, q question) (wait, error) {
	if t, ok := taskOf(q.Question); ok {
		q.task = &t
	}
	if q.task != nil {
		return s.askTask(ctx, *q.task)
	}
	if q.Session == "" {
		return s.askOnce(ctx, q)
	}
	done, err := s.Answers.Slot(ctx, 0)
	if err != nil {
		return nil, err
	}
	within := ctx
	if q.agent != "" {
		within = s.Within(ctx, q.agent)
	}
	frames, err := s.Conversations.Say(within, q.Session, q.Question, payload.AskOptions{
		Model: q.Model, Collections: q.Collections, Documents: q.Documents, Folders: q.Place.Folders, Tags: q.Place.Tags,
	})
	if err != nil {
		done()
		return nil, err
	}
	return func(func(string)) (answer, error) {
		defer done()
		all, failed := frames()
		a, err := ofFrames(all, q)
		if failed != nil && (err != nil || a.message == nil || ctx.Err() != nil) {
			return answer{}, failed
		}
		a.stopped = a.stopped || failed != nil // the begun answer, and the reason below it
		return a, err
	}, nil
}

// askOnce starts an answer without a session. It yields no pieces if the answer may end
// before a text, because the text may be at their border.
func (s server) askOnce(ctx context.Context, q question) (wait, error) {
	if !q.streams {
		return func(func(string)) (answer, error) {
			whole, err := s.Answers.Answer(ctx, q.Request)
			if err != nil {
				return answer{}, err
			}
			return s.ofAnswer(whole, q), nil
		}, nil
	}
	q.WholeOnly = true // or final text
	parts, err := s.Answers.Stream(ctx, q.Request)
	if err != nil {
		return nil, err
	}
	return func(final func(string)) (answer, error) {
		for part, err := range parts {
			if err != nil {
				return answer{}, err
			}
			if part.Final != "" && len(q.stops) == 0 {
				final(part.Final)
			}
			if part.Answer != nil {
				return s.ofAnswer(*part.Answer, q), nil
			}
		}
		return answer{}, errors.New("the answer has no end")
	}, nil
}

// ofAnswer returns the answer to a question without a session.
func (s server) ofAnswer(whole rag.Answer, q question) answer {
	a := answer{stopped: whole.Stopped}
	if u := whole.Usage; u != nil {
		a.usage = Usage{u.Prompt, u.Completion, u.Prompt + u.Completion}
	}
	a.add(s.Message(whole), q.origin)
	a.cut(q.stops)
	return a
}
