package guide_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"docent"
	"docent/agent"
	"docent/agent/reason"
	"docent/agent/tool"
	"docent/examples/exampletest"
	"docent/payload"
)

// researcher is in the guide. It serves an agent that reasons about a folder of
// documents.
func researcher(ctx context.Context, opts docent.Options, folder string) (err error) {
	d, err := docent.New(ctx, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close(ctx)) }()
	if err := d.Ingest(ctx, folder); err != nil {
		return err
	}
	body, err := reason.New(d.Model(), reason.Options{Knowledge: d.Knowledge()})
	if err != nil {
		return err
	}
	a := agent.New("researcher")
	think := a.State("think", agent.Initial)
	think.Body(body)
	think.OnMessage().GoTo(think)
	return d.Serve(ctx, a)
}

func TestResearcher(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "pump.md", "# Pump\n\nThe pump is serviced every 500 hours.\n")
	u := exampletest.Serve(t, func(ctx context.Context, opts docent.Options) error { return researcher(ctx, opts, folder) })
	u.Says("How often is the pump serviced?")
	u.Frame() // says that there is no model
	if f := u.Frame(); f.Action != payload.ReplyRAG || !strings.Contains(string(f.Message), "500 hours") {
		t.Errorf("the agent says %s %s", f.Action, f.Message)
	}
}

// priced is in the guide. It serves an agent file that calls a function.
func priced(ctx context.Context, opts docent.Options) error {
	type parcels struct {
		Count int `json:"count"`
	}
	price, err := tool.New("price", "Computes the price of parcels.", func(_ context.Context, p parcels) (any, error) {
		return map[string]int{"euros": 4 * p.Count}, nil
	})
	if err != nil {
		return err
	}
	opts.Functions = []tool.Tool{price}
	return docent.Run(ctx, nil, opts) // run it with --agent parcels.yaml
}

func TestPriced(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "parcels.yaml", `
name: parcels
states:
  ask: {initial: true, body: [{reply: "How many parcels?"}], on: [{message: any, to: price}]}
  price:
    body:
      - call: {tool: price, arguments: {count: "{{.message * 1}}"}, into: price}
        else: [{reply: That is no number.}]
      - if: {variable: price}
        then: [{reply: "{{.variables.price.euros}} €."}]
      - set: {price: null}
    on: [{message: any, to: price}]
`)
	u := exampletest.Serve(t, priced, "--agent="+filepath.Join(folder, "parcels.yaml"))
	u.Hears("How many parcels?")
	u.Says("3")
	u.Hears("12 €.")
	u.Says("some")
	u.Hears("That is no number.")
}

// startPatience bounds the time to start a program on a busy machine.
const startPatience = 10 * time.Minute

// TestPrograms runs the commands and the programs of the guide in empty folders.
func TestPrograms(t *testing.T) {
	t.Parallel()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile("(?s)\n *```sh\n *mkdir support(.*?)```").FindString(read(t, guides+"write-agents.md"))
	commands = strings.NewReplacer("```sh", "", "```", "", "/path/to/docent", repository).Replace(commands)
	programs := []string{}
	for _, block := range blocks(t, "go") {
		if strings.HasPrefix(block, "package main") {
			programs = append(programs, block)
		}
	}
	if commands == "" || len(programs) != 2 {
		t.Fatalf("the guide has the commands %q and %d programs", commands, len(programs))
	}

	t.Run("support", func(t *testing.T) {
		t.Parallel()
		base := build(t, repository, commands, programs[0])
		ready := make(chan string, 1)
		runProgram(t, base, &watcher{line: "docent is at ", found: ready}, "DOCENT_ADDR=127.0.0.1:0")
		url := ""
		select {
		case url = <-ready:
		case <-time.After(startPatience):
			t.Fatal("the program does not start")
		}
		u := exampletest.Dial(t, url)
		u.Hears("Hi! Ask me about the manuals.")
		u.Says("How often is the pump serviced?")
		if f := u.Frame(); f.Action != payload.ReplyRAG {
			t.Errorf("the agent says %s %s", f.Action, f.Message)
		}
		if status := send(t, http.MethodGet, url+"/api/info"); status != http.StatusOK {
			t.Errorf("the HTTP API answers %d", status)
		}
	})
	t.Run("orders", func(t *testing.T) {
		t.Parallel()
		// Another program on this machine may have the port of the guide.
		const at = "127.7.6.5:8765"
		base := build(t, repository, commands, strings.ReplaceAll(programs[1], "127.0.0.1:8765", at))
		runProgram(t, base, io.Discard)
		await(t, func() bool { return send(t, http.MethodGet, "http://"+at+"/api/ready") == http.StatusOK })
		u := exampletest.Dial(t, "http://"+at+"?session_id=customer-4711-aaaaaaaaaaaaa")
		await(t, func() bool { // docent may still be storing the session
			return send(t, http.MethodPost, "http://"+at+"/orders/customer-4711-aaaaaaaaaaaaa/shipped") == http.StatusOK
		})
		u.Hears("Your order is on its way.")
	})
}

// build makes the folder of a program with the commands of the guide, and returns
// its path. The program is in its file program.
func build(t *testing.T, repository, commands, program string) string {
	t.Helper()
	folder := t.TempDir()
	command(t, folder, "sh", "-e", "-c", commands)
	folder = filepath.Join(folder, "support")
	write(t, folder, "main.go", program)
	// In the folder, go run would compile all of docent again, because there docent is another
	// version of the module. So go finds all packages in the folder, and compiles in the repository.
	command(t, folder, "go", "list", "-deps", ".")
	command(t, repository, "go", "build", "-ldflags=-s -w", "-o", filepath.Join(folder, "program"), filepath.Join(folder, "main.go"))
	return folder
}

// command runs a command in a folder without a network.
func command(t *testing.T, folder, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS="+buildFlags())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
}

// runProgram runs a program in its folder until the test ends.
func runProgram(t *testing.T, folder string, stderr io.Writer, env ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(folder, "program")) //nolint:noctx // an interrupt ends it
	cmd.Dir, cmd.Stderr = folder, stderr
	cmd.Env = append(os.Environ(), append(env, "DOCENT_DATA="+t.TempDir())...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // the program reports the interrupt
	})
}

// buildFlags returns the flags -race and -trimpath if this test has them. So the packages of
// docent are compiled only once, for the tests and for the programs.
func buildFlags() string {
	var flags []string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, flag := range []string{"-race", "-trimpath"} {
			if slices.Contains(info.Settings, debug.BuildSetting{Key: flag, Value: "true"}) {
				flags = append(flags, flag)
			}
		}
	}
	return strings.Join(flags, " ")
}

// watcher sends the rest of the first line that begins with line.
type watcher struct {
	line  string
	found chan<- string
	text  string
}

// Write implements io.Writer.
func (w *watcher) Write(p []byte) (int, error) {
	before := len(w.text)
	w.text += string(p)
	if _, rest, ok := strings.Cut(w.text, w.line); ok && strings.Contains(rest, "\n") && !strings.Contains(w.text[:before], "\n"+w.line) && w.found != nil {
		url, _, _ := strings.Cut(rest, "\n")
		w.found <- url
		w.found = nil
	}
	return len(p), nil
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// await polls until done holds.
func await(t *testing.T, done func() bool) {
	t.Helper()
	tick, late := time.NewTicker(50*time.Millisecond), time.After(startPatience)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("the program does not answer as expected")
		}
	}
}

// send returns the status of an answer, or 0 without one.
func send(t *testing.T, method, url string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
