package chat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"docent/ingest/extract/html"
	"docent/ingest/outline"
	"docent/internal/lazyregexp"
)

// export is a message in any of the known exports.
type export struct {
	Type, Subtype                string
	User, Username, Sender, Role any
	Name, Message                any
	Profile                      named           `json:"user_profile"`
	Text, Content, Parts         json.RawMessage // a text or a list of pieces
	TS                           any
	SenderName                   string `json:"sender_name"`      // of Facebook
	FullName                     string `json:"sender_full_name"` // of Zulip
	Msg                          string // of Rocket.Chat
	U, Creator                   any
	Thread                       string `json:"thread_ts"`
	Timestamp                    any
	Date                         string
	Author, From                 any
	Created                      string  `json:"created_at"`
	CreatedAt                    string  `json:"createdAt"` // of LibreChat
	CreatedTime                  string  `json:"createdDateTime"`
	CreateTime                   float64 `json:"create_time"`
	CreateAt                     int64   `json:"create_at"`
	TimestampMS                  float64 `json:"timestamp_ms"`
	ServerTS                     float64 `json:"origin_server_ts"`
	CreatedDate                  string  `json:"created_date"`
	Body                         struct{ Content, ContentType string }
	Children                     []export // of LibreChat
	Header, Title, Time          string
	Answers                      []struct{ HTML string } `json:"safeHtmlItem"` // of Gemini, in an export of Google
}

// named is a person.
type named struct {
	RealName    string `json:"real_name"`
	DisplayName string `json:"display_name"`
	Name        string
}

// room is a conversation in any of the known exports.
type room struct {
	Title, Name string
	RoomName    string `json:"room_name"`
	Type        string
	Channel     any
	Messages    []export
	Chat        []export `json:"chat_messages"`
	Value       []export
	Chats       struct{ List []room }
	Inner       *room  `json:"chat"`         // of Open WebUI
	Current     string `json:"current_node"` // the last message of the branch that is shown
	Mapping     map[string]struct {
		Parent  string
		Message *struct {
			export
			Content struct{ Parts json.RawMessage }
		}
	}
}

// parse reads an export in JSON. It returns nothing for other data.
func parse(ctx context.Context, name string, data []byte) []conversation {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if len(data) == 0 {
		return nil
	}
	if data[0] == '[' {
		var rooms []room
		if json.Unmarshal(data, &rooms) == nil {
			if all := conversations(ctx, rooms); len(all) > 0 {
				return all
			}
		}
		var messages []export
		if json.Unmarshal(data, &messages) != nil {
			return nil
		}
		c := conversation{title: titleOf(name), messages: messagesOf(ctx, messages)}
		if len(c.messages) == 0 {
			return nil
		}
		return []conversation{c}
	}
	var one room
	if json.Unmarshal(data, &one) == nil {
		if all := conversations(ctx, append([]room{one}, one.Chats.List...)); len(all) > 0 {
			return all
		}
	}
	return posts(data)
}

// titleOf returns the title of a file of messages: channel and day, as Slack names them.
func titleOf(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	dir := path.Base(path.Dir(name))
	if i := strings.LastIndexByte(dir, '#'); i >= 0 {
		dir = dir[i+1:]
	}
	if _, err := time.Parse(time.DateOnly, base); err == nil && dir != "." && dir != "/" {
		return "#" + dir + ", " + base
	}
	return ""
}

