package talk

import (
	"slices"

	"docent/internal/fault"
)

// Talk is a kind of small talk. Documents cannot answer it.
type Talk struct {
	// Name is the short, unique name of the kind. Description explains the kind.
	Name, Description string
	// Reply is the answer without a model.
	Reply fault.Text
}

// Names of kinds that a chat model answers if there is one.
const (
	// Complaint is the name of the kind that says that an answer was no good.
	Complaint = "complaint"
	// Vague is the name of the kind that has no subject.
	Vague = "vague"
	// Outside is the name of the kind that asks for the time, the weather, or a joke.
	Outside = "outside"
)

// Unclear asks for the subject of a message.
var Unclear = fault.NewText("talk_vague", "What is it about? Name the program, the device, or the document, and say what you want or what happens.")

// Talks returns all kinds of small talk.
func Talks() []Talk { return slices.Clone(talks) }

var talks = []Talk{
	{
		Name: "hello", Description: "greets",
		Reply: fault.NewText("talk_hello", "Hello! What would you like to know from your documents?"),
	},
	{
		Name: "thanks", Description: "thanks",
		Reply: fault.NewText("talk_thanks", "You're welcome."),
	},
	{
		Name: "bye", Description: "says goodbye",
		Reply: fault.NewText("talk_bye", "Goodbye!"),
	},
	{
		Name: "who", Description: "asks who or what it talks to",
		Reply: fault.NewText("talk_who", "I am a program, not a person. I look up answers in your documents and show the passages behind them."),
	},
	{
		Name: "help", Description: "asks for help in general, or what it can do",
		Reply: fault.NewText("talk_help", "Ask me a question in your own words. I answer from your documents and show the passages. "+
			"You can also ask which documents there are, what one of them is about, or when it was changed."),
	},
	{
		Name: "trust", Description: "asks whether the answers are reliable",
		Reply: fault.NewText("talk_trust", "I quote your documents and show the passages behind each answer, so that you can check it. "+
			"A document can be wrong or out of date, and I can miss a passage. Check important answers in the source."),
	},
	{
		Name: "origin", Description: "asks where the answers come from",
		Reply: fault.NewText("talk_origin", "My answers come from the documents of this server and from files that you attach. "+
			"Each answer shows its passages. Ask \"Which documents are there?\" for a list."),
	},
	{
		Name: "privacy", Description: "asks who sees the messages, and whether they are stored",
		Reply: fault.NewText("talk_privacy", "This server stores the conversation, so that you can continue it. Other users do not see it. "+
			"The people who run the server can read the stored data. If the server uses a chat model, the model gets your question and the passages that were found."),
	},
	{
		Name: "languages", Description: "asks which languages it understands",
		Reply: fault.NewText("talk_languages", "Write in your own language. I know English and German best, and I quote documents in the language in which they are written."),
	},
	{
		Name: "mood", Description: "asks how it is",
		Reply: fault.NewText("talk_mood", "I am a program, so I am always ready. What would you like to know from your documents?"),
	},
	{
		Name: "praise", Description: "praises",
		Reply: fault.NewText("talk_praise", "Glad that it helped."),
	},
	{
		Name: Complaint, Description: "says that an answer was no good",
		Reply: fault.NewText("talk_complaint", "Sorry about that. Look at the passages of the answer. Other words, or the name of the document, may find better passages."),
	},
	{
		Name: Vague, Description: "asks for help without a subject",
		Reply: Unclear,
	},
	{
		Name: "ok", Description: "agrees, or has understood",
		Reply: fault.NewText("talk_ok", "All right."),
	},
	{
		Name: "stop", Description: "wants to leave it at that",
		Reply: fault.NewText("talk_stop", "All right, let us leave it at that."),
	},
	{
		Name: Outside, Description: "asks for what no documents hold, such as the time",
		Reply: fault.NewText("talk_outside", "I only know your documents. I know neither the time, the weather, nor the news, and no jokes."),
	},
}
