// Package docent serves agents with everything that `docent serve` has: page, HTTP
// API, WebSocket, authentication, database, answers from documents, and metrics.
//
// Run is a whole program: it reads the settings and serves an agent until it is
// interrupted. New opens a docent for a program with an HTTP server of its own. Both
// use the settings of `docent serve` and, unless told otherwise, the same data
// folder. So `docent ingest` reads documents for the agents of a program too.
//
// docent reads documents in worker processes, which run the same executable. If a
// program was started as such a worker, this package takes over before main and
// exits when the documents are read.
package docent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/pflag"

	"docent/agent"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/agent/tool"
	"docent/config"
	"docent/ingest"
	"docent/ingest/worker"
	"docent/internal/terminal"
	"docent/internal/wiring"
	"docent/llm"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// init runs the worker process. It comes before main, so that no other code of the
// program runs in a process that reads foreign documents.
func init() { //nolint:gochecknoinits // see above
	if worker.Requested() {
		os.Exit(worker.Main(context.Background()))
	}
	wiring.RunSourceWorker(context.Background())
}

// Options configures Run and New. Flags override environment variables. Variables
// override the configuration file, the file overrides Settings, and Settings
// override the defaults of docent.
type Options struct {
	// Args are flags as on the command line of `docent serve`. Default: those of the
	// program for Run, and none for New.
	Args []string
	// Settings are values of settings by their keys in the configuration file, such
	// as "addr": "127.0.0.1:9000". `docent help config` lists all.
	Settings map[string]string
	// Origins are additional web origins that may connect, such as
	// "https://app.example.com". It is short for the setting origins.
	Origins []string
	// Functions are the Go functions that an agent file may call with the action call,
	// or give to reasoning models. Default: none.
	Functions []tool.Tool
	// Models are chat models that RunRAG, agent files, and users name. A model of the
	// configuration file replaces one with the same name. Default: none.
	Models []Model
	// Agents are further agents, beside that of Run, Start, or Serve. Clients choose an agent by
	// its name. Default: none.
	Agents []*agent.Agent
	// Version is the version of the program, for /api/info. Default: "dev".
	Version string
	// Log receives what happens. Default: Output, as the settings log-level and
	// log-format say.
	Log *slog.Logger
	// Output receives the address and notes for the operator, and the log. Default:
	// standard error.
	Output io.Writer
	// Ready is called with the URL once Run or Serve answers there. It must return
	// quickly. Default: nothing.
	Ready func(url string)

	quiet bool // does not print the address
}

// Model is a chat model of Options.Models.
type Model struct {
	// Model has the name and the settings, as in the section models of the configuration
	// file.
	config.Model

	// Chat is a model of the program. The settings of its server are then unused. Default:
	// nil, a model on a server.
	Chat llm.Model
}

