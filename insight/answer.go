package insight

import (
	"context"
	"time"

	"docent/internal/fault"
	"docent/payload"
)

// Channel is the way by which a question came.
type Channel string

// The channels. The first six are also stored with sessions.
const (
	// Page is docent's page.
	Page Channel = "page"
	// Widget is the widget on other sites.
	Widget Channel = "widget"
	// WebSocket is another client of the WebSocket.
	WebSocket Channel = "websocket"
	// API is the HTTP API, also in the formats of OpenAI and AG-UI.
	API Channel = "api"
	// MCP is a client of the Model Context Protocol.
	MCP Channel = "mcp"
	// Terminal is the command line.
	Terminal Channel = "terminal"
	// Agent is another agent.
	Agent Channel = "agent"
)

// Mark is the decision of a person about a question.
type Mark string

// The marks.
const (
	// OffTopic: the question has nothing to do with the documents.
	OffTopic Mark = "off_topic"
	// Test: the question is kept for tests of quality. Retention does not remove it.
	Test Mark = "test"
)

// Answer has the facts about one answer.
type Answer struct {
	// ID orders answers of one time.
	ID int64
	// Session is the row of the session, Chat the row of the message, and Turn the turn. They are 0
	// without a conversation.
	Session, Chat, Turn int64
	// Agent and SessionID name the session. Only Store.Answer fills them.
	Agent, SessionID string
	// Time is the time of the answer.
	Time time.Time
	// Question is the question as the user asked it.
	Question string
	// Outcome says how well the documents answer it.
	Outcome payload.AnswerOutcome
	// Rating is the last rating: -1, 0, or 1.
	Rating int
	// Reason is the reason of the last rating, one of journal.Reasons, or "". Only Store.Answer fills
	// it.
	Reason string
	// Channel is the way by which the question came.
	Channel Channel
	// Asker identifies the person: a principal, or a conversation of a visitor.
	Asker string
	// Language is the ISO 639-1 code of the question's language, or "".
	Language string
	// Evidence says how well the passages support an answer, from 0 to 1. It is nil without one
	// search.
	Evidence *float64
	// Private reports that the answer used a file of its conversation. Nobody else may read it.
	Private bool
	// Gap is the id of its gap, or 0.
	Gap int64
	// Mark is the decision of a person, or "".
	Mark Mark
	// Collections are the names of the collections of the question; see Entry.
	Collections []string
	// Content is the answer as people saw it, a payload.RAGMessage. Only Store.Answer fills it.
	Content []byte
}

// Totals are the totals of a day or of several days.
type Totals struct {
	// Day is YYYY-MM-DD in UTC.
	Day string
	// Questions is the number of answers.
	Questions int64
	// Answered, Unsure, and NotFound are the answers with that outcome.
	Answered, Unsure, NotFound int64
	// RatedDown is the number of answers whose last rating is negative.
	RatedDown int64
}

// Filter selects answers. Zero fields select everything.
type Filter struct {
	// Outcomes are the selected outcomes.
	Outcomes []payload.AnswerOutcome
	// Rating selects a rating: -1 or 1.
	Rating int
	// Mark selects a mark.
	Mark Mark
	// Gap selects the questions of a gap.
	Gap int64
	// Channel selects a channel.
	Channel Channel
	// Since and Until bound the time: at Since or later, and before Until.
	Since, Until time.Time
	// Collections selects questions in at least one of these collections, at most MaxCollections.
	// nil selects all questions, and an empty list none.
	Collections []string
	// Before is the last answer of the previous page; only its Time and ID count.
	Before *Answer
	// Limit is the length of the page.
	Limit int
}

// Bounds.
const (
	// MaxCollections bounds Filter.Collections.
	MaxCollections = 100
	// MaxPage bounds Filter.Limit.
	MaxPage = 200
	// MaxQuestion bounds the kept part of a question, in bytes.
	MaxQuestion = 2000
	// MaxContent bounds the kept form of an answer without a conversation, in bytes.
	MaxContent = 64 << 10
	// Batch bounds the messages that one step of a Follower reads.
	Batch = 200
)

// Said is an answer in a conversation, as the store has it.
type Said struct {
	// Answer has Session, Chat, Turn, Time, Channel, and Asker. The other fields are empty.
	Answer Answer
	// Content is the message.
	Content []byte
	// Sender is the sender of the question, as in chat.Message.
	Sender string
}

// Entry is an answer to store.
type Entry struct {
	Answer
	// Asked are the names of the collections that the question named.
	Asked []string
	// Documents are the ids of the documents of the passages. They give the collections of a question
	// that named none.
	Documents []int64
	// Cited are the ids of the documents that the answer cites. It is empty if the documents do not
	// answer the question.
	Cited []int64
	// Forgotten excludes the facts, but not the totals.
	Forgotten bool
}

// Store keeps facts. It is safe for concurrent use.
type Store interface {
	// FollowAnswers reads the next answers of conversations, at most Batch messages, passes each to entry,
	// and stores the results and the ratings in one transaction. entry returns false for messages
	// without facts. Concurrent calls take turns. FollowAnswers returns whether there may be more.
	FollowAnswers(ctx context.Context, entry func(Said) (Entry, bool)) (more bool, err error)
	// AddAnswers stores answers without a conversation in one transaction.
	AddAnswers(ctx context.Context, entries ...Entry) error
	// ExpireAnswers removes the facts before a time, at most limit. It keeps those with the mark Test.
	ExpireAnswers(ctx context.Context, before time.Time, limit int) (removed int, err error)
	// Answers lists answers, newest first.
	Answers(ctx context.Context, f Filter) ([]Answer, error)
	// Answer returns one answer. It fails with fault.NotFound if it does not exist.
	Answer(ctx context.Context, id int64) (Answer, error)
	// MarkAnswer sets the mark of an answer. Each mark but Test removes its kept question. It fails with
	// fault.NotFound if the answer does not exist.
	MarkAnswer(ctx context.Context, id int64, mark Mark) error
	// AnswerTotals returns the totals of each day from a day on, oldest first, without days that have none.
	// The totals of several collections are added. nil means all questions.
	AnswerTotals(ctx context.Context, since string, collections []string) ([]Totals, error)
}

// NoQuestion is the error for a question that does not exist.
func NoQuestion() error {
	return fault.New(fault.NotFound, "no_question", "there is no such question")
}
