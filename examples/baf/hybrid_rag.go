package baf

import (
	"docent/agent"
	"docent/rag"
)

// HybridRAG answers questions about the ingested documents, and about a file after
// its upload. docent always searches by keywords and by meaning.
func HybridRAG(Services) (*agent.Agent, error) {
	a := agent.New("hybrid_rag")
	start, upload := a.State("start", agent.Initial), a.State("upload")
	ask, askUpload := a.State("ask"), a.State("ask_upload")
	start.Body(say("Hi! Ask your question."))
	start.OnFile().GoTo(upload)
	start.OnNoIntent().GoTo(ask)
	upload.Body(addFile)
	upload.OnNoIntent().GoTo(askUpload)
	ask.Body(agent.Answering(rag.Request{K: passages}))
	ask.GoTo(start)
	askUpload.Body(agent.AnsweringFromSession(rag.Request{K: passages}))
	askUpload.GoTo(start)
	return a, nil
}
