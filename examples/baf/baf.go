// Package baf restates the example agents of the BESSER Agentic Framework (BAF) in Go
// and in YAML. Each agent has a Go file, a YAML file, and a recorded conversation in
// testdata, which the tests play with both forms.
//
// An agent file that calls Go functions needs a program that registers them, as in
// docent.Options{Functions: functions} with the result of Functions.
package baf

import (
	"context"

	"docent/agent"
	"docent/llm"
	"docent/llm/speech"
)

// Services are the services that the agents use. Each agent uses only some.
type Services struct {
	// Model is the chat model.
	Model llm.Model
	// Speech transcribes recordings.
	Speech *speech.Client
	// GitHub and GitLab are the base URLs of their APIs.
	GitHub, GitLab string
	// Website is the URL of the first page that WebCrawl reads.
	Website string
	// Coder and Reviewer are the WebSocket URLs of these agents.
	Coder, Reviewer string
	// Folder is the folder with the skills and the workspace of Reasoning.
	Folder string
}

// Agents returns the constructors of the agents by the names of their files.
func Agents() map[string]func(Services) (*agent.Agent, error) {
	return map[string]func(Services) (*agent.Agent, error){
		"a2a_multiagent":  A2AMultiagent,
		"api_speech2text": APISpeech2Text,
		"coder_agent":     CoderAgent,
		"cv":              CV,
		"github":          GitHub,
		"gitlab":          GitLab,
		"greetings":       Greetings,
		"hybrid_rag":      HybridRAG,
		"llm":             LLM,
		"main_agent":      MainAgent,
		"rag":             RAG,
		"reasoning":       Reasoning,
		"reviewer_agent":  ReviewerAgent,
		"speech2speech":   Speech2Speech,
		"speech2text":     Speech2Text,
		"stargazer":       Stargazer,
		"telegram":        Telegram,
		"text2speech":     Text2Speech,
		"weather":         Weather,
		"web_crawl":       WebCrawl,
	}
}

// say returns a body that replies with a text.
func say(text string) agent.Body {
	return func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, text) }
}

// asking returns a body that replies with the answer of the chat model.
func (v Services) asking(prompt string) agent.Body {
	return func(ctx context.Context, s *agent.Session) error { return v.reply(ctx, s, "", prompt) }
}

// reply replies with the answer of the chat model.
func (v Services) reply(ctx context.Context, s *agent.Session, system, prompt string) error {
	text, err := v.ask(ctx, system, prompt)
	if err != nil {
		return err
	}
	return s.Reply(ctx, text)
}

// ask asks the chat model.
func (v Services) ask(ctx context.Context, system, prompt string) (string, error) {
	var messages []llm.Message
	if system != "" {
		messages = append(messages, llm.Text(llm.System, system))
	}
	answer, err := llm.Ask(ctx, v.Model, llm.Request{Messages: append(messages, llm.Text(llm.User, prompt))})
	return answer.Text, err
}
