package talk

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
