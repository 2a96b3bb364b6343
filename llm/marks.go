package llm

import (
	"strings"

	"docent/internal/lazyregexp"
)

// reasoningWord is the part of the name of a tag that tells reasoning: of DeepSeek, Qwen, and most others (think), Claude's users
// (thinking), EXAONE and Gemini (thought), Seed-OSS (seed:think), LongCat (longcat_think), Command A (<|START_THINKING|>),
// OpenThinker (<|begin_of_thought|>), Solar (<|think|>), and prompts that ask for reasoning.
const reasoningWord = `(?:[\w:-]{0,16}(?:think|thought|reasoning|scratch_?pad|monologue|reflection)[\w-]{0,16}|cot|analysis)`

// callWord is the part of the name of a tag that tells a tool call: of Hermes and Qwen, DeepSeek, Phi and Granite, MiniMax, Kimi,
// LFM, Olmo, Jamba, Nemotron, Gemma, Seed-OSS, LongCat, GigaChat, and Step.
const callWord = `[\w:｜▁-]{0,24}(?:tool[_▁]?(?:call|use)|function[_▁]?call)[\w▁]{0,16}`

var (
	// reasoningTag matches a tag around reasoning, in lower case. Its groups are the slash and the name.
	reasoningTag = lazyregexp.New(`<\|?(/?)(` + reasoningWord + `)(?:\s[^<>|]{0,32})?\|?>`)
	// callTag matches an opening tag around a tool call.
	callTag = lazyregexp.New(`<[|｜]?` + callWord + `(?:\s[^<>|]{0,32})?[|｜]?>`)
	// begunTag matches the beginning of a tag at the end of a text.
	begunTag = lazyregexp.New(`<(?:[|｜]?/?[\w:｜▁-]{0,44}[|｜]?|[|｜]?/?(?:` + reasoningWord + `|` + callWord + `)\s[^<>|｜]{0,32}[|｜]?)$`)
	// edgeOfName matches the part of a name that says which end of the reasoning a tag is.
	edgeOfName = lazyregexp.New(`^(?:start|begin)_(?:of_)?|_(?:start|begin)$|^(?:end|stop)_(?:of_)?|_(?:end|stop)$`)
)

// thinkingFence begins a fence around reasoning, as some prompts ask for.
const thinkingFence = "```thinking\n"

// reasoningMarks are the other marks around reasoning: opening and closing.
var reasoningMarks = [][2]string{
	{"[think]", "[/think]"},                                    // Magistral
	{"&lt;think&gt;", "&lt;/think&gt;"},                        // gateways that escape HTML
	{thinkingFence, "\n```\n"},                                 // prompts
	{"**thinking:**", "**answer:**"},                           // prompts
	{"[thinking]", "[/thinking]"},                              // prompts
	{"[reasoning]", "[/reasoning]"},                            // prompts
	{"<details>\n<summary>th", "</details>"},                   // "Thought for 5 seconds", of chat clients
	{"<|channel>thought", "<channel|>"},                        // Gemma
	{"<|channel>", "<channel|>"},                               // Gemma
	{"<unused94>thought", "<unused95>"},                        // MedGemma
	{"<unused94>", "<unused95>"},                               // MedGemma
	{"<|inner_prefix|>", "<|inner_suffix|>"},                   // Apertus
	{"◁think▷", "◁/think▷"},                                    // Kimi
	{"<|im_start|>think", "<|im_start|>answer"},                // s1
	{"<details type=\"reasoning\"", "</details>"},              // Open WebUI
	{"thinking...", "...done thinking."},                       // Ollama's command line
	{"here is my thought process:", "here is my response:"},    // Granite
	{"here's my thought process:", "here's my response:"},      // Granite
	{"here are my reasoning steps:", "[begin final response]"}, // Apriel
}

// answerMarks surround the answer after the reasoning.
var answerMarks = []string{
	"<answer>", "</answer>", "<response>", "</response>", "<|start_response|>", "<|end_response|>", "<|begin_of_solution|>",
	"<|end_of_solution|>", "<final>", "</final>", "<output>", "</output>", "<conclusion>", "</conclusion>",
	"<solution>", "</solution>", "<final_answer>", "</final_answer>", "[begin final response]", "[end final response]",
}

// emphasis are marks in an answer that are left out: those of GLM-V around the result.
var emphasis = []string{"<|begin_of_box|>", "<|end_of_box|>"}

