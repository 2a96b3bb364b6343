package llm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"docent/llm"
	"docent/llm/llmtest"
)

const (
	thoughts = "The user wants vacation. Passage 1 says 27 days.\n\nI will answer."
	answered = "Employees get 27 days [1].\n\n- Two more after five years [1]."
)

// inPieces cuts a text after every n characters.
func inPieces(s string, n int) []string {
	var out []string
	for piece := range slices.Chunk([]rune(s), n) {
		out = append(out, string(piece))
	}
	return out
}

// heard asks a model and returns the answer, and the text and reasoning of the stream.
func heard(t *testing.T, m llm.Model, req llm.Request) (a llm.Answer, text, reasoning string, err error) {
	t.Helper()
	for d, err := range m.Chat(t.Context(), req) {
		if err != nil {
			return a, text, reasoning, err
		}
		if d.Restart {
			text = ""
		}
		text += d.Text
		reasoning += d.Reasoning
		if d.Answer != nil {
			a = *d.Answer
		}
	}
	return a, text, reasoning, nil
}

func TestReasoningIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ says, stop, want, thinks string }{
		"plain":               {says: answered, want: answered},
		"think":               {says: "<think>" + thoughts + "</think>\n\n" + answered, want: answered, thinks: thoughts},
		"upper case":          {says: "<THINK>\n" + thoughts + "</Think>" + answered, want: answered, thinks: thoughts},
		"thinking":            {says: "\n<thinking>" + thoughts + "</thinking>" + answered, want: answered, thinks: thoughts},
		"other closing tag":   {says: "<thinking>" + thoughts + "</think>" + answered, want: answered, thinks: thoughts},
		"reasoning":           {says: "<reasoning>" + thoughts + "</reasoning>" + answered, want: answered, thinks: thoughts},
		"Marco-o1":            {says: "<Thought>" + thoughts + "</Thought>\n<Output>\n" + answered + "\n</Output>", want: answered, thinks: thoughts},
		"nested":              {says: "<thinking>a<reflection>b</reflection>c</thinking>\n<output>" + answered + "</output>", want: answered, thinks: "a<reflection>b</reflection>c"},
		"nested, not closed":  {says: "<think>a <reflection> b</think>" + answered, want: answered, thinks: "a <reflection> b"},
		"opened twice":        {says: "<think>\n<think>\n" + thoughts + "</think>" + answered, want: answered, thinks: "<think>\n" + thoughts},
		"LLaVA-CoT":           {says: "<REASONING>" + thoughts + "</REASONING>\n<CONCLUSION>" + answered + "</CONCLUSION>", want: answered, thinks: thoughts},
		"K2-Think":            {says: "<think_fast>" + thoughts + "</think_fast>" + answered, want: answered, thinks: thoughts},
		"tag with a value":    {says: `<think time="3">` + thoughts + "</think>" + answered, want: answered, thinks: thoughts},
		"LongCat":             {says: "<longcat_think>" + thoughts + "</longcat_think>" + answered, want: answered, thinks: thoughts},
		"edges":               {says: "<|think_start|>" + thoughts + "<|think_end|>" + answered, want: answered, thinks: thoughts},
		"Apriel":              {says: "Here are my reasoning steps:\n" + thoughts + "\n[BEGIN FINAL RESPONSE]\n" + answered + "\n[END FINAL RESPONSE]", want: answered, thinks: thoughts},
		"s1":                  {says: "<|im_start|>think\n" + thoughts + "\n<|im_start|>answer\n" + answered, want: answered, thinks: thoughts},
		"brackets":            {says: "[THINKING]" + thoughts + "[/THINKING]" + answered, want: answered, thinks: thoughts},
		"bare commentary":     {says: "commentaryWe need vacation.assistantfinal" + answered, want: answered, thinks: "We need vacation."},
		"commentary as word":  {says: "commentary on the data", want: "commentary on the data"},
		"to as a word":        {says: "to do this, stop", want: "to do this, stop"},
		"escaped":             {says: "&lt;think&gt;" + thoughts + "&lt;/think&gt;" + answered, want: answered, thinks: thoughts},
		"fence":               {says: "```thinking\n" + thoughts + "\n```\n" + answered, want: answered, thinks: thoughts},
		"bold words":          {says: "**Thinking:** " + thoughts + "\n\n**Answer:** " + answered, want: answered, thinks: thoughts},
		"GLM-V":               {says: "<think>" + thoughts + "</think>Employees get <|begin_of_box|>27 days<|end_of_box|> [1].", want: "Employees get 27 days [1].", thinks: thoughts},
		"GLM-V, no thoughts":  {says: "Employees get <|begin_of_box|>27 days<|end_of_box|> [1].", want: "Employees get 27 days [1]."},
		"MiroThinker":         {says: "<think>" + thoughts + "</think>\n\n\\boxed{" + answered + "}", want: "\\boxed{" + answered + "}", thinks: thoughts},
		"EXAONE":              {says: "<thought>" + thoughts + "</thought>" + answered, want: answered, thinks: thoughts},
		"Seed-OSS":            {says: "<seed:think>" + thoughts + "</seed:think>" + answered, want: answered, thinks: thoughts},
		"Magistral":           {says: "[THINK]" + thoughts + "[/THINK]" + answered, want: answered, thinks: thoughts},
		"Gemma":               {says: "<|channel>thought\n" + thoughts + "<channel|>" + answered, want: answered, thinks: thoughts},
		"Command A":           {says: "<|START_THINKING|>" + thoughts + "<|END_THINKING|><|START_RESPONSE|>" + answered + "<|END_RESPONSE|>", want: answered, thinks: thoughts},
		"OpenThinker":         {says: "<|begin_of_thought|>" + thoughts + "<|end_of_thought|>\n<|begin_of_solution|>" + answered + "<|end_of_solution|>", want: answered, thinks: thoughts},
		"Kimi":                {says: "◁think▷" + thoughts + "◁/think▷" + answered, want: answered, thinks: thoughts},
		"Granite":             {says: "Here is my thought process:\n" + thoughts + "Here is my response:\n" + answered, want: answered, thinks: thoughts},
		"Hunyuan":             {says: "<think>" + thoughts + "</think>\n<answer>\n" + answered + "\n</answer>", want: answered, thinks: thoughts},
		"closing tag alone":   {says: thoughts + "</think>\n\n" + answered, want: answered, thinks: thoughts},
		"late closing tag":    {says: "Passage 1 says 27 days.</think>" + answered, want: answered, thinks: "Passage 1 says 27 days."},
		"closing mark alone":  {says: "Passage 1 says so.[/THINK]" + answered, want: answered, thinks: "Passage 1 says so."},
		"empty reasoning":     {says: "<think>\n\n</think>\n\n" + answered, want: answered},
		"opening tag alone":   {says: "<think>" + thoughts, stop: "length", thinks: thoughts},
		"cut aloud":           {says: thoughts, stop: "length", thinks: thoughts},
		"aloud without marks": {says: "The user wants 27 days [1].", want: "The user wants 27 days [1]."},
		"twice":               {says: "<think>a</think>One. <think>b</think>Two.", want: "One. Two.", thinks: "ab"},
		"tag in code":         {says: "Write `</think>` or `<think>` at the end.", want: "Write `</think>` or `<think>` at the end."},
		"tag in a block":      {says: "Do this:\n```xml\n<think>x</think>\n```\nDone.", want: "Do this:\n```xml\n<think>x</think>\n```\nDone."},
		"less than":           {says: "a < b and <b>bold</b> <", want: "a < b and <b>bold</b> <"},
		"harmony": {
			says: "<|channel|>analysis<|message|>" + thoughts + "<|end|><|start|>assistant<|channel|>final<|message|>" + answered + "<|return|>",
			want: answered, thinks: thoughts,
		},
		"harmony from the start": {
			says: "<|start|>assistant<|channel|>analysis<|message|>" + thoughts + "<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>" + answered,
			want: answered, thinks: thoughts,
		},
		"harmony without the start": {
			says: thoughts + "<|end|><|start|>assistant<|channel|>final<|message|>" + answered, want: answered, thinks: thoughts + "<|end|>",
		},
		"harmony with a further turn": {
			says: "<|channel|>final<|message|>" + answered + "<|end|><|start|>user<|message|>And sick leave?", want: answered, thinks: "And sick leave?",
		},
		"harmony without marks":   {says: "analysisWe need vacation.assistantfinal" + answered, want: answered, thinks: "We need vacation."},
		"harmony without a final": {says: "<|channel|>analysis<|message|>" + thoughts, stop: "length", thinks: thoughts},
		"analysis as a word":      {says: "analysis of the data shows 5.", want: "analysis of the data shows 5."},
	} {
		for _, n := range []int{1, 7, 1000} {
			o, _, _ := serve(t, llm.Config{}, llmtest.Reply{Text: inPieces(c.says, n), Finish: c.stop})
			a, text, reasoning, err := heard(t, o, llm.Request{})
			if err != nil {
				t.Fatal(name, err)
			}
			if strings.TrimSpace(a.Text) != c.want || text != a.Text {
				t.Errorf("%s by %d: the answer is %q, streamed %q, want %q", name, n, a.Text, text, c.want)
			}
			if strings.TrimSpace(a.Reasoning) != c.thinks || !strings.HasSuffix(a.Reasoning, reasoning) {
				t.Errorf("%s by %d: the reasoning is %q, streamed %q, want %q", name, n, a.Reasoning, reasoning, c.thinks)
			}
		}
	}
}

