package wiring

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"time"

	"docent/agent/definition"
	"docent/agent/session"
	"docent/api/settings"
	"docent/auth"
	"docent/config"
	"docent/internal/fault"
	"docent/llm"
	"docent/rag"
	stored "docent/settings"
	"docent/web"
)

// settingsPoll is the time between looks at the stored settings. It limits how long other processes use old ones.
const settingsPoll = 2 * time.Second

// followSettings follows the stored settings until ctx ends, because other processes change them, too.
func (s *Server) followSettings(ctx context.Context) error {
	tick := time.NewTicker(settingsPoll)
	defer tick.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		err := s.applySettings(ctx)
		if err != nil && !failed && ctx.Err() == nil {
			s.Log.Warn("changed settings are not used", "reason", fault.Message(err))
		}
		failed = err != nil
	}
}

// applySettings makes new turns use the stored settings, if they have changed. Running turns end with those before.
func (s *Server) applySettings(ctx context.Context) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	saved, err := s.Settings.Load(ctx)
	if err != nil || sameSettings(saved, s.settings) {
		return err //nolint:wrapcheck // the error is complete
	}
	store := *s.Store
	store.Config = s.with(saved)
	next, err := openAnswers(&store, s.Embedders, s.Indexes, s.Access, s.service)
	if err != nil {
		return err
	}
	ask, err := s.newAsking(store.Config)
	if err != nil {
		return err
	}
	if err := applyTo(ctx, s, next); err != nil {
		return err
	}
	before := s.answers.Swap(next)
	before.retire(next.Models)
	s.asked.Store(ask)
	s.settings = saved
	s.Log.Info("the settings have changed; new turns use them")
	return nil
}

// applyTo makes new turns of all agents use other answers. If an agent fails, all of them keep those before. The caller
// holds s.changing.
func applyTo(ctx context.Context, s *Server, next *Answers) error {
	made := make([]*definition.Definition, len(s.served))
	for i, a := range s.served {
		made[i] = &definition.Definition{Agent: a.definition.Agent, History: a.definition.History, Location: a.definition.Location}
		if !a.builtIn && a.file == "" {
			continue
		}
		var err error
		if made[i], err = next.newAgent(ctx, a.file); err == nil && made[i].Agent.Name() != a.runtime.Name() {
			err = session.Renamed(a.runtime.Name())
			closing(made[i], s.Log)()
		}
		if err != nil {
			for _, d := range made[:i] {
				closing(d, s.Log)()
			}
			return fmt.Errorf("the agent file: %w", err)
		}
	}
	for i, a := range s.served {
		if err := s.run(next, a, made[i]); err != nil {
			return err
		}
	}
	return nil
}

// sameSettings compares stored settings. The problems of models are new errors each time.
func sameSettings(a, b config.Stored) bool {
	for _, s := range []*config.Stored{&a, &b} {
		s.Models = slices.Clone(s.Models)
		for i := range s.Models {
			s.Models[i].Problem = nil
		}
	}
	return reflect.DeepEqual(a, b)
}

// present answers and tests models with the present settings. It implements ask.RAG.
type present struct{ server *Server }

// Stream implements ask.RAG.
func (p present) Stream(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
	return p.server.now().RAG.Stream(ctx, req)
}

// Run implements ask.RAG.
func (p present) Run(ctx context.Context, req rag.Request) (rag.Answer, error) {
	return p.server.now().RAG.Run(ctx, req) //nolint:wrapcheck // the answering names the step
}

// signIn returns the sign-in with a provider.
func (p present) signIn() auth.SignIn {
	c := p.server.now().store.Config.SignIn
	scopes, err := auth.ParseScopes(c.Scopes)
	return auth.SignIn{
		Issuer: c.Issuer, ClientID: c.ClientID, ClientSecret: c.ClientSecret, Label: c.Label, GroupsClaim: c.GroupsClaim,
		Create: c.Create && err == nil, Scopes: scopes, // the setting takes only scopes
	}
}

// look returns how the page looks.
func (p present) look() web.Look {
	page := p.server.now().store.Config.Page
	return web.Look{Name: page.Name, Color: page.Color, Logo: page.Logo.Data, LogoType: page.Logo.Type}
}

// settingsConfig configures the routes for settings and models.
func (s *Server) settingsConfig() settings.Config {
	return settings.Config{
		Settings: s.Settings, ReadOnly: s.authenticator == nil && !s.Config.Loopback(),
		Running: s.Config.Value, Apply: s.applySettings, Test: present{s}.testModel, Find: findModelServers,
		States: func() map[string]string { return s.now().states() },
	}
}

// testModel has a conversation with a model, as docent doctor does.
func (p present) testModel(ctx context.Context, change stored.Change) (llm.Report, error) {
	s := p.server
	cfg, named, err := s.Settings.Draft(ctx, change)
	if err != nil {
		return llm.Report{}, err //nolint:wrapcheck // the error is complete
	}
	base := s.Base
	base.Config = cfg
	model, err := base.openNamed(service{}, named) // no user sees the server's words
	if err != nil {
		return llm.Report{}, err
	}
	served, ok := model.(*llm.OpenAI)
	if !ok {
		return llm.Report{}, fault.New(fault.Invalid, "model_of_program",
			"the model %q belongs to a program, so docent cannot test it", named.Name)
	}
	report, err := served.Probe(ctx)
	now := s.now()
	used, _ := now.base.Config.Named(named.Name)
	if used.Fallbacks = nil; now.pool != nil && reflect.DeepEqual(used, named) {
		now.pool.Note(ctx, named.Name, err)
	}
	return report, err //nolint:wrapcheck // the error names the server
}

// findTimeout limits the search for model servers.
const findTimeout = time.Second

// findModelServers asks the usual ports of model servers on this machine for their models.
func findModelServers(ctx context.Context) []settings.LocalServer {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	var local []config.Provider
	for _, p := range config.Providers() {
		if p.KeyEnv == "" {
			local = append(local, p)
		}
	}
	found := make([]settings.LocalServer, len(local))
	var all sync.WaitGroup
	for i, p := range local {
		all.Go(func() {
			server, err := llm.NewOpenAI(llm.Config{BaseURL: p.URL, Model: p.Name, Timeout: findTimeout})
			if err != nil {
				return
			}
			if names, err := server.Models(ctx); err == nil && len(names) > 0 {
				found[i] = settings.LocalServer{Provider: p.Name, URL: p.URL, Models: names[:min(len(names), maxFound)]}
			}
		})
	}
	all.Wait()
	return slices.DeleteFunc(found, func(s settings.LocalServer) bool { return s.Provider == "" })
}

// maxFound limits the models of one server on this machine.
const maxFound = 100