// The marks of the channels of gpt-oss (harmony).
const (
	harmonyStart   = "<|start|>"
	harmonyChannel = "<|channel|>"
	harmonyMessage = "<|message|>"
)

var harmonyEnds = []string{"<|end|>", "<|return|>", "<|call|>", harmonyStart, harmonyChannel}

// callMarks are the other marks at the beginning of a tool call in text: of Llama, Mistral, Command R, Qwen Coder, Phi, Apertus,
// InternLM, Gemma, and Claude.
var callMarks = []string{
	"<function=", "<|python_tag|>", "<|python_start|>", "[tool_calls]", "<|start_action|>", "<invoke name=", "```tool_code",
	"<tools>", "<tool name=", "<|tools_prefix|>", "<|action_start|>", "functools[",
}

// mark is a mark in a model's text.
type mark struct {
	text string // in lower case
	kind markKind
	// closing are the marks that end the reasoning that an opening one begins.
	closing []string
	// tag is the name of a tag around reasoning, without its edge, or "".
	tag string
}

type markKind int

const (
	opensReasoning markKind = iota
	closesReasoning
	opensChannel
	opensCall
	emphasizes
)

var marks = allMarks()

func allMarks() (all []mark) {
	for _, m := range reasoningMarks {
		all = append(all, mark{text: m[0], kind: opensReasoning, closing: m[1:]})
		if m[1] != "</details>" && !startsOnly(m[0]) {
			all = append(all, mark{text: m[1], kind: closesReasoning})
		}
	}
	all = append(all, mark{text: harmonyChannel, kind: opensChannel}, mark{text: harmonyStart + "assistant", kind: opensChannel})
	for _, m := range emphasis {
		all = append(all, mark{text: m, kind: emphasizes})
	}
	for _, m := range callMarks {
		all = append(all, mark{text: m, kind: opensCall})
	}
	return all
}

// startsOnly reports whether a mark is words or a fence, which mean reasoning only at the start of a text.
func startsOnly(text string) bool {
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, ":**") || strings.HasSuffix(text, "...") || text == thinkingFence
}

// firstTag returns the first tag around reasoning in a text in lower case, and its offset, or -1.
func firstTag(low string) (mark, int) {
	m := reasoningTag.FindStringSubmatchIndex(low)
	if m == nil {
		return mark{}, -1
	}
	name := low[m[4]:m[5]]
	edge := edgeOfName.FindString(name)
	out := mark{text: low[m[0]:m[1]], kind: opensReasoning, tag: strings.ReplaceAll(name, edge, "")}
	if m[3] > m[2] || strings.Contains(edge, "end") || strings.Contains(edge, "stop") {
		out.kind = closesReasoning
	}
	return out, m[0]
}

// firstMark returns the first mark in a text and its offset, or -1. If two begin at the
// same offset, the longer one counts.
func firstMark(s string, calls bool) (best mark, at int) {
	low := lowered(s)
	best, at = firstTag(low)
	better := func(m mark, i int) {
		if i >= 0 && (at < 0 || i < at || i == at && len(m.text) > len(best.text)) {
			best, at = m, i
		}
	}
	if m := callTag.FindStringIndex(low); calls && m != nil {
		better(mark{text: low[m[0]:m[1]], kind: opensCall}, m[0])
	}
	for _, m := range marks {
		if (m.kind != opensCall || calls) && !startsOnly(m.text) {
			better(m, strings.Index(low, m.text))
		}
	}
	return best, at
}

// markAtStart returns the mark at the start of a text, or false.
func markAtStart(s string, calls bool) (mark, bool) {
	low := lowered(s[:min(len(s), maxMark)])
	best, at := firstMark(low, calls)
	if at != 0 {
		best = mark{}
	}
	for _, m := range marks {
		if startsOnly(m.text) && strings.HasPrefix(low, m.text) {
			best = m
		}
	}
	return best, best.text != ""
}

// maxMark is longer than all marks, in bytes.
const maxMark = 80

// firstOf returns the first of some marks in a text and its offset, or -1.
func firstOf(s string, texts []string) (found string, at int) {
	low := lowered(s)
	at = -1
	for _, t := range texts {
		if i := strings.Index(low, t); i >= 0 && (at < 0 || i < at) {
			found, at = t, i
		}
	}
	return found, at
}

