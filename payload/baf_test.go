package payload_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"testing"

	"docent/payload"
)

// TestBAFCoreMessage covers test_core_message of BAF: the types of stored messages, their
// actions, and files.
func TestBAFCoreMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stored string
		user   bool
		want   payload.Action
	}{
		{"str", true, "user_message"},
		{"str", false, "agent_reply_str"},
		{"file", true, "user_file"},
		{"audio", false, "agent_reply_audio"},
		{"markdown", false, "agent_reply_markdown"},
		{"rag_answer", false, "agent_reply_rag"},
		{"image", false, "agent_reply_image"},
		{"json", true, "user_message"},
	} {
		if got, ok := payload.ReplayAction(c.stored, c.user); !ok || got != c.want {
			t.Errorf("a stored %s (of the user: %v) is sent as %s, %v, want %s", c.stored, c.user, got, ok, c.want)
		}
	}
	if got, ok := payload.ReplayAction("does-not-exist", false); ok {
		t.Errorf("an unknown type is sent as %s", got)
	}
	raw := []byte("\x00\x01\x02 hello")
	f := payload.NewFile("hello.bin", "bin", raw)
	sent, err := json.Marshal(f)
	if err != nil || string(sent) != `{"name":"hello.bin","type":"bin","base64":"`+base64.StdEncoding.EncodeToString(raw)+`"}` {
		t.Errorf("a file is sent as %s, %v", sent, err)
	}
	quoted, err := json.Marshal(string(sent)) // BAF's clients send the JSON as a string
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range []json.RawMessage{sent, quoted} {
		read, err := payload.DecodeFile(message)
		content, failed := read.Bytes()
		if err != nil || failed != nil || read != f || !bytes.Equal(content, raw) {
			t.Errorf("%s is read as %+v, %v, %v", message, read, err, failed)
		}
	}
	if f := payload.NewFile("", "", []byte("x")); f.Name != "default_filename" || f.Type != "file" {
		t.Errorf("a file without name and type is %+v", f)
	}
	if _, err := payload.DecodeFile(json.RawMessage(`{"name":"empty.txt","type":"txt"}`)); err == nil {
		t.Error("a file without content is accepted")
	}
}
