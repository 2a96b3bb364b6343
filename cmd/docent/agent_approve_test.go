package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestApprovedCallsSurviveKills kills docent while a call of a state waits for the user, and while an allowed one runs. The first
// is made after the restart. The second is not repeated, and the user learns about it.
func TestApprovedCallsSurviveKills(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		pid := filepath.Join(t.TempDir(), "pid")
		file := yamlAgent(t, `name: stock
tools:
  mcp: [{name: stock, command: ["${EXE}"], env: {`+asServer+`: `+pid+`}}]
states:
  idle: {initial: true, on: [{matches: ^hold, to: hold}, {message: any, to: count}]}
  count:
    body:
      - call: {tool: stock_count, arguments: {name: "{{.message}}"}, into: counted, approve: true}
        else: [{reply: Not counted.}]
      - reply: "{{.variables.counted}}"
    then: idle
  hold:
    body:
      - call: {tool: stock_hold, arguments: {name: "{{.message}}"}, approve: true}
        else: [{reply: Not held.}]
      - reply: Held.
    then: idle
`)
		env = append(env, "EXE="+exe)
		server, at := serve(t, env, "--agent", file)
		g := join(t, at, "S", true)
		g.tell(t, "valves", "a")
		g.waitReply(t, `May I call stock_count with {"name":"valves"}?`)
		g.wait(t, "turn_finished")
		server.kill(t)

		server, at = serve(t, env, "--agent", file)
		g = join(t, at, "S", true)
		g.tell(t, "Allow", "b")
		g.waitReply(t, "12 of valves")
		g.tell(t, "hold it", "c")
		g.waitReply(t, `May I call stock_hold with {"name":"hold it"}?`)
		g.tell(t, "Allow", "d")
		eventually(t, "the call runs", func() bool {
			held, err := os.ReadFile(pid + ".held")
			return err == nil && string(held) == "hold it\n"
		})
		server.kill(t)

		_, at = serve(t, env, "--agent", file)
		g = join(t, at, "S", true)
		told := func() bool {
			return slices.ContainsFunc(recordOf(t, at, "S").said(false), func(s string) bool {
				return strings.Contains(s, "docent was stopped while it called stock_hold; check whether the call took effect")
			})
		}
		eventually(t, "the user learns about the call", told)
		g.tell(t, "Allow", "e") // no question is open
		g.waitReply(t, `May I call stock_count with {"name":"Allow"}?`)
		if held, err := os.ReadFile(pid + ".held"); err != nil || string(held) != "hold it\n" {
			t.Errorf("held %q, %v", held, err)
		}
	})
}
