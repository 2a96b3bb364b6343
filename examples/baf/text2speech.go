package baf

import (
	"context"

	"docent/agent"
)

// Text2Speech reads messages and text files aloud.
func Text2Speech(Services) (*agent.Agent, error) {
	a := agent.New("text2speech")
	start, text, file := a.State("start", agent.Initial), a.State("text"), a.State("file")
	start.Body(say("Hi"))
	start.OnFile("text/plain").GoTo(file)
	start.OnNoIntent().GoTo(text)
	text.Body(func(ctx context.Context, s *agent.Session) error { return s.ReplySpeech(ctx, s.Message()) })
	text.GoTo(start)
	file.Body(readAloud)
	file.GoTo(start)
	return a, nil
}

// readAloud replies with the text of the uploaded file, and speaks it.
func readAloud(ctx context.Context, s *agent.Session) error {
	text := string(recording(s))
	if err := s.Reply(ctx, text); err != nil {
		return err
	}
	return s.ReplySpeech(ctx, text)
}