// After one answer of a model that leaves out the opening mark, its text is held back.
func TestMissingOpeningMarkIsLearned(t *testing.T) {
	t.Parallel()
	says := llmtest.Reply{Text: inPieces("Passage 1 says so.</think>"+answered, 7)}
	o, _, _ := serve(t, llm.Config{}, says, says, llmtest.Say(answered), llmtest.Say(answered))
	restarts := []int{0, 0, 0, 0}
	for i := range restarts {
		for d, err := range o.Chat(t.Context(), llm.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			if d.Restart {
				restarts[i]++
			}
			if d.Answer != nil && d.Answer.Text != answered {
				t.Errorf("answer %d is %q", i, d.Answer.Text)
			}
		}
	}
	if restarts[0] != 1 || restarts[1] != 0 {
		t.Errorf("restarts are %v, want the first only", restarts)
	}
}

func TestReasoningFields(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]string{
		"reasoning_content": `{"reasoning_content":"hm"}`,
		"reasoning":         `{"reasoning":"hm","content":null}`,
		"thinking":          `{"thinking":"hm"}`,
		"both":              `{"reasoning":"hm","reasoning_content":"hm"}`,
		"object":            `{"reasoning":{"content":"hm"}}`,
		"parts":             `{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`,
		"part with a flag":  `{"content":[{"type":"text","text":"hm","thought":true}]}`,
		"summary":           `{"content":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}]}`,
		"details alone":     `{"content":"","reasoning_details":[{"type":"reasoning.text","text":"hm"}]}`,
		"details and text":  `{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"},{"type":"reasoning.encrypted","data":"x"}]}`,
		"summary in detail": `{"reasoning_details":[{"type":"reasoning.summary","summary":"hm"}]}`,
		"reasoning part":    `{"content":[{"type":"reasoning","text":"hm"}]}`,
	} {
		o, _, _ := serve(t, llm.Config{}, frames(deltaFrame(d), deltaFrame(`{"content":[{"type":"text","text":"42"},{"type":"other"}]}`), finish("stop"), "[DONE]"))
		a, text, reasoning, err := heard(t, o, llm.Request{})
		if err != nil || a.Text != "42" || text != "42" || a.Reasoning != "hm" || reasoning != "hm" {
			t.Errorf("%s: %+v, streamed %q and %q, %v", name, a, text, reasoning, err)
		}
	}
}

