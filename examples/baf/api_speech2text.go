package baf

import (
	"context"

	"docent/agent"
)

// APISpeech2Text is like Speech2Text. It greets in Luxembourgish, and its model sees
// only the last message.
func APISpeech2Text(v Services) (*agent.Agent, error) {
	a := agent.New("api_speech2text")
	start, text, file := a.State("start", agent.Initial), a.State("text"), a.State("file")
	start.Body(say("Moien, so w.e.g. eppes!"))
	start.OnFile(sounds()...).GoTo(file)
	start.OnNoIntent().GoTo(text)
	text.Body(func(ctx context.Context, s *agent.Session) error {
		if err := s.Reply(ctx, "User: "+s.Message()); err != nil {
			return err
		}
		return v.reply(ctx, s, "", s.Message())
	})
	text.GoTo(start)
	file.Body(v.answerRecording)
	file.GoTo(start)
	return a, nil
}
