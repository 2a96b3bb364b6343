package servertest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"docent/internal/servertest"
	"docent/internal/wstest"
)

// goldenRAG is BAF's own agent_reply_rag frame.
const goldenRAG = `{"action": "agent_reply_rag", "message": {"llm_name": "gpt-4o-mini", "question": "q?", "answer": "the answer", "docs": [{"content": "chunk text", "metadata": {"source": "pdfs/a.pdf", "page": 0}}]}, "history": false, "timestamp": "2026-11-21 07:10:21"}`

// carries reports the place where got lacks a key of want or has another type.
// null stands for a missing page.
func carries(path string, want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return path + " is no object"
		}
		for k, v := range want {
			if k == "page" && g[k] == nil {
				if _, there := g[k]; !there {
					return path + ".page is missing"
				}
				continue
			}
			if s := carries(path+"."+k, v, g[k]); s != "" {
				return s
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) == 0 {
			return path + " is no filled array"
		}
		for _, v := range g {
			if s := carries(path+"[]", want[0], v); s != "" {
				return s
			}
		}
	case string:
		if _, ok := got.(string); !ok {
			return path + " is no string"
		}
	case bool:
		if _, ok := got.(bool); !ok {
			return path + " is no boolean"
		}
	}
	return ""
}

// TestPlainClient: a client that knows only BAF gets the greeting and one
// answer frame. Bad frames do not end its session.
func TestPlainClient(t *testing.T) {
	t.Parallel()
	at := servertest.Start(t, servertest.Config{Documents: []servertest.Document{litres}}).URL
	c := dial(t, at+"/any/path?user_id=ada")
	if greeting := hear(t, c); greeting["action"] != "agent_reply_str" || greeting["history"] != false {
		t.Fatalf("greeting: %v", greeting)
	}
	for _, bad := range []string{"garbage", "", "[1,2]", "{}", `{"message":"x"}`, `{"action":"user_message"`, `{"action":"no_such_thing","message":1}`, `{"action":5,"message":null}`, "null", strings.Repeat("x", 2<<20)} {
		say(t, c, wstest.MessageText, bad)
		say(t, c, wstest.MessageBinary, bad)
	}
	say(t, c, wstest.MessageBinary, "\xff\xfe\x00")
	say(t, c, wstest.MessageText, `{"action":"user_message","message":"how much does the feed pump move?"}`)
	var golden any
	if err := json.Unmarshal([]byte(goldenRAG), &golden); err != nil {
		t.Fatal(err)
	}
	frame := hear(t, c)
	for frame["action"] == "agent_reply_str" { // the report of the message that was too long
		if !strings.Contains(frame["message"].(string), "bytes") {
			t.Fatalf("unasked: %v", frame)
		}
		frame = hear(t, c)
	}
	if wrong := carries("frame", golden, frame); wrong != "" || frame["action"] != "agent_reply_rag" {
		t.Fatalf("%s: %v", wrong, frame)
	}
	message := frame["message"].(map[string]any)
	if !strings.Contains(message["answer"].(string), "40 litres") || message["llm_name"] != "extractive" {
		t.Errorf("answer: %v", message)
	}
	var health map[string]any
	getJSON(t, at+"/api/health", &health)
	if health["status"] != "ok" {
		t.Errorf("health: %v", health)
	}
}
