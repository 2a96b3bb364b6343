package llm

import (
	"strings"

	"docent/internal/lazyregexp"
)

// reasoningTags are the names of tags around reasoning: of DeepSeek, Qwen, and most
// others (think), Claude's users (thinking), EXAONE (thought), Seed-OSS (seed:think),
// and prompts that ask for reasoning.
var reasoningTags = []string{
	"think", "thinking", "thought", "thoughts", "think_fast", "think_faster",
	"reasoning", "seed:think", "antthinking", "reflection", "scratchpad", "inner_monologue",
}

// reasoningMarks are the other marks around reasoning: opening and closing.
var reasoningMarks = [][2]string{
	{"[think]", "[/think]"},                                 // Magistral
	{"<|channel>thought", "<channel|>"},                     // Gemma
	{"<|channel>", "<channel|>"},                            // Gemma
	{"<unused94>thought", "<unused95>"},                     // MedGemma
	{"<unused94>", "<unused95>"},                            // MedGemma
	{"<|start_thinking|>", "<|end_thinking|>"},              // Command A
	{"<|begin_of_thought|>", "<|end_of_thought|>"},          // OpenThinker, Sky-T1
	{"<|inner_prefix|>", "<|inner_suffix|>"},                // Apertus
	{"<|think|>", "<|/think|>"},                             // Solar
	{"◁think▷", "◁/think▷"},                                 // Kimi
	{"<details type=\"reasoning\"", "</details>"},           // Open WebUI
	{"here is my thought process:", "here is my response:"}, // Granite
	{"here's my thought process:", "here's my response:"},   // Granite
}

// answerMarks surround the answer after the reasoning.
var answerMarks = []string{
	"<answer>", "</answer>", "<response>", "</response>", "<|start_response|>", "<|end_response|>", "<|begin_of_solution|>",
	"<|end_of_solution|>", "<final>", "</final>", "<output>", "</output>", "<conclusion>", "</conclusion>",
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

// callMarks begin a tool call in text: of Hermes and Qwen, Llama, Mistral, DeepSeek,
// Phi and Granite, Command R, MiniMax, Kimi, LFM, Olmo, Jamba, Nemotron, Apertus, InternLM,
// Gemma, and Step.
var callMarks = []string{
	"<tool_call>", "<function=", "<function_call>", "<functioncall>", "<|python_tag|>", "[tool_calls]",
	"<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>",
	"<|tool_call|>", "<|tool_call>", "<|start_action|>", "<invoke name=", "<minimax:tool_call>", "<|tool_calls_section_begin|>",
	"<|tool_call_start|>", "<tool_use>", "```tool_code", "<seed:tool_call>", "<function_calls>", "<tool_calls>", "<toolcall>", "<tools>",
	"<｜dsml｜function_calls>", "<｜tool_calls_begin｜>", "<|tools_prefix|>", "<|action_start|>", "<start_function_call>",
}

// mark is a mark in a model's text.
type mark struct {
	text string // in lower case
	kind markKind
	// closing are the marks that end the reasoning that an opening one begins.
	closing []string
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

// reasoningTagMarks are the opening and closing tags of reasoning.
var reasoningTagMarks = tagMarks()

func tagMarks() (all []string) {
	for _, name := range reasoningTags {
		all = append(all, "<"+name+">", "</"+name+">")
	}
	return all
}

func allMarks() (all []mark) {
	var tags []string
	for _, name := range reasoningTags {
		tags = append(tags, "</"+name+">")
	}
	for i, name := range reasoningTags {
		all = append(all, mark{"<" + name + ">", opensReasoning, tags}, mark{tags[i], closesReasoning, nil})
	}
	for _, m := range reasoningMarks {
		all = append(all, mark{m[0], opensReasoning, m[1:]})
		if m[1] != "</details>" && !strings.HasSuffix(m[1], ":") {
			all = append(all, mark{m[1], closesReasoning, nil})
		}
	}
	all = append(all, mark{harmonyChannel, opensChannel, nil}, mark{harmonyStart + "assistant", opensChannel, nil})
	for _, m := range emphasis {
		all = append(all, mark{m, emphasizes, nil})
	}
	for _, m := range callMarks {
		all = append(all, mark{m, opensCall, nil})
	}
	return all
}

// firstMark returns the first mark in a text and its offset, or -1. If two begin at the
// same offset, the longer one counts.
func firstMark(s string, calls bool) (mark, int) {
	low := lowered(s)
	best, at := mark{}, -1
	for _, m := range marks {
		if m.kind == opensCall && !calls || strings.HasSuffix(m.text, ":") {
			continue
		}
		if i := strings.Index(low, m.text); i >= 0 && (at < 0 || i < at || i == at && len(m.text) > len(best.text)) {
			best, at = m, i
		}
	}
	return best, at
}

// markAtStart returns the mark at the start of a text, or false.
func markAtStart(s string, calls bool) (mark, bool) {
	low := lowered(s[:min(len(s), maxMark)])
	best, ok := mark{}, false
	for _, m := range marks {
		if (m.kind != opensCall || calls) && strings.HasPrefix(low, m.text) && len(m.text) > len(best.text) {
			best, ok = m, true
		}
	}
	return best, ok
}

// maxMark is longer than all marks, in bytes.
const maxMark = 48

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
var bareAnalysis = lazyregexp.New(`^analysis["'“(\[]?[A-Z0-9]`)

// bareFinals begin the answer after bareAnalysis.
var bareFinals = []string{"assistantfinal", "assistant final", "assistant\nfinal"}

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
