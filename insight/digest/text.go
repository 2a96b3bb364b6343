package digest

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"docent/insight"
	"docent/insight/today"
)

// Languages are the languages of the texts.
var Languages = []string{"en", "de", "fr", "es"}

// Digest is the content of a digest for one recipient.
type Digest struct {
	// Things are things to do, worst first.
	Things []today.Thing
	// Month are the totals of the last 30 days, and Week of the last seven.
	Month, Week insight.Totals
	// Collections are those of a manager; nil means everything.
	Collections []string
	// At is the time, in the time zone of the server.
	At time.Time
}

// Subject returns the subject of a mail.
func (d Digest) Subject(language string) string {
	w := wordsOf(language)
	if n := len(d.Things); n > 0 {
		return w.subject(n)
	}
	return w.quiet
}

// Text returns the digest as text: the view Today of the console.
func (d Digest) Text(language string) string {
	w := wordsOf(language)
	colon := cmp.Or(w.colon, ":")
	var b strings.Builder
	day := d.At.Format(w.day)
	if d.Collections == nil {
		fmt.Fprintln(&b, w.all(day))
	} else {
		fmt.Fprintln(&b, w.some(day, strings.Join(d.Collections, ", ")))
	}
	fmt.Fprintf(&b, "\n%s\n", w.things)
	if len(d.Things) == 0 {
		fmt.Fprintf(&b, "\n- %s\n", w.nothing)
	}
	var level today.Level
	for _, t := range d.Things {
		if t.Level != level {
			level = t.Level
			fmt.Fprintf(&b, "\n%s%s\n", w.levels[level], colon)
		}
		fmt.Fprintf(&b, "- %s\n", oneLine(w.thing(t, d.At)))
	}
	fmt.Fprintf(&b, "\n%s\n\n", w.questions)
	for _, row := range []struct {
		name        string
		month, week int64
	}{
		{w.asked, d.Month.Questions, d.Week.Questions},
		{w.answered, d.Month.Answered, d.Week.Answered},
		{w.lacking, d.Month.Unsure + d.Month.NotFound, d.Week.Unsure + d.Week.NotFound},
		{w.down, d.Month.RatedDown, d.Week.RatedDown},
	} {
		fmt.Fprintf(&b, "- %s%s %s\n", row.name, colon, w.numbers(row.month, row.week))
	}
	fmt.Fprintf(&b, "\n%s\n", w.end)
	return b.String()
}

// words are the texts in one language.
type words struct {
	day                               string // a layout for a day
	quiet, things, nothing, questions string
	asked, answered, lacking, down    string
	end                               string
	colon                             string // behind names; default ":"
	levels                            map[today.Level]string
	subject                           func(things int) string
	all                               func(day string) string
	some                              func(day, collections string) string
	numbers                           func(month, week int64) string
	thing                             func(t today.Thing, now time.Time) string
}

func wordsOf(language string) words {
	switch language {
	case "de":
		return german
	case "fr":
		return french
	case "es":
		return spanish
	}
	return english
}

// days returns the whole days from a time to now, at least one.
func days(since, now time.Time) int64 { return max(1, int64(now.Sub(since)/(24*time.Hour))) }

// count returns a number with its noun.
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

var english = words{
	day: "January 2, 2006", quiet: "docent: nothing to do", things: "TO DO", nothing: "Nothing to do. Everything works.",
	questions: "QUESTIONS", asked: "Questions", answered: "Answered", lacking: "Not found or unsure", down: "Rated down",
	end:     "docent sends this once a week. Open the view Today of the console for the details.",
	levels:  map[today.Level]string{today.Urgent: "Now", today.Soon: "Soon", today.Note: "When there is time"},
	subject: func(n int) string { return "docent: " + count(int64(n), "thing to do", "things to do") },
	all:     func(day string) string { return "docent on " + day },
	some: func(day, collections string) string {
		return "docent on " + day + ", in your collections: " + collections
	},
	numbers: func(month, week int64) string { return fmt.Sprintf("%d in 30 days, %d in the last 7", month, week) },
	thing:   englishThing,
}

func englishThing(t today.Thing, now time.Time) string {
	switch t.Kind {
	case today.Model:
		instead := "Other models answer instead."
		if t.Quotes {
			instead = "docent answers with quotes instead."
		}
		return fmt.Sprintf("The model %s has not answered since %s: %s. %s", t.Name, t.Since.In(now.Location()).Format("2006-01-02 15:04"),
			t.Reason.Message, instead)
	case today.Disk:
		return fmt.Sprintf("The disk of the data folder is %d %% full.", t.Percent)
	case today.SourceStopped:
		return fmt.Sprintf("docent has paused the source %s, because docent ended twice while it read the source.", t.Name)
	case today.SourceFailed:
		if t.Count == 1 {
			return fmt.Sprintf("The last sync of the source %s failed.", t.Name)
		}
		return fmt.Sprintf("The last %d syncs of the source %s failed.", t.Count, t.Name)
	case today.SourceLate:
		return fmt.Sprintf("The source %s is late: docent should have read it on %s.", t.Name,
			t.Since.In(now.Location()).Format("2006-01-02 15:04"))
	case today.Documents:
		in := "."
		if t.Name != "" {
			in = " in the collection " + t.Name + "."
		}
		return count(t.Count, "document", "documents") + " could not be read" + in
	case today.Backup:
		if t.Since.IsZero() {
			return "docent has made no backup."
		}
		return fmt.Sprintf("The last backup is %s old.", count(days(t.Since, now), "day", "days"))
	case today.Mail:
		return fmt.Sprintf("The weekly digest was not sent to %s: %s.", others(t, "%s and %d more"), t.Reason.Message)
	case today.Proposed:
		return count(t.Count, "gap", "gaps") + " may be solved. Compare the new answers with the old ones."
	case today.Open:
		return fmt.Sprintf("%s without an answer: %s, %d new this week.", count(t.Questions, "question", "questions"),
			count(t.Count, "topic", "topics"), t.New)
	case today.Review:
		return count(t.Count, "approved answer", "approved answers") + " to check."
	}
	return string(t.Kind)
}

// others names the recipient of a thing and the number of others.
func others(t today.Thing, format string) string {
	if t.Count <= 1 {
		return t.Name
	}
	return fmt.Sprintf(format, t.Name, t.Count-1)
}
