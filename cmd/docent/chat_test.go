package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/internal/servertest"
	"docent/internal/terminal"
)

// runWith runs a command in the test process, and returns its output.
func runWith(ctx context.Context, in string, args ...string) (string, error) {
	var out, log bytes.Buffer
	root := newRoot(stdio{in: strings.NewReader(in), out: &out, err: &log})
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return out.String(), err
}

// TestTerminalClient uses a running server from the terminal, with a token.
func TestTerminalClient(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Config{Auth: true, Documents: []servertest.Document{
		{Name: "pump.md", Content: "# Pump\n\nThe feed pump stops at noon.\n"},
		{Collection: "decks", Name: "deck.md", Content: "# Deck\n\nThe deck pump stops at sunset.\n"},
	}})
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data":[]}`)) }))
	t.Cleanup(foreign.Close)
	to := []string{"--server", s.URL, "--token", s.Person("token owner").Token}
	const question = "When does the feed pump stop?"
	for _, c := range []struct {
		args      []string
		in, wants string
	}{
		{[]string{"ask", question}, "", "noon. [1]\n\n[1] Pump\n"},
		{[]string{"ask", "-"}, question + "\n", "noon. [1]"},
		{[]string{"ask", "--json", "--document", "2", "When does the pump stop?"}, "", "sunset"},
		{[]string{"ask", "--collection", "decks", "When does the pump stop?"}, "", "sunset"},
		{[]string{"search", "-k", "1", "feed pump"}, "", " 1. Pump\n"},
		{[]string{"search", "--json", "-"}, "feed pump\n\ndeck\n", "{\"question\":\"\",\"results\":[]}\n"},
		{[]string{"docs", "ls"}, "", "1   ready   1         Pump"},
		{[]string{"docs", "ls", "--json", "--collection", "decks"}, "", `"collection":"decks"`},
		{[]string{"chat"}, question + "\n1\n/quit\nnever", "stops at noon. [1]\n\n[1] Pump\n"},
		{[]string{"chat"}, question + "\n1\n", "\n\nThe feed pump stops at noon.\n> "},
		{[]string{"ask", "--model", "extractive", question}, "", "noon. [1]"},
		{[]string{"docs"}, "", "1   ready   1         Pump"},
		{[]string{"docs", "--json", "--collection", "decks"}, "", `"collection":"decks"`},
		{[]string{"chat", "--model", "extractive", "--collection", "decks"}, "When does the pump stop?\n", "sunset"},
		{[]string{"chat"}, "/model\n/model nope\n", "  extractive (answers now)\n> error: there is no model \"nope\"; there are: extractive\n"},
		{[]string{"chat"}, question + "\n7\n", "error: there is no passage 7: those of the last answer have the numbers 1 to 2;"},
		{[]string{"chat"}, "", "/help lists the commands.\nHi! Ask me"},
		{[]string{"chat"}, "/source\n", "error: there is no command /source; did you mean /sources?\n"},
		{[]string{"chat"}, "/docs deck\n/sources\n/new\n/nonsense\n", "Deck  ("},
		{[]string{"chat"}, "/collection decks\nWhen does the pump stop?\n/collection nope\n/collection\n", "sunset"},
		{[]string{"chat"}, question + "\n/new\n1\n", "> There is no answer with sources yet.\n> "},
		{[]string{"chat"}, "/collection nope\n", `error: there is no collection "nope"; there are: decks, default`},
	} {
		got, err := runWith(t.Context(), c.in, append(c.args, to...)...)
		if err != nil || !strings.Contains(got, c.wants) || strings.Contains(got, "never") {
			t.Errorf("%v with %q: %v\n%s\nwant %q", c.args, c.in, err, got, c.wants)
		}
	}
	for _, command := range []string{"ask", "search", "chat", "docs", "docs ls"} {
		args := append(append([]string{"__complete"}, strings.Fields(command)...), append(to, "--collection", "")...)
		if got, err := runWith(t.Context(), "", args...); err != nil || !strings.HasPrefix(got, "decks\ndefault\n:4\n") {
			t.Errorf("%s completes %q, %v", command, got, err)
		}
	}
	if got, err := runWith(t.Context(), "", append([]string{"__complete", "chat"}, append(to, "--model", "")...)...); err != nil || !strings.HasPrefix(got, "extractive\n:4\n") {
		t.Errorf("models complete as %q, %v", got, err)
	}
	for _, c := range []struct {
		args  []string
		kind  fault.Kind
		wants string
	}{
		{[]string{"ask", question, "--server", s.URL}, fault.Unauthorized, "--token"},
		{[]string{"chat", "--server", s.URL, "--token", "docent_wrong"}, fault.Unauthorized, s.URL},
		{[]string{"chat", "--server", s.URL}, fault.Unauthorized, "; name a token with --token or $DOCENT_TOKEN"},
		{append([]string{"chat", "--model", "nope"}, to...), fault.NotFound, "there are: extractive"},
		{append([]string{"chat", "--collection", "nope"}, to...), fault.NotFound, "there are: decks, default"},
		{append([]string{"ask", question, "--model", "nope"}, to...), fault.Invalid, "there are: extractive"},
		{append([]string{"ask", question, "--min-evidence", "0.2"}, to...), fault.Invalid, "no effect with --server"},
		{[]string{"chat", "--server", foreign.URL}, fault.Unavailable, "does not answer like docent"},
		{[]string{"ask", question, "--server", "http://127.0.0.1:1"}, fault.Unavailable, "docent serve"},
		{[]string{"ask", question, "--server", "127.0.0.1:1"}, fault.Invalid, "is not an address"},
		{[]string{"ask", question, "--token", "x"}, fault.Invalid, "--server"},
		{append([]string{"search", question, "--mode", "bm25"}, to...), fault.Invalid, "--mode"},
		{append([]string{"ask", question, "--collection", "nope"}, to...), fault.NotFound, "nope"},
		{append([]string{"ask", " "}, to...), fault.Invalid, "empty"},
		{[]string{"serach", "x"}, fault.Invalid, "did you mean search?"},
		{[]string{"docs", "lst"}, fault.Invalid, "did you mean ls?"},
		{[]string{"ask", "--modle=m", "x"}, fault.Invalid, "did you mean --model?"},
		{[]string{"ask", "--zzzzzzz", "x"}, fault.Invalid, "docent ask --help"},
	} {
		if _, err := runWith(t.Context(), "", c.args...); fault.KindOf(err) != c.kind || !strings.Contains(fault.Message(err), c.wants) {
			t.Errorf("%v: %s %v, want %s with %q", c.args, fault.KindOf(err), err, c.kind, c.wants)
		}
	}
}

