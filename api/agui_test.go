package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"docent/auth"
	"docent/internal/fault"
	"docent/payload"
)

// Turn implements Conversations. The text selects the frames of the turn. The open
// question has the sequence number 3.
func (w *world) Turn(
	_ context.Context, session, text string, options payload.AskOptions, answers int64,
) (iter.Seq2[[]payload.Frame, error], error) {
	if answers != 0 && answers != 3 {
		return nil, fault.New(fault.Conflict, "options_closed", "the conversation has gone on")
	}
	frames := map[string][]payload.Frame{
		"hello": {
			{Action: payload.UserMessage, Seq: 1, Message: json.RawMessage(`"hello"`)},
			{Action: payload.ReplyStr, Seq: 2, Message: json.RawMessage(`"Hi!"`)},
			{Action: payload.ReplyOptions, Seq: 3, Message: json.RawMessage(`"{\"0\": \"Yes\", \"1\": \"No\"}"`)},
		},
		"Yes": {{Action: payload.ReplyRAG, Seq: 4, Message: json.RawMessage(`{"answer":"At noon [1].","docs":[]}`)}},
		"think": {
			{Action: payload.ReplyReasoningStep, Seq: 1, Message: json.RawMessage(`{"kind":"reasoning_started","step":0,"summary":"begins","details":{}}`)},
			{Action: payload.ReplyReasoningStep, Seq: 2, Message: json.RawMessage(
				`{"kind":"llm_tool_calls","step":0,"summary":"calls","details":{"tool_calls":[{"id":"a","name":"stock","arguments":{"part":"valve"}},{"id":"b","name":"stock","arguments":{"part":"pump"}}]}}`)},
			{Action: payload.ReplyTaskList, Seq: 3, Message: json.RawMessage(`[{"id":"1","status":"pending"}]`)},
			{Action: payload.ReplyReasoningStep, Seq: 4, Message: json.RawMessage(
				`{"kind":"tool_result","step":0,"summary":"got","details":{"name":"stock","arguments":{"part":"pump"},"content":"7"}}`)},
			{Action: payload.ReplyTaskList, Seq: 5, Message: json.RawMessage(`[{"id":"1","status":"done"}]`)},
			{Action: payload.ReplyReasoningStep, Seq: 6, Message: json.RawMessage(`{"kind":"llm_text","step":1,"summary":"(intermediate)","details":{"text":"Let me see."}}`)},
			{Action: payload.ReplyDataFrame, Seq: 7, Message: json.RawMessage(`{"columns":[]}`)},
			{Action: payload.ReplyReasoningStep, Seq: 8, Message: json.RawMessage(`{"kind":"reasoning_finished","step":1,"summary":"ends","details":{}}`)},
		},
	}
	one := map[string][]payload.Frame{
		"text": frames["hello"][1:2], "options": frames["hello"][2:], "tool": {frames["think"][1], frames["think"][3]},
		"reason": {frames["think"][0], frames["think"][7]}, "note": frames["think"][5:6], "table": frames["think"][6:7],
		"tasks": {frames["think"][2], frames["think"][4]}, "again": {
			frames["think"][1],
			{Action: payload.ReplyReasoningStep, Seq: 9, Message: frames["think"][1].Message},
			{Action: payload.ReplyReasoningStep, Seq: 10, Message: json.RawMessage(`{"kind":"llm_text","step":1,"summary":"(intermediate)","details":{"text":""}}`)},
		},
	}
	if text == "where" {
		scope, err := json.Marshal(options)
		frames[text] = []payload.Frame{{Action: payload.ReplyDataFrame, Seq: 5, Message: scope}}
		if err != nil {
			return nil, err
		}
	}
	return func(yield func([]payload.Frame, error) bool) {
		if !yield(append(frames[text], one[text]...), nil) {
			return
		}
		if text == "fail" {
			yield(nil, fault.Wrap(fault.Unavailable, errors.New("secret"), "test_sentence", "the model is away"))
			return
		}
		yield([]payload.Frame{{Action: payload.TurnFinishedAction, Message: json.RawMessage(`{"outcome":"done"}`)}}, nil)
	}, nil
}

