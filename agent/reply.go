package agent

import (
	"context"
	"fmt"
	"time"

	"docent/agent/chat"
	"docent/internal/errlog"
	"docent/internal/fault"

	"docent/payload"
)

// Reply says text. Messages of a body are stored first and then sent. That happens at the end of the turn, together with
// its other changes, or RuntimeConfig.FlushAfter later if the body takes longer.
func (s *Session) Reply(ctx context.Context, text string) error {
	return replyText(ctx, s, payload.TypeStr, s.processReply(ctx, text))
}

// Say says a fixed text. Clients of docent.v1 can translate it.
func (s *Session) Say(ctx context.Context, text fault.Text) error {
	shown := s.processReply(ctx, text.Message)
	if shown != text.Message { // a processor has changed it
		text.Sentence = fault.Sentence{}
	}
	return s.say(ctx, ChatMessage{Type: payload.TypeStr, Sentence: text.Sentence}, shown, false)
}

// ReplyMarkdown says Markdown text.
func (s *Session) ReplyMarkdown(ctx context.Context, text string) error {
	return replyText(ctx, s, payload.TypeMarkdown, s.processReply(ctx, text))
}

// ReplyHTML says HTML.
func (s *Session) ReplyHTML(ctx context.Context, html string) error {
	return replyText(ctx, s, payload.TypeHTML, html)
}

// ReplyFile sends a file.
func (s *Session) ReplyFile(ctx context.Context, file payload.File) error {
	return s.reply(ctx, payload.TypeFile, file)
}

// ReplyImage shows an image file, preferably a JPEG. It fails with fault.Invalid if the bytes are no JPEG, PNG, GIF, or WebP.
func (s *Session) ReplyImage(ctx context.Context, image payload.Image) error {
	if !image.IsPicture() {
		return fault.New(fault.Invalid, "image_no_picture", "the image cannot be sent: it is not a JPEG, PNG, GIF, or WebP file")
	}
	return s.reply(ctx, payload.TypeImage, image)
}

// ReplyDataFrame shows a table.
func (s *Session) ReplyDataFrame(ctx context.Context, table payload.DataFrame) error {
	return s.reply(ctx, payload.TypeDataFrame, table)
}

// ReplyPlotly shows a plotly figure: any value whose JSON is one.
func (s *Session) ReplyPlotly(ctx context.Context, figure any) error {
	if f, ok := figure.(payload.Figure); ok {
		return s.reply(ctx, payload.TypePlotly, f)
	}
	return s.reply(ctx, payload.TypePlotly, payload.Figure{Value: figure})
}

// ReplyOptions offers labels to choose from. The choice arrives as text of the user.
func (s *Session) ReplyOptions(ctx context.Context, labels ...string) error {
	return s.reply(ctx, payload.TypeOptions, payload.Options(labels))
}

// ReplyLocation shows a place on Earth, in degrees.
func (s *Session) ReplyLocation(ctx context.Context, latitude, longitude float64) error {
	return s.reply(ctx, payload.TypeLocation, payload.Location{Latitude: latitude, Longitude: longitude})
}

// ReplyRAG says an answer with its evidence. It says a reply without documents, for example to a greeting, as text.
func (s *Session) ReplyRAG(ctx context.Context, message payload.RAGMessage) error {
	if message.Outcome == payload.AnswerReplied && len(message.Docs) == 0 {
		return s.Say(ctx, fault.Text{Sentence: message.Sentence, Message: message.Answer})
	}
	if r := guarded(ctx, s, s.turn.part().guardsAgent, message.Answer); r != nil {
		return r.say(ctx, s, ofAgent)
	}
	return s.say(ctx, ChatMessage{Type: payload.TypeRAG, Sentence: message.Sentence}, message, false)
}

// ReplyAudio plays sound.
func (s *Session) ReplyAudio(ctx context.Context, sound payload.Audio) error {
	return s.reply(ctx, payload.TypeAudio, sound)
}

// ReplyUI shows a user interface: any value that JSON can encode.
func (s *Session) ReplyUI(ctx context.Context, ui payload.UI) error {
	return s.reply(ctx, payload.TypeUI, ui)
}

// SaveMessage stores a message of one of payload's types as the agent's or the user's. It does not send the message to BAF
// clients.
func (s *Session) SaveMessage(ctx context.Context, chatType string, isUser bool, message any) error {
	return s.say(ctx, ChatMessage{Type: chatType, IsUser: isUser}, message, true)
}

func (s *Session) reply(ctx context.Context, chatType string, message any) error {
	return s.say(ctx, ChatMessage{Type: chatType}, message, false)
}

// say adds a message with this content. silent excludes BAF clients.
func (s *Session) say(ctx context.Context, m ChatMessage, content any, silent bool) error {
	encoded, err := payload.Marshal(content)
	if err != nil {
		return fmt.Errorf("reply %s: %w", m.Type, err)
	}
	if err := chat.CheckWithin(encoded, chat.MaxJSONDepth, chat.MaxExponents); err != nil { // what Marshal writes is valid
		return fmt.Errorf("reply %s: %w", m.Type, err)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m.Content, m.Time = encoded, s.turn.env.Now()
	return s.turn.backend.Say(ctx, m, silent)
}

// Stream shows a piece of a growing reply to the clients that stream. The next reply replaces all pieces. It shows nothing if
// the agent has guards for its texts.
func (s *Session) Stream(ctx context.Context, delta string) error {
	if len(s.turn.part().guardsAgent) > 0 {
		return context.Cause(ctx)
	}
	return s.show(ctx, payload.DeltaAction, payload.Delta{Text: delta})
}

// Status shows the progress of the turn to the clients that stream, as one word such as searching.
func (s *Session) Status(ctx context.Context, phase string) error {
	return s.show(ctx, payload.StatusAction, payload.Status{Phase: phase})
}

func (s *Session) show(ctx context.Context, action payload.Action, message any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.turn.backend.Show(action, message)
}

// DropDraft discards the streamed text of a session. A stopped turn does not keep it.
func DropDraft(s *Session) { s.turn.backend.Draft("", nil) }

// KeepDraft records the answer from documents that the streamed text belongs to.
// A turn that is stopped or fails before its reply stores this answer.
func KeepDraft(s *Session, text string, answer payload.RAGMessage) {
	answer.Stopped = true
	s.turn.backend.Draft(text, &answer)
}

// Flush stores and sends the messages and steps of the turn so far. Otherwise this happens at the end of the turn, or
// shortly after a reply.
func (s *Session) Flush(ctx context.Context) error { return errlog.Withhold(s.turn.backend.Flush(ctx)) }

// Now returns the time in the session's time zone. The variable "timezone" holds its IANA name. The default is
// RuntimeConfig.Location.
func (s *Session) Now() time.Time {
	return s.turn.env.Now().In(Zone(allVariables(s), s.turn.env.Location))
}

// language returns the language of the user, or "" if it is unknown.
func (s *Session) language() string {
	return Get(s, "detected_language", Get(s, "user_language", ""))
}
