package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"docent/api/converse"
	"docent/auth"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/talk"
)

// citing returns a world whose answers cite a web page and a file. The requests
// are sent to the channel.
func citing() (*world, chan rag.Request) {
	w, requests := newWorld(), make(chan rag.Request, 1)
	w.more = []corpus.CollectionInfo{{Name: "manuals"}}
	w.answer = func(_ context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
		requests <- req
		text := "Größe [1]. It stops [2]. See [9]."
		first, second := strings.Index(text, " It"), strings.Index(text, " See")
		return parts(rag.Part{Phase: rag.Answering}, rag.Part{Delta: "draft"}, rag.Part{Final: text[:first]}, rag.Part{Final: text[first:second]}, rag.Part{Answer: &rag.Answer{
			Model: "m", Question: req.Question, Text: text, Usage: &rag.Usage{Prompt: 5, Completion: 2},
			Passages: []rag.Passage{
				{Passage: corpus.Passage{Chunk: corpus.Chunk{DocumentID: 1}, Document: corpus.Document{ID: 1, Title: "A", Source: "https://x/a"}}},
				{Passage: corpus.Passage{Chunk: corpus.Chunk{DocumentID: 2}, Document: corpus.Document{ID: 2, Title: "B", Source: "/docs/b.pdf"}}},
			},
			Sentences: []rag.Sentence{
				{End: first, Passages: []int{1}, Support: rag.Strong},
				{Start: first + 1, End: second, Passages: []int{2}, Support: rag.Weak},
				{Start: second + 1, End: len(text), Support: rag.None},
			},
		}})
	}
	return w, requests
}

const (
	citedA = `{"type":"url_citation","url_citation":{"start_index":6,"end_index":9,"title":"A","url":"https://x/a"}}`
	citedB = `{"type":"url_citation","url_citation":{"start_index":20,"end_index":23,"title":"B","url":"http://SITE/api/documents/2/file"}}`
)

// Say implements openai.Conversations. The session "away" fails late.
func (w *world) SendFile(_ context.Context, _ string, file payload.File) (func() ([]payload.Frame, error), error) {
	w.sent = append(w.sent, file)
	turn := int64(5)
	return func() ([]payload.Frame, error) { return []payload.Frame{{Turn: &turn}}, w.broken }, w.broken
}

func (w *world) Say(ctx context.Context, session, text string, o payload.AskOptions) (func() ([]payload.Frame, error), error) {
	return func() ([]payload.Frame, error) {
		if session == "away" {
			return nil, fault.Wrap(fault.Unavailable, errors.New("secret"), "test_sentence", "the model is away")
		}
		reply, err := payload.Marshal(text + " in " + session + " of " + strings.Join(o.Collections, " ") + converse.AgentOf(ctx))
		end := json.RawMessage(`{"outcome":"done","usage":{"prompt_tokens":5,"completion_tokens":2}}`)
		return []payload.Frame{{Action: payload.ReplyMarkdown, Message: reply}, {Action: payload.TurnFinishedAction, Message: end}}, err
	}, nil
}

// Name implements openai.Embedder.
func (w *world) Name() string { return "docent/static-v1" }

// EmbedDocuments implements openai.Embedder.
func (w *world) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for range texts {
		out = append(out, []float32{0.5, -1})
	}
	return out, nil
}

// Tokenize returns one token for each word.
func (w *world) Tokenize(text string) []uint16 { return make([]uint16, len(strings.Fields(text))) }

// chatted is a completion or a chunk.
type chatted struct {
	ID, Object, Model string
	Choices           json.RawMessage
	Usage             json.RawMessage
	Docent            map[string]any
}

