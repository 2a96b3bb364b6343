package definition

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"gopkg.in/yaml.v3"

	"docent/agent"
	"docent/agent/tool"
	"docent/llm"
)

//go:embed assistant.yaml
var assistant []byte

// Assistant returns the YAML file of the built-in assistant, as a starting
// point for other agents. It behaves like agent.NewAssistant.
func Assistant() []byte { return append([]byte(nil), assistant...) }

//go:embed new.yaml
var example []byte

// New returns a commented file for a new agent.
func New(name string) ([]byte, error) {
	quoted, err := yaml.Marshal(name)
	if err != nil {
		return nil, fmt.Errorf("name of the agent: %w", err)
	}
	return bytes.Replace(example, []byte("name: NAME\n"), append([]byte("name: "), quoted...), 1), nil
}

//go:embed agent.schema.json
var schema []byte

// Schema returns the JSON Schema of agent files, for editors. It accepts every valid
// file with plain numbers. It cannot check names that refer to other parts of the
// file.
func Schema() []byte { return append([]byte(nil), schema...) }

// Environment contains the resources that agents use.
type Environment struct {
	// Models are the chat models by name. Default: none.
	Models map[string]llm.Model
	// Choices are those that users may choose. Default: none.
	Choices map[string]llm.Model
	// Model is the name of the default model. Default: "", no model.
	Model string
	// Knowledge is the collection that agents search and describe. Default:
	// nil. A file that asks for it is rejected then.
	Knowledge *tool.KnowledgeConfig
	// K is the default number of passages for an answer. Default: 0,
	// retrieve.AnswerK.
	K int
	// History is the default number of earlier messages for an answer. Default:
	// 0, none.
	History int
	// MCP connects to a server that a file names. Default: nil. A file that
	// names a server is rejected then.
	MCP func(ctx context.Context, server MCPServer) (ToolServer, error)
	// OpenModel returns a model that a file names. Default: nil. A file that names
	// models is rejected then.
	OpenModel func(ModelServer) (llm.Model, error)
	// Functions are the functions that the action call may call, and that a file may
	// give to reasoning models. Default: none.
	Functions []tool.Tool
	// Variable returns the value of a variable ${NAME}. Default: nil, no
	// variables.
	Variable func(name string) (string, bool)
	// Dir is the folder for relative paths in the file. Default: the folder of
	// the file for Load, and otherwise the current folder.
	Dir string
	// Logger receives the failures of tools. Default: nil, no log.
	Logger *slog.Logger
}

// MCPServer is an MCP server that a file names, by a command or by a URL. The
// fields are those of mcp.Config.
type MCPServer struct {
	// Name is the prefix of its tools' names.
	Name string
	// Command is the program and its arguments; nil with URL.
	Command []string
	// Env is added to the program's environment.
	Env map[string]string
	// Dir is the working folder of the program.
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

// ToolServer is a connection to an MCP server. *mcp.Server implements it.
type ToolServer interface {
	// Tools lists what the server offers. It may fail with ErrNotListed.
	Tools(ctx context.Context) ([]tool.Tool, error)
	// Close ends the connection.
	Close()
}

// Definition is an agent from a file.
type Definition struct {
	// Agent is ready to run.
	Agent *agent.Agent
	// History is the number of earlier messages that its answers use, for
	// session.RuntimeConfig.
	History int
	// Location is the time zone of its sessions; nil if the file names none.
	Location *time.Location
	// Models are the models of the file by name. The RAG of its sessions must know
	// them.
	Models map[string]llm.Model
	// Files are the agent files that the file names, and those that they name.
	Files []string
	// Warnings are probable mistakes, each with the file and the line.
	Warnings []string
	// Properties are the properties in the file; empty without any.
	Properties *Properties

	closers []func() error
}

// Close closes the servers and folders of the agent's tools. Call it after the
// runtime has ended.
func (d *Definition) Close() error {
	var errs []error
	for i := len(d.closers) - 1; i >= 0; i-- {
		errs = append(errs, d.closers[i]())
	}
	d.closers = nil
	return errors.Join(errs...)
}

// Load reads a file NAME.yaml or NAME.yml and builds its agent. ctx bounds
// connecting to servers. Errors in the file are fault.Invalid. They name the
// line and the reason, with one line for each error. If a server does not
// answer, the error is fault.Unavailable.
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

// Parse builds an agent from the content of a file, as Load does. name is the
// file name in errors.
func Parse(ctx context.Context, name string, raw []byte, env Environment) (*Definition, error) {
	return parse(ctx, &reader{file: name, variable: env.Variable}, raw, env)
}

func parse(ctx context.Context, r *reader, raw []byte, env Environment) (*Definition, error) {
	d := drafted(r, raw, env)
	if err := r.error(); err != nil {
		return nil, err
	}
	return d.open(ctx)
}

// drafted reads the content of a file. The reader has its mistakes.
func drafted(r *reader, raw []byte, env Environment) *draft {
	d := newDraft(r, env)
	d.above = []string{filepath.Join(env.Dir, filepath.Base(r.file))}
	d.load(raw)
	return d
}
