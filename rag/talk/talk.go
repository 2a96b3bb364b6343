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
	// Phrases are typical messages of the kind.
	Phrases []string
}

// Complaint is the name of the kind that says that an answer was no good.
const Complaint = "complaint"

// Talks returns all kinds of small talk.
func Talks() []Talk { return slices.Clone(talks) }

var talks = []Talk{
	{
		Name: "hello", Description: "greets",
		Reply: fault.NewText("talk_hello", "Hello! What would you like to know from your documents?"),
		Phrases: []string{
			"hello", "hi", "hey", "hiya", "howdy", "greetings", "hello there", "hi there", "hello docent", "hi docent", "hey there", "good morning",
			"good afternoon",
			"good evening", "good day", "nice to meet you", "pleased to meet you", "hallo", "guten Tag", "guten Morgen", "guten Abend", "moin",
			"servus",
		},
	},
	{
		Name: "thanks", Description: "thanks",
		Reply: fault.NewText("talk_thanks", "You're welcome."),
		Phrases: []string{
			"thanks", "thank you", "thank you very much", "thank you so much", "thanks a lot", "many thanks", "thx", "cheers", "much appreciated",
			"I appreciate it", "thanks for your help", "thank you for the answer", "thanks for the answer", "thanks for the quick help",
			"thanks, that helped", "ok thanks", "great, thanks",
			"danke", "danke schön", "danke sehr", "vielen Dank", "besten Dank",
		},
	},
	{
		Name: "bye", Description: "says goodbye",
		Reply: fault.NewText("talk_bye", "Goodbye!"),
		Phrases: []string{
			"bye", "bye bye", "goodbye", "good bye", "good night", "see you", "see you later", "see you tomorrow", "have a nice day",
			"have a good day", "take care",
			"tschüss", "tschüß", "auf Wiedersehen", "bis bald", "bis später", "gute Nacht",
		},
	},
	{
		Name: "who", Description: "asks who or what it talks to",
		Reply: fault.NewText("talk_who", "I am a program, not a person. I look up answers in your documents and show the passages behind them."),
		Phrases: []string{
			"who are you", "what are you", "who is this", "who am I talking to", "what is your name", "what's your name", "do you have a name",
			"are you a human", "are you human", "are you a robot", "are you a bot", "are you a person", "are you a real person", "are you an AI",
			"are you real",
			"are you a machine", "are you a program", "are you ChatGPT", "am I talking to a human", "who made you", "tell me about yourself",
			"introduce yourself",
			"wer bist du", "was bist du", "wer sind Sie", "wie heißt du", "bist du ein Mensch", "bist du ein Roboter",
		},
	},
	{
		Name: "help", Description: "asks for help in general, or what it can do",
		Reply: fault.NewText("talk_help", "Ask me a question in your own words. I answer from your documents and show the passages."),
		Phrases: []string{
			"help", "help me", "please help", "please help me", "can you help me", "can you help", "could you help me", "I need help",
			"I need some help", "I need your help",
			"what can you do", "what can you do for me", "what do you do", "how can you help", "how can you help me", "what can you help me with",
			"how does this work", "how do I use this", "how do I use you", "how do you work", "what is this", "what can I do here", "how do I start",
			"where do I start",
			"I have a question", "can I ask you something", "can I ask a question",
			"Hilfe", "hilf mir", "kannst du mir helfen", "können Sie mir helfen", "ich brauche Hilfe", "was kannst du", "wie funktioniert das",
		},
	},
	{
		Name: "mood", Description: "asks how it is",
		Reply: fault.NewText("talk_mood", "I am a program, so I am always ready. What would you like to know from your documents?"),
		Phrases: []string{
			"how are you", "how are you doing", "how are you today", "how are you doing this morning", "how do you do", "how is it going",
			"how's it going", "what's up", "what is up", "how have you been", "how do you feel", "are you ok",
			"are you there", "wie geht es dir", "wie geht's", "wie geht es Ihnen",
		},
	},
	{
		Name: "praise", Description: "praises",
		Reply: fault.NewText("talk_praise", "Glad that it helped."),
		Phrases: []string{
			"great", "great answer", "good answer", "nice answer", "perfect answer", "excellent answer", "good job", "well done", "nice",
			"nice work", "perfect", "awesome", "excellent", "wonderful",
			"amazing", "cool", "very good", "very helpful", "that was helpful", "that helped", "that is great", "that's great", "you are great",
			"you're the best", "you are awesome", "I love it", "I like you",
			"that is right", "that's correct", "super", "toll", "sehr gut", "prima", "gute Antwort",
		},
	},
	{
		Name: Complaint, Description: "says that an answer was no good",
		Reply: fault.NewText("talk_complaint", "Sorry about that. Look at the passages of the answer. Other words, or the name of the document, may find better passages."),
		Phrases: []string{
			"that is wrong", "that's wrong", "wrong", "wrong answer", "bad answer", "that is not right", "that's not what I asked",
			"that is not what I meant",
			"that does not help", "that didn't help", "this is useless", "you are useless", "you are wrong", "that makes no sense", "bad bot",
			"das ist falsch", "falsche Antwort",
		},
	},
	{
		Name: "ok", Description: "agrees, or has understood",
		Reply: fault.NewText("talk_ok", "All right."),
		Phrases: []string{
			"ok", "okay", "alright", "all right", "fine", "got it", "I see", "I understand", "understood", "sounds good", "makes sense",
			"good to know", "good", "sure", "right",
			"aha", "alles klar", "verstanden", "gut", "in Ordnung",
		},
	},
	{
		Name: "stop", Description: "wants to leave it at that",
		Reply: fault.NewText("talk_stop", "All right, let us leave it at that."),
		Phrases: []string{
			"stop", "stop it", "please stop", "cancel", "quit", "exit", "never mind", "nevermind", "forget it", "forget about it", "no thanks",
			"no thank you", "leave me alone", "that is all", "that's all",
			"nothing", "nothing else", "I'm done", "we are done", "stopp", "abbrechen", "vergiss es", "schon gut", "nein danke", "das war's",
		},
	},
	{
		Name: "outside", Description: "asks for what no documents hold, such as the time",
		Reply: fault.NewText("talk_outside", "I only know your documents. I know neither the time, the weather, nor the news, and no jokes."),
		Phrases: []string{
			"what time is it", "what time is it now", "what's the time", "what is the time", "what day is it", "what day is today",
			"what is today's date", "what is the date today",
			"what's the weather", "what is the weather like", "how is the weather", "what's the weather today", "will it rain today", "what's new",
			"what is in the news", "tell me a joke",
			"do you know a joke", "sing a song", "tell me a story", "I love you", "how old are you", "where are you", "where do you live",
			"where are you from",
			"wie spät ist es", "wie ist das Wetter", "erzähl mir einen Witz",
		},
	},
}
