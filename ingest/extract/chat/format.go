package chat

import (
	"bytes"
	"context"

	"docent/ingest/extract/charset"
	"docent/ingest/extract/plain"
	"docent/ingest/format"
	"docent/ingest/outline"
)

// maxExport is the largest export that is read as a conversation, in bytes. Larger ones are
// read as JSON, because the messages take several times their size.
const maxExport = 32 << 20

// Format is exported conversations.
var Format = format.Format{
	Info: format.Info{
		Name: "Conversation", Short: "Chat",
		Group:     format.Mail,
		Endings:   []string{".chat"},
		Media:     "application/x-chat",
		NeverMail: true,
		Version:   4,
		Reads: "exports of Slack, Discord, Teams, Telegram, WhatsApp, Signal, LINE, KakaoTalk, IRC, Zoom, SMS, Mattermost, Matrix, " +
			"Rocket.Chat, Zulip, Google Chat, Facebook, and chat assistants, and transcripts of meetings: messages with their authors and times, in sections for days and after pauses",
		Leaves: "pictures, reactions, notices of the program",
		Limits: "32 MiB; larger exports are read as JSON or text",
	},
	Match: match,
	Read:  readExport,
}

// marks are parts of the exports in JSON. All of a row occur near the beginning.
var marks = [][]string{
	{`"ts"`, `"text"`, `"user`},            // Slack
	{`"guild"`, `"channel"`, `"messages"`}, // Discord
	{`"messages"`, `"from_id"`},
	{`"chats"`, `"from_id"`},                  // Telegram
	{`"createdDateTime"`, `"body"`, `"from"`}, // Teams
	{`"mapping"`, `"author"`, `"parts"`},
	{`"chat_messages"`, `"sender"`},
	{`"messages"`, `"role"`, `"content"`},
	{`"messages"`, `"isCreatedByUser"`, `"text"`},
	{`"header"`, `"title"`, `"safeHtmlItem"`},         // assistants
	{`"type"`, `"post"`, `"create_at"`, `"channel"`},  // Mattermost
	{`"sender_name"`, `"timestamp_ms"`, `"messages"`}, // Facebook and Instagram
	{`"messages"`, `"origin_server_ts"`, `"sender"`},  // Matrix
	{`"messages"`, `"creator"`, `"created_date"`},     // Google Chat
	{`"rid"`, `"msg"`, `"u"`},
	{`"sender_full_name"`, `"content"`, `"timestamp"`, `"stream_`}, // Rocket.Chat, Zulip
}

func match(_ context.Context, f *format.File) format.Match {
	if !f.IsText() || len(f.Data) > maxExport {
		return format.Match{}
	}
	if f.Unmarked() || f.HasEnding(".log", ".md") {
		if head, _, err := charset.Decode(f.Head(), ""); err == nil {
			if _, ok := printed(head); ok {
				return format.Match{Score: format.Named}
			}
		}
	}
	if hasPage(f) {
		return format.Match{Score: format.Named}
	}
	head := f.Trimmed()
	if len(head) > 0 && (head[0] == '[' || head[0] == '{') && f.HasEnding(".json", ".jsonl", ".ndjson", "", ".txt", ".chat") {
		front := f.Data[:min(len(f.Data), 64<<10)]
		for _, row := range marks {
			all := true
			for _, mark := range row {
				all = all && bytes.Contains(front, []byte(mark))
			}
			if all {
				return format.Match{Score: format.Named}
			}
		}
	}
	return format.Match{}
}

// readExport reads a conversation. JSON without messages is read as such.
func readExport(ctx context.Context, f *format.File) (*outline.Document, error) {
	text, set, err := charset.Decode(f.Data, "")
	if err != nil {
		return nil, err
	}
	var doc *outline.Document
	var ok bool
	if form, found := printed(text[:min(len(text), 8<<10)]); found {
		if doc = form.document(f.Name, text); doc.Text == "" {
			doc = plain.Text(f.Name, text)
		}
	} else if doc, ok = readPage(f.Name, text); ok {
		doc.Charset = set
		return doc, ctx.Err()
	} else if doc, ok = read(ctx, f.Name, text); !ok {
		doc = plain.JSON(f.Name, text)
	}
	doc.Charset = set
	return doc, ctx.Err()
}