func TestCountsOfAnyForm(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]int{
		`{"completion_tokens":5.0,"prompt_tokens":1}`: 5, `{"completion_tokens":"5"}`: 5, `{"completion_tokens":null}`: 0,
		`{"completion_tokens":{"a":1}}`: 0, `{"completion_tokens":-1}`: 0,
	} {
		o, _, _ := serve(t, llm.Config{}, frames(deltaFrame(`{"content":"42"}`), finish("stop"), `{"choices":[],"usage":`+usage+`}`, "[DONE]"))
		if a, err := llm.Ask(t.Context(), o, llm.Request{}); err != nil || a.Text != "42" || a.Usage.Completion != want {
			t.Errorf("%s: %+v, %v", usage, a, err)
		}
	}
}

var searching = llm.Request{Tools: []llm.Tool{
	{Name: "clock"},
	{Name: "search_knowledge", Parameters: map[string]any{
		"type": "object", "properties": map[string]any{"query": map[string]any{"type": "string"}, "k": map[string]any{"type": "integer"}}, "required": []string{"query"},
	}},
}}

func TestToolCallsInText(t *testing.T) {
	t.Parallel()
	const name, args = "search_knowledge", `{"query": "vacation"}`
	for family, says := range map[string]string{
		"Hermes, Qwen":       "<tool_call>\n" + `{"name": "` + name + `", "arguments": ` + args + `}` + "\n</tool_call>",
		"not closed":         "I look it up. <tool_call>" + `{"name": "` + name + `", "arguments": ` + args + `}`,
		"after reasoning":    "<think>Search.</think><tool_call>" + `{"name": "` + name + `", "arguments": ` + args + `}</tool_call>`,
		"Llama 3":            `{"name": "` + name + `", "parameters": ` + args + `}`,
		"Llama 3.1":          "<function=" + name + ">" + args + "</function>",
		"Llama with a tag":   "<|python_tag|>" + `{"type": "function", "name": "` + name + `", "parameters": ` + args + `}`,
		"Llama 4":            `[` + name + `(query="vacation")]`,
		"LFM":                "<|tool_call_start|>[" + name + `(query='vacation')]<|tool_call_end|>`,
		"in a block":         "```json\n" + `{"name": "` + name + `", "arguments": ` + args + `}` + "\n```",
		"after a sentence":   "I will search.\n\n```json\n" + `{"name": "` + name + `", "arguments": ` + args + `}` + "\n```",
		"arguments as text":  `{"name": "` + name + `", "arguments": "{\"query\": \"vacation\"}"}`,
		"as in the API":      `{"tool_calls": [{"type": "function", "function": {"name": "` + name + `", "arguments": ` + args + `}}]}`,
		"Mistral":            `[TOOL_CALLS][{"name": "` + name + `", "arguments": ` + args + `}]`,
		"Mistral, newer":     `[TOOL_CALLS]` + name + `[ARGS]` + args,
		"DeepSeek":           "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>" + name + "\n```json\n" + args + "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
		"Qwen Coder":         "<tool_call>\n<function=" + name + ">\n<parameter=query>\nvacation\n</parameter>\n</function>\n</tool_call>",
		"GLM":                "<tool_call>" + name + "\n<arg_key>query</arg_key>\n<arg_value>vacation</arg_value>\n</tool_call>",
		"MiniMax":            `<minimax:tool_call><invoke name="` + name + `"><parameter name="query">vacation</parameter></invoke></minimax:tool_call>`,
		"Phi":                `<|tool_call|>[{"name": "` + name + `", "arguments": ` + args + `}]<|/tool_call|>`,
		"Command R":          `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "` + name + `", "parameters": ` + args + `}]<|END_ACTION|>`,
		"Kimi":               "<|tool_calls_section_begin|><|tool_call_begin|>functions." + name + ":0<|tool_call_argument_begin|>" + args + "<|tool_call_end|><|tool_calls_section_end|>",
		"gpt-oss":            "<|channel|>analysis<|message|>Search.<|end|><|start|>assistant<|channel|>commentary to=functions." + name + " <|constrain|>json<|message|>" + args + "<|call|>",
		"gpt-oss, recipient": "<|start|>assistant to=functions." + name + "<|channel|>commentary json<|message|>" + args + "<|call|>",
		"Seed-OSS":           "<seed:tool_call><function=" + name + "><parameter=query>vacation</parameter></function></seed:tool_call>",
		"Olmo 3":             "<function_calls>\n" + name + `(query="vacation")` + "\n</function_calls>",
		"Claude's prompt":    `<function_calls><invoke name="` + name + `"><parameter name="query">vacation</parameter></invoke></function_calls>`,
		"Nemotron":           `<TOOLCALL>[{"name": "` + name + `", "arguments": ` + args + `}]</TOOLCALL>`,
		"Jamba, Hunyuan":     `<tool_calls>[{"name": "` + name + `", "arguments": ` + args + `}]</tool_calls>`,
		"DeepSeek V3.2":      `<｜DSML｜function_calls><｜DSML｜invoke name="` + name + `"><｜DSML｜parameter name="query" string="true">vacation</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>`,
		"DeepSeek V3.1":      "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>" + name + "<｜tool▁sep｜>" + args + "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
		"Qwen2.5-Coder":      "```xml\n<tools>\n" + `{"name": "` + name + `", "arguments": ` + args + `}` + "\n</tools>\n```",
		"Qwen, tools alone":  "<tools>\n" + `{"name": "` + name + `", "arguments": ` + args + `}` + "\n</tools>",
		"Apertus":            `<|tools_prefix|>[{"` + name + `": ` + args + `}]<|tools_suffix|>`,
		"InternLM":           `<|action_start|><|plugin|>{"name": "` + name + `", "parameters": ` + args + `}<|action_end|>`,
		"FunctionGemma":      "<start_function_call>call:" + name + "{query:<escape>vacation<escape>}<end_function_call>",
		"Gemma 4":            `<|tool_call>call:` + name + `{query:<|"|>vacation<|"|>}<tool_call|>`,
		"a Python dict":      "<tool_call>\n{'name': '" + name + "', 'arguments': {'query': 'vacation'}}\n</tool_call>",
		"Functionary":        ">>>" + name + "\n" + args,
		"Step 3":             `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="` + name + `"><steptml:parameter name="query">vacation</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>`,
		"Llama 4, marked":    `<|python_start|>[` + name + `(query="vacation")]<|python_end|>`,
		"Phi-4 mini":         `functools[{"name": "` + name + `", "arguments": ` + args + `}]`,
		"LongCat":            `<longcat_tool_call>{"name": "` + name + `", "arguments": ` + args + `}</longcat_tool_call>`,
		"name as attribute":  `<tool_call name="` + name + `">` + args + `</tool_call>`,
		"tool with a name":   `<tool name="` + name + `">` + args + `</tool>`,
		"GLM 4":              name + "\n" + args,
		"call":               "call: " + name + `(query="vacation")`,
		"elements":           "<" + name + "><query>vacation</query></" + name + ">",
		"harmony, bare":      `commentary to=functions.` + name + ` json` + args,
		"harmony, analysis":  `analysisWe search.assistantcommentary to=functions.` + name + ` json` + args,
		"ReAct, a text":      "Thought: search\nAction: " + name + "\nAction Input: vacation",
		"ReAct":              "Thought: search\nAction: " + name + "\nAction Input: " + args,
	} {
		for _, n := range []int{1, 7, 1000} {
			o, _, _ := serve(t, llm.Config{}, llmtest.Reply{Text: inPieces(says, n)})
			a, _, _, err := heard(t, o, searching)
			if err != nil || len(a.Calls) != 1 || a.Calls[0].Name != name || strings.ReplaceAll(a.Calls[0].Arguments, " ", "") != `{"query":"vacation"}` ||
				strings.ContainsAny(a.Text, "<{[") {
				t.Errorf("%s by %d: %+v, %v", family, n, a, err)
			}
		}
	}
}

