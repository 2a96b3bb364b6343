package reason_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docent/rag/retrieve"

	"docent/agent/reason"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/llm"
	"docent/llm/llmtest"
)

// spy records the searches.
type spy struct {
	shelf
	mu      sync.Mutex
	queries []retrieve.Query
}

func (s *spy) Retrieve(ctx context.Context, q retrieve.Query) (retrieve.Retrieval, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queries = append(s.queries, q)
	return s.shelf.Retrieve(ctx, q)
}

// TestAskOptionsAndReasoning checks that tools use only the chosen collections
// and number of passages. If the user chooses another model, that model answers, with tools if it is one of Choices.
func TestAskOptionsAndReasoning(t *testing.T) {
	t.Parallel()
	found := &spy{}
	other := llmtest.NewModel(llmtest.Script(calls("", "search_knowledge", `{"query":"birds"}`), llmtest.Say("Birds sing [1].")))
	o := reason.Options{
		Knowledge: &tool.KnowledgeConfig{Searcher: found, Library: shelf{}}, NoPlanning: true, Choices: map[string]llm.Model{"other": other},
	}
	r := reasonWith(t, o, calls("", "search_knowledge", `{"query":"cats","k":2}`, "search_knowledge", `{"query":"cats","collection":"elsewhere"}`), llmtest.Say("Cats purr [1]."))
	ask := func(content string) []session.Delivery {
		if err := r.sub.Send(t.Context(), session.Message{Content: json.RawMessage(content), Human: true, Options: true}); err != nil {
			t.Fatal(err)
		}
		return r.heard()
	}
	ask(`{"message":"What do cats do?","collections":["default"],"k":9,"model":"scripted"}`)
	if len(found.queries) != 1 || found.queries[0].K != 9 || fmt.Sprint(found.queries[0].Collections) != "[default]" {
		t.Errorf("searched for %+v", found.queries)
	}
	var said []string
	for _, d := range ask(`{"message":"And dogs?","model":"extractive"}`) {
		said = append(said, string(d.Frame.Message))
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "You asked: And dogs?") || strings.Contains(all, "tools") {
		t.Errorf("by another model: %s", all)
	}
	before := len(found.queries)
	if _ = ask(`{"message":"And birds?","collections":["default"],"model":"other"}`); len(found.queries) != before+1 || len(other.Requests()) != 2 {
		t.Errorf("the chosen model searched %d times in %d calls", len(found.queries)-before, len(other.Requests()))
	}
}

// A reset during a run discards the run. A run that times out keeps its results
// so far and ends with an apology.
func TestReasoningCutShort(t *testing.T) {
	for name, cut := range map[string]func(t *testing.T, r *reasoning){
		"reset": func(t *testing.T, r *reasoning) {
			if err := r.sub.Reset(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		"turn timeout": func(*testing.T, *reasoning) { <-time.After(5 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := bubbled(t, reason.Options{ToolTimeout: 24 * time.Hour, Tools: []tool.Tool{{Name: "wait", Call: func(ctx context.Context, _ json.RawMessage) (any, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}}}}, calls("", "wait", `{}`), calls("All right."))
				send(t, r.sub, "", "Do it")
				synctest.Wait()
				cut(t, r)
				synctest.Wait()
				ended := steps(t, r.heard())
				record, rows := len(r.store.Record("s")), r.rows()
				if name == "reset" && record != 0 {
					t.Errorf("stored\n%s", rows)
				}
				if name != "reset" && (!strings.Contains(rows, `"Do it"`) || !strings.Contains(rows, "llm_tool_calls") || !strings.Contains(rows, "reasoning_finished")) {
					t.Errorf("stored\n%s", rows)
				}
				for _, want := range []string{"reasoning_started 0", "reasoning_finished 0", reply} {
					if name != "reset" && !strings.Contains(fmt.Sprint(ended), want) {
						t.Errorf("heard %q", ended)
					}
				}
				if got := steps(t, r.ask("Again")); !strings.Contains(fmt.Sprint(got), "reasoning_finished") { // it works on
					t.Errorf("heard %q", got)
				}
			})
		})
	}
}
