package talk

import (
	"slices"
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// FollowUp is a message behind an earlier question, with the ways to read it. The message alone is one way; the words of the
// documents decide between them.
type FollowUp struct {
	// Message is the message.
	Message string
	// Earlier is the question before it as a whole question.
	Earlier string
	// Whole is Earlier, completed with the message or with its part.
	Whole string
	// Searched is Whole for a search in all documents: with the beginning of the last answer, if the message refers back.
	Searched string
	// Part is the text that is new in the message: all of it, or the subject in "what about sick leave?".
	Part string
	// Bound reports that the message cannot stand alone: it refers back, omits its subject, or corrects the question before it.
	Bound bool
	// Corrects reports that the message takes back a part of the question before it.
	Corrects bool
	// Asks reports that the message has the form of a question. A part such as "on Windows" asks in the same way as Earlier.
	Asks bool
	// Replaced reports that the part has taken the place of another one in Whole.
	Replaced bool
}

// Follow returns the readings of a message behind earlier turns. It returns false if there is no question before it.
func Follow(message string, turns []Turn) (FollowUp, bool) {
	message = strings.TrimSpace(message)
	earlier := lastAsked(turns)
	if earlier == "" || message == "" || AsksNothing(message) {
		return FollowUp{}, false
	}
	f := FollowUp{
		Message: message, Earlier: earlier, Whole: earlier + "\n" + message, Part: message, Bound: Leans(message),
		Asks: strings.HasSuffix(message, "?") || asksFirst.MatchString(message),
	}
	if c, ok := Continues(message, turns); ok {
		f.Whole, f.Replaced = c.Whole, c.Replaced
		f.Bound = f.Bound || !c.Bare
		f.Asks = false
		if c.Part != "" {
			f.Part, f.Asks = c.Part, asksFirst.MatchString(c.Part)
			f.Corrects = corrections[0].MatchString(message) || corrections[1].MatchString(message) || corrections[2].MatchString(message)
		}
	} else if f.Bound {
		f.Whole, f.Searched = AskedText(message, turns), SearchText(message, turns)
	}
	if f.Searched == "" {
		f.Searched = f.Whole
	}
	return f, true
}

// Own returns the stems of the words of the part that name something. Everyday words, such as "whole" and "next", do not.
func (f FollowUp) Own() []string {
	language := text.Language(f.Message)
	from := len(asksFirst.FindString(f.Part))
	var out []string
	for _, w := range text.Words(f.Part) {
		written := f.Part[w.Start:w.End]
		empty := isStop(written, w.Stem, language) || slices.Contains(meaningless, w.Stem) || text.IsEveryday(written)
		if w.Start >= from && !w.Part && !empty {
			out = append(out, w.Stem)
		}
	}
	return out
}

// maxExchanged limits the questions of Exchanged.
const maxExchanged = 24

// Exchanged returns whole questions in which the words of the part are added to the earlier question, or stand in the place of
// one or two of its words. The first ones keep more of the earlier question. Only data can tell which of them makes sense.
func (f FollowUp) Exchanged() []string {
	if strings.Contains(f.Earlier, "\n") {
		return nil
	}
	language := text.Language(f.Earlier)
	fresh := slices.DeleteFunc(wholeWords(f.Part, language), func(w word) bool { return w.stop || text.IsEveryday(w.text) })
	if len(fresh) == 0 || len(fresh) > maxContrast {
		return nil
	}
	names := make([]string, len(fresh))
	for i, w := range fresh {
		names[i] = w.text
	}
	part := strings.Join(names, " ")
	earlier := strings.TrimRight(f.Earlier, " ?!.")
	var out []string
	if f.Replaced {
		out = append(out, f.Whole)
	}
	out = append(out, earlier+" "+part+"?")
	old := wholeWords(earlier, language)
	for n := range 2 {
		for i := len(old) - 1 - n; i >= 0; i-- {
			if old[i].stop || old[i+n].stop || len(out) == maxExchanged {
				continue
			}
			out = append(out, earlier[:old[i].start]+part+earlier[old[i+n].end:]+"?")
		}
	}
	return out
}

// announcedSubject matches the announcement of another subject in front of a question.
var announcedSubject = lazyregexp.New(`(?i)^(?:(?:now|and|but|so|just|one|on|to|a|an|und|aber|jetzt|noch|mal|zu|eine?|ein|was|ganz) )*` +
	`(?:(?:other|another|different|unrelated|new|next|last|separate) (?:thing|question|topic|subject|matter|one)|something (?:else|different)|` +
	`(?:andere|neue|nächste|letzte|weitere)[rsn]? (?:frage|sache|thema)|anderes|themenwechsel)(?: entirely)?\s*[:,;.!–—-]+\s*`)

// NewSubject returns a message without the small talk and the announcement of another subject in front of it, as in "ok thanks.
// other thing: who runs the shop?". It is not ok if the message announces no other subject.
func NewSubject(message string) (rest string, ok bool) {
	message = strings.TrimSpace(message)
	rest = withoutGreeting(message)
	if at := announcedSubject.FindStringIndex(rest); at != nil && at[1] < len(rest) {
		return rest[at[1]:], true
	}
	return message, false
}
