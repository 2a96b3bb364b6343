package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"docent/internal/fault"

	"docent/payload"
)

// Reply says text. What a body says is stored, then sent: when the turn ends, in
// one step with all else it changed, or RuntimeConfig.FlushAfter later if the
// body takes longer.
func (s *Session) Reply(ctx context.Context, text string) error {
	return s.reply(ctx, payload.TypeStr, s.processReply(ctx, text))
}

// Say says a fixed text, which clients of docent.v1 can show in their language.
func (s *Session) Say(ctx context.Context, text fault.Text) error {
	shown := s.processReply(ctx, text.Message)
	if shown != text.Message { // a processor has changed it
		text.Sentence = fault.Sentence{}
	}
	return s.say(ctx, payload.TypeStr, shown, text.Sentence, false, false)
}

// ReplyMarkdown says Markdown text.
func (s *Session) ReplyMarkdown(ctx context.Context, text string) error {
	return s.reply(ctx, payload.TypeMarkdown, s.processReply(ctx, text))
}

// ReplyHTML says HTML text.
func (s *Session) ReplyHTML(ctx context.Context, html string) error {
	return s.reply(ctx, payload.TypeHTML, html)
}

// ReplyFile gives a file.
func (s *Session) ReplyFile(ctx context.Context, file payload.File) error {
	return s.reply(ctx, payload.TypeFile, file)
}

// ReplyImage shows an image file, best a JPEG.
func (s *Session) ReplyImage(ctx context.Context, image payload.Image) error {
	return s.reply(ctx, payload.TypeImage, image)
}

// ReplyDataFrame shows a table.
func (s *Session) ReplyDataFrame(ctx context.Context, table payload.DataFrame) error {
	return s.reply(ctx, payload.TypeDataFrame, table)
}

// ReplyPlotly shows a plotly figure: anything that JSON writes as one.
func (s *Session) ReplyPlotly(ctx context.Context, figure any) error {
	if f, ok := figure.(payload.Figure); ok {
		return s.reply(ctx, payload.TypePlotly, f)
	}
	return s.reply(ctx, payload.TypePlotly, payload.Figure{Value: figure})
}

// ReplyOptions offers labels to choose from; the choice comes as the user's
// text.
func (s *Session) ReplyOptions(ctx context.Context, labels ...string) error {
	return s.reply(ctx, payload.TypeOptions, payload.Options(labels))
}

// ReplyLocation shows a place on Earth, in degrees.
func (s *Session) ReplyLocation(ctx context.Context, latitude, longitude float64) error {
	return s.reply(ctx, payload.TypeLocation, payload.Location{Latitude: latitude, Longitude: longitude})
}

// ReplyRAG says an answer with its evidence.
func (s *Session) ReplyRAG(ctx context.Context, message payload.RAGMessage) error {
	return s.say(ctx, payload.TypeRAG, message, message.Sentence, false, false)
}

// ReplyAudio plays sound.
func (s *Session) ReplyAudio(ctx context.Context, sound payload.Audio) error {
	return s.reply(ctx, payload.TypeAudio, sound)
}

// ReplyUI shows a user interface: anything that JSON can write.
func (s *Session) ReplyUI(ctx context.Context, ui payload.UI) error {
	return s.reply(ctx, payload.TypeUI, ui)
}

// SaveMessage stores a message of one of payload's types without sending it to
// BAF's clients, as said by the agent or by the user.
func (s *Session) SaveMessage(ctx context.Context, chatType string, isUser bool, message any) error {
	return s.say(ctx, chatType, message, fault.Sentence{}, isUser, true)
}

func (s *Session) reply(ctx context.Context, chatType string, message any) error {
	return s.say(ctx, chatType, message, fault.Sentence{}, false, false)
}

func (s *Session) say(ctx context.Context, chatType string, message any, sentence fault.Sentence, isUser, silent bool) error {
	content, err := payload.Marshal(message)
	if err != nil {
		return fmt.Errorf("reply %s: %w", chatType, err)
	}
	if err := CheckWithin(content, MaxJSONDepth, MaxExponents); err != nil { // what Marshal writes is valid
		return fmt.Errorf("reply %s: %w", chatType, err)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.turn.backend.Say(ctx, ChatMessage{
		Type: chatType, Content: content, IsUser: isUser, Sentence: sentence, Time: s.turn.env.Now(),
	}, silent)
}

// Stream shows a piece of a reply in the making to the clients that stream; the
// reply that follows replaces all of them.
func (s *Session) Stream(ctx context.Context, delta string) error {
	return s.show(ctx, payload.DeltaAction, payload.Delta{Text: delta})
}

// Status shows what the turn is doing to the clients that stream: one word,
// such as searching.
func (s *Session) Status(ctx context.Context, phase string) error {
	return s.show(ctx, payload.StatusAction, payload.Status{Phase: phase})
}

func (s *Session) show(ctx context.Context, action payload.Action, message any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.turn.backend.Show(action, message)
}

// DropDraft discards the streamed text. A stopped turn does not keep it.
func (s *Session) DropDraft() { s.turn.backend.Draft("", nil) }

// KeepDraft records the answer from documents that the streamed text belongs to.
// A turn that is stopped or fails before its reply stores this answer.
func (s *Session) KeepDraft(text string, answer payload.RAGMessage) {
	answer.Stopped = true
	s.turn.backend.Draft(text, &answer)
}

// Flush stores what the turn has said and reasoned so far, and sends it. Without
// it, that happens at the end of the turn, or a moment after a reply.
func (s *Session) Flush(ctx context.Context) error { return Withhold(s.turn.backend.Flush(ctx)) }

// Now is the time in the session's zone: that of its variable "timezone", an
// IANA name, or else RuntimeConfig.Location.
func (s *Session) Now() time.Time {
	now := s.turn.env.Now()
	if name := Get(s, "timezone", ""); name != "" {
		if zone, err := time.LoadLocation(name); err == nil {
			return now.In(zone)
		}
	}
	return now.In(s.turn.env.Location)
}

// language is the user's, if anything found it out.
func (s *Session) language() string {
	return Get(s, "detected_language", Get(s, "user_language", ""))
}

// JSONString returns a string as JSON.
func JSONString(text string) json.RawMessage {
	content, err := payload.Marshal(text)
	if err != nil { // strings always encode
		return json.RawMessage(`""`)
	}
	return content
}
