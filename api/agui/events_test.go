package agui

import (
	"encoding/json"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/payload"
)

// Messages of reasoning steps.
const (
	twoCalls = `{"kind":"llm_tool_calls","step":0,"summary":"calls","details":{"tool_calls":[` +
		`{"id":"a","name":"stock","arguments":{"part":"valve"}},{"id":"b","name":"stock","arguments":{"part":"pump"}}]}}`
	result = `{"kind":"tool_result","step":0,"summary":"got","details":{"name":"stock","arguments":{"part":"pump"},"content":"7"}}`
)

// TestEvents converts the frames of runs into events.
func TestEvents(t *testing.T) {
	t.Parallel()
	step := func(seq int64, message string) payload.Frame {
		return payload.Frame{Action: payload.ReplyReasoningStep, Seq: seq, Message: json.RawMessage(message)}
	}
	end := payload.Frame{Action: payload.TurnFinishedAction, Message: json.RawMessage(`{"outcome":"done"}`)}
	for name, run := range map[string]struct {
		frames []payload.Frame
		want   []string
	}{
		"a run with tools, tasks, a note, and a table": {
			[]payload.Frame{
				step(1, `{"kind":"reasoning_started","step":0,"summary":"begins","details":{}}`),
				step(2, twoCalls),
				{Action: payload.ReplyTaskList, Seq: 3, Message: json.RawMessage(`[{"id":"1","status":"pending"}]`)},
				step(4, result),
				{Action: payload.ReplyTaskList, Seq: 5, Message: json.RawMessage(`[{"id":"1","status":"done"}]`)},
				step(6, `{"kind":"llm_text","step":1,"summary":"(intermediate)","details":{"text":"Let me see."}}`),
				{Action: payload.ReplyDataFrame, Seq: 7, Message: json.RawMessage(`{"columns":[]}`)},
				step(8, `{"kind":"reasoning_finished","step":1,"summary":"ends","details":{}}`),
				end,
			},
			[]string{
				`{"stepName":"reasoning","type":"STEP_STARTED"}`,
				`{"toolCallId":"r-2-0","toolCallName":"stock","type":"TOOL_CALL_START"}`,
				`{"delta":"{\"part\":\"valve\"}","toolCallId":"r-2-0","type":"TOOL_CALL_ARGS"}`,
				`{"toolCallId":"r-2-0","type":"TOOL_CALL_END"}`,
				`{"toolCallId":"r-2-1","toolCallName":"stock","type":"TOOL_CALL_START"}`,
				`{"delta":"{\"part\":\"pump\"}","toolCallId":"r-2-1","type":"TOOL_CALL_ARGS"}`,
				`{"toolCallId":"r-2-1","type":"TOOL_CALL_END"}`,
				`{"snapshot":{"tasks":[{"id":"1","status":"pending"}]},"type":"STATE_SNAPSHOT"}`,
				`{"content":"7","messageId":"r-4","role":"tool","toolCallId":"r-2-1","type":"TOOL_CALL_RESULT"}`,
				`{"delta":[{"op":"replace","path":"/tasks","value":[{"id":"1","status":"done"}]}],"type":"STATE_DELTA"}`,
				`{"messageId":"r-6","type":"REASONING_START"}`,
				`{"messageId":"r-6","role":"reasoning","type":"REASONING_MESSAGE_START"}`,
				`{"delta":"Let me see.","messageId":"r-6","type":"REASONING_MESSAGE_CONTENT"}`,
				`{"messageId":"r-6","type":"REASONING_MESSAGE_END"}`,
				`{"messageId":"r-6","type":"REASONING_END"}`,
				`{"name":"docent.agent_reply_dataframe","type":"CUSTOM","value":{"columns":[]}}`,
				`{"stepName":"reasoning","type":"STEP_FINISHED"}`,
				`{"outcome":{"type":"success"},"runId":"r","threadId":"s","type":"RUN_FINISHED"}`,
			},
		},
		"repeated calls, and a note without words": {
			[]payload.Frame{
				step(2, twoCalls),
				step(9, twoCalls),
				step(10, `{"kind":"llm_text","step":1,"summary":"(intermediate)","details":{"text":""}}`),
				end,
			},
			[]string{
				`{"toolCallId":"r-2-0","toolCallName":"stock","type":"TOOL_CALL_START"}`,
				`{"delta":"{\"part\":\"valve\"}","toolCallId":"r-2-0","type":"TOOL_CALL_ARGS"}`,
				`{"toolCallId":"r-2-0","type":"TOOL_CALL_END"}`,
				`{"toolCallId":"r-2-1","toolCallName":"stock","type":"TOOL_CALL_START"}`,
				`{"delta":"{\"part\":\"pump\"}","toolCallId":"r-2-1","type":"TOOL_CALL_ARGS"}`,
				`{"toolCallId":"r-2-1","type":"TOOL_CALL_END"}`,
				`{"toolCallId":"r-9-0","toolCallName":"stock","type":"TOOL_CALL_START"}`,
				`{"delta":"{\"part\":\"valve\"}","toolCallId":"r-9-0","type":"TOOL_CALL_ARGS"}`,
				`{"toolCallId":"r-9-0","type":"TOOL_CALL_END"}`,
				`{"toolCallId":"r-9-1","toolCallName":"stock","type":"TOOL_CALL_START"}`,
				`{"delta":"{\"part\":\"pump\"}","toolCallId":"r-9-1","type":"TOOL_CALL_ARGS"}`,
				`{"toolCallId":"r-9-1","type":"TOOL_CALL_END"}`,
				`{"outcome":{"type":"success"},"runId":"r","threadId":"s","type":"RUN_FINISHED"}`,
			},
		},
	} {
		e := events{thread: "s", run: "r"}
		var got []string
		for _, f := range run.frames {
			for _, one := range e.of(f) {
				text, err := json.Marshal(one)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(text))
			}
		}
		if strings.Join(got, "\n") != strings.Join(run.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(run.want, "\n"))
		}
	}
}

