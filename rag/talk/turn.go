package talk

// Role says who wrote a message.
type Role string

// The roles.
const (
	// User asked.
	User Role = "user"
	// Assistant answered.
	Assistant Role = "assistant"
)

// Turn is one earlier message of a conversation.
type Turn struct {
	// Role says who said it.
	Role Role
	// Text is what was said; of an answer, its text alone.
	Text string
}