// TestChatWithAgent talks with an agent that offers options and sends a table, and continues the conversation.
func TestChatWithAgent(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Config{Agent: `
name: shop
states:
  hello:
    initial: true
    body: [{reply: Welcome.}, {options: ["Dinghy", "Yacht"]}]
    on: [{message: text, to: price}]
  price:
    body:
      - reply: "The price of {{.message}}:"
      - dataframe: {columns: [boat, euros], rows: [["Dinghy", 4], ["Yacht", 8]]}
      - options: ["Buy", "Leave"]
    then: wait
  wait:
    on: [{message: text, to: price}]
`})
	var log bytes.Buffer
	var out [2]bytes.Buffer
	root := newRoot(stdio{in: strings.NewReader("Yacht\n2\n3\n"), out: &out[0], err: &log})
	root.SetArgs([]string{"chat", "--server", s.URL})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Welcome.\n", "The price of Yacht:\n\n| boat | euros |\n| --- | --- |\n| Dinghy | 4 |\n| Yacht | 8 |\n  1. Buy\n  2. Leave\n",
		"The price of Leave:\n", "error: there is no option 3; there are 2\n",
	} {
		if !strings.Contains(out[0].String(), want) {
			t.Errorf("there is no %q in\n%s", want, &out[0])
		}
	}
	_, id, ok := strings.Cut(log.String(), "To continue: docent chat --server "+s.URL+" --session ")
	if !ok {
		t.Fatalf("it says %q", &log)
	}
	got, err := runWith(t.Context(), "1\n", "chat", "--server", s.URL, "--session", strings.TrimSpace(id))
	if err != nil || !strings.Contains(got, "Welcome.\n  1. Dinghy\n  2. Yacht\n> Yacht\nThe price of Yacht:\n") || !strings.Contains(got, "The price of Buy:\n") {
		t.Errorf("continued: %v\n%s", err, got)
	}
}

