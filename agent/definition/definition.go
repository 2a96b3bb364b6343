package definition

import (
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"path/filepath"
	"time"

	"docent/agent"
	"docent/agent/tool"
	"docent/llm"
)

//go:embed assistant.yaml
var assistant []byte

// Assistant is the built-in assistant as a file, to begin one's own with. It
// does what agent.NewAssistant does.
func Assistant() []byte { return append([]byte(nil), assistant...) }

// Environment is what agents find where they run.
type Environment struct {
	// Models are the chat models by name. Default: none.
	Models map[string]llm.Model
	// Model names the one that is used where the file names none. Default: "",
	// no model.
	Model string
	// Knowledge is what agents search and describe. Default: nil, a file that
	// asks for it is refused.
	Knowledge *tool.KnowledgeConfig
	// K is how many passages an answer is made from where the file does not say.
	// Default: 0, rag.DefaultK.
	K int
	// History is how many earlier messages an answer may use where the file does
	// not say. Default: 0, none.
	History int
	// MCP connects to a server that a file names. Default: nil, a file that names
	// one is refused.
	MCP func(ctx context.Context, server MCPServer) (ToolServer, error)
	// Variable looks up what ${NAME} stands for. Default: nil, nothing.
	Variable func(name string) (string, bool)
	// Dir is what paths in the file are relative to. Default: for Load the
	// file's folder, else the program's.
	Dir string
	// Logger hears of tools that fail. Default: nil, nobody.
	Logger *slog.Logger
}

// MCPServer is a server of tools that a file names, by a command or by a URL;
// the fields are those of mcp.Config.
type MCPServer struct {
	// Name is what its tools' names begin with.
	Name string
	// Command is the program and its arguments; nil with URL.
	Command []string
	// Env is added to the program's environment.
	Env map[string]string
	// Dir is the folder the program runs in.
	Dir string
	// URL is the endpoint; "" with Command.
	URL string
	// Headers are sent with each request.
	Headers map[string]string
	// Timeout bounds each call; 0 is the client's default.
	Timeout time.Duration
	// Tools names the tools to offer; nil is all.
	Tools []string
}

// ToolServer is a connection to a server of tools; *mcp.Server is one.
type ToolServer interface {
	// Tools lists what the server offers.
	Tools(ctx context.Context) ([]tool.Tool, error)
	// Close ends the connection.
	Close()
}

// Definition is an agent that was read.
type Definition struct {
	// Agent is ready to run.
	Agent *agent.Agent
	// History is how many earlier messages its answers use, for
	// agent.RuntimeConfig.
	History int
	// Location is the zone of its sessions; nil if the file does not say.
	Location *time.Location
	// Properties are the file's; empty if it has none.
	Properties *Properties

	closers []func() error
}

// Close ends what the agent's tools work with: servers and folders. It is for
// after the runtime's end.
func (d *Definition) Close() error {
	var errs []error
	for i := len(d.closers) - 1; i >= 0; i-- {
		errs = append(errs, d.closers[i]())
	}
	d.closers = nil
	return errors.Join(errs...)
}

// Load reads a file NAME.yaml or NAME.yml and makes its agent; ctx bounds
// connecting to servers. Errors are fault.Invalid and name line and reason,
// those of a file with several in several lines, or fault.Unavailable if a
// server does not answer.
func Load(ctx context.Context, path string, env Environment) (*Definition, error) {
	raw, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if env.Dir == "" {
		env.Dir = filepath.Dir(path)
	}
	return Parse(ctx, path, raw, env)
}

// Parse is Load for what was read already; name is the file's in errors.
func Parse(ctx context.Context, name string, raw []byte, env Environment) (*Definition, error) {
	r := &reader{file: name, variable: env.Variable}
	d := &draft{reader: r, env: env, tools: &toolset{reader: r, env: env}, properties: &Properties{}, parameters: map[string]bool{}}
	if len(raw) > MaxFile {
		r.wrong(nil, "the file is larger than %d bytes: split the agent", MaxFile)
	} else if root := r.document(raw); root != nil {
		d.root(root)
	}
	if err := r.error(); err != nil {
		return nil, err
	}
	return d.open(ctx)
}