// TestApproval: the interrupt of a call names the call and its arguments, and its answers become texts.
func TestApproval(t *testing.T) {
	t.Parallel()
	e := events{thread: "s", run: "r"}
	for _, f := range []payload.Frame{
		{Action: payload.ReplyReasoningStep, Seq: 2, Message: json.RawMessage(`{"kind":"llm_tool_calls","details":{"tool_calls":[{"id":"x","name":"pay","arguments":{"amount":5}}]}}`)},
		{
			Action: payload.ReplyOptions, Seq: 3, Message: json.RawMessage(`"{\"0\": \"Allow\"}"`),
			Sentence: fault.Sentence{ID: "approval_choices", Params: `["pay","{\"amount\":5}","2026-01-02T03:04:05Z"]`},
		},
	} {
		e.of(f)
	}
	got, err := json.Marshal(e.finished())
	want := `{"outcome":{"interrupts":[{"expiresAt":"2026-01-02T03:04:05Z","id":"options-3","message":"May I call pay with {\"amount\":5}?",` +
		`"reason":"tool_call","responseSchema":{"properties":{"always":{"type":"boolean"},"approved":{"type":"boolean"},"editedArgs":{"type":"object"}},` +
		`"required":["approved"],"type":"object"},"toolCallId":"r-2-0"}],"type":"interrupt"},"runId":"r","threadId":"s","type":"RUN_FINISHED"}`
	if err != nil || string(got) != want {
		t.Errorf("the run ends with\n%s\nwant\n%s (%v)", got, want, err)
	}
	for answer, want := range map[string]string{
		`{"approved":true}`: "Allow", `{"approved":false}`: "Refuse", `{"approved":true,"always":true}`: "Always allow in this conversation",
		`{"approved":true,"editedArgs":{"amount":4}}`: `Allow {"amount":4}`, `"No, only 4"`: "No, only 4",
	} {
		var content any
		if err := json.Unmarshal([]byte(answer), &content); err != nil {
			t.Fatal(err)
		}
		text, seq, err := AgentRun{Resume: []AgentResume{{InterruptID: "options-3", Status: "resolved", Payload: content}}}.text()
		if text != want || seq != 3 || err != nil {
			t.Errorf("%s becomes %q for %d (%v), want %q", answer, text, seq, err, want)
		}
	}
}

// TestOptions: an interrupt names its options, and only such an interrupt.
func TestOptions(t *testing.T) {
	t.Parallel()
	e := events{thread: "s", run: "r"}
	e.of(payload.Frame{Action: payload.ReplyOptions, Seq: 3, Message: json.RawMessage(`"{\"0\": \"Yes\", \"1\": \"No\"}"`)})
	text, err := json.Marshal(e.finished())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"outcome":{"interrupts":[{"id":"options-3","message":"Yes\nNo","reason":"input_required",` +
		`"responseSchema":{"enum":["Yes","No"],"type":"string"}}],"type":"interrupt"},"runId":"r","threadId":"s","type":"RUN_FINISHED"}`
	if string(text) != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	for id, seq := range map[string]int64{"options-3": 3, "options-0": -1, "options-": -1, "r-options": -1, "3": -1} {
		if got := optionsOf(id); got != seq {
			t.Errorf("the interrupt %q has the options %d, want %d", id, got, seq)
		}
	}
}
