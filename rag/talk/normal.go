package talk

import (
	"strings"
	"unicode"
)

// written are words that people write instead of others. A message is compared with patterns after they are replaced.
var written = map[string]string{
	"u": "you", "ur": "your", "r": "are", "ya": "you", "pls": "please", "plz": "please", "thx": "thanks", "tnx": "thanks", "ty": "thanks",
	"docs": "documents", "doc": "document", "gimme": "give me", "tmrw": "tomorrow", "tmr": "tomorrow",
	"thats": "that is", "that's": "that is", "whats": "what is", "what's": "what is", "wheres": "where is", "where's": "where is",
	"whos": "who is", "who's": "who is", "hows": "how is", "how's": "how is", "its": "it is", "it's": "it is", "there's": "there is",
	"i'm": "i am", "dont": "do not", "don't": "do not", "cant": "can not", "can't": "can not", "cannot": "can not",
	"doesnt": "does not", "doesn't": "does not", "didnt": "did not", "didn't": "did not", "isnt": "is not", "isn't": "is not",
	"wasnt": "was not", "wasn't": "was not", "you're": "you are", "youre": "you are", "isn": "is not",
	"gibts": "gibt es", "gibt's": "gibt es", "gehts": "geht es", "geht's": "geht es", "wars": "war es", "war's": "war es",
	"stehts": "steht es", "weisst": "weißt", "heisst": "heißt", "fuer": "für", "ueber": "über", "tschuess": "tschüss", "tschüß": "tschüss",
	"koennen": "können", "koenntest": "könntest", "kuerzer": "kürzer", "waer": "wäre", "hast'n": "hast", "dokus": "dokumente",
	"nochmal": "noch einmal", "ne": "eine", "nen": "einen", "e-mail": "email", "emails": "email", "mails": "mail", "summarise": "summarize",
	"in-house": "in-house",
}

// fillers are words of politeness and small words that change nothing about what is asked.
var fillers = map[string]bool{
	"please": true, "kindly": true, "bitte": true, "mal": true, "eigentlich": true, "denn": true, "just": true, "lol": true,
	"haha": true, "hm": true, "hmm": true, "eh": true, "um": true, "uh": true, "halt": true, "etwa": true,
}

// normal returns the words of a message for the comparison with patterns: in lower case, without punctuation and fillers,
// and with the usual spelling. A dot, a hyphen, and an apostrophe inside a word stay, as in "price-list.csv".
func normal(message string) string { return strings.Join(normalWords(message), " ") }

func normalWords(message string) []string {
	message = strings.NewReplacer("’", "'", "‘", "'").Replace(strings.ToLower(message))
	var out []string
	for w := range strings.FieldsFuncSeq(message, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("'._-+#&@/", r)
	}) {
		w = strings.Trim(w, "'._-+#&@/")
		if as, ok := written[w]; ok {
			w = as
		}
		if w != "" && !fillers[w] {
			out = append(out, strings.Fields(w)...)
		}
	}
	return out
}
