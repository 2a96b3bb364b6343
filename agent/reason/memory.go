package reason

import (
	"context"
	"fmt"
	"strings"

	"docent/agent"
	"docent/agent/tool"
)

// maxRecalled is the number of facts that the model gets with one call.
const maxRecalled = 10

// memoryTools returns the tools with which a model keeps facts about the user.
func memoryTools() ([]tool.Tool, error) {
	remember, err := tool.New("remember_fact", "Keeps a fact about the user for later conversations. "+
		"Use it if the user asks for it or states a lasting preference. A fact with the same key is replaced.",
		func(ctx context.Context, in struct {
			Key  string `json:"key" description:"a short name, such as favorite_color"`
			Fact string `json:"fact" description:"the fact in one sentence"`
		},
		) (any, error) {
			return withMemory(ctx, func(m agent.Memory) (string, error) { return "Remembered.", m.Remember(ctx, in.Key, in.Fact, 0) })
		})
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the tool
	}
	recall, err := tool.New("recall_facts", "Returns the facts about the user that fit a text best.",
		func(ctx context.Context, in struct {
			About string `json:"about" description:"what the facts should be about"`
		},
		) (any, error) {
			return withMemory(ctx, func(m agent.Memory) (string, error) {
				facts, err := m.Search(ctx, in.About, maxRecalled)
				var b strings.Builder
				for _, f := range facts {
					fmt.Fprintf(&b, "%s: %s\n", f.Key, f.Text())
				}
				if b.Len() == 0 {
					b.WriteString("There are no facts about the user.")
				}
				return b.String(), err
			})
		})
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the tool
	}
	forget, err := tool.New("forget_fact", "Removes a fact about the user.",
		func(ctx context.Context, in struct {
			Key string `json:"key"`
		},
		) (any, error) {
			return withMemory(ctx, func(m agent.Memory) (string, error) { return "Forgotten.", m.Forget(ctx, in.Key) })
		})
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the tool
	}
	return []tool.Tool{remember, recall, forget}, nil
}

// withMemory calls f with the memory of the session.
func withMemory(ctx context.Context, f func(m agent.Memory) (string, error)) (any, error) {
	s, ok := agent.SessionFrom(ctx)
	if !ok {
		return nil, &tool.Error{Text: "there is no user"}
	}
	text, err := f(agent.MemoryOf(s))
	if err != nil {
		return nil, err
	}
	return text, nil
}
