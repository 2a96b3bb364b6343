package definition

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"gopkg.in/yaml.v3"

	"docent/agent"
	"docent/agent/reason"
	"docent/agent/tool"
	"docent/internal/fault"
)

// toolset contains the tools for reasoning: first the settings from the file,
// and later the opened tools.
type toolset struct {
	*reader
	env Environment

	knowledge  *tool.KnowledgeConfig
	workspaces []tool.Workspace
	servers    []MCPServer
	functions  []tool.Tool
	skills     string // path of a folder
	at         struct{ workspaces, skills *yaml.Node }
	atServers  []*yaml.Node

	opened     *tool.Workspaces
	tools      []tool.Tool
	instructed *tool.Skills
	called     bool        // the file has the action call
	calls      *tool.Set   // for the action call; nil without one
	waiting    atomic.Bool // a goroutine waits for calls that have not returned
	unlisted   bool        // the tools of servers are not known
}

// equip gives the tools to a reasoning state.
func (t *toolset) equip(o *reason.Options) {
	o.Knowledge, o.Workspaces, o.Skills = t.knowledge, t.opened, t.instructed
	o.Tools, o.Log = slices.Concat(t.functions, t.tools), t.env.Logger
}

// readTools reads the section tools.
func (d *draft) readTools(n *yaml.Node) {
	t := d.tools
	t.mapping(n, "tools",
		field{"knowledge", func(n *yaml.Node) {
			switch {
			case !t.flag(n, "knowledge"):
			case t.env.Knowledge == nil:
				t.wrong(n, "there are no documents here to search: leave knowledge out")
			default:
				knowledge := *t.env.Knowledge
				if d.k > 0 {
					knowledge.K = d.k
				}
				t.knowledge = &knowledge
			}
		}},
		field{"workspaces", func(n *yaml.Node) {
			t.at.workspaces = n
			t.list(n, "workspaces", t.readWorkspace)
		}},
		field{"mcp", func(n *yaml.Node) { t.list(n, "mcp", t.readServer) }},
		field{"agents", func(n *yaml.Node) { t.list(n, "agents", d.readAgent) }},
		field{"functions", func(n *yaml.Node) { t.list(n, "functions", t.readFunction) }},
		field{"skills", func(n *yaml.Node) {
			t.at.skills = n
			t.skills = t.folder(n, "skills")
		}},
	)
}

// readFunction reads the name of a function of the program.
func (t *toolset) readFunction(n *yaml.Node) {
	var names []string
	name := t.text(n, "a function")
	for _, f := range t.env.Functions {
		if f.Name == name {
			t.functions = append(t.functions, f)
			return
		}
		names = append(names, f.Name)
	}
	t.wrong(n, "there is no function %q of the program; there are: %s", name, cmp.Or(strings.Join(names, ", "), "none"))
}

// folder reads the path of an existing folder.
func (t *toolset) folder(n *yaml.Node, what string) string {
	path := t.expanded(n, what)
	if path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.env.Dir, path)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		t.wrong(n, "%s: there is no folder %s; paths are relative to the file", what, path)
	}
	return path
}

func (t *toolset) readWorkspace(n *yaml.Node) {
	var w tool.Workspace
	keys := t.mapping(n, "a workspace",
		field{"name", func(n *yaml.Node) { w.Name = t.text(n, "name") }},
		field{"path", func(n *yaml.Node) { w.Path = t.folder(n, "path") }},
		field{"writable", func(n *yaml.Node) { w.Writable = t.flag(n, "writable") }},
		field{"description", func(n *yaml.Node) { w.Description = t.text(n, "description") }},
	)
	t.require(n, keys, "a workspace", "name", "path")
	t.workspaces = append(t.workspaces, w)
}

func (r *reader) require(n *yaml.Node, keys map[string]*yaml.Node, what string, names ...string) {
	for _, name := range names {
		if keys[name] == nil {
			r.wrong(n, "%s needs the key %s", what, name)
		}
	}
}

// serverName matches the valid names of servers. The names of tools begin with
// them.
var serverName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

