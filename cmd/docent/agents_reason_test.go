package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"docent/agent"
	"docent/llm/llmtest"
)

// thinker reasons about each message.
const thinker = `name: thinker
tools: {knowledge: true}
states:
  think:
    initial: true
    body: [reason]
    on: [{message: any, to: think}]
`

// model is a scripted model as another process sees it.
type model struct {
	*llmtest.Server
	asked chan struct{} // gets something when the model is held up
	free  chan struct{} // closed to let go
}

// newModel plays a plan, a search, a result, and an answer in each run. It pauses
// after the given number of tool calls until the test releases it; -1 means
// never.
func newModel(t *testing.T, heldAt int) *model {
	t.Helper()
	m := &model{asked: make(chan struct{}, 100), free: make(chan struct{})}
	replies := []llmtest.Reply{
		calling("add_tasks", `{"descriptions":["find it"]}`),
		calling("search_knowledge", `{"query":"how much does the feed pump move?"}`),
		calling("complete_task", `{"task_id":1,"result":"found"}`),
		llmtest.Say("It moves ", "40 litres."),
	}
	m.Server = llmtest.NewServer(func(_ int, r llmtest.Request) llmtest.Reply {
		called := 0 // since the user spoke last
		for _, msg := range r.Messages {
			switch msg.Role {
			case "user":
				called = 0
			case "tool":
				called++
			}
		}
		if called == heldAt {
			m.hold()
		}
		return replies[min(called, len(replies)-1)]
	})
	t.Cleanup(func() {
		m.release()
		m.Close()
	})
	return m
}

// hold blocks until the model is let go.
func (m *model) hold() {
	select {
	case <-m.free:
	default:
		m.asked <- struct{}{}
		<-m.free
	}
}

// release lets the model go.
func (m *model) release() {
	select {
	case <-m.free:
	default:
		close(m.free)
	}
}

// thinking returns the environment of a server with that model and one document.
func (m *model) thinking(t *testing.T, env []string) []string {
	t.Helper()
	docs := t.TempDir()
	write(t, docs, "pump.md", "# Pump\n\nThe feed pump moves 40 litres per minute.\n")
	docent(t, env, 0, "ingest", docs)
	return append(slices.Clone(env), "DOCENT_LLM_URL="+m.URL, "DOCENT_MODEL=scripted", "OPENAI_API_KEY=none")
}

// heldUp waits until the model is.
func (m *model) heldUp(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	select {
	case <-m.asked:
	case <-ctx.Done():
		t.Fatal("the model was never asked")
	}
}

// steps returns a name for each received frame of a run: steps, task lists, and
// the answer.
func steps(heard []line, of func(line) bool) []string {
	var out []string
	for _, l := range heard {
		if !of(l) {
			continue
		}
		switch l.Action {
		case "agent_reply_reasoning_step":
			out = append(out, l.get("kind")+" "+l.get("step"))
		case "agent_reply_task_list_update", "agent_reply_str", "agent_reply_rag":
			out = append(out, l.Action)
		}
	}
	return out
}

func anyLine(line) bool         { return true }
func isStored(l line) bool      { return l.Seq != nil }
func isProvisional(l line) bool { return l.N != nil }
func isStep(s string) bool {
	return !strings.HasPrefix(s, "agent_reply_str") && !strings.HasPrefix(s, "agent_reply_rag")
}

func only(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(s string) bool { return !isStep(s) })
}

// wholeRun is the run of newModel as BAF tells it.
var wholeRun = []string{
	"reasoning_started 0",
	"llm_tool_calls 0", "task_added 0", "agent_reply_task_list_update",
	"llm_tool_calls 1", "tool_result 1",
	"llm_tool_calls 2", "task_completed 2", "agent_reply_task_list_update",
	"agent_reply_rag", "reasoning_finished 3",
}

