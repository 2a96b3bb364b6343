package chat

import (
	"cmp"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"docent/ingest/format"
	"docent/ingest/outline"
)

// page is a form of conversations in HTML: the classes of their elements.
type page struct {
	mark               string // occurs near the beginning
	title, author, at  string
	text, left, before string // left are elements without text, and before ends the part above the messages
}

var pages = []page{
	{
		mark: "chat_page", title: "page_header", author: "from_name", at: "date",
		text: "text", left: "reply_to", before: "page_body",
	}, // Telegram
	{
		mark: "chatlog__message", title: "preamble__entry", author: "chatlog__author", at: "chatlog__timestamp",
		text: "chatlog__content", left: "chatlog__reply", before: "chatlog",
	}, // Discord
}

// hasPage reports whether a file is a conversation in HTML, or messages of a telephone in XML.
func hasPage(f *format.File) bool {
	head := strings.TrimSpace(f.Opening())
	if !strings.HasPrefix(head, "<") {
		return false
	}
	_, ok := pageOf(head)
	return ok || isMessages(head)
}

// pageOf returns the form of a page.
func pageOf(head string) (page, bool) {
	for _, p := range pages {
		if strings.Contains(head, `class="`) && strings.Contains(head, p.mark) && strings.Contains(head, p.author) {
			return p, true
		}
	}
	return page{}, false
}

// readPage reads a conversation in HTML or XML. ok is false for other texts.
func readPage(name, text string) (doc *outline.Document, ok bool) {
	head := text[:min(len(text), 64<<10)]
	if !strings.HasPrefix(strings.TrimSpace(head), "<") {
		return nil, false
	}
	var c conversation
	if p, ok := pageOf(head); ok {
		c = p.read(text)
	} else if isMessages(head) {
		c = telephone(text)
	}
	if len(c.messages) == 0 {
		return nil, false
	}
	return document(outline.NameTitle(name), []conversation{c}), true
}

// read returns the conversation of a page. An element without an author has the one before it.
func (p page) read(text string) conversation {
	var c conversation
	var author string
	var at time.Time
	var days dayOrder
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(1 << 20)
	field, depth, body := "", 0, false
	var words strings.Builder
	end := func() {
		said := strings.TrimSpace(words.String())
		switch field {
		case p.author:
			if !body || said == "" {
				break
			}
			author = said
		case p.title:
			if !body {
				c.title = cmp.Or(c.title, strings.Join(strings.Fields(said), " "))
			}
		case p.text:
			if body && said != "" && len(c.messages) < maxMessages {
				c.messages = append(c.messages, message{author: author, text: said, at: at})
			}
		}
		field = ""
		words.Reset()
	}
	for {
		switch z.Next() {
		case html.ErrorToken: // the end, or a token that is too long
			return c
		case html.TextToken:
			if field != "" && field != p.left {
				words.Write(z.Text())
			}
		case html.StartTagToken:
			t := z.Token()
			if t.Data == "br" {
				words.WriteByte('\n')
			}
			if voidElements[t.Data] {
				continue
			}
			if field != "" {
				depth++
				continue
			}
			class, title := "", ""
			for _, a := range t.Attr {
				switch a.Key {
				case "class":
					class = " " + a.Val + " "
				case "title":
					title = a.Val
				}
			}
			has := func(name string) bool { return strings.Contains(class, " "+name+" ") }
			body = body || has(p.before)
			if has(p.at) && title != "" {
				if t := pageTime(title, &days); !t.IsZero() {
					at = t
				}
			}
			for _, name := range []string{p.left, p.author, p.text, p.title} {
				if has(name) && (body || name == p.title) {
					field, depth = name, 1
					break
				}
			}
		case html.EndTagToken:
			if field == "" {
				continue
			}
			if name, _ := z.TagName(); voidElements[string(name)] {
				continue
			}
			if depth--; depth <= 0 {
				end()
			}
		}
	}
}

// voidElements have no end.
var voidElements = map[string]bool{
	"br": true, "img": true, "input": true, "hr": true, "meta": true, "link": true, "source": true, "wbr": true,
}

// pageTime reads the time in the title of an element.
func pageTime(s string, days *dayOrder) time.Time {
	for _, layout := range []string{"Monday, January 2, 2006 3:04 PM", "Monday, 2 January 2006 15:04", "Monday, January 2, 2006 15:04"} {
		if t, err := time.Parse(layout, strings.ReplaceAll(s, "\u202f", " ")); err == nil {
			return t
		}
	}
	fields := strings.Fields(s)
	if len(fields) < 2 {
		return time.Time{}
	}
	days.see(fields[0], "")
	m := message{day: fields[0], clock: clockOf(fields[1], "")}
	days.date(&m)
	return m.at
}

// isMessages reports whether an XML file begins like the messages of a telephone, as SMS Backup & Restore writes them.
func isMessages(head string) bool {
	return strings.Contains(head, "<smses ") && strings.Contains(head, "<sms ") && strings.Contains(head, "body=")
}

// telephone reads the messages of a telephone.
func telephone(text string) conversation {
	var c conversation
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.CharsetReader = false, func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		token, err := d.Token()
		if err != nil { // the end, or damaged
			return c
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "sms" || len(c.messages) >= maxMessages {
			continue
		}
		a := map[string]string{}
		for _, attr := range start.Attr {
			a[attr.Name.Local] = attr.Value
		}
		person := a["contact_name"]
		if person == "" || person == "null" || strings.HasPrefix(person, "(Unknown") {
			person = a["address"]
		}
		if a["type"] == "2" {
			person = "I, to " + person
		}
		ms, _ := strconv.ParseFloat(a["date"], 64) // zero if unknown
		c.messages = append(c.messages, message{author: person, text: a["body"], at: seconds64(ms / 1000)})
	}
}