// conversations returns those rooms that have messages.
func conversations(ctx context.Context, rooms []room) []conversation {
	var out []conversation
	for _, r := range rooms {
		c := conversation{title: cmp.Or(utf8Text(r.Title), r.Name, r.RoomName, nameOf(r.Channel))}
		c.messages = messagesOf(ctx, slices.Concat(r.Messages, r.Chat, r.Value))
		if r.Inner != nil {
			c.messages = append(c.messages, messagesOf(ctx, r.Inner.Messages)...)
		}
		if len(r.Mapping) > 0 {
			c.messages = append(c.messages, r.mapped(ctx)...)
		}
		if len(c.messages) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// mapped returns the messages of an assistant that stores them as a tree, by time. Answers that were
// written again are left out.
func (r room) mapped(ctx context.Context) []message {
	var out []message
	shown := map[string]bool{}
	for id := r.Current; id != "" && !shown[id]; id = r.Mapping[id].Parent {
		shown[id] = true
	}
	for id, node := range r.Mapping {
		if node.Message == nil || len(shown) > 1 && !shown[id] {
			continue
		}
		e := node.Message.export
		e.Content = node.Message.Content.Parts
		if m, ok := e.message(ctx); ok {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b message) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(b.author, a.author)) })
	return out
}

func messagesOf(ctx context.Context, all []export) []message {
	var out []message
	for _, e := range all {
		if question, ok := strings.CutPrefix(e.Title, "Prompted "); ok && e.Header != "" && len(out) < maxMessages {
			out = append(out, message{author: "user", text: question, at: timeOf(e.Time)})
			for _, answer := range e.Answers {
				if doc, err := html.Read(ctx, answer.HTML); err == nil {
					out = append(out, message{author: e.Header, text: doc.Text, at: timeOf(e.Time)})
				}
			}
			continue
		}
		if m, ok := e.message(ctx); ok && len(out) < maxMessages {
			out = append(out, m)
		}
		if len(e.Children) > 0 {
			out = append(out, messagesOf(ctx, e.Children)...)
		}
	}
	return out
}

// message returns an exported message. ok is false for notices of the program and for
// messages without text.
func (e export) message(ctx context.Context) (m message, ok bool) {
	m.author = cmp.Or(e.Profile.RealName, e.Profile.DisplayName, e.Profile.Name,
		utf8Text(e.SenderName), e.FullName, nameOf(e.U), nameOf(e.Creator),
		nameOf(e.Author), nameOf(e.From), matrixName(nameOf(e.Sender)),
		nameOf(e.Username), nameOf(e.User), nameOf(e.Role), nameOf(e.Name))
	m.thread = e.Thread
	m.text = cmp.Or(pieces(e.Text), pieces(e.Content), pieces(e.Parts), e.Body.Content, e.Msg)
	if e.SenderName != "" {
		m.text = utf8Text(m.text)
	}
	if m.text == "" {
		m.text, _ = e.Message.(string)
	}
	markup := e.Body.Content
	if e.FullName != "" {
		markup = m.text
	}
	if strings.EqualFold(e.Body.ContentType, "html") || strings.HasPrefix(markup, "<") {
		if doc, err := html.Read(ctx, mention.ReplaceAllString(markup, "")); err == nil {
			m.text = doc.Text
		}
	}
	ts, _ := e.TS.(string)
	seconds, err := strconv.ParseFloat(ts, 64)
	if err == nil {
		m.text = slackText(m.text)
	}
	timestamp, _ := e.Timestamp.(string)
	number, _ := e.Timestamp.(float64)
	switch {
	case err == nil:
		m.at = seconds64(seconds)
	case e.TimestampMS+e.ServerTS > 0:
		m.at = seconds64((e.TimestampMS + e.ServerTS) / 1000)
	case number > 0:
		m.at = seconds64(number)
	case e.CreateTime > 0:
		m.at = seconds64(e.CreateTime)
	case e.CreateAt > 0:
		m.at = seconds64(float64(e.CreateAt) / 1000)
	default:
		m.at = timeOf(cmp.Or(timestamp, ts, e.CreatedTime, e.Created, e.CreatedAt, e.Date, e.CreatedDate))
	}
	switch {
	case m.author == "system", e.Type == "service", e.Subtype == "channel_join", e.Subtype == "channel_leave", strings.TrimSpace(m.text) == "":
		return m, false
	}
	return m, m.author != "" || !m.at.IsZero()
}