// Run serves an agent until ctx ends, or until the process gets an interrupt or
// SIGTERM. Then it finishes running turns and returns nil. With the flag --help, it
// prints the flags and returns nil. If a is nil, it serves the agent of the setting
// agent-file, or the built-in assistant.
//
// Errors for the operator have a sentence that says what to do.
func Run(ctx context.Context, a *agent.Agent, opts Options) error {
	if opts.Args == nil {
		opts.Args = os.Args[1:]
	}
	cfg, err := opts.read()
	if errors.Is(err, pflag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := wiring.Listen(ctx, cfg.Addr) // first, so that a taken port fails at once
	if err != nil {
		return err
	}
	defer listener.Close() // harmless after the server has closed it
	for {
		d, err := open(ctx, cfg, opts)
		if err != nil {
			return err
		}
		d.sets = a == nil && len(opts.Agents) == 0 && len(d.server.Config.AgentFiles) == 0
		err = errors.Join(d.serve(ctx, a, keep(listener)), d.Close(ctx))
		if !errors.Is(err, wiring.ErrRestart) {
			return err
		}
		opts.Ready, opts.quiet = nil, true // the address is known
	}
}

// Docent is an open database with indexes, models, and the reader of documents. New
// opens it, and Close closes it. It serves the agent of Start or Serve, and those of
// Options.Agents. Its methods are safe for concurrent use, except for Start, Serve, and
// Close.
type Docent struct {
	opts   Options
	server *wiring.Server
	sets   bool // lets the browser set up a new installation
	closed sync.Once
}

// New opens the database, the indexes, and the models of the settings. Indexes in
// Postgres and Weaviate get missing documents after Start. The caller closes the Docent.
func New(ctx context.Context, opts Options) (*Docent, error) {
	cfg, err := opts.read()
	if err != nil {
		return nil, err
	}
	return open(ctx, cfg, opts)
}

func open(ctx context.Context, cfg config.Config, opts Options) (*Docent, error) {
	if opts.Output == nil {
		opts.Output = terminal.NewWriter(os.Stderr)
	}
	if opts.Log == nil {
		opts.Log = wiring.NewLog(cfg, opts.Output, true)
	}
	if opts.Version == "" {
		opts.Version = "dev"
	}
	base := wiring.New(cfg, opts.Log)
	base.Functions = opts.Functions
	base.Models = map[string]llm.Model{}
	for _, m := range opts.Models {
		if named, _ := cfg.Named(m.Name); m.Chat != nil && !named.FromFile() {
			base.Models[m.Name] = m.Chat
		}
	}
	server, err := wiring.OpenServer(ctx, base, opts.Version)
	if err != nil {
		return nil, err
	}
	return &Docent{opts: opts, server: server}, nil
}

// read reads the settings.
func (o Options) read() (config.Config, error) {
	flags := pflag.NewFlagSet(filepath.Base(os.Args[0]), pflag.ContinueOnError)
	if o.Output != nil {
		flags.SetOutput(o.Output)
	}
	config.AddFlags(flags, config.InScope(
		config.Serving, config.Answering, config.Chatting, config.Embedding, config.Ingesting, config.Sourced))
	config.AddFileFlag(flags)
	if err := flags.Parse(o.Args); err != nil {
		return config.Config{}, usage(flags.Name(), err)
	}
	if flags.NArg() > 0 {
		return config.Config{}, usage(flags.Name(), fmt.Errorf("unknown argument %q", flags.Arg(0)))
	}
	sources := config.FromFlags(flags)
	sources.Program = map[string]string{}
	for key, value := range o.Settings {
		sources.Program[key] = value
	}
	if len(o.Origins) > 0 {
		sources.Program["origins"] = strings.Join(o.Origins, ",")
	}
	for _, m := range o.Models {
		sources.Models = append(sources.Models, m.Model)
	}
	return config.Load(sources)
}

// Start runs an agent and returns the handler of its page, HTTP API, and WebSocket.
// Mount it at "/" of an http.Server: the page expects the root of its host. The
// handler accepts requests for the host of the setting addr and for those of the
// setting hosts. If a is nil, the agent is that of the setting agent-file, or the
// built-in assistant. Start may be called once. The agent runs until Close, also if
// ctx ends.
func (d *Docent) Start(ctx context.Context, a *agent.Agent) (http.Handler, error) {
	return d.server.Start(ctx, d.agents(a), d.server.Config.Addr)
}

// Serve runs an agent and serves it at the address of the setting addr until ctx
// ends. Then it finishes running turns. Serve takes the place of Start.
func (d *Docent) Serve(ctx context.Context, a *agent.Agent) error {
	listener, err := wiring.Listen(ctx, d.server.Config.Addr)
	if err != nil {
		return err
	}
	defer listener.Close() // harmless after the server has closed it
	return d.serve(ctx, a, listener)
}

func (d *Docent) serve(ctx context.Context, a *agent.Agent, listener net.Listener) error {
	locked, err := d.server.Locked(ctx)
	if err != nil {
		return err
	}
	code := ""
	if d.sets && !d.server.Config.NoUI {
		if code, err = d.server.Setup(ctx); err != nil {
			return err
		}
	}
	return d.server.Serve(ctx, d.agents(a), listener, func() {
		if !d.opts.quiet {
			announce(d.opts.Output, d.server.Config, listener.Addr(), locked)
		}
		if code != "" {
			fmt.Fprintf(d.opts.Output, "Set docent up in the browser. This link works once, within an hour:\n  %s%s/#/start/%s\n",
				urlOf(listener.Addr()), d.server.Config.BasePath, code)
		}
		if d.opts.Ready != nil {
			d.opts.Ready(urlOf(listener.Addr()))
		}
	})
}

// agents returns the agents of the program, or none for the configured ones.
func (d *Docent) agents(a *agent.Agent) []*agent.Agent {
	if a == nil {
		return d.opts.Agents
	}
	return append([]*agent.Agent{a}, d.opts.Agents...)
}

// Close finishes running turns, ends the agent, and closes the database. It waits at
// most 25 seconds, also if ctx has ended. A program with its own http.Server calls
// it before the server's Shutdown, which does not end WebSockets. Further calls do
// nothing.
func (d *Docent) Close(ctx context.Context) error {
	var err error
	d.closed.Do(func() {
		err = d.server.Stop(ctx)
		d.server.Close(ctx)
	})
	return err
}

// Ingest reads files and folders into the default collection. It skips unchanged
// files. After it, the agent answers from the documents. The error joins those of
// the files that it could not read; the others are stored.
func (d *Docent) Ingest(ctx context.Context, paths ...string) error {
	var failed []error
	for result, err := range d.server.Ingester.Ingest(ctx, ingest.Request{Paths: paths}) {
		switch {
		case err != nil:
			return errors.Join(append(failed, err)...)
		case result.Status != ingest.Failed:
		case len(failed) < maxFailures:
			failed = append(failed, fmt.Errorf("%s: %s", result.Source, result.Reason))
		}
	}
	return errors.Join(append(failed, d.server.Retriever.Refresh(ctx))...)
}

// maxFailures limits the errors of files that Ingest returns.
const maxFailures = 100

// Runtime runs the sessions of the first agent; it is nil before Start. Its Dispatch sends
// an event to a session.
func (d *Docent) Runtime() *session.Runtime { return d.server.Runtime }

// Retriever finds passages of all documents, without regard to rights.
func (d *Docent) Retriever() *retrieve.Retriever { return d.server.Retriever }

// Library reads and removes all documents, without regard to rights.
func (d *Docent) Library() corpus.Library { return d.server.DB.Library }

// Conversations is the store of all conversations, without regard to rights.
func (d *Docent) Conversations() journal.Store { return d.server.DB.Sessions }

// Knowledge is for the tools of agents. They find what the user of the session may
// read.
func (d *Docent) Knowledge() *tool.KnowledgeConfig { return d.server.Knowledge() }

// Model is the chat model for answers, or nil. It counts tokens for the daily quota of
// the user.
func (d *Docent) Model() llm.Model { return d.server.DefaultModel() }

// NamedModel is the chat model with a name, or nil. It counts tokens like Model.
func (d *Docent) NamedModel(name string) llm.Model { return d.server.Model(name) }