func TestUnusableToolCallsInText(t *testing.T) {
	t.Parallel()
	for _, says := range []string{
		`<tool_call>{"name": "search_web", "arguments": {"query": "x"}}</tool_call>`,
		`<tool_call>{"name": "search_knowledge", "arguments": {}}</tool_call>`,
		`<tool_call>{"name": "search_knowledge", "arguments": {"query": "x", "site": "y"}}</tool_call>`,
		`<tool_call>search</tool_call>`,
		`{"name": "search_web", "parameters": {"query": "x"}}`,
	} {
		o, _, _ := serve(t, llm.Config{}, llmtest.Say(says))
		if a, err := llm.Ask(t.Context(), o, searching); !errors.Is(err, llm.ErrNoTools) {
			t.Errorf("%s: %+v, %v; want llm.ErrNoTools", says, a, err)
		}
	}
	for _, says := range []string{`{"answer": 5}`, "[1] says so.", "```go\nclock()\n```\nThis shows the time.", "clock() shows the time."} {
		o, _, _ := serve(t, llm.Config{}, llmtest.Say(says))
		if a, err := llm.Ask(t.Context(), o, searching); err != nil || len(a.Calls) != 0 || a.Text != says {
			t.Errorf("%s: %+v, %v; want the text", says, a, err)
		}
	}
}

