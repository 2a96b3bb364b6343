package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/internal/servertest"
	"docent/llm/llmtest"
	"docent/payload"
)

// TestBriefInTerminal lets a running server write briefs with the rights of a token.
func TestBriefInTerminal(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Config{Auth: true, Documents: []servertest.Document{
		{Name: "pump.md", Content: "# Pump\n\n## Stopping\n\nThe feed pump stops at noon.\n\n## Service\n\nThe feed pump is serviced in May.\n"},
		{Collection: "decks", Name: "deck.md", Content: "# Deck\n\nThe deck pump stops at sunset.\n"},
	}})
	to := []string{"--server", s.URL, "--token", s.Person("token owner").Token}
	const task = "When does the feed pump stop, and when is it serviced?"
	run := func(args ...string) string {
		t.Helper()
		got, err := runWith(t.Context(), "", append(append([]string{"brief", task}, args...), to...)...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, got)
		}
		return got
	}
	if got := run("--outline"); got != "Pump\nDeck\n" && got != "Deck\nPump\n" {
		t.Errorf("the outline is %q", got)
	}
	var outline struct{ Headings []string }
	if err := json.Unmarshal([]byte(run("--outline", "--json", "--collection", "decks")), &outline); err != nil || strings.Join(outline.Headings, " ") != "Deck" {
		t.Errorf("the outline of the decks is %q, %v", outline.Headings, err)
	}
	got := run("--heading", "Stop", "--heading", "Service")
	for _, want := range []string{"Stop", "stops at noon. [", "Service", "serviced in May. [", "[1] Pump"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	var brief payload.RAGMessage
	if err := json.Unmarshal([]byte(run("--heading", "Stop", "--json")), &brief); err != nil || !strings.Contains(brief.Answer, "noon") {
		t.Errorf("the brief is %+v, %v", brief, err)
	}
	file := filepath.Join(t.TempDir(), "brief.docx")
	if got := run("--heading", "Stop", "-o", file); got != "wrote "+file+"\n" {
		t.Errorf("the command prints %q", got)
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if _, err := z.Open("word/document.xml"); err != nil {
		t.Error(err)
	}
	missing := filepath.Join(t.TempDir(), "none.pdf")
	for _, c := range []struct {
		args  []string
		kind  fault.Kind
		wants string
	}{
		{append([]string{"brief", task, "-o", file}, to...), fault.Invalid, "exists"},
		{append([]string{"brief", task, "-o", "brief.txt"}, to...), fault.Invalid, "must end with"},
		{append([]string{"brief", task, "-o", missing, "--collection", "nope"}, to...), fault.NotFound, "nope"},
		{append([]string{"brief", " "}, to...), fault.Invalid, "empty"},
		{[]string{"brief", task, "--server", "http://127.0.0.1:1"}, fault.Unavailable, "docent serve"},
		{[]string{"brief"}, fault.Invalid, "there is no question"},
		{append([]string{"brief", task, "--model", "nope"}, to...), fault.Invalid, "there are: extractive"},
	} {
		if _, err := runWith(t.Context(), "", c.args...); fault.KindOf(err) != c.kind || !strings.Contains(fault.Message(err), c.wants) {
			t.Errorf("%v: %s %v, want %s with %q", c.args, fault.KindOf(err), err, c.kind, c.wants)
		}
	}
	if _, err := os.Stat(missing); !os.IsNotExist(err) {
		t.Errorf("a failed brief leaves a file: %v", err)
	}
}

// canceler cancels as soon as somebody writes a text.
type canceler struct {
	text   string
	cancel context.CancelFunc
}

func (c canceler) Write(b []byte) (int, error) {
	if strings.Contains(string(b), c.text) {
		c.cancel()
	}
	return len(b), nil
}

// TestBriefIsStopped interrupts the command between two sections. The finished one is printed.
func TestBriefIsStopped(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(func(_ int, r llmtest.Request) llmtest.Reply {
		reply := llmtest.Say("The feed pump stops at noon [1].")
		if strings.Contains(r.Messages[len(r.Messages)-1].Content, "Pump service: ") { // the question of the second section
			reply.Wait = func(ctx context.Context, _ int) error {
				<-ctx.Done()
				return ctx.Err()
			}
		}
		return reply
	})
	t.Cleanup(model.Close)
	s := servertest.Start(t, servertest.Config{
		Settings:  map[string]string{"llm.url": model.URL, "llm.model": "scripted", "llm.key": "none"},
		Documents: []servertest.Document{{Name: "pump.md", Content: "# Pump\n\nThe feed pump stops at noon.\n"}},
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out bytes.Buffer
	root := newRoot(stdio{in: strings.NewReader(""), out: &out, err: canceler{"1 of 2: Stop", cancel}})
	root.SetArgs([]string{"brief", "When does the pump stop?", "--heading", "Stop", "--heading", "Pump service", "--server", s.URL})
	if err := root.ExecuteContext(ctx); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The feed pump stops at noon", "Not written", "Pump service"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, &out)
		}
	}
}

// TestRemoteLibrary tags and removes documents of a running server.
func TestRemoteLibrary(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Config{Auth: true, Documents: []servertest.Document{
		{Name: "pump.md", Content: "# Pump\n\nThe feed pump stops at noon.\n"},
		{Collection: "decks", Name: "deck.md", Content: "# Deck\n\nThe deck pump stops at sunset.\n"},
	}})
	to := []string{"--server", s.URL, "--token", s.Person("token root").Token}
	for _, c := range []struct {
		args  string
		kind  fault.Kind // "" for none
		wants string
	}{
		{"docs tag 1 2 --add Draft --add old", "", "tagged 2 documents\n"},
		{"docs tag 2 --remove old", "", "tagged 1 document\n"},
		{"docs ls --json --tag draft", "", `"tags":["draft"]`},
		{"docs tag x --add a", fault.Invalid, "is not the id of a document"},
		{"docs rm 1 99", fault.NotFound, "nothing was removed"},
		{"docs rm 2 --collection default", fault.NotFound, "nothing was removed"},
		{"docs rm 2 --collection decks", "", "removed 1 document\n"},
		{"docs ls --json", "", `"title":"Pump"`},
		{"docs rm 1", "", "removed 1 document\n"},
		{"docs ls", "", "No documents yet."},
	} {
		got, err := runWith(t.Context(), "", append(strings.Fields(c.args), to...)...)
		if err != nil {
			got = fault.Message(err)
		}
		if fault.KindOf(err) != c.kind && (err != nil || c.kind != "") || !strings.Contains(got, c.wants) {
			t.Errorf("%s: %v\n%s\nwant %q", c.args, err, got, c.wants)
		}
	}
}
