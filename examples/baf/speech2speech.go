package baf

import (
	"context"

	"docent/agent"
)

// Speech2Speech listens, answers with a chat model, and speaks. The speech model
// detects the language of recordings, and the chat model answers in the same one.
func Speech2Speech(v Services) (*agent.Agent, error) {
	a := agent.New("speech2speech")
	a.ModelContext("Answer briefly, in the language of the user, without formatting.")
	start, wait, text := a.State("start", agent.Initial), a.State("wait"), a.State("text")
	file, textFile := a.State("file"), a.State("text_file")
	start.Body(v.asking(greeting))
	start.GoTo(wait)
	wait.OnFile("text/plain").GoTo(textFile)
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
		if err := s.ReplySpeech(ctx, answer); err != nil {
			return err
		}
		return s.Reply(ctx, answer)
	})
	text.GoTo(wait)
	file.Body(func(ctx context.Context, s *agent.Session) error {
		text, err := v.Speech.Transcribe(ctx, recording(s), "")
		if err != nil {
			return err
		}
		if err := s.Reply(ctx, "User: "+text); err != nil {
			return err
		}
		answer, err := v.ask(ctx, "", text)
		if err != nil {
			return err
		}
		if err := s.Reply(ctx, answer); err != nil {
			return err
		}
		return s.ReplySpeech(ctx, answer)
	})
	file.GoTo(wait)
	textFile.Body(readAloud)
	textFile.GoTo(wait)
	return a, nil
}
