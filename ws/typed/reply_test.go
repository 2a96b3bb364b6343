package typed

import (
	"encoding/json"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/payload"
)

// example is a stored message with its form in the dialect.
type example struct {
	message, kind, content, data string
}

var typedExamples = map[string]example{
	payload.TypeStr:       {`"Hi \"you\""`, "", `Hi "you"`, ""},
	payload.TypeJSON:      {`{"a":[1]}`, "json", `{"a":[1]}`, `{"a":[1]}`},
	payload.TypeMarkdown:  {`"**Hi**"`, "markdown", "**Hi**", ""},
	payload.TypeHTML:      {`"<b>Hi</b>"`, "html", "<b>Hi</b>", ""},
	payload.TypeFile:      {`{"name":"a.txt","type":"text/plain","base64":"aGk="}`, "file", "a.txt", `{"name":"a.txt","type":"text/plain","base64":"aGk="}`},
	payload.TypeImage:     {`"aGk="`, "image", "An image", `"aGk="`},
	payload.TypeDataFrame: {`"{\"a\":{\"0\":1}}"`, "dataframe", "A table", `{"a":{"0":1}}`},
	payload.TypePlotly:    {`"{\"data\": []}"`, "plotly", "A figure", `{"data":[]}`},
	payload.TypeOptions:   {`"{\"0\": \"Yes\", \"1\": \"No\"}"`, "options", "Yes\nNo", `["Yes","No"]`},
	payload.TypeLocation:  {`{"latitude":48.85,"longitude":-2.5}`, "location", "48.85, -2.5", `{"latitude":48.85,"longitude":-2.5}`},
	payload.TypeRAG: {
		`{"llm_name":"m","question":"q","answer":"a [1]","docs":[{"content":"c","metadata":{"source":"s"}}],"sentences":[],"abstained":false}`,
		"rag_answer", "a [1]", `{"llm_name":"m","question":"q","sentences":[],"abstained":false}`,
	},
	payload.TypeAudio: {`{"audio_data_base64":"AA==","metadata":{}}`, "audio", "A recording", `{"audio_data_base64":"AA==","metadata":{}}`},
	payload.TypeUI:    {`{"x":1}`, "ui", "A user interface", `{"x":1}`},
	payload.TypeGUI:   {`[1]`, "gui", "A user interface", `[1]`},
}

// replyOf returns the dialect's message for an example.
func replyOf(t *testing.T, chatType string) payload.Typed {
	t.Helper()
	frame, ok := journal.Replay(agent.ChatMessage{
		Turn: 1, Type: chatType, Content: json.RawMessage(typedExamples[chatType].message), Time: time.Now(),
	})
	if !ok {
		t.Fatalf("%s is not shown", chatType)
	}
	m, ok := delivered(session.Delivery{Frame: frame})
	if !ok || m.Type != payload.TypedResponse || m.Docs == nil {
		t.Fatalf("%s: %+v", chatType, m)
	}
	return m
}

func TestTypedReplies(t *testing.T) {
	t.Parallel()
	for chatType, want := range typedExamples {
		m := replyOf(t, chatType)
		data := ""
		if m.Data != nil {
			raw, err := json.Marshal(m.Data)
			if err != nil {
				t.Fatal(err)
			}
			data = string(raw)
		}
		if m.Kind != want.kind || m.Content != want.content || data != want.data {
			t.Errorf("%s: %q %q %s\nwant %q %q %s", chatType, m.Kind, m.Content, data, want.kind, want.content, want.data)
		}
		if n := len(m.Docs); n != 0 && chatType != payload.TypeRAG || n != 1 && chatType == payload.TypeRAG {
			t.Errorf("%s: %d passages", chatType, n)
		}
	}
}

// Messages of other dialects are omitted. Messages without a request are
// notifications.
func TestTypedDeliveries(t *testing.T) {
	t.Parallel()
	one, none := int64(1), int64(0)
	frame := func(action payload.Action, message string, turn *int64) payload.Frame {
		return payload.Frame{Action: action, Message: json.RawMessage(message), Turn: turn}
	}
	for name, tc := range map[string]struct {
		d    session.Delivery
		want payload.TypedType
		says string
	}{
		"reply":           {session.Delivery{Frame: frame(payload.ReplyStr, `"x"`, &one)}, payload.TypedResponse, "x"},
		"greeting":        {session.Delivery{Frame: frame(payload.ReplyStr, `"x"`, &none)}, payload.TypedNotification, "x"},
		"query taken":     {session.Delivery{Audience: session.Streaming, Frame: frame(payload.AckAction, `{}`, &one)}, payload.TypedStatus, "Thinking..."},
		"failure":         {session.Delivery{Audience: session.Streaming, Frame: frame(payload.ErrorAction, `{"code":"busy","message":"later","retryable":true}`, &one)}, payload.TypedError, "later"},
		"failure in BAF":  {session.Delivery{Audience: session.Plain, Frame: frame(payload.ReplyStr, `"Sorry"`, &one)}, "", ""},
		"not shown":       {session.Delivery{Audience: session.Streaming, Frame: frame(payload.ReplyStr, `"x"`, &one)}, "", ""},
		"another's words": {session.Delivery{Audience: session.Streaming, Frame: frame(payload.UserMessage, `"x"`, &one)}, "", ""},
		"delta":           {session.Delivery{Audience: session.Streaming, Frame: frame(payload.DeltaAction, `{"text":"x"}`, &one)}, "", ""},
		"step of v1":      {session.Delivery{Audience: session.Streaming, Frame: frame(payload.ReplyReasoningStep, `{"summary":"x"}`, &one)}, "", ""},
		"step":            {session.Delivery{Audience: session.Plain, Frame: frame(payload.ReplyReasoningStep, `{"kind":"llm_text","step":0,"summary":"hm","details":{}}`, &one)}, payload.TypedStatus, "hm"},
		"tasks":           {session.Delivery{Audience: session.Plain, Frame: frame(payload.ReplyTaskList, `[{"id":1,"status":"completed"},{"id":2,"status":"pending"}]`, &one)}, payload.TypedStatus, "1 of 2 tasks done"},
	} {
		m, ok := delivered(tc.d)
		if ok != (tc.want != "") || m.Type != tc.want || m.Content != tc.says {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
