package main

import (
	"testing"
	"time"

	"docent/internal/pgtest"
)

// TestTakeover kills the server with a conversation in the middle of an answer. Its clients go on at
// the other server, one of them from there.
func TestTakeover(t *testing.T) {
	t.Parallel()
	model := trickle(t, 50*time.Millisecond)
	env := []string{
		"DATABASE_URL=" + pgtest.URL(t), "DOCENT_LLM_URL=" + model.URL, "DOCENT_MODEL=scripted", "OPENAI_API_KEY=none",
	}
	file := yamlAgent(t, ponderer)
	var servers []*program
	var hosts []string
	for range 2 {
		server, at := serve(t, append(env, "DOCENT_DATA="+t.TempDir()), "--agent", file)
		servers, hosts = append(servers, server), append(hosts, hostOf(at))
	}
	first, second := newProxy(t, hosts...), newProxy(t, hosts[1])
	first.turn.Store(1) // the first client is at the first server
	here := newTab(t.Context(), t, first.at, "x", "the first client")
	there := newTab(t.Context(), t, second.at, "x", "the second client")
	told, err := there.tell("a question that takes a while", "m")
	if err != nil {
		t.Fatal(err)
	}
	first.move(0, nobody)
	servers[0].kill(t)
	for _, v := range []*tab{here, there} {
		if !v.until("answered", func() bool { return v.last >= 3 && v.synced && len(v.finished[told.Turn]) > 0 }) {
			return
		}
		v.mu.Lock()
		same(t, v.name, v.made.Record(), entriesOf(t, append(env, "DOCENT_DATA="+t.TempDir()), "ponderer", "x"))
		v.mu.Unlock()
	}
}
