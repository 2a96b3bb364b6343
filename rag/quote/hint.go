package quote

import "regexp"

// hint is a pattern of sentences that often answer questions of one form.
type hint struct {
	// question matches questions of the form.
	question *regexp.Regexp
	// answer matches sentences that often answer them.
	answer *regexp.Regexp
	// weight is the weight of a match, about 1.
	weight float64
}

// number matches a figure, in digits or as a word.
const number = `\d|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand|million)\b`

// identifier matches text that users type exactly: names with underscores or
// inner capitals, words in capitals, options, paths, and variables.
const identifier = `[A-Za-z]\w*_\w+|\b[A-Z]{3,}\b|\b[a-z]+[A-Z]\w+|(?:^|\s)--?[a-zA-Z]|[\w.]/\w|\$\w|%\w+%|\.[a-z]{2,4}\b`

// answerHints are the forms of questions with their hints.
var answerHints = []hint{
	{
		regexp.MustCompile(`(?i)\bdef[a-u]{3,5}ts?\b|out of the box|if i (?:don'?t|do not|leave|omit)|when i (?:don'?t|do not)|without (?:specifying|setting|using)|leave out|\bomit`),
		regexp.MustCompile(`(?i)\bdefaults?\b|\bomitted\b|not (?:specified|given|set)|no .{1,30} (?:is|are) (?:specified|given)|\bnormally\b|\btypically\b`), 1.4,
	},
	{
		regexp.MustCompile(`(?i)\bhow (?:many|much|long|big|large|often|wide|high|far|fast)\b|\b(?:max|min|maximum|minimum|limits?|sizes?|length|width|numbers?|percent|thresholds?|ports?|versions?|exit codes?|timeouts?|bytes|biggest|largest|longest|first)\b`),
		regexp.MustCompile(`(?i)` + number), .8,
	},
	{
		regexp.MustCompile(`(?i)\b(?:max|maximum|limit|most|biggest|largest|longest|how (?:many|long|big|large))\b`),
		regexp.MustCompile(`(?i)\b(?:at most|maximum|up to|less than|limit(?:ed|s)?|no more than|must be|shorter than|cannot exceed|longest|largest|about)\b`), .6,
	},
	{
		regexp.MustCompile(`(?i)\b(?:which|what) (?:\w+ ){0,2}(?:parameter|setting|variable|option|function|command|role|message|mode|type|method|keyword|clause|view|table|column|file|tool|privilege|flag|class|package|property|key|field)`),
		regexp.MustCompile(identifier), .5,
	},
	{
		regexp.MustCompile(`(?i)\bhow (?:do|can|to|should|would|could)\b|\bsyntax\b|^(?:create|add|remove|set|change|find|make|turn|show|list|get|run|use|install|enable|disable)\b`),
		regexp.MustCompile(`(?i)\b(?:use|using|used to|can be|by (?:\w+ing|setting)|set|specif(?:y|ying|ies)|to do (?:this|so)|allows?|run|command|example)\b|` + identifier), .4,
	},
	{
		regexp.MustCompile(`(?i)\b(?:format|syntax|look like|example|template)\b`),
		regexp.MustCompile(`(?i)\b(?:format|syntax|form|example|follow(?:s|ing))\b|:$`), .6,
	},
	{
		regexp.MustCompile(`(?i)\b(?:why|error|fail\w*|can'?t|cannot|refuse\w*|denied|not work\w*|problem|warning|wrong|invalid)\b`),
		regexp.MustCompile(`(?i)\b(?:because|cannot|must|only|unless|error|fail\w*|not (?:allowed|possible|supported)|reason|caused?|usually means|instead)\b`), .4,
	},
	{
		regexp.MustCompile(`(?i)^where\b|\bwhich (?:file|directory|folder)\b|\blocation\b`),
		regexp.MustCompile(`(?i)\b(?:file|directory|folder|located|stored|in the)\b|[\w.%]+[/\\][\w.]+`), .5,
	},
	{
		regexp.MustCompile(`(?i)^(?:what|who) (?:is|are|does)\b|\bmeaning of\b|\bdefine\b`),
		regexp.MustCompile(`(?i)^\S+(?: \S+){0,4} (?:is|are|means|refers to|provides|describes|specifies|controls|determines|returns|causes|physically)\b|^(?:Sets|Specifies|Controls|Determines|Returns|Causes|Defines)\b`), .4,
	},
	{
		regexp.MustCompile(`(?i)\b(?:differen\w+|compare\w*|versus|vs|or|better|instead of)\b`),
		regexp.MustCompile(`(?i)\b(?:differen\w+|unlike|whereas|while|instead|in contrast|than|but|both|rather|however)\b`), .4,
	},
}

// hintsFor returns the hints for a question.
func hintsFor(question string) []hint {
	var out []hint
	for _, h := range answerHints {
		if h.question.MatchString(question) {
			out = append(out, h)
		}
	}
	return out
}

// asksForWords matches questions that code rarely answers: yes-or-no questions,
// definitions, and questions for a reason.
var asksForWords = regexp.MustCompile(`(?i)^(?:(?:is|are|does|do|did|can|could|may|will|would|should|must|has|have|was|were|why|` +
	`ist|sind|kann|darf|muss|warum|wieso)|(?:what|who) (?:is|are|does)|was (?:ist|sind|macht))\b`)
