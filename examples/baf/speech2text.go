package baf

import (
	"context"

	"docent/agent"
	"docent/llm"
	"docent/rag/talk"
)

// history is the number of earlier messages that a chat model sees.
const history = 50

// sounds are the media types of recordings.
func sounds() []string { return []string{"audio/wav", "audio/mpeg", "audio/mp4"} }

// Speech2Text repeats what the user says, and answers with a chat model. docent
// transcribes voice messages, and the agent transcribes uploaded files.
func Speech2Text(v Services) (*agent.Agent, error) {
	a := agent.New("speech2text")
	start, wait, text, file := a.State("start", agent.Initial), a.State("wait"), a.State("text"), a.State("file")
	start.Body(v.asking(greeting))
	start.GoTo(wait)
	wait.OnFile(sounds()...).GoTo(file)
	wait.OnNoIntent().GoTo(text)
	text.Body(func(ctx context.Context, s *agent.Session) error {
		if err := s.Reply(ctx, "User: "+s.Message()); err != nil {
			return err
		}
		answer, err := v.chat(ctx, s)
		if err != nil {
			return err
		}
		return s.Reply(ctx, answer)
	})
	text.GoTo(wait)
	file.Body(v.answerRecording)
	file.GoTo(wait)
	return a, nil
}

// answerRecording transcribes the uploaded recording and answers it.
func (v Services) answerRecording(ctx context.Context, s *agent.Session) error {
	text, err := v.Speech.Transcribe(ctx, recording(s), "")
	if err != nil {
		return err
	}
	if err := s.Reply(ctx, "User: "+text); err != nil {
		return err
	}
	return v.reply(ctx, s, "", text)
}

// recording returns the content of the uploaded file, or nil.
func recording(s *agent.Session) []byte {
	if s.Event().File == nil {
		return nil
	}
	content, err := s.Event().File.Bytes()
	if err != nil {
		return nil
	}
	return content
}

// chat asks the chat model to continue the conversation.
func (v Services) chat(ctx context.Context, s *agent.Session) (string, error) {
	turns, err := s.Turns(ctx, history)
	if err != nil {
		return "", err
	}
	var messages []llm.Message
	for _, turn := range turns {
		role := llm.Assistant
		if turn.Role == talk.User {
			role = llm.User
		}
		messages = append(messages, llm.Text(role, turn.Text))
	}
	answer, err := llm.Ask(ctx, v.Model, llm.Request{Messages: append(messages, llm.Text(llm.User, s.Message()))})
	return answer.Text, err
}