// mention matches the tags that Teams puts around the names of people.
var mention = lazyregexp.New(`</?at(?: [^<>]*)?>`)

// seconds64 returns a time in seconds since 1970, or zero if it is out of bounds.
func seconds64(seconds float64) time.Time {
	if !(seconds > 0 && seconds < 1e11) {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC()
}

// timeOf reads a time as exports write it.
func timeOf(s string) time.Time {
	s = strings.ReplaceAll(s, "\u202f", " ")
	for _, layout := range []string{
		"Monday, January 2, 2006 at 3:04:05 PM MST", time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// nameOf returns the name of a person or channel: a text, or the name in an object.
func nameOf(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case map[string]any:
		for _, key := range []string{"nickname", "displayName", "real_name", "name", "username", "role", "user", "application"} {
			if name := nameOf(v[key]); name != "" {
				return name
			}
		}
	}
	return ""
}

// matrixName returns the name in an address of Matrix, such as @vera:example.org.
func matrixName(s string) string {
	if rest, ok := strings.CutPrefix(s, "@"); ok {
		if name, _, ok := strings.Cut(rest, ":"); ok {
			return name
		}
	}
	return s
}

// utf8Text returns a text of Facebook, whose exports write each byte of UTF-8 as a character.
func utf8Text(s string) string {
	raw := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return s
		}
		raw = append(raw, byte(r))
	}
	if !utf8.Valid(raw) {
		return s
	}
	return string(raw)
}

// pieces returns a text, or the texts in a list of pieces.
func pieces(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		var matrix struct{ Body string }
		_ = json.Unmarshal(raw, &matrix) // other objects have no text
		return matrix.Body
	}
	var b strings.Builder
	for _, item := range list {
		var piece struct{ Text, Href string }
		switch {
		case json.Unmarshal(item, &text) == nil:
			b.WriteString(text)
		case json.Unmarshal(item, &piece) == nil:
			b.WriteString(piece.Text)
			if piece.Href != "" {
				b.WriteString(" (" + piece.Href + ")")
			}
		}
	}
	return b.String()
}

// posts reads an export of Mattermost: a line for each post.
func posts(data []byte) []conversation {
	type post struct {
		Channel, User, Message string
		CreateAt               int64    `json:"create_at"`
		Members                []string `json:"channel_members"`
		Replies                []post
	}
	people := map[string]string{}
	rooms := map[string]*conversation{}
	var order []string
	n := 0
	for line := range bytes.Lines(data) {
		var record struct {
			Post   *post
			Direct *post `json:"direct_post"`
			User   struct {
				Username string
				First    string `json:"first_name"`
				Last     string `json:"last_name"`
			}
		}
		if json.Unmarshal(line, &record) != nil || n > maxMessages {
			continue
		}
		if u := record.User; u.Username != "" {
			n++
			people[u.Username] = strings.TrimSpace(u.First + " " + u.Last)
		}
		first := cmp.Or(record.Post, record.Direct)
		if first == nil {
			continue
		}
		channel := "#" + first.Channel
		if record.Post == nil {
			channel = strings.Join(first.Members, ", ")
		}
		for _, p := range append([]post{*first}, first.Replies...) {
			n++
			if rooms[channel] == nil {
				rooms[channel] = &conversation{title: channel}
				order = append(order, channel)
			}
			m := message{author: cmp.Or(people[p.User], p.User), text: p.Message, at: seconds64(float64(p.CreateAt) / 1000)}
			rooms[channel].messages = append(rooms[channel].messages, m)
		}
	}
	out := make([]conversation, 0, len(order))
	for _, channel := range order {
		out = append(out, *rooms[channel])
	}
	return out
}

// read reads an export in JSON. ok is false if it has no messages.
func read(ctx context.Context, name, text string) (doc *outline.Document, ok bool) {
	all := parse(ctx, name, []byte(text))
	if len(all) == 0 {
		return nil, false
	}
	return document(outline.NameTitle(name), all), true
}
