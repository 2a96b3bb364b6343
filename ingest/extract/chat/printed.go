package chat

import (
	"strings"

	"docent/ingest/outline"
	"docent/internal/lazyregexp"
)

// printedForm is a form of conversations in plain text. The groups of its patterns are called
// day, clock, half (AM or PM), author, and text.
type printedForm struct {
	// message matches the first line of a message.
	message *lazyregexp.Regexp
	// day matches a line that names the day of the next messages; nil if each message names it.
	day *lazyregexp.Regexp
	// notice matches lines of the program; nil without them.
	notice *lazyregexp.Regexp
	// below reports that the text stands in the lines below the author.
	below bool
	// sure reports that the first lines of messages resemble nothing else. In other forms, most lines begin
	// a message, and people speak again.
	sure bool
	// preface is the number of lines that may stand above the first message.
	preface int
}

const (
	dayPart   = `(?P<day>\d{1,4}[./-](?:\d{1,2}|[A-Z][a-z]{2})[./-]\d{1,4})`
	clockPart = `(?P<clock>\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)(?:[ _\x{202f}\x{a0}]?(?P<half>[AaPp])\.?[ \x{202f}\x{a0}]?[Mm]\.?)?`
)

// printedForms are the known forms. A conversation has the first that matches.
var printedForms = []printedForm{
	// WhatsApp, and exports of Signal. A bracket or a dash ends the time.
	{message: lazyregexp.New(`^[\x{200e}\x{200f}]?\[?` + dayPart + `,?[ \x{202f}]` + clockPart + `(?:\]| -) (?P<rest>.*)$`), sure: true},
	// DiscordChatExporter
	{
		message: lazyregexp.New(`^\[` + dayPart + `,? ` + clockPart + `\] (?P<author>[^:<>*]{1,60}?)(?: \(pinned\))?$`),
		notice:  lazyregexp.New(`^(?:={20,}|(?:Guild|Channel|Topic|After|Before): .*|Exported [\d,.]+ message.*|\{(?:Attachments|Embed|Reactions|Stickers)\})$`),
		below:   true, sure: true, preface: 8,
	},
	// IRC: irssi, HexChat, ZNC, and bridges; and WeeChat
	{
		message: lazyregexp.New(`^\[?(?:` + dayPart + `[ T])?` + clockPart + `\]? <[ @+%&~!]?(?P<author>[^<>\s]{1,40})> (?P<text>.*)$`),
		day:     lazyregexp.New(`^(?:---|\*{4}) (?:Day changed|Log opened|BEGIN LOGGING AT|Day changed to) (?P<day>\w{3} \w{3} +\d{1,2} (?:[\d:]+ )?\d{4}|\d{1,2} \w{3} \d{4})$`),
		notice:  lazyregexp.New(`^(?:---|\*{3,4})|^\[?(?:[\d-]+[ T])?[\d:]+\]? (?:-!-|\*{1,3} |-->|<--|==>?|--) ?`), sure: true, preface: 3,
	},
	{
		message: lazyregexp.New(`^` + dayPart + `[ T]` + clockPart + `\t[@+%&~]?(?P<author>[^\s<>-][^\t]{0,40})\t(?P<text>.*)$`),
		notice:  lazyregexp.New(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\t(?:--|-->|<--|)\t`),
	},
	// LINE
	{
		message: lazyregexp.New(`^` + clockPart + `\t(?P<author>[^\t]{0,59}[^\t:])\t(?P<text>.*)$`),
		day:     lazyregexp.New(`^(?:[A-Z][a-z]{2}, )?(?P<day>\d{1,4}[./]\d{1,2}[./]\d{1,4})(?: ?\([^()]{1,9}\)|(?: \w+)?)$`), sure: true, preface: 4,
	},
	// KakaoTalk
	{
		message: lazyregexp.New(`^\[(?P<author>[^\[\]]{1,60})\] \[(?P<half>오전|오후) (?P<clock>\d{1,2}:\d{2})\] (?P<text>.*)$`),
		day:     lazyregexp.New(`^-{5,} (?P<day>\d{4}년 \d{1,2}월 \d{1,2}일)[^-]*-{5,}$`), sure: true, preface: 4,
	},
	// Zoom
	{message: lazyregexp.New(`^` + clockPart + `\s+From\s+(?P<author>\S.{0,60}?)\s+[Tt]o\s+.{1,80}?:\s*(?P<text>.*)$`), preface: 2},
	{message: lazyregexp.New(`^` + clockPart + `\t(?P<author>[^\t:]{1,60}):\t(?P<text>.*)$`)},
	// transcripts of Teams and Otter, and of other programs
	{message: lazyregexp.New(`^(?P<author>\p{Lu}[^\t:.,;!?]{0,50}?)(?:\t| {2,})\(?(?P<clock>\d{1,2}:\d{2}(?::\d{2})?)\)?$`), below: true, preface: 4},
	{message: lazyregexp.New(`^\[(?P<clock>\d{1,2}:\d{2}(?::\d{2})?)(?:\.\d+)?\] (?P<author>\p{Lu}[^\[\]:.;!?]{0,50}): (?P<text>.+)$`), preface: 2},
}

// logged matches what stands in front of the first colon in logs that begin their lines like a conversation.
var logged = lazyregexp.New(`(?:^|[\s.\[])(?:EMERGENCY|ALERT|CRITICAL|FATAL|ERROR|WARN|WARNING|NOTICE|INFO|DEBUG|TRACE)\b`)

// omitted matches messages of which the program says only that it left something out, and its notices in
// the name of a group.
var omitted = lazyregexp.New(`(?i)^(?:\x{200e}.*|<(?:media omitted|medien ausgeschlossen|médias omis|multimedia omitido|mídia oculta|media omessi|` +
	`media weggelaten|без медиафайлов|attached: [^<>]*|[^<>]* omitted)>|null|.{1,80}\((?:file attached|datei angehängt|fichier joint|archivo adjunto)\)|` +
	`(?:messages and calls are end-to-end encrypted|nachrichten und anrufe sind ende-zu-ende-verschlüsselt|` +
	`les messages et les appels sont chiffrés de bout en bout|los mensajes y las llamadas están cifrados de extremo a extremo)\b.*|` +
	`(?:this message was deleted|you deleted this message|diese nachricht wurde gelöscht|ce message a été supprimé|este mensaje fue eliminado)\.?)$`)

// edited matches the mark at the end of messages that were changed later.
var edited = lazyregexp.New(`\s*\x{200e}?<(?:This message was edited|Diese Nachricht wurde bearbeitet|Ce message a été modifié|Se editó este mensaje\.?)>$`)

// line is the first line of a message.
type line struct{ day, clock, half, author, text string }

// lineOf returns the parts that a pattern finds in a line.
func lineOf(pattern *lazyregexp.Regexp, text string) (l line, ok bool) {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return l, false
	}
	for i, name := range pattern.SubexpNames() {
		switch name {
		case "day":
			l.day = m[i]
		case "clock":
			l.clock = m[i]
		case "half":
			l.half = m[i]
		case "author":
			l.author = m[i]
		case "text":
			l.text = m[i]
		case "rest":
			author, said, ok := strings.Cut(m[i], ": ")
			if ok && len(author) <= 80 && !logged.MatchString(author) {
				l.author, l.text = author, said
			} else if author, ok := strings.CutSuffix(m[i], ":"); ok && len(author) <= 80 && !logged.MatchString(author) {
				l.author = author
			}
		}
	}
	l.author = strings.Trim(l.author, "\u200e\u202a\u202c ~")
	return l, true
}

// is reports whether a text begins like a conversation of the form: after the preface with messages,
// of which at least half have an author.
func (p printedForm) is(head string) bool {
	messages, authored, lines, above, days := 0, 0, 0, 0, 0
	authors := map[string]int{}
	for text := range strings.Lines(head) {
		text = strings.TrimRight(text, "\r\n")
		if strings.TrimSpace(text) == "" {
			continue
		}
		lines++
		if l, ok := lineOf(p.message, text); ok {
			messages++
			if l.author != "" {
				authored++
				authors[l.author]++
			}
			continue
		}
		if p.marks(text) {
			lines--
			days++
			continue
		}
		if messages == 0 {
			if above++; above > p.preface {
				return false
			}
			lines--
		}
	}
	if messages < 2 || authored == 0 || authored*2 < messages || days == 0 && p.day != nil && p.notice == nil {
		return false
	}
	return p.sure || messages*3 >= lines && (len(authors) < messages || messages == 2)
}

// marks reports whether a line names a day, or is of the program.
func (p printedForm) marks(text string) bool {
	return p.day != nil && p.day.MatchString(text) || p.notice != nil && p.notice.MatchString(text)
}

// printed returns the form of the conversation that a text begins like.
func printed(head string) (form printedForm, ok bool) {
	head = strings.TrimPrefix(head, "\ufeff")
	for _, p := range printedForms {
		if p.is(head) {
			return p, true
		}
	}
	return printedForm{}, false
}

// document reads a conversation. It leaves out notices without an author.
func (p printedForm) document(name, text string) *outline.Document {
	var c conversation
	var days dayOrder
	skipped, day := false, ""
	for text := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		text = strings.TrimRight(text, "\r\n")
		if l, ok := lineOf(p.message, text); ok {
			if l.day == "" {
				l.day = day
			}
			skipped = l.author == "" || len(c.messages) >= maxMessages || !p.below && omitted.MatchString(l.text)
			if !skipped {
				days.see(l.day, l.half)
				if l.day != "" { // other clocks count from the beginning of a recording
					l.clock = clockOf(l.clock, l.half)
				}
				said := edited.ReplaceAllString(l.text, "")
				c.messages = append(c.messages, message{author: l.author, text: said, day: l.day, clock: l.clock})
			}
			continue
		}
		if p.day != nil {
			if l, ok := lineOf(p.day, text); ok {
				day, skipped = l.day, true
				continue
			}
		}
		if p.notice != nil && p.notice.MatchString(text) {
			continue
		}
		if n := len(c.messages); n > 0 && !skipped {
			c.messages[n-1].text += "\n" + strings.TrimSpace(text)
		}
	}
	for i := range c.messages {
		days.date(&c.messages[i])
	}
	title := outline.NameTitle(name)
	for _, ending := range []string{".txt", ".log", ".md"} {
		title = strings.TrimSuffix(title, ending)
	}
	return document(title, []conversation{c})
}
