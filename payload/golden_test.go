package payload

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// made has the messages of BAF's golden frames as Go values, by action and
// sender.
func made(t *testing.T) map[Action]any {
	t.Helper()
	table, err := NewDataFrame(Column{"name", []any{"Ada", "Alan"}}, Column{"age", []any{36, 41}})
	if err != nil {
		t.Fatal(err)
	}
	sound, err := NewAudio(24000, 1, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	type trace struct {
		X    []int  `json:"x"`
		Y    []int  `json:"y"`
		Type string `json:"type"`
	}
	return map[Action]any{
		ReplyStr:      "Hello é",
		ReplyMarkdown: "# Hi **there**",
		ReplyHTML:     "<b>Hi</b>",
		ReplyFile:     NewFile("a.txt", "text/plain", []byte("hello")),
		ReplyImage:    Image("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01"),
		ReplyPlotly: Figure{struct {
			Data   []trace  `json:"data"`
			Layout struct{} `json:"layout"`
		}{Data: []trace{{[]int{1, 2}, []int{3, 4}, "scatter"}}}},
		ReplyDataFrame: table,
		ReplyOptions:   Options{"Yes", "No"},
		ReplyLocation:  Location{49.5, 5.9},
		ReplyAudio:     sound,
		ReplyUI:        UI(map[string]any{"name": "gui", "modules": []any{}}),
		ReplyReasoningStep: ReasoningStep{
			Kind: StepStarted, Summary: "reasoning started",
			Details: StartedDetails{UserMessage: "hi", TaskPlanning: true, MaxSteps: 8},
		},
		ReplyTaskList: TaskList{{1, "Read the film file", TaskPending, ""}},
		UserFile:      NewFile("n.txt", "text/plain", []byte("hi")).Text(),
	}
}

// TestGoldenFrames decodes each golden frame. It encodes the typed values and
// compares the result with the frames of BAF's server.
func TestGoldenFrames(t *testing.T) {
	t.Parallel()
	values := made(t)
	seen := map[Action]bool{}
	for _, line := range golden(t) {
		in, err := DecodeBAF(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		var want struct {
			Message   any
			History   bool
			Timestamp string
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		seen[in.Action] = true
		out := Frame{Action: in.Action, History: want.History, Message: in.Message}
		if want.Timestamp != "" {
			if out.Time, err = time.ParseInLocation(TimeLayout, want.Timestamp, time.Local); err != nil {
				t.Fatal(err)
			}
			if value, ok := values[in.Action]; ok {
				if out.Message, err = Marshal(value); err != nil {
					t.Fatal(err)
				}
			}
		}
		if keys := keysOf(t, out.AppendBAF(nil)); keys != "action message history timestamp" || keys != keysOf(t, line) {
			t.Errorf("%s has the keys %s", line, keys)
		}
		var got, expected map[string]any
		if err := json.Unmarshal(out.AppendBAF(nil), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(line, &expected); err != nil {
			t.Fatal(err)
		}
		if in.Action == ReplyRAG {
			continue // TestGoldenRAG checks this, because docent's message has more keys
		}
		if !reflect.DeepEqual(got, expected) {
			t.Errorf("got  %s\nwant %s", out.AppendBAF(nil), line)
		}
	}
	for action := range values {
		if !seen[action] {
			t.Errorf("no golden frame of %s", action)
		}
	}
}

// keysOf returns the keys of a JSON object in order.
func keysOf(t *testing.T, object []byte) string {
	t.Helper()
	r := json.NewDecoder(strings.NewReader(string(object)))
	var keys []string
	if err := members(r, func(key string) error {
		keys = append(keys, key)
		var value json.RawMessage
		return r.Decode(&value)
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(keys, " ")
}

// The steps are those that BAF sends, with their keys in order. docent decodes
// each into the type of its kind and encodes it to the same JSON.
func TestGoldenSteps(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"kind":"reasoning_started","step":0,"summary":"reasoning started","details":{"user_message":"hi","task_planning":true,"max_steps":8}}`,
		`{"kind":"llm_tool_calls","step":1,"summary":"calling 2 tool(s): list_directory, read_file","details":{"tool_calls":[{"id":"call_2","name":"list_directory","arguments":{}},{"id":"call_3","name":"read_file","arguments":{"relative_path":"inception.md"}}]}}`,
		`{"kind":"tool_result","step":1,"summary":"read_file returned (21 chars)","details":{"name":"read_file","arguments":{"relative_path":"inception.md"},"content":"Inception is a film.\n","is_error":false}}`,
		`{"kind":"task_added","step":0,"summary":"planned 2 task(s): #1 Read the film file, #2 Summarise","details":{"tasks":[{"id":1,"description":"Read the film file"},{"id":2,"description":"Summarise"}]}}`,
		`{"kind":"task_completed","step":2,"summary":"completed task #1 — read it","details":{"task_id":1,"description":"Read the film file","result":"read it"}}`,
		`{"kind":"task_skipped","step":4,"summary":"skipped task #2 — not needed","details":{"task_id":2,"description":"Summarise","reason":"not needed"}}`,
		`{"kind":"llm_text","step":3,"summary":"(intermediate) LLM proposed a final answer","details":{"text":"Too early","is_final":false}}`,
		`{"kind":"pushback","step":3,"summary":"rejected: 1 task(s) still pending","details":{"pending":[{"id":2,"description":"Summarise","status":"pending"}]}}`,
		`{"kind":"max_steps","step":7,"summary":"step budget exhausted (8 steps)","details":{"max_steps":8,"pending":[]}}`,
		`{"kind":"reasoning_finished","step":5,"summary":"reasoning finished","details":{"final_task_list":[{"id":1,"description":"Read the film file","status":"completed","result":"read it"},{"id":2,"description":"Summarise","status":"skipped","result":"not needed"}]}}`,
		`{"kind":"a_later_kind","step":0,"summary":"","details":{"z":1,"a":[]}}`,
	} {
		var step ReasoningStep
		if err := json.Unmarshal([]byte(text), &step); err != nil {
			t.Fatal(err)
		}
		got, err := Marshal(step)
		if err != nil || string(got) != text {
			t.Errorf("got  %s %v\nwant %s", got, err, text)
		}
		if _, raw := step.Details.(json.RawMessage); raw != (step.Kind == "a_later_kind") {
			t.Errorf("%s: details are %T", step.Kind, step.Details)
		}
	}
}

// Lists in steps are never null. Data that is not a step is an error.
func TestStepEdges(t *testing.T) {
	t.Parallel()
	for want, details := range map[string]any{
		`{"tool_calls":[]}`:            ToolCallsDetails{},
		`{"tasks":[]}`:                 TaskAddedDetails{},
		`{"pending":[]}`:               PushbackDetails{},
		`{"max_steps":8,"pending":[]}`: MaxStepsDetails{MaxSteps: 8},
		`{"final_task_list":[]}`:       FinishedDetails{},
		`{}`:                           nil,
		`{"x":null}`:                   map[string]any{"x": nil},
		`{"text":"","is_final":false}`: TextDetails{},
		`{"name":"n","arguments":null,"content":"","is_error":true}`: ToolResultDetails{Name: "n", IsError: true},
	} {
		got, err := Marshal(ReasoningStep{Details: details})
		if err != nil || !strings.HasSuffix(string(got), `"details":`+want+`}`) {
			t.Errorf("%T: %s %v", details, got, err)
		}
	}
	if got, err := Marshal(TaskList(nil)); err != nil || string(got) != "[]" {
		t.Errorf("no tasks: %s %v", got, err)
	}
	for _, bad := range []string{`5`, `[]`, `{"kind":5}`, `{"kind":"pushback","details":{"pending":5}}`, `{"step":"x"}`} {
		var step ReasoningStep
		if err := json.Unmarshal([]byte(bad), &step); err == nil {
			t.Errorf("%s was read as %+v", bad, step)
		}
	}
	var step ReasoningStep
	if err := json.Unmarshal([]byte(`{"kind":"pushback"}`), &step); err != nil || step.Details == nil {
		t.Errorf("a step without details: %+v %v", step, err)
	}
}
