package payload

// Action says what a frame is.
type Action string

// BAF's actions that clients send.
const (
	// UserMessage is what the user says: text, or any JSON.
	UserMessage Action = "user_message"
	// UserSetVariable stores session variables: an object of them.
	UserSetVariable Action = "user_set_variable"
	// Reset empties the session and greets again.
	Reset Action = "reset"
	// FetchUserMessages asks for what was said before the connection.
	FetchUserMessages Action = "fetch_user_messages"
)

// BAF's actions that the server sends.
const (
	// ReplyStr is plain text.
	ReplyStr Action = "agent_reply_str"
	// ReplyMarkdown is Markdown text.
	ReplyMarkdown Action = "agent_reply_markdown"
	// ReplyRAG is a RAGMessage.
	ReplyRAG Action = "agent_reply_rag"
)

// Actions of docent.v1, which BAF does not know.
const (
	// HelloAction opens a docent.v1 conversation; clients send it first.
	HelloAction Action = "hello"
	// WelcomeAction answers it with a Welcome.
	WelcomeAction Action = "welcome"
	// AckAction says that a message is stored; an Ack.
	AckAction Action = "ack"
	// StatusAction says how far a turn is; a Status.
	StatusAction Action = "status"
	// DeltaAction is a piece of an answer in the making; a Delta.
	DeltaAction Action = "agent_reply_delta"
	// TurnFinishedAction ends a turn; a TurnFinished.
	TurnFinishedAction Action = "turn_finished"
	// ErrorAction says what went wrong; an Error.
	ErrorAction Action = "error"
)

// The types under which messages are stored, as BAF names them in chat.type.
const (
	// TypeStr is plain text.
	TypeStr = "str"
	// TypeMarkdown is Markdown text.
	TypeMarkdown = "markdown"
	// TypeJSON is a user's message that is a JSON object.
	TypeJSON = "json"
	// TypeRAG is a RAGMessage.
	TypeRAG = "rag_answer"
)

// ReplayAction is the action that shows a stored message again; false for a
// type that is not shown.
func ReplayAction(chatType string, isUser bool) (Action, bool) {
	switch {
	case isUser && (chatType == TypeStr || chatType == TypeJSON):
		return UserMessage, true
	case isUser:
		return "", false
	case chatType == TypeStr || chatType == TypeJSON:
		return ReplyStr, true
	case chatType == TypeMarkdown:
		return ReplyMarkdown, true
	case chatType == TypeRAG:
		return ReplyRAG, true
	default:
		return "", false
	}
}