func TestOpenAIChat(t *testing.T) {
	t.Parallel()
	w, requests := citing()
	c := w.serve(t)
	site := strings.NewReplacer("http://SITE", c.url)
	for _, test := range []struct{ model, extra, choices, collection string }{
		{"docent", `"tools":null,"n":1,"temperature":0.2,"seed":4`, `[{"index":0,"message":{"role":"assistant","content":"Größe [1]. It stops [2]. See [9].","annotations":[` + citedA + "," + citedB + `]},"finish_reason":"stop"}]`, ""},
		{"docent/manuals", `"stop":" It"`, `[{"index":0,"message":{"role":"assistant","content":"Größe [1].","annotations":[` + citedA + `]},"finish_reason":"stop"}]`, "manuals"},
	} {
		resp, body := c.do("POST", "/v1/chat/completions", `{"model":"`+test.model+`",`+test.extra+`,"messages":[{"role":"system","content":"s"},
			{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":[{"type":"text","text":"what?"}]}]}`)
		req := <-requests
		var got chatted
		if err := json.Unmarshal([]byte(body), &got); err != nil || resp.StatusCode != 200 {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
		if canonical(string(got.Choices)) != canonical(site.Replace(test.choices)) || canonical(string(got.Usage)) != canonical(`{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}`) {
			t.Errorf("%s: choices %s, usage %s", test.model, got.Choices, got.Usage)
		}
		if got.Object != "chat.completion" || got.Model != test.model || !strings.HasPrefix(got.ID, "chatcmpl-") || got.Docent["question"] != "what?" {
			t.Errorf("%s: %s", test.model, body)
		}
		if req.Question != "what?" || req.History != 2 || req.Turns[1] != (talk.Turn{Role: talk.Assistant, Text: "b"}) || strings.Join(req.Collections, " ") != test.collection {
			t.Errorf("%s: the request is %+v", test.model, req)
		}
	}
	// Only then, docent quotes if the model breaks off.
	if n := w.whole.Load(); n != 2 {
		t.Errorf("%d of two answers are for callers that wait for the whole", n)
	}
}

func TestOpenAIStream(t *testing.T) {
	t.Parallel()
	w, _ := citing()
	c := w.serve(t)
	resp, body := c.do("POST", "/v1/chat/completions", `{"model":"docent","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"what?"}]}`)
	events := strings.Split(strings.TrimSpace(body), "\n\n")
	if resp.Header.Get("Content-Type") != "text/event-stream" || len(events) != 7 || events[6] != "data: [DONE]" {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	for i, choices := range []string{
		`[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]`,
		`[{"index":0,"delta":{"content":"Größe [1]."},"finish_reason":null}]`,
		`[{"index":0,"delta":{"content":" It stops [2]."},"finish_reason":null}]`,
		`[{"index":0,"delta":{"content":" See [9]."},"finish_reason":null}]`,
		`[{"index":0,"delta":{"annotations":[` + citedA + "," + citedB + `]},"finish_reason":"stop"}]`,
		`[]`,
	} {
		var got chatted
		if err := json.Unmarshal([]byte(strings.TrimPrefix(events[i], "data: ")), &got); err != nil || canonical(string(got.Choices)) != canonical(strings.ReplaceAll(choices, "http://SITE", c.url)) ||
			got.Object != "chat.completion.chunk" || (got.Usage != nil) != (i == 5) || (got.Docent != nil) != (i == 4) {
			t.Errorf("chunk %d is %s", i, events[i])
		}
	}
	w.answer = func(context.Context, rag.Request) iter.Seq2[rag.Part, error] {
		return func(yield func(rag.Part, error) bool) {
			_ = yield(rag.Part{Delta: "half"}, nil) && yield(rag.Part{}, fault.Wrap(fault.Unavailable, errors.New("secret"), "test_sentence", "the model is away"))
		}
	}
	_, body = c.do("POST", "/v1/chat/completions", `{"model":"docent","stream":true,"messages":[{"role":"user","content":"what?"}]}`)
	if n := w.whole.Load(); n != 0 {
		t.Errorf("%d streams wait for the whole answer", n)
	}
	if !strings.HasSuffix(body, `data: {"error":{"message":"the model is away","type":"server_error","param":null,"code":"test_sentence"}}`+"\n\n") {
		t.Errorf("a late error: %s", body)
	}
}

// openAISamples are requests that docent accepts.
var openAISamples = map[string]string{
	"POST /v1/chat/completions": `{"model":"docent","messages":[{"role":"user","content":"x"}]}`,
	"POST /v1/responses":        `{"model":"docent","input":"x"}`,
	"POST /v1/embeddings":       `{"model":"docent","input":"x"}`,
}

// openAIRefusals are additions that docent refuses, with the name of the parameter in
// the error.
var openAIRefusals = map[string]map[string]string{
	"POST /v1/chat/completions": {
		`"tools":[{"type":"function"}]`: "tools", `"functions":[{}]`: "functions", `"n":2`: "n", `"logprobs":true`: "logprobs", `"top_logprobs":2`: "top_logprobs", `"audio":{}`: "audio",
		`"modalities":["text","audio"]`: "modalities", `"response_format":{"type":"json_object"}`: "response_format",
		`"metadata":{"session_id":1}`: "metadata.session_id", `"stop":[1]`: "stop", `"stop":["a","b","c","d","e"]`: "stop",
		`"tool_choice":"required"`: "tool_choice", `"function_call":{"name":"f"}`: "function_call", `"web_search_options":{}`: "web_search_options",
	},
	"POST /v1/responses": {
		`"tools":[{"type":"web_search"}]`: "tools", `"tool_choice":"required"`: "tool_choice", `"text":{"format":{"type":"json_schema"}}`: "text.format",
		`"top_logprobs":2`: "top_logprobs", `"background":true`: "background", `"previous_response_id":"r"`: "previous_response_id",
		`"include":["message.output_text.logprobs"]`: "include", `"conversation":"c"`: "conversation", `"prompt":{"id":"p"}`: "prompt",
	},
	"POST /v1/embeddings": {`"dimensions":3`: "dimensions", `"encoding_format":"x"`: "encoding_format"},
}

func TestOpenAIErrors(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	for route, all := range openAIRefusals {
		_, path, _ := strings.Cut(route, " ")
		for extra, param := range all {
			resp, body := c.do("POST", path, strings.Replace(openAISamples[route], "{", "{"+extra+",", 1))
			if resp.StatusCode != 400 || !strings.Contains(body, `"type":"invalid_request_error","param":"`+param+`","code":"unsupported_parameter"`) {
				t.Errorf("%s %s: %d %s", route, extra, resp.StatusCode, body)
			}
		}
	}
	for input, param := range map[string]string{
		`[{"type":"function_call"}]`: "input", `1`: "input", `[{"role":"x"}]`: "messages.role",
		`[{"role":"user","content":[{"type":"input_image"}]}]`: "messages.content",
	} {
		if resp, body := c.do("POST", "/v1/responses", `{"model":"docent","input":`+input+`}`); resp.StatusCode != 400 || !strings.Contains(body, `"param":"`+param+`"`) {
			t.Errorf("%s: %d %s", input, resp.StatusCode, body)
		}
	}
	for _, path := range []string{"/v1/chat/completions", "/v1/responses", "/v1/embeddings"} {
		if resp, got := c.do("POST", path, ""); resp.StatusCode != 400 || !strings.Contains(got, `"code":"body_missing"`) {
			t.Errorf("%s without a body: %d %s", path, resp.StatusCode, got)
		}
	}
	large := `{"model":"` + strings.Repeat("x", 3<<20) + `"}`
	if resp, got := c.do("POST", "/v1/chat/completions", large); resp.StatusCode != 413 || !strings.Contains(got, `"code":"body_too_large"`) {
		t.Errorf("a large body: %d %s", resp.StatusCode, got)
	}
	if resp, got := c.do("GET", "/v1", ""); resp.StatusCode != 404 || !strings.HasPrefix(got, `{"error":{"message":"`) {
		t.Errorf("/v1: %d %s", resp.StatusCode, got)
	}
	for body, status := range map[string]int{
		`{`: 400, `{}`: 400, `{"model":"docent","messages":[]}`: 400, `{"model":"docent","messages":[{"role":"assistant","content":"x"}]}`: 400,
		`{"model":"docent","messages":[{"role":"tool","content":"x"}]}`:                           400,
		`{"model":"docent","messages":[{"role":"user","content":[{"type":"image_url"}]}]}`:        400,
		`{"model":"docent/nothing","messages":[{"role":"user","content":"x"}]}`:                   404,
		`{"model":"gpt","messages":[{"role":"user","content":"` + strings.Repeat("x", 9) + `"}]}`: 404,
	} {
		if resp, got := c.do("POST", "/v1/chat/completions", body); resp.StatusCode != status || !strings.HasPrefix(got, `{"error":{"message":"`) {
			t.Errorf("%s: %d %s", body, resp.StatusCode, got)
		}
	}
}

func TestOpenAISession(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	const asked = `"model":"docent/default","messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]`
	for body, header := range map[string][]string{
		`{` + asked + `}`: {"X-Session-ID", "s1"}, `{` + asked + `,"metadata":{"session_id":"s1"}}`: nil,
		`{` + asked + `,"metadata":{"session_id":"s2"}}`: {"X-Session-ID", "s1"},
	} {
		resp, got := c.do("POST", "/v1/chat/completions", body, header...)
		if resp.StatusCode != 200 || !strings.Contains(got, `"content":"b in s1 of default"`) || !strings.Contains(got, `"total_tokens":7`) {
			t.Errorf("%s: %d %s", body, resp.StatusCode, got)
		}
	}
	if resp, got := c.do("POST", "/v1/chat/completions", `{`+asked+`}`, "X-Session-ID", "away"); resp.StatusCode != 503 || !strings.HasPrefix(got, `{"error":{`) {
		t.Errorf("an error: %d %s", resp.StatusCode, got)
	}
	resp, got := c.do("POST", "/v1/responses", `{"model":"docent","input":"b","stream":true}`, "X-Session-ID", "away")
	if resp.StatusCode != 200 || !strings.Contains(got, "event: response.failed\ndata: ") || !strings.Contains(got, `"error":{"code":"test_sentence","message":"the model is away"}`) {
		t.Errorf("a late error: %d %s", resp.StatusCode, got)
	}
}

func TestOpenAIResponses(t *testing.T) {
	t.Parallel()
	w, requests := citing()
	c := w.serve(t)
	const asked = `"model":"docent/default","metadata":{"a":"b"},"instructions":"i","input":[{"role":"user","content":"a"},{"type":"reasoning"},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]},{"role":"user","content":[{"type":"input_text","text":"what?"}]}]`
	const output = `[{"id":"msg_ID","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","logprobs":[],
		"text":"Größe [1]. It stops [2]. See [9].","annotations":[
		{"type":"url_citation","start_index":6,"end_index":9,"title":"A","url":"https://x/a"},
		{"type":"url_citation","start_index":20,"end_index":23,"title":"B","url":"http://SITE/api/documents/2/file"}]}]}]`
	type response struct {
		ID, Object, Status, Model string
		Metadata                  map[string]string
		Output, Usage             json.RawMessage
		Docent                    map[string]any
	}
	check := func(got response, where string) {
		t.Helper()
		want := strings.NewReplacer("ID", strings.TrimPrefix(got.ID, "resp_"), "http://SITE", c.url).Replace(output)
		if canonical(string(got.Output)) != canonical(want) || got.Object != "response" || got.Status != "completed" || got.Metadata["a"] != "b" ||
			got.Docent["question"] != "what?" || !strings.Contains(string(got.Usage), `"input_tokens":5,`) || got.Model != "docent/default" {
			t.Errorf("%s: %s %s %s %v, output %s, usage %s", where, got.Object, got.Status, got.Model, got.Metadata, got.Output, got.Usage)
		}
	}
	_, body := c.do("POST", "/v1/responses", `{`+asked+`}`)
	var got response
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	check(got, "at once")
	if req := <-requests; req.Question != "what?" || req.History != 2 || strings.Join(req.Collections, " ") != "default" {
		t.Errorf("the request is %+v", req)
	}
	_, body = c.do("POST", "/v1/responses", `{`+asked+`,"stream":true}`)
	<-requests
	var names []string
	var text string
	for i, event := range strings.Split(strings.TrimSpace(body), "\n\n") {
		name, data, _ := strings.Cut(strings.TrimPrefix(event, "event: response."), "\ndata: ")
		var e struct {
			Type     string
			Number   int `json:"sequence_number"`
			Delta    string
			Response response
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Type != "response."+name || e.Number != i {
			t.Errorf("event %d is %s: %v", i, event, err)
		}
		text += e.Delta
		if names = append(names, name); name == "completed" {
			check(e.Response, "in a stream")
		}
	}
	if got := strings.Join(names, " "); got != "created in_progress output_item.added content_part.added output_text.delta output_text.delta output_text.delta output_text.annotation.added "+
		"output_text.annotation.added output_text.done content_part.done output_item.done completed" {
		t.Errorf("the events are %s", got)
	}
	if text != "Größe [1]. It stops [2]. See [9]." {
		t.Errorf("the pieces are %q", text)
	}
}

func TestOpenAIEmbeddings(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	for body, want := range map[string]string{
		`{"model":"docent/static-v1","input":["a","b"]}`:                           `[{"object":"embedding","index":0,"embedding":[0.5,-1]},{"object":"embedding","index":1,"embedding":[0.5,-1]}]`,
		`{"model":"docent","input":"a","encoding_format":"base64","dimensions":2}`: `[{"object":"embedding","index":0,"embedding":"AAAAPwAAgL8="}]`,
	} {
		var got struct{ Data json.RawMessage }
		if resp, b := c.do("POST", "/v1/embeddings", body); json.Unmarshal([]byte(b), &got) != nil || resp.StatusCode != 200 || canonical(string(got.Data)) != canonical(want) {
			t.Errorf("%s: %d %s", body, resp.StatusCode, b)
		}
	}
	if _, got := c.do("POST", "/v1/embeddings", `{"model":"docent","input":["a b","c"]}`); !strings.Contains(got, `"usage":{"prompt_tokens":3,"total_tokens":3}`) {
		t.Errorf("the usage is in %s", got)
	}
	for extra, status := range map[string]int{
		`"model":"docent/default","input":"a"`: 404, `"model":"docent","input":""`: 400, `"model":"docent","input":[[1,2]]`: 400, `"model":"docent"`: 400,
		`"model":"docent","input":"a","dimensions":3`: 400, `"model":"docent","input":"a","encoding_format":"x"`: 400,
		`"model":"docent","input":["` + strings.Repeat(`a","`, 256) + `a"]`: 400,
	} {
		if resp, got := c.do("POST", "/v1/embeddings", `{`+extra+`}`); resp.StatusCode != status || !strings.HasPrefix(got, `{"error":{`) {
			t.Errorf("%s: %d %s", extra, resp.StatusCode, got)
		}
	}
}

func TestOpenAIModels(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	_, body := c.do("GET", "/v1/models", "")
	if !strings.Contains(body, `"object":"list"`) || !strings.Contains(body, `{"id":"docent","object":"model",`) || !strings.Contains(body, `"id":"docent/default"`) {
		t.Errorf("the models are %s", body)
	}
	for path, status := range map[string]int{"docent": 200, "docent%2Fdefault": 200, "docent/default": 200, "default": 404, "docent@fast": 404, "docent/x": 404, "docent%2Fx": 404} {
		if resp, body := c.do("GET", "/v1/models/"+path, ""); resp.StatusCode != status || status == 404 && !strings.Contains(body, `"code":"model_not_found"`) {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
}

// TestOpenAIAgents checks that each agent is a model, and that a session is that of the chosen agent. The first agent stands
// for that of the stored session.
func TestOpenAIAgents(t *testing.T) {
	t.Parallel()
	w, requests := citing()
	c := w.serve(t, func(cfg *Config) {
		cfg.Agents, cfg.ChatModels = []string{"docent", "orders"}, func() []string { return []string{"fast"} }
	})
	_, body := c.do("GET", "/v1/models", "")
	var models struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(body), &models); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(models.Data); !strings.HasPrefix(got, "[{docent} {docent@fast} {orders} {docent/") {
		t.Errorf("the models are %s", got)
	}
	for model, want := range map[string]string{"docent": "what? in s of ", "docent@fast": "what? in s of ", "orders": "what? in s of orders"} {
		resp, body := c.do("POST", "/v1/chat/completions",
			`{"model":"`+model+`","metadata":{"session_id":"s"},"messages":[{"role":"user","content":"what?"}]}`)
		if resp.StatusCode != 200 || !strings.Contains(body, `"content":"`+want+`"`) {
			t.Errorf("%s: %d %s", model, resp.StatusCode, body)
		}
	}
	if resp, body := c.do("POST", "/v1/chat/completions", `{"model":"orders","messages":[{"role":"user","content":"what?"}]}`); resp.StatusCode != 200 {
		t.Errorf("without a session: %d %s", resp.StatusCode, body)
	}
	if req := <-requests; req.Model != "" || len(req.Collections) > 0 {
		t.Errorf("without a session, the request is %+v", req)
	}
}

// TestOpenAIChatModels checks that clients choose a chat model by the name of a model.
func TestOpenAIChatModels(t *testing.T) {
	t.Parallel()
	w, requests := citing()
	c := w.serve(t, func(cfg *Config) { cfg.ChatModels = func() []string { return []string{"fast", "lab/fast"} } })
	for _, id := range []string{"docent@fast", "docent@lab/fast"} {
		if resp, body := c.do("GET", "/v1/models/"+id, ""); resp.StatusCode != 200 {
			t.Errorf("%s: %d %s", id, resp.StatusCode, body)
		}
	}
	if _, body := c.do("GET", "/v1/models", ""); !strings.Contains(body, `{"id":"docent@fast","object":"model",`) {
		t.Errorf("the models are %s", body)
	}
	for model, want := range map[string]string{"docent": "", "docent@fast": "fast"} {
		resp, body := c.do("POST", "/v1/chat/completions", `{"model":"`+model+`","messages":[{"role":"user","content":"what?"}]}`)
		if resp.StatusCode != 200 {
			t.Fatalf("%s: %d %s", model, resp.StatusCode, body)
		}
		if req := <-requests; req.Model != want || len(req.Collections) > 0 {
			t.Errorf("%s: the request is %+v", model, req)
		}
	}
	if resp, body := c.do("POST", "/v1/chat/completions", `{"model":"docent@slow","messages":[{"role":"user","content":"what?"}]}`); resp.StatusCode != 404 {
		t.Errorf("an unknown chat model: %d %s", resp.StatusCode, body)
	}
}

// TestOpenAIHistory checks that only the text of earlier messages counts.
func TestOpenAIHistory(t *testing.T) {
	t.Parallel()
	w, requests := citing()
	c := w.serve(t)
	const earlier = `{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]},
		{"role":"user","content":[{"type":"input_audio"}]}, {"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},
		{"role":"tool","tool_call_id":"1","content":"42"}, {"role":"function","content":{"x":1}}, {"role":"assistant","content":"b"},`
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model":"docent","messages":[` + strings.Replace(earlier, `{"role":"function","content":{"x":1}},`, "", 1) + `{"role":"user","content":"what?"}]}`,
		"/v1/responses": `{"model":"docent","input":[{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image"}]},
			{"type":"function_call","name":"f"},{"type":"function_call_output","output":"42"},{"role":"assistant","content":"b"},{"role":"user","content":"what?"}]}`,
	} {
		if resp, got := c.do("POST", path, body); resp.StatusCode != 200 {
			t.Fatalf("%s: %d %s", path, resp.StatusCode, got)
		}
		want := []talk.Turn{{Role: talk.User, Text: "a"}, {Role: talk.Assistant, Text: "b"}}
		if req := <-requests; req.Question != "what?" || !slices.Equal(req.Turns, want) {
			t.Errorf("%s: the request is %+v", path, req)
		}
	}
}

// TestOpenAITasks has the prompts of Open WebUI, which are no questions.
func TestOpenAITasks(t *testing.T) {
	t.Parallel()
	const history = "### Chat History:\n<chat_history>\nUSER: How do I winterize the engine of the boat when it stays in the water until the spring?\n" +
		"ASSISTANT: Drain it { \"title\": 1 }.\nUSER: Why?\n</chat_history>"
	prompts := map[string]string{
		"title":      "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Output:\nJSON format: { \"title\": \"your concise title here\" }\n" + history,
		"tags":       "### Task:\nGenerate 1-3 broad tags categorizing the main themes\n### Output:\nJSON format: { \"tags\": [\"tag1\"] }\n" + history,
		"follow_ups": "### Task:\nSuggest 3-5 relevant follow-up questions\n### Output:\nJSON format: { \"follow_ups\": [\"Question 1?\"] }\n" + history,
		"queries":    "### Task:\nAnalyze the chat history to determine the necessity of generating search queries\n### Output:\nStrictly return in JSON format:\n{\n  \"queries\": [\"query1\"]\n}\n" + history,
		"text":       "### Task:\nYou are an autocompletion system. Continue the text in `<text>`\n### Output:\n{ \"text\": \"<completion>\" }\n<text>How do</text>",
		"prompt":     "### Task:\nGenerate a detailed prompt for am image generation task\n### Output:\nStrictly return in JSON format:\n{\n    \"prompt\": \"Your detailed description here.\"\n}\n" + history,
		"text, chat": "### Task:\nYou are an autocompletion system. Continue the text in `<text>`\n5. If unsure, return: `{ \"text\": \"\" }`.\n" + history + "\n<text>How do</text>",
		"emoji":      "Your task is to reflect the speaker's likely facial expression through a fitting emoji. Interpret emotions\n\nMessage: ```Hi!```",
		"merge":      "You have been provided with a set of responses from various models to the latest user query: \"why?\"\n\nYour task\n\nResponses from models: \"\"\"Drain it.\"\"\"",
		"none":       "### Task:\nRespond to the user query using the provided context { \"title\": 1 }\n<context>x</context>",
	}
	without := map[string]string{
		"title": `{"title":"How do I winterize the engine of the boat when it stays in…"}`, "tags": `{"tags":[]}`,
		"follow_ups": `{"follow_ups":[]}`, "queries": `{"queries":[]}`, "text": `{"text":""}`, "none": "Größe [1]. It stops [2]. See [9].",
		"prompt": `{"prompt":""}`, "text, chat": `{"text":""}`, "emoji": "", "merge": `"""Drain it."""`,
	}
	said := "Sure: ```json\n{\"title\": \"Winter\"}\n```"
	written := map[string]string{
		"title": `{"title": "Winter"}`, "tags": `{"tags":[]}`, "follow_ups": `{"follow_ups":[]}`, "queries": `{"queries":[]}`, "text": `{"text":""}`,
		"none": "Größe [1]. It stops [2]. See [9].", "prompt": `{"prompt":""}`, "text, chat": `{"text":""}`, "emoji": said, "merge": said,
	}
	unread := maps.Clone(without) // texts need no JSON
	unread["emoji"], unread["merge"] = "Winter", "Winter"
	for name, test := range map[string]struct {
		write func(context.Context, string) (string, error)
		want  map[string]string
	}{
		"without a model": {nil, without},
		"a broken model":  {func(context.Context, string) (string, error) { return "", errors.New("down") }, without},
		"no JSON":         {func(context.Context, string) (string, error) { return "Winter", nil }, unread},
		"with a model": {func(context.Context, string) (string, error) {
			return said, nil
		}, written},
	} {
		w, requests := citing()
		c := w.serve(t, func(cfg *Config) { cfg.Write = test.write })
		for task, prompt := range prompts {
			text, err := json.Marshal(prompt)
			if err != nil {
				t.Fatal(err)
			}
			resp, body := c.do("POST", "/v1/chat/completions", `{"model":"docent","metadata":{"session_id":"s"},"messages":[{"role":"user","content":`+string(text)+`}]}`)
			if task == "none" {
				resp, body = c.do("POST", "/v1/chat/completions", `{"model":"docent","messages":[{"role":"user","content":`+string(text)+`}]}`)
				<-requests
			}
			var got struct {
				Choices []struct{ Message struct{ Content string } }
			}
			if err := json.Unmarshal([]byte(body), &got); err != nil || resp.StatusCode != 200 || got.Choices[0].Message.Content != test.want[task] {
				t.Errorf("%s, %s: %d %s", name, task, resp.StatusCode, body)
			}
		}
		_, body := c.do("POST", "/v1/chat/completions", `{"model":"docent","messages":[{"role":"system","content":"Available Tools: []\nReturn"},{"role":"user","content":"Query: why?"}]}`)
		if len(requests) > 0 || !strings.Contains(body, `{\"tool_calls\":[]}`) {
			t.Errorf("%s: a task is searched, or the choice of tools is %s", name, body)
		}
	}
}

// FuzzOpenAI checks that no body makes a route below /v1 panic or fail inside docent.
func FuzzOpenAI(f *testing.F) {
	paths := []string{"/v1/chat/completions", "/v1/responses", "/v1/embeddings"}
	f.Add(uint8(0), []byte(`{"model":"docent","messages":[{"role":"user","content":"x"}],"stream":true,"stop":["y"],"metadata":{"session_id":"s"}}`))
	f.Add(uint8(1), []byte(`{"model":"docent/default","input":[{"role":"user","content":[{"type":"input_text","text":"x"}]}],"text":{"format":{}}}`))
	f.Add(uint8(2), []byte(`{"model":"docent","input":["x","y"],"encoding_format":"base64","dimensions":2}`))
	w := newWorld()
	handler, err := New(Config{
		RAG: w, Retriever: w, Library: w, Documents: w, Collections: managed{w}, Uploads: w, Directory: w,
		Memories: w, Prompts: w, Choices: w, Traces: w, Versions: w,
		Shares: w, Messages: w,
		Conversations: w, Embedder: w, Agents: []string{"docent"},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, route uint8, body []byte) {
		ctx := auth.NewContext(t.Context(), auth.Anyone())
		req := httptest.NewRequestWithContext(ctx, http.MethodPost, paths[int(route)%len(paths)], bytes.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		out := httptest.NewRecorder()
		handler.ServeHTTP(out, req)
		if out.Code == http.StatusInternalServerError || out.Code >= 400 && !strings.HasPrefix(out.Body.String(), `{"error":{"message":"`) {
			t.Fatalf("%s %q: %d %s", req.URL.Path, body, out.Code, out.Body)
		}
	})
}