// TestReasoningOverSockets: clients of both protocols receive the same steps in
// the same order, and the database has them in that order.
func TestReasoningOverSockets(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		m := newModel(t, -1)
		_, at := serve(t, m.thinking(t, env), "--agent", yamlAgent(t, thinker))
		v1, plain := join(t, at, "S", true), join(t, at, "S", false)
		v1.tell(t, "How much does the pump move?", "a")
		v1.wait(t, "turn_finished")
		plain.waitFor(t, "the run's end", func(l line) bool { return l.get("kind") == "reasoning_finished" })
		plain.waitReply(t, "It moves 40 litres. [1]")
		heard := v1.lines()
		if got := steps(plain.lines(), anyLine); !slices.Equal(got, wholeRun) {
			t.Errorf("a BAF client hears\n%q\nwant\n%q", got, wholeRun)
		}
		if got := steps(heard, isStored); !slices.Equal(got, wholeRun) {
			t.Errorf("a docent.v1 client hears at last\n%q\nwant\n%q", got, wholeRun)
		}
		if got := steps(heard, isProvisional); !slices.Equal(got, only(wholeRun)) {
			t.Errorf("a docent.v1 client hears at first\n%q\nwant\n%q", got, only(wholeRun))
		}
		seq := int64(1) // the message's
		for _, l := range heard {
			if l.Seq != nil {
				if seq++; *l.Seq != seq || *l.Turn != 1 {
					t.Errorf("seq %d comes as %d, turn %d", seq, *l.Seq, *l.Turn)
				}
			}
		}
		checkRun(t, env, at, 1)
	})
}

// checkRun compares the stored steps of the last turn with the whole run. All
// steps must be linked to the answer.
func checkRun(t *testing.T, env []string, at string, turn int64) {
	t.Helper()
	checkRunOf(t, env, at, "thinker", turn)
}

func checkRunOf(t *testing.T, env []string, at, name string, turn int64) {
	t.Helper()
	recordOf(t, at, "S").checkSeq(t, 1)
	_, messages, rows := inDatabase(t, env, name, "S")
	var answer agent.ChatMessage
	var got []string
	entries := map[int64]string{}
	for _, m := range messages {
		if m.Turn == turn && !m.IsUser {
			answer = m
			entries[m.Seq] = map[string]string{"rag_answer": "agent_reply_rag"}[m.Type]
		}
	}
	for _, r := range rows {
		if r.Turn != turn {
			continue
		}
		entries[r.Seq] = fmt.Sprintf("%s %d", r.StepKind, r.Step)
		if r.Kind == "task_list_update" {
			entries[r.Seq] = "agent_reply_task_list_update"
		}
		if r.ChatID != answer.ID {
			t.Errorf("step %s is linked to row %d, the answer is %d", entries[r.Seq], r.ChatID, answer.ID)
		}
	}
	var seqs []int64
	for seq := range entries {
		seqs = append(seqs, seq)
	}
	slices.Sort(seqs)
	for _, seq := range seqs {
		got = append(got, entries[seq])
	}
	if !slices.Equal(got, wholeRun) {
		t.Errorf("stored are\n%q\nwant\n%q", got, wholeRun)
	}
}

// TestReasoningIsStopped: a stop ends a run in the middle. Its steps so far are
// kept, and the next run works.
func TestReasoningIsStopped(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		m := newModel(t, 2)
		_, at := serve(t, m.thinking(t, env), "--agent", yamlAgent(t, thinker))
		v1, plain := join(t, at, "S", true), join(t, at, "S", false)
		v1.tell(t, "How much does the pump move?", "a")
		m.heldUp(t)
		v1.send(t, map[string]any{"action": "stop", "message": map[string]any{"turn": 1}})
		if end := v1.wait(t, "turn_finished"); end.get("outcome") != "stopped" {
			t.Errorf("the turn ended %s", end.Message)
		}
		plain.waitReply(t, "Stopped.")
		begun := wholeRun[:6]
		for who, got := range map[string][]string{
			"docent.v1": only(steps(v1.lines(), isStored)), "BAF": only(steps(plain.lines(), anyLine)),
		} {
			if len(got) < len(begun) || !slices.Equal(got[:len(begun)], begun) {
				t.Errorf("of a stopped run a %s client hears\n%q", who, got)
			}
		}
		r := recordOf(t, at, "S")
		r.checkSeq(t, 1)
		if got := r.said(false); !slices.Equal(got, []string{"Stopped."}) {
			t.Errorf("stored replies: %q", got)
		}
		m.release()
		v1.tell(t, "And now?", "b")
		v1.waitReply(t, "It moves 40 litres. [1]")
		v1.until(t, "the end of the second turn", func(heard []line) bool { return tally(heard, "turn_finished") == 2 })
		checkRun(t, env, at, 2)
	})
}

