package definition

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"docent/agent/reason"
	"docent/agent/tool"
	"docent/internal/fault"
)

// toolset is what reasoning may use, as the file says and as it is once opened.
type toolset struct {
	knowledge  *tool.KnowledgeConfig
	workspaces []tool.Workspace
	servers    []MCPServer
	skills     string // a folder
	at         struct{ workspaces, skills *yaml.Node }
	atServers  []*yaml.Node

	opened     *tool.Workspaces
	tools      []tool.Tool
	instructed *tool.Skills
}

// equip adds the tools to a reasoning state.
func (t *toolset) equip(o *reason.Options) {
	o.Knowledge, o.Workspaces, o.Tools, o.Skills = t.knowledge, t.opened, t.tools, t.instructed
}

// readTools reads the section tools.
func (d *draft) readTools(n *yaml.Node) {
	d.mapping(n, "tools",
		field{"knowledge", func(n *yaml.Node) {
			switch {
			case !d.flag(n, "knowledge"):
			case d.env.Knowledge == nil:
				d.wrong(n, "there are no documents here to search: leave knowledge out")
			default:
				knowledge := *d.env.Knowledge
				if d.k > 0 {
					knowledge.K = d.k
				}
				d.tools.knowledge = &knowledge
			}
		}},
		field{"workspaces", func(n *yaml.Node) {
			d.tools.at.workspaces = n
			d.list(n, "workspaces", d.readWorkspace)
		}},
		field{"mcp", func(n *yaml.Node) { d.list(n, "mcp", d.readServer) }},
		field{"skills", func(n *yaml.Node) {
			d.tools.at.skills = n
			d.tools.skills = d.folder(n, "skills")
		}},
	)
}

// folder reads the path of a folder that is there.
func (d *draft) folder(n *yaml.Node, what string) string {
	path := d.expanded(n, what)
	if path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.env.Dir, path)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		d.wrong(n, "%s: there is no folder %s; paths are relative to the file", what, path)
	}
	return path
}

func (d *draft) readWorkspace(n *yaml.Node) {
	var w tool.Workspace
	keys := d.mapping(n, "a workspace",
		field{"name", func(n *yaml.Node) { w.Name = d.text(n, "name") }},
		field{"path", func(n *yaml.Node) { w.Path = d.folder(n, "path") }},
		field{"writable", func(n *yaml.Node) { w.Writable = d.flag(n, "writable") }},
		field{"description", func(n *yaml.Node) { w.Description = d.text(n, "description") }},
	)
	d.require(n, keys, "a workspace", "name", "path")
	d.tools.workspaces = append(d.tools.workspaces, w)
}

func (d *draft) require(n *yaml.Node, keys map[string]*yaml.Node, what string, names ...string) {
	for _, name := range names {
		if keys[name] == nil {
			d.wrong(n, "%s needs the key %s", what, name)
		}
	}
}

// serverName is what a server may be called, as tools' names begin with it.
var serverName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

func (d *draft) readServer(n *yaml.Node) {
	var s MCPServer
	keys := d.mapping(n, "an MCP server",
		field{"name", func(n *yaml.Node) {
			if s.Name = d.text(n, "name"); s.Name != "" && !serverName.MatchString(s.Name) {
				d.wrong(n, "an MCP server's name has 1 to 32 letters, digits, \"_\" and \"-\"")
			}
		}},
		field{"command", func(n *yaml.Node) {
			s.Dir = d.env.Dir
			d.list(n, "command", func(item *yaml.Node) { s.Command = append(s.Command, d.expanded(item, "each of command")) })
		}},
		field{"env", func(n *yaml.Node) { s.Env = d.expandedValues(n, "env") }},
		field{"url", func(n *yaml.Node) {
			s.URL = d.expanded(n, "url")
			if u, err := url.Parse(s.URL); s.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
				d.wrong(n, "url must begin with http:// or https:// and a host")
			}
		}},
		field{"headers", func(n *yaml.Node) { s.Headers = d.expandedValues(n, "headers") }},
		field{"timeout", func(n *yaml.Node) { s.Timeout = d.duration(n, "timeout") }},
		field{"tools", func(n *yaml.Node) { s.Tools = d.texts(n, "tools") }},
	)
	d.require(n, keys, "an MCP server", "name")
	switch {
	case (keys["command"] == nil) == (keys["url"] == nil):
		d.wrong(n, "an MCP server needs either command, a program with its arguments, or url")
	case d.env.MCP == nil:
		d.wrong(n, "MCP servers cannot be used here: leave mcp out")
	}
	for _, other := range d.tools.servers {
		if other.Name == s.Name && s.Name != "" {
			d.wrong(n, "two MCP servers are named %s: their tools could not be told apart", s.Name)
		}
	}
	d.tools.servers, d.tools.atServers = append(d.tools.servers, s), append(d.tools.atServers, n)
}

// reference is how a file names a variable of the environment.
var reference = regexp.MustCompile(`\$\{([^}]*)\}`)

// expanded reads a text in which ${NAME} stands for a variable of the
// environment.
func (d *draft) expanded(n *yaml.Node, what string) string {
	return reference.ReplaceAllStringFunc(d.text(n, what), func(ref string) string {
		name := strings.TrimSuffix(strings.TrimPrefix(ref, "${"), "}")
		if d.env.Variable != nil {
			if value, ok := d.env.Variable(name); ok {
				return value
			}
		}
		d.wrong(n, "%s names the variable %s, which is not set in the environment", what, name)
		return ""
	})
}

func (d *draft) expandedValues(n *yaml.Node, what string) map[string]string {
	out := map[string]string{}
	d.entries(n, what, func(_ *yaml.Node, name string, value *yaml.Node) {
		out[name] = d.expanded(value, what+" "+name)
	})
	return out
}

// at puts the place in front of what went wrong when something was opened.
func (d *draft) at(n *yaml.Node, err error) error {
	return fmt.Errorf("%s:%d: %w", d.file, n.Line, err)
}

// openTools opens folders and connects to servers; out closes them.
func (d *draft) openTools(ctx context.Context, out *Definition) error {
	t := &d.tools
	if len(t.workspaces) > 0 {
		spaces, err := tool.OpenWorkspaces(t.workspaces...)
		if err != nil {
			return d.at(t.at.workspaces, err)
		}
		out.closers, t.opened = append(out.closers, spaces.Close), spaces
	}
	if t.skills != "" {
		skills, err := tool.LoadSkills(os.DirFS(t.skills))
		if err != nil {
			return d.at(t.at.skills, fault.New(fault.Invalid, "other_error", "%w", err))
		}
		if t.instructed, err = tool.NewSkills(ctx, tool.SkillsConfig{Skills: skills}); err != nil {
			return d.at(t.at.skills, err)
		}
	}
	for i, s := range t.servers {
		server, err := d.env.MCP(ctx, s)
		if err != nil {
			return d.at(t.atServers[i], err)
		}
		out.closers = append(out.closers, func() error {
			server.Close()
			return nil
		})
		tools, err := server.Tools(ctx)
		if err != nil {
			return d.at(t.atServers[i], err)
		}
		t.tools = append(t.tools, tools...)
	}
	return nil
}
