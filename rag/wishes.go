package rag

// MaxInstructions limits Wishes.Instructions, in characters.
const MaxInstructions = 2000

// Wishes are the wishes of a user for all answers. They change the language and the form of answers, and nothing else: the search,
// the rights, the citations, and the checks stay.
type Wishes struct {
	// Language is the language of answers: "en", "de", or "" for the language of each question. Without a model, it
	// is that of docent's own words.
	Language string
	// Instructions are the user's own instructions for models. At most MaxInstructions.
	Instructions string
}