// TestReasoningIsReset: a reset from another socket ends a run in the middle
// and removes its steps.
func TestReasoningIsReset(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		m := newModel(t, 1)
		_, at := serve(t, m.thinking(t, env), "--agent", yamlAgent(t, thinker))
		v1, plain := join(t, at, "S", true), join(t, at, "S", false)
		v1.tell(t, "How much does the pump move?", "a")
		m.heldUp(t)
		plain.send(t, map[string]any{"action": "reset"})
		if end := v1.wait(t, "turn_finished"); end.get("outcome") != "failed" {
			t.Errorf("the turn ended %s", end.Message)
		}
		m.release()
		plain.tell(t, "Once more", "")
		plain.waitReply(t, "It moves 40 litres. [1]")
		v1.until(t, "the end of the second turn", func(heard []line) bool { return tally(heard, "turn_finished") == 2 })
		r := recordOf(t, at, "S")
		if got := r.said(true); !slices.Equal(got, []string{"Once more"}) {
			t.Errorf("stored messages: %q", got)
		}
		if len(r.Steps) != len(only(wholeRun)) {
			t.Errorf("%d steps are stored, want those of one run, %d", len(r.Steps), len(only(wholeRun)))
		}
	})
}

// TestReasoningSurvivesKills kills the server in the middle of a run without
// output. The run starts again, exactly once.
func TestReasoningSurvivesKills(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		for heldAt := range 4 {
			t.Run(fmt.Sprint("after ", heldAt), func(t *testing.T) { killRun(t, env, heldAt) })
		}
	})
}

// killRun uses a new data folder for each server, but one database.
func killRun(t *testing.T, env []string, heldAt int) {
	t.Helper()
	m := newModel(t, heldAt)
	env = append(slices.Clone(env), "DOCENT_AGENT_NAME=thinker")
	with, file := m.thinking(t, env), yamlAgent(t, strings.Replace(thinker, "name: thinker", fmt.Sprint("name: thinker", heldAt), 1))
	server, at := serve(t, with, "--agent", file)
	g := join(t, at, "S", true)
	g.tell(t, "How much does the pump move?", "a")
	g.wait(t, "ack")
	m.heldUp(t)
	server.kill(t)
	m.release()
	_, at = serve(t, with, "--agent", file)
	g = join(t, at, "S", true)
	g.tell(t, "How much does the pump move?", "a") // nobody heard its end
	if ack := g.wait(t, "ack"); ack.get("duplicate") != "true" {
		t.Errorf("said again: %s", ack.Message)
	}
	if end := g.wait(t, "turn_finished"); end.get("outcome") != "done" {
		t.Errorf("the turn ended %s", end.Message)
	}
	checkRunOf(t, env, at, fmt.Sprint("thinker", heldAt), 1)
	if got := recordOf(t, at, "S").said(false); !slices.Equal(got, []string{"It moves 40 litres. [1]"}) {
		t.Errorf("stored replies: %q", got)
	}
}

// TestBegunRunIsNotRepeated kills the server in the middle of a run with
// output. The run ends with an apology. It starts again when the user sends the
// message again.
func TestBegunRunIsNotRepeated(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		m := newModel(t, 2)
		with := m.thinking(t, env)
		file := yamlAgent(t, strings.Replace(thinker, "[reason]", "[{reply: Let me see.}, reason]", 1))
		server, at := serve(t, with, "--agent", file)
		g := join(t, at, "S", true)
		g.tell(t, "How much does the pump move?", "a")
		said := func(l line) bool { return l.text() == "Let me see." && l.Turn != nil && *l.Turn == 1 }
		g.waitFor(t, "the first words", said)
		m.heldUp(t)
		server.kill(t)
		m.release()
		_, at = serve(t, with, "--agent", file)
		g = join(t, at, "S", true)
		apologies := func() (n int) {
			for _, s := range recordOf(t, at, "S").said(false) {
				if strings.HasPrefix(s, "Sorry") {
					n++
				}
			}
			return n
		}
		eventually(t, "an apology", func() bool { return apologies() == 1 })
		before := recordOf(t, at, "S")
		before.checkSeq(t, 1)
		if got := before.said(true); len(got) != 1 {
			t.Errorf("stored messages: %q", got)
		}
		g.tell(t, "How much does the pump move?", "a")
		g.waitReply(t, "It moves 40 litres. [1]")
		g.waitFor(t, "the end", func(l line) bool { return l.Action == "turn_finished" && l.get("outcome") == "done" })
		r := recordOf(t, at, "S")
		r.checkSeq(t, 1)
		var of []string
		for _, m := range r.Messages {
			if m.Turn == 1 && !m.IsUser {
				of = append(of, strings.TrimSuffix(m.text()[:min(5, len(m.text()))], ","))
			}
		}
		if want := []string{"Let m", "Sorry", "Let m", "It mo"}; !slices.Equal(of, want) {
			t.Errorf("the turn said %q", of)
		}
		if apologies() != 1 {
			t.Errorf("%d apologies", apologies())
		}
		for _, s := range r.Steps {
			if s.ChatID == nil {
				t.Errorf("step %d is linked to nothing", s.Seq)
			}
		}
	})
}
