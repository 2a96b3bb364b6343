package rag

import (
	"regexp"
	"strings"
)

// smallTalkReply answers small talk where there is no model.
const smallTalkReply = "Happy to help: I answer questions from your documents and show where each answer stands. Ask me something that is written in them."

// maxSmallTalk bounds small talk, in bytes; what is longer asks something.
const maxSmallTalk = 60

// talk matches what is said without asking for anything that documents hold. A
// phrase has to be the whole message.
var talk = regexp.MustCompile(`(?i)^(?:(?:` +
	`hello|hi|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day|night)|` +
	`thanks|thank you|thank you so much|thanks a lot|many thanks|thx|cheers|much appreciated|` +
	`bye|goodbye|see you|see you later|` +
	`ok|okay|great|cool|nice|perfect|awesome|` +
	`how are you|how are you doing|how do you do|how is it going|what['’]?s up|nice to meet you|` +
	`who are you|what are you|what can you do|how can you help(?: me)?|help|help me` +
	`)(?: (?:there|docent|again|everyone|all|very much|today))?[\s.,!?;:]*)+$`)

// smallTalk reports whether a message is small talk: a greeting, thanks, or a
// question about who answers.
func smallTalk(message string) bool {
	if len(message) > maxSmallTalk {
		return false
	}
	return talk.MatchString(strings.Join(strings.Fields(message), " "))
}
