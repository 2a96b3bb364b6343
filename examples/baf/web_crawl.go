package baf

import (
	"context"

	"docent/agent"
)

// WebCrawl answers questions about the pages of a website with a chat model.
func WebCrawl(v Services) (*agent.Agent, error) {
	a := agent.New("web_crawl")
	start, wait, answer := a.State("start", agent.Initial), a.State("wait"), a.State("answer")
	start.Body(say(`I am here to answer any questions you may have about the project! Just say "hello" to get started.`))
	start.GoTo(wait)
	wait.OnMessage().GoTo(answer)
	answer.Body(func(ctx context.Context, s *agent.Session) error {
		pages, err := v.pages(ctx, nothing{})
		if err != nil {
			return err
		}
		return v.reply(ctx, s, "You answer questions about the content of web pages. Otherwise, tell what the user can ask.",
			s.Message()+"\n\nThe web pages:\n"+pages)
	})
	answer.GoTo(wait)
	return a, nil
}