// half returns the length of the end of a text that may be the beginning of a mark.
func half(s string, texts []string) int {
	from := max(0, len(s)-maxMark)
	low := lowered(s[from:])
	for i := range len(low) {
		for _, t := range texts {
			if len(t) > len(low)-i && t[:len(low)-i] == low[i:] {
				return len(low) - i
			}
		}
	}
	return 0
}

// beginsMark reports whether a text is the beginning of one of some marks.
func beginsMark(s string, texts []string) bool {
	low := lowered(s)
	for _, t := range texts {
		if len(t) > len(low) && strings.HasPrefix(t, low) {
			return true
		}
	}
	return false
}

// halfMark returns the length of the end of a text that may be the beginning of a tag, of a mark, or of one of some texts.
func halfMark(s string, calls bool, texts ...string) int {
	tail := lowered(s[max(0, len(s)-maxMark):])
	n := max(half(s, markTexts[calls]), half(s, texts))
	if m := begunTag.FindStringIndex(tail); m != nil {
		n = max(n, m[1]-m[0])
	}
	return n
}

// beginsAnyMark reports whether a text is the beginning of a tag or of a mark.
func beginsAnyMark(s string, calls bool) bool {
	if beginsMark(s, markTexts[calls]) {
		return true
	}
	m := begunTag.FindStringIndex(lowered(s[max(0, len(s)-maxMark):]))
	return m != nil && m[0] == 0 && len(s) <= maxMark
}

// lowered returns a text with ASCII letters in lower case, byte by byte, so that cut
// characters keep their bytes.
func lowered(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// textsOf returns the texts of the marks that count.
func textsOf(calls bool) []string {
	var out []string
	for _, m := range marks {
		if m.kind != opensCall || calls {
			out = append(out, m.text)
		}
	}
	return out
}

var markTexts = map[bool][]string{false: textsOf(false), true: textsOf(true)}

// thinksAloud matches the first words of reasoning. An answer seldom begins so. A text
// that does is held back until its end shows what it is.
var thinksAloud = lazyregexp.New(`(?i)^(?:(?:okay|ok|alright|hmm+|so)[,.…]*\s+(?:so\s+)?(?:the user|let me|let's|let us|i need|i should|i have to|we need|we have)\b` +
	`|the user(?:'s question)?\s+(?:wants to know|wants|is asking|asks|asked|is looking)\b` +
	`|(?:we|i) (?:need|have) to (?:answer|find|respond|look|figure)\b|(?:we|i) should (?:answer|find|respond|look)\b` +
	`|let(?: me|'s| us) (?:think|see|look|analyze|find|read)\b|thinking process:|hmm+[,.…])`)

// thinkingStarts are the beginnings of texts that thinksAloud needs more of.
var thinkingStarts = []string{
	"okay", "ok", "alright", "hmm", "so", "the user", "we ", "i ", "let me", "let's", "let us", "thinking process",
}

// aloudBytes is the length of text that thinksAloud needs.
const aloudBytes = 48

// mayThinkAloud reports whether more text may match thinksAloud.
func mayThinkAloud(s string) bool {
	if len(s) >= aloudBytes {
		return false
	}
	low := lowered(s)
	for _, t := range thinkingStarts {
		if strings.HasPrefix(low, t) || strings.HasPrefix(t, low) {
			return true
		}
	}
	return false
}

// bareAnalysis matches the analysis of gpt-oss from a server that drops the marks of
// channels: the name of the channel and its text in one word.
var bareAnalysis = lazyregexp.New(`^(?:analysis|commentary)["'“(\[]?[A-Z0-9]`)

// bareFinals begin the answer, or a call, after bareAnalysis.
var bareFinals = []string{"assistantfinal", "assistant final", "assistant\nfinal", "assistantcommentary "}

// bareCall matches a call of gpt-oss from such a server.
var bareCall = lazyregexp.New(`(?s)^(?:commentary )?to=(?:functions\.)?([\w.-]+).*?(\{.*\})\s*$`)

// inCode reports whether the end of a text is in a code span or in a fenced block.
func inCode(s string) bool {
	fenced := false
	last := ""
	for line := range strings.Lines(s) {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") {
			fenced = !fenced
		}
		last = line
	}
	return fenced || !strings.HasSuffix(last, "\n") && strings.Count(last, "`")%2 != 0
}
