package baf

import (
	"context"

	"docent/agent"
	"docent/rag"
)

// passages is the number of passages for an answer.
const passages = 4

// RAG answers questions about a file that the user uploads.
func RAG(Services) (*agent.Agent, error) {
	a := agent.New("rag")
	start, upload, ask := a.State("start", agent.Initial), a.State("upload"), a.State("ask")
	start.Body(say("Hi! Upload a file, then ask your question about it."))
	start.OnFile().GoTo(upload)
	upload.Body(addFile)
	upload.OnNoIntent().GoTo(ask)
	ask.Body(agent.AnsweringFromSession(rag.Request{K: passages}))
	ask.GoTo(start)
	return a, nil
}

// addFile adds the file of the event to the documents of the session.
func addFile(ctx context.Context, s *agent.Session) error {
	if s.Event().File == nil {
		return errNoFile
	}
	return agent.DocumentsOf(s).AddFile(ctx, *s.Event().File)
}
