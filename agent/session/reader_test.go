package session_test

import (
	"context"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// An answer reads with the rights that all clients of the conversation have, because each of them
// sees it. A client with fewer rights than a running turn cannot join before the turn ends.
func TestReaderOfTurn(t *testing.T) { bubble(t, testReaderOfTurn) }

func testReaderOfTurn(t *testing.T) {
	var limited []bool
	proceed := make(chan struct{})
	a := agent.New("reading")
	idle, answer := a.State("idle", agent.Initial), a.State("answer")
	idle.OnMessage().GoTo(answer)
	answer.Body(func(ctx context.Context, _ *agent.Session) error {
		reader, _ := corpus.ReaderOf(ctx)
		limited = append(limited, reader.Limited)
		<-proceed
		return nil
	})
	answer.OnMessage().GoTo(answer)
	rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
	by := func(limited bool) context.Context {
		return corpus.WithReader(t.Context(), corpus.Reader{Principal: "ada", Limited: limited})
	}
	join := func(limited bool) (*session.Subscription, error) {
		return rt.Open(by(limited), session.OpenRequest{ID: "S", Owner: "ada"}, newEverything(t))
	}
	admin, err := join(false)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	ask := func() {
		t.Helper()
		if err := admin.Send(by(false), session.Message{Content: quoted("go")}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	ask()
	if _, err := join(true); fault.KindOf(err) != fault.Busy {
		t.Errorf("joined a turn with more rights: %v", err)
	}
	proceed <- struct{}{}
	synctest.Wait()
	other, err := join(true)
	if err != nil {
		t.Fatal(err)
	}
	ask()
	proceed <- struct{}{}
	synctest.Wait()
	other.Close()
	ask()
	proceed <- struct{}{}
	synctest.Wait()
	if len(limited) != 3 || limited[0] || !limited[1] || limited[2] {
		t.Errorf("limited: %v", limited)
	}
}
