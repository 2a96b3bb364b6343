package talk

import (
	"slices"
	"strings"
)

// maxSmallTalk limits the length of small talk in bytes. Longer messages ask
// something.
const maxSmallTalk = 60

// fillers may follow a phrase of small talk.
var fillers = []string{
	"there", "docent", "again", "everyone", "all", "very", "much", "so", "today", "then", "please", "bitte", "and",
	"but",
}

// talkByPhrase is the kind of small talk of each phrase, in the form of
// talkWords.
var talkByPhrase = func() map[string]*Talk {
	all := map[string]*Talk{}
	for i, t := range talks {
		for _, phrase := range t.Phrases {
			all[strings.Join(talkWords(phrase), " ")] = &talks[i]
		}
	}
	return all
}()

// talkWords returns the words of a message in lower case, without punctuation.
func talkWords(message string) []string {
	message = strings.ReplaceAll(strings.ToLower(message), "’", "'")
	return strings.FieldsFunc(message, func(r rune) bool { return strings.ContainsRune(" \t\r\n.,!?;:", r) })
}

// Small returns the kind of small talk in a message. If the message contains
// several phrases, the last one decides. Small returns nil if the message
// contains a question.
func Small(message string) *Talk {
	if len(message) > maxSmallTalk {
		return nil
	}
	var kind *Talk
	for left := talkWords(message); len(left) > 0; {
		n := len(left)
		for n > 0 && talkByPhrase[strings.Join(left[:n], " ")] == nil {
			n--
		}
		switch {
		case n > 0:
			kind = talkByPhrase[strings.Join(left[:n], " ")]
		case kind != nil && slices.Contains(fillers, left[0]):
			n = 1
		default:
			return nil
		}
		left = left[n:]
	}
	return kind
}