// TestCompletion completes the names of collections in the database, and makes no database.
func TestCompletion(t *testing.T) {
	t.Parallel()
	full, empty := dataFolder(t), t.TempDir()
	for _, c := range []struct {
		data, command, want string
	}{
		{full, "ingest --collection", "default\n"},
		{full, "eval --collection", "default\n"},
		{full, "source add --collection", "default\n"},
		{full, "docs rm --collection", "default\n"},
		{full, "answers import --collection", "default\n"},
		{full, "docs move --to", "default\n"},
		{full, "collection rm", "default\n"},
		{full, "collection grant", "default\n"},
		{full, "collection grant default everyone", "read\nwrite\nmanage\n"},
		{empty, "collection rm", ""},
	} {
		args := append([]string{"__complete", "--data", c.data}, strings.Fields(c.command)...)
		got, err := runWith(t.Context(), "", append(args, "")...)
		if got = strings.TrimSuffix(got, ":4\n"); err != nil || got != c.want {
			t.Errorf("%s completes %q, %v; want %q", c.command, got, err, c.want)
		}
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("the empty folder has %v, %v", left, err)
	}
}

// TestBegun shows only sentences that the answer keeps, with the numbers of the final answer. If the answer differs all the
// same, only its end is printed again.
func TestBegun(t *testing.T) {
	t.Parallel()
	const first, next = "The pump stops at noon, as the plan says [2].", " It starts again in the evening [1][2]."
	const kept = "The pump stops at noon, as the plan says [1]."
	const again, code = " It starts again in the evening [2][1].", " Code `a[2]` is none [2]. And more."
	const last = "\n\nNobody else may start the pump of the ship."
	const notice = "\n(docent corrected the answer. From here on, it is:)\n"
	for _, c := range []struct{ written, answer, shown, printed string }{
		{first + next + last, kept + again + last, kept + again, ""},
		{first + " Dead [9] and [42]. And more." + last, kept + " Dead and. And more." + last, kept, ""},
		{first + " It is in Pump [pump.md]. And more." + last, kept + " It is in Pump. And more." + last, kept, ""},
		{first + " It is the plan (pump.md). And more." + last, kept + " It is the plan. And more." + last, kept, ""},
		{first + "\n\n**Sources:**\n- pump.md\n- plan.md, which is a longer name\n- another.md", kept, kept, ""},
		{first + " Code `a[2]` is none [1]. And more." + last, kept + code + last, kept + code, ""},
		{first + next + last, kept + " It rests." + last, kept + again, notice + "It rests." + last},
		{first + next + last, "The documents do not say it.", kept + again, notice + "The documents do not say it."},
		{first + next + last, kept, kept + again, notice + kept},
	} {
		for _, size := range []int{1, 2, 3, 7, 20} {
			var stream begun
			var out bytes.Buffer
			for rest := c.written; rest != ""; rest = rest[min(size, len(rest)):] {
				out.WriteString(stream.add(rest[:min(size, len(rest))], 4))
			}
			if out.String() != stream.shown || !strings.HasPrefix(c.shown, out.String()) || size == 1 && out.String() == "" {
				t.Errorf("%q in pieces of %d shows %q, want the beginning of %q", c.written, size, out.String(), c.shown)
			}
			(&conversation{page: terminal.NewLayout(&out, 0)}).finish(stream, c.answer)
			want := c.answer + "\n"
			if c.printed != "" && !strings.HasPrefix(c.answer, stream.shown) {
				want = stream.shown + c.printed + "\n"
			}
			if out.String() != want {
				t.Errorf("%q in pieces of %d prints %q, want %q", c.written, size, out.String(), want)
			}
		}
	}
	var unsearched begun
	if shown := unsearched.add("The pump runs. It stops at noon, as the plan says [1]."+again+last, 0); shown != "The pump runs." {
		t.Errorf("before a search, it shows %q", shown)
	}
}