func (t *toolset) readServer(n *yaml.Node) {
	var s MCPServer
	keys := t.mapping(n, "an MCP server",
		field{"name", func(n *yaml.Node) {
			if s.Name = t.text(n, "name"); s.Name != "" && !serverName.MatchString(s.Name) {
				t.wrong(n, "an MCP server's name has 1 to 32 letters, digits, \"_\" and \"-\"")
			}
		}},
		field{"command", func(n *yaml.Node) {
			s.Dir = t.env.Dir
			t.list(n, "command", func(item *yaml.Node) { s.Command = append(s.Command, t.expanded(item, "each of command")) })
		}},
		field{"env", func(n *yaml.Node) { s.Env = t.expandedValues(n, "env") }},
		field{"url", func(n *yaml.Node) {
			s.URL = t.expanded(n, "url")
			if u, err := url.Parse(s.URL); s.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
				t.wrong(n, "url must begin with http:// or https:// and a host")
			}
		}},
		field{"headers", func(n *yaml.Node) { s.Headers = t.expandedValues(n, "headers") }},
		field{"timeout", func(n *yaml.Node) { s.Timeout = t.duration(n, "timeout") }},
		field{"tools", func(n *yaml.Node) { s.Tools = t.texts(n, "tools") }},
	)
	t.require(n, keys, "an MCP server", "name")
	switch {
	case (keys["command"] == nil) == (keys["url"] == nil):
		t.wrong(n, "an MCP server needs either command, a program with its arguments, or url")
	case t.env.MCP == nil:
		t.wrong(n, "MCP servers cannot be used here: leave mcp out")
	}
	for _, other := range t.servers {
		if other.Name == s.Name && s.Name != "" {
			t.wrong(n, "two MCP servers are named %s: their tools could not be told apart", s.Name)
		}
	}
	t.servers, t.atServers = append(t.servers, s), append(t.atServers, n)
}

// reference matches a reference to an environment variable.
var reference = regexp.MustCompile(`\$\{([^}]*)\}`)

// expanded reads a text and replaces each ${NAME} by the value of an
// environment variable.
func (r *reader) expanded(n *yaml.Node, what string) string {
	return reference.ReplaceAllStringFunc(r.text(n, what), func(ref string) string {
		name := strings.TrimSuffix(strings.TrimPrefix(ref, "${"), "}")
		if r.variable != nil {
			if value, ok := r.variable(name); ok {
				return value
			}
		}
		r.wrong(n, "%s names the variable %s, which is not set in the environment", what, name)
		return ""
	})
}

func (r *reader) expandedValues(n *yaml.Node, what string) map[string]string {
	out := map[string]string{}
	r.entries(n, what, func(_ *yaml.Node, name string, value *yaml.Node) {
		out[name] = r.expanded(value, what+" "+name)
	})
	return out
}

// located adds the file and the line of a node to an error.
func (r *reader) located(n *yaml.Node, err error) error {
	return fmt.Errorf("%s:%d: %w", r.file, n.Line, err)
}

// open opens the folders and connects to the servers. out closes them.
func (t *toolset) open(ctx context.Context, out *Definition) error {
	if len(t.workspaces) > 0 {
		spaces, err := tool.OpenWorkspaces(t.workspaces...)
		if err != nil {
			return t.located(t.at.workspaces, err)
		}
		out.closers, t.opened = append(out.closers, spaces.Close), spaces
	}
	if t.skills != "" {
		skills, err := tool.LoadSkills(os.DirFS(t.skills))
		if err != nil {
			return t.located(t.at.skills, fault.New(fault.Invalid, "other_error", "%w", err))
		}
		if t.instructed, err = tool.NewSkills(ctx, tool.SkillsConfig{Skills: skills}); err != nil {
			return t.located(t.at.skills, err)
		}
	}
	for i, s := range t.servers {
		server, err := t.env.MCP(ctx, s)
		if err != nil {
			return t.located(t.atServers[i], err)
		}
		out.closers = append(out.closers, func() error {
			server.Close()
			return nil
		})
		tools, err := server.Tools(ctx)
		switch {
		case errors.Is(err, ErrNotListed):
			t.unlisted = true
		case err != nil:
			return t.located(t.atServers[i], err)
		}
		t.tools = append(t.tools, tools...)
	}
	return t.openCalls()
}

// openCalls makes the set of functions and tools for the action call, if the file
// has one.
func (t *toolset) openCalls() (err error) {
	if !t.called {
		return nil
	}
	t.calls, err = tool.NewSet(tool.SetConfig{Tools: slices.Concat(t.env.Functions, t.tools), Log: t.env.Logger, Attrs: agent.LogAttrs})
	if err != nil {
		return fmt.Errorf("%s: %w", t.file, err)
	}
	return nil
}