// TestAGUI compares the events of runs.
func TestAGUI(t *testing.T) {
	t.Parallel()
	c := newWorld().serve(t)
	for body, want := range map[string][]string{
		`{"threadId":"s","runId":"r","messages":[{"id":"1","role":"user","content":"before"},{"id":"2","role":"assistant","content":"x"},{"id":"3","role":"user","content":[{"type":"text","text":"hello"}]}],"tools":[],"context":[],"state":{}}`: {
			`{"runId":"r","threadId":"s","type":"RUN_STARTED"}`,
			`{"messageId":"r-2","role":"assistant","type":"TEXT_MESSAGE_START"}`,
			`{"delta":"Hi!","messageId":"r-2","type":"TEXT_MESSAGE_CONTENT"}`,
			`{"messageId":"r-2","type":"TEXT_MESSAGE_END"}`,
			`{"outcome":{"interrupts":[{"id":"options-3","message":"Yes\nNo","reason":"input_required","responseSchema":{"enum":["Yes","No"],"type":"string"}}],"type":"interrupt"},"runId":"r","threadId":"s","type":"RUN_FINISHED"}`,
		},
		`{"threadId":"s","runId":"r","messages":[],"resume":[{"interruptId":"options-3","status":"resolved","payload":"Yes"}]}`: {
			`{"runId":"r","threadId":"s","type":"RUN_STARTED"}`,
			`{"messageId":"r-4","role":"assistant","type":"TEXT_MESSAGE_START"}`,
			`{"delta":"At noon [1].","messageId":"r-4","type":"TEXT_MESSAGE_CONTENT"}`,
			`{"messageId":"r-4","type":"TEXT_MESSAGE_END"}`,
			`{"name":"docent.answer","type":"CUSTOM","value":{"answer":"At noon [1].","docs":[]}}`,
			`{"outcome":{"type":"success"},"runId":"r","threadId":"s","type":"RUN_FINISHED"}`,
		},
		`{"threadId":"s","runId":"r","messages":[{"role":"user","content":"where"}],"forwardedProps":{"collections":["hr"],"documents":[12],"folders":["a/b"],"tags":["new"],"model":"of another agent"}}`: {
			`{"runId":"r","threadId":"s","type":"RUN_STARTED"}`,
			`{"name":"docent.agent_reply_dataframe","type":"CUSTOM","value":{"collections":["hr"],"documents":[12],"folders":["a/b"],"tags":["new"]}}`,
			`{"outcome":{"type":"success"},"runId":"r","threadId":"s","type":"RUN_FINISHED"}`,
		},
		`{"threadId":"s","runId":"r","messages":[{"role":"user","content":"where"}],"forwardedProps":["tags"]}`: {
			`{"runId":"r","threadId":"s","type":"RUN_STARTED"}`,
			`{"name":"docent.agent_reply_dataframe","type":"CUSTOM","value":{}}`,
			`{"outcome":{"type":"success"},"runId":"r","threadId":"s","type":"RUN_FINISHED"}`,
		},
		`{"threadId":"s","runId":"r","messages":[{"role":"user","content":"fail"}],"resume":[{"interruptId":"options-1","status":"cancelled"}]}`: {
			`{"runId":"r","threadId":"s","type":"RUN_STARTED"}`,
			`{"code":"test_sentence","message":"the model is away","type":"RUN_ERROR"}`,
		},
	} {
		resp, got := c.do("POST", "/agui", body)
		var events []string
		for _, block := range strings.Split(strings.TrimSpace(got), "\n\n") {
			if data, ok := strings.CutPrefix(block, "data: "); ok {
				events = append(events, data)
			}
		}
		if resp.StatusCode != http.StatusOK || strings.Join(events, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %d\n%s\nwant\n%s", body, resp.StatusCode, strings.Join(events, "\n"), strings.Join(want, "\n"))
		}
	}
	for _, r := range aguiRefusals {
		if resp, got := c.do("POST", "/agui", r.body); resp.StatusCode != r.status || !strings.Contains(got, `"id":"`+r.id+`"`) {
			t.Errorf("%s: %d %s, want %d %s", r.name, resp.StatusCode, got, r.status, r.id)
		}
	}
}

// aguiRefusals are refused runs. The reference lists them.
var aguiRefusals = []struct {
	name, body string
	status     int
	id         string
}{
	{"tools of the front end", `{"threadId":"s","runId":"r","messages":[{"role":"user","content":"hello"}],"tools":[{"name":"x"}]}`, 400, "agui_tools"},
	{"a last message of another role than `user`", `{"threadId":"s","runId":"r","messages":[{"role":"assistant","content":"hello"}]}`, 400, "agui_no_message"},
	{"no message", `{"threadId":"s","runId":"r","messages":[]}`, 400, "agui_no_message"},
	{"a message without words", `{"threadId":"s","runId":"r","messages":[{"role":"user","content":[{"type":"text","text":" "}]}]}`, 400, "message_empty"},
	{"a message with other parts than text", `{"threadId":"s","runId":"r","messages":[{"role":"user","content":[{"type":"image"}]}]}`, 400, "agui_content"},
	{"a message without text or parts", `{"threadId":"s","runId":"r","messages":[{"role":"user","content":7}],"resume":[]}`, 400, "agui_content"},
	{"a resolved interrupt without a text", `{"threadId":"s","runId":"r","resume":[{"interruptId":"options-3","status":"resolved","payload":7}]}`, 400, "agui_resume"},
	{"an answer to another interrupt than the open one", `{"threadId":"s","runId":"r","resume":[{"interruptId":"options-1","status":"resolved","payload":"Yes"}]}`, 409, "options_closed"},
	{"an answer to an unknown interrupt", `{"threadId":"s","runId":"r","resume":[{"interruptId":"r-options","status":"resolved","payload":"Yes"}]}`, 409, "options_closed"},
	{"a scope of a wrong type", `{"threadId":"s","runId":"r","messages":[{"role":"user","content":"hello"}],"forwardedProps":{"documents":["12"]}}`, 400, "documents_not_a_list"},
	{"an empty body", "", 400, "body_missing"},
	{"no thread", `{"runId":"r","messages":[{"role":"user","content":"hello"}]}`, 400, "request_invalid"},
}

// FuzzAGUI sends any bodies to the route. They are answered with events or refused.
func FuzzAGUI(f *testing.F) {
	f.Add([]byte(`{"threadId":"s","runId":"r","messages":[{"role":"user","content":"think"}],"state":{},"context":[]}`))
	f.Add([]byte(`{"threadId":"s","runId":"r","messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]}`))
	for _, r := range aguiRefusals {
		f.Add([]byte(r.body))
	}
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
	f.Fuzz(func(t *testing.T, body []byte) {
		req := httptest.NewRequestWithContext(auth.NewContext(t.Context(), auth.Anyone()), http.MethodPost, "/agui", bytes.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		out := httptest.NewRecorder()
		handler.ServeHTTP(out, req)
		if out.Code == http.StatusInternalServerError || out.Code == http.StatusOK && !strings.HasPrefix(out.Body.String(), "data: {") {
			t.Fatalf("%q: %d %s", body, out.Code, out.Body)
		}
	})
}
