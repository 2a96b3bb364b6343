package quote

import "docent/internal/lazyregexp"

// hint is a pattern of sentences that often answer questions of one form.
type hint struct {
	// question matches questions of the form.
	question *lazyregexp.Regexp
	// answer matches sentences that often answer them.
	answer *lazyregexp.Regexp
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
		lazyregexp.New(`(?i)\bdef[a-u]{3,5}ts?\b|out of the box|if i (?:don'?t|do not|leave|omit)|when i (?:don'?t|do not)|without (?:specifying|setting|using)|leave out|\bomit`),
		lazyregexp.New(`(?i)\bdefaults?\b|\bomitted\b|not (?:specified|given|set)|no .{1,30} (?:is|are) (?:specified|given)|\bnormally\b|\btypically\b`), 1.4,
	},
	{
		lazyregexp.New(`(?i)\bhow (?:many|much|long|big|large|often|wide|high|far|fast)\b|\b(?:max|min|maximum|minimum|limits?|sizes?|length|width|numbers?|percent|thresholds?|ports?|versions?|exit codes?|timeouts?|bytes|biggest|largest|longest|first)\b`),
		lazyregexp.New(`(?i)` + number), .8,
	},
	{
		lazyregexp.New(`(?i)\b(?:max|maximum|limit|most|biggest|largest|longest|how (?:many|long|big|large))\b`),
		lazyregexp.New(`(?i)\b(?:at most|maximum|up to|less than|limit(?:ed|s)?|no more than|must be|shorter than|cannot exceed|longest|largest|about)\b`), .6,
	},
	{
		lazyregexp.New(`(?i)\b(?:which|what) (?:\w+ ){0,2}(?:parameter|setting|variable|option|function|command|role|message|mode|type|method|keyword|clause|view|table|column|file|tool|privilege|flag|class|package|property|key|field)`),
		lazyregexp.New(identifier), .5,
	},
	{
		lazyregexp.New(`(?i)\bhow (?:do|can|to|should|would|could)\b|\bsyntax\b|^(?:create|add|remove|set|change|find|make|turn|show|list|get|run|use|install|enable|disable)\b`),
		lazyregexp.New(`(?i)\b(?:use|using|used to|can be|by (?:\w+ing|setting)|set|specif(?:y|ying|ies)|to do (?:this|so)|allows?|run|command|example)\b|` + identifier), .4,
	},
	{
		lazyregexp.New(`(?i)\b(?:format|syntax|look like|example|template)\b`),
		lazyregexp.New(`(?i)\b(?:format|syntax|form|example|follow(?:s|ing))\b|:$`), .6,
	},
	{
		lazyregexp.New(`(?i)\b(?:why|error|fail\w*|can'?t|cannot|refuse\w*|denied|not work\w*|problem|warning|wrong|invalid)\b`),
		lazyregexp.New(`(?i)\b(?:because|cannot|must|only|unless|error|fail\w*|not (?:allowed|possible|supported)|reason|caused?|usually means|instead)\b`), .4,
	},
	{
		lazyregexp.New(`(?i)^where\b|\bwhich (?:file|directory|folder)\b|\blocation\b`),
		lazyregexp.New(`(?i)\b(?:file|directory|folder|located|stored|in the)\b|[\w.%]+[/\\][\w.]+`), .5,
	},
	{
		lazyregexp.New(`(?i)^(?:what|who) (?:is|are|does)\b|\bmeaning of\b|\bdefine\b`),
		lazyregexp.New(`(?i)^\S+(?: \S+){0,4} (?:is|are|means|refers to|provides|describes|specifies|controls|determines|returns|causes|physically)\b|^(?:Sets|Specifies|Controls|Determines|Returns|Causes|Defines)\b`), .4,
	},
	{
		lazyregexp.New(`(?i)\b(?:differen\w+|compare\w*|versus|vs|or|better|instead of)\b`),
		lazyregexp.New(`(?i)\b(?:differen\w+|unlike|whereas|while|instead|in contrast|than|but|both|rather|however)\b`), .4,
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
var asksForWords = lazyregexp.New(`(?i)^(?:(?:is|are|does|do|did|can|could|may|will|would|should|must|has|have|was|were|why|` +
	`ist|sind|kann|darf|muss|warum|wieso)|(?:what|who) (?:is|are|does)|was (?:ist|sind|macht))\b`)