// TestCallsWithoutTools: a model that calls a tool that nobody offered has not answered. Readers do not see the call.
func TestCallsWithoutTools(t *testing.T) {
	t.Parallel()
	const call = `{"name": "search", "arguments": {"query": "x"}}`
	for says, want := range map[string]string{
		"<tool_call>" + call + "</tool_call>":    "",
		"I look it up.\n<tool_call>\n" + call:    "I look it up.\n",
		"<|python_tag|>search.call(query=\"x\")": "",
		"<tool_call>search":                      "",
		call:                                     "",
		"```json\n" + call + "\n```":             "",
		"<think>hm</think>" + call:               "",
		"<function=search><parameter=query>x</parameter></function>": "",
	} {
		for _, n := range []int{1, 7, 1000} {
			o, _, _ := serve(t, llm.Config{}, llmtest.Reply{Text: inPieces(says, n)})
			a, streamed, _, err := heard(t, o, llm.Request{})
			if err != nil || a.Text != want || streamed != want || len(a.Calls) != 1 {
				t.Errorf("%s by %d: %+v, streamed %q, %v", says, n, a, streamed, err)
			}
		}
	}
	for _, says := range []string{
		"Write <tool_call> and </tool_call> around the call.", "Use `" + call + "` to search.", `{"title": "Winter"}`, "[1] says so.",
		"```json\n{\"name\": \"pump\"}\n```",
	} {
		o, _, _ := serve(t, llm.Config{}, llmtest.Reply{Text: inPieces(says, 5)})
		if a, streamed, _, err := heard(t, o, llm.Request{}); err != nil || a.Text != says || streamed != says || len(a.Calls) > 0 {
			t.Errorf("%s: %+v, streamed %q, %v", says, a, streamed, err)
		}
	}
}
