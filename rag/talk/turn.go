package talk

import "slices"

// Role says who wrote a message.
type Role string

// The roles.
const (
	// User is the user's role.
	User Role = "user"
	// Assistant is the assistant's role.
	Assistant Role = "assistant"
)

// Turn is an earlier message of a conversation.
type Turn struct {
	// Role is the author of the message.
	Role Role
	// Text is the text of the message. For an answer, it does not include the
	// passages.
	Text string
}

// LastAnswer returns the last message of the assistant, or "".
func LastAnswer(turns []Turn) string {
	for _, t := range slices.Backward(turns) {
		if t.Role == Assistant {
			return t.Text
		}
	}
	return ""
}

// LastQuestion returns the last message of the user that asked something of the documents, the turns before it, and the text
// of the answer to it. The question is "" if there is none.
func LastQuestion(turns []Turn) (question string, before []Turn, answer string) {
	for i, t := range slices.Backward(turns) {
		if t.Role != User || AsksNothing(t.Text) {
			continue
		}
		for _, reply := range turns[i+1:] {
			if reply.Role == Assistant {
				return t.Text, turns[:i], reply.Text
			}
		}
	}
	return "", nil, ""
}
