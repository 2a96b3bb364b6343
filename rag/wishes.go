package rag

// MaxInstructions limits Wishes.Instructions, in characters.
const MaxInstructions = 2000

// Wishes are the wishes of a user for all answers. They change the language and the form of answers, and nothing else: the search,
// the rights, the citations, and the checks stay.
type Wishes struct {
	// Language is the language of answers, such as "fr", or "" for the language of each question. It has a name.
	// Models write it. docent's own sentences are in German for "de", and otherwise in English.
	Language string
	// Instructions are the user's own instructions for models. At most MaxInstructions.
	Instructions string
}

// languageNames are the English names of the languages that a user can wish for, by their ISO 639-1 codes. A model writes them.
var languageNames = map[string]string{
	"de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian", "nl": "Dutch", "pt": "Portuguese",
}

// LanguageName returns the English name of a language that a user can wish for, or "".
func LanguageName(code string) string { return languageNames[code] }
