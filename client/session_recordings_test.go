package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/client"
	"docent/internal/fault"
	"docent/payload"
)

// tapeLine is a line of a recorded conversation; one field is set.
type tapeLine struct {
	Connect json.RawMessage `json:"connect"` // the last_seq of the next hello; null without one
	Server  json.RawMessage `json:"server"`  // a frame of the server
	Client  *struct {
		Action  payload.Action
		Message json.RawMessage
		ID      string
	} `json:"client"` // the next frame of the client
	Send  string `json:"send"`  // the program sends a message
	Text  []any  `json:"text"`  // a turn and its streamed text
	Cut   bool   `json:"cut"`   // the connection breaks
	Close int    `json:"close"` // the server closes the connection with a code
	End   *struct {
		Entries [][]any `json:"entries"` // number, turn, and text
		Sends   []any   `json:"sends"`   // receipts and kinds of errors
	} `json:"end"` // the state at the end
}

// The clients for TypeScript and Python play the same recordings.
func TestRecordings(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../clients/testdata/*.jsonl")
	if err != nil || len(files) < 11 {
		t.Fatalf("%d recordings: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := &player{t: t, script: newScript(t), ids: map[string]string{}, opened: make(chan struct{})}
			for line := range bytes.Lines(raw) {
				var r tapeLine
				if err := json.Unmarshal(line, &r); err != nil {
					t.Fatal(err)
				}
				p.play(r)
			}
			if !p.ended {
				t.Error("the recording has no end")
			}
		})
	}
}

// player plays a recording.
type player struct {
	t      *testing.T
	script *script
	line   *scriptLine
	ids    map[string]string // of the client by their names in the recording
	tab    *tab
	opened chan struct{}
	sends  []chan sent
	ended  bool
}

func (p *player) play(r tapeLine) {
	p.t.Helper()
	switch {
	case r.Connect != nil:
		p.connect(r.Connect)
	case r.Server != nil:
		frame := string(r.Server)
		for name, id := range p.ids {
			frame = strings.ReplaceAll(frame, `"`+name+`"`, `"`+id+`"`)
		}
		say(p.t, p.line.conn, frame)
	case r.Client != nil:
		f := p.line.read(r.Client.Action)
		if p.ids[r.Client.ID] == "" {
			p.ids[r.Client.ID] = f.ID
		}
		if string(f.Message) != string(r.Client.Message) || f.ID != p.ids[r.Client.ID] {
			p.t.Errorf("the client sent %s with the id %s, want %s", f.Message, f.ID, r.Client.Message)
		}
	case r.Send != "":
		<-p.opened
		p.sends = append(p.sends, p.tab.send(r.Send))
	case r.Text != nil:
		p.until(func() bool {
			return slices.ContainsFunc(p.tab.made.Running(), func(q client.Progress) bool {
				return float64(q.Turn) == r.Text[0] && q.Text == r.Text[1]
			})
		})
	case r.Cut:
		p.line.cut()
	case r.Close != 0:
		_ = p.line.conn.Close(r.Close, "")
	case r.End != nil:
		p.end(r)
	}
}

func (p *player) connect(last json.RawMessage) {
	p.t.Helper()
	want := int64(-1)
	if string(last) != "null" {
		if err := json.Unmarshal(last, &want); err != nil {
			p.t.Fatal(err)
		}
	}
	if p.tab == nil {
		p.tab = &tab{t: p.t}
		go func() {
			defer close(p.opened)
			s, err := client.Open(context.WithoutCancel(p.t.Context()), p.script.config())
			if err != nil {
				p.t.Error(err)
				return
			}
			p.tab.s = s
		}()
		p.t.Cleanup(func() {
			<-p.opened
			if p.tab.s != nil {
				_ = p.tab.s.Close()
			}
		})
	}
	p.line = p.script.next(want)
}

// until applies events until a condition holds.
func (p *player) until(ok func() bool) {
	p.t.Helper()
	if <-p.opened; p.tab.events == nil {
		p.tab.listen()
	}
	late := time.After(patience)
	for !ok() {
		select {
		case e := <-p.tab.events:
			p.tab.made.Apply(e)
		case <-late:
			p.t.Fatalf("it does not happen; the record is %+v", p.tab.made.Record())
		}
	}
}

func (p *player) end(r tapeLine) {
	p.t.Helper()
	p.ended = true
	for i, c := range p.sends {
		got := wait(p.t, c)
		var has any = map[string]any{"seq": got.receipt.Seq, "turn": got.receipt.Turn}
		if got.err != nil {
			has = string(fault.KindOf(got.err))
		}
		if encoded(p.t, has) != encoded(p.t, r.End.Sends[i]) {
			p.t.Errorf("message %d: %v (%v), want %v", i, has, got.err, r.End.Sends[i])
		}
	}
	var had [][]any
	p.until(func() bool {
		had = nil
		for _, e := range p.tab.made.Record() {
			had = append(had, []any{e.Seq, e.Turn, e.Text()})
		}
		return len(had) > 0 && encoded(p.t, had[len(had)-1]) == encoded(p.t, r.End.Entries[len(r.End.Entries)-1])
	})
	if encoded(p.t, had) != encoded(p.t, r.End.Entries) {
		p.t.Errorf("the conversation is %v, want %v", had, r.End.Entries)
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
