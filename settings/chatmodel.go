package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"docent/config"
	"docent/internal/fault"
)

// ModelsKey is the key of the record with the models. It is also the purpose of their encrypted keys.
const ModelsKey = "models"

// stored is a model in the database.
type stored struct {
	Name        string       `json:"name"`
	Model       string       `json:"model,omitempty"`
	Provider    string       `json:"provider,omitempty"`
	URL         string       `json:"url,omitempty"`
	MaxTokens   int          `json:"max_tokens,omitempty"`
	Temperature *float64     `json:"temperature,omitempty"`
	Timeout     string       `json:"timeout,omitempty"`
	Fallbacks   []string     `json:"fallbacks,omitempty"`
	Input       float64      `json:"input,omitempty"`
	Output      float64      `json:"output,omitempty"`
	Choose      bool         `json:"choose,omitempty"`
	Uses        []config.Use `json:"uses,omitempty"`
	// Keyed says that the record has an encrypted key for the model.
	Keyed bool `json:"keyed,omitempty"`
}

// Model is a chat model as administrators see it.
type Model struct {
	config.Model

	// From says where the model is from.
	From config.Origin
	// Default says that the model writes answers.
	Default bool
	// Problem says why the model cannot be used; nil otherwise.
	Problem error
}

// Models are the chat models.
type Models struct {
	// All are the models: first those of the configuration, then the stored ones in their order.
	All []Model
	// Default is the name of the model for answers; "" without one.
	Default string
	// Locked says that the configuration selects the default.
	Locked bool
}

// lostKey is the problem of a model whose key cannot be decrypted.
func lostKey(name string) error {
	return fault.New(fault.Conflict, "model_key_lost",
		"the key of the model %q cannot be decrypted, because the secret key of docent has changed; enter the key of the model again", name)
}

// decode reads the record with the models. nil has none.
func (s *Settings) decode(r *Record) ([]config.Model, error) {
	if r == nil {
		return nil, nil
	}
	var list []stored
	if err := json.Unmarshal([]byte(r.Value), &list); err != nil {
		return nil, fmt.Errorf("stored models: %w", err)
	}
	keys, err := s.cfg.Sealer.Open(ModelsKey, r.Secret)
	if err != nil && fault.KindOf(err) != fault.Conflict {
		return nil, fmt.Errorf("keys of stored models: %w", err)
	}
	out := make([]config.Model, len(list))
	for i, m := range list {
		timeout, _ := time.ParseDuration(m.Timeout)
		out[i] = config.Model{
			Name: m.Name, Model: m.Model, Provider: m.Provider, URL: m.URL, Key: keys[m.Name], MaxTokens: m.MaxTokens, Temperature: m.Temperature,
			Timeout: timeout, Fallbacks: m.Fallbacks, Price: config.Price{Input: m.Input, Output: m.Output}, Choose: m.Choose, Uses: m.Uses,
		}
		if m.Keyed && out[i].Key == "" {
			out[i].Problem = lostKey(m.Name)
		}
	}
	return out, nil
}

// encode returns the record for models.
func (s *Settings) encode(models []config.Model) (*Record, error) {
	list, keys := make([]stored, len(models)), map[string]string{}
	for i, m := range models {
		list[i] = stored{
			Name: m.Name, Model: m.Model, Provider: m.Provider, URL: m.URL, MaxTokens: m.MaxTokens, Temperature: m.Temperature,
			Fallbacks: m.Fallbacks, Input: m.Price.Input, Output: m.Price.Output, Choose: m.Choose, Uses: m.Uses,
			Keyed: m.Key != "" || m.Problem != nil,
		}
		if m.Timeout > 0 {
			list[i].Timeout = m.Timeout.String()
		}
		if m.Key != "" {
			keys[m.Name] = m.Key
		}
	}
	value, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	secret, err := s.cfg.Sealer.Seal(ModelsKey, keys)
	if err != nil {
		return nil, fmt.Errorf("keys of models: %w", err)
	}
	return &Record{Key: ModelsKey, Value: string(value), Secret: secret}, nil
}

// Models lists the models. Unusable ones have a Problem.
func (s *Settings) Models(ctx context.Context) (Models, error) {
	saved, err := s.Load(ctx)
	if err != nil {
		return Models{}, err
	}
	outside := s.cfg.Outside
	cfg, ignored := outside.With(saved)
	out := Models{Default: cfg.LLM.Model, Locked: outside.LLM.Enabled()}
	add := func(m config.Model, from config.Origin, problem error) {
		out.All = append(out.All, Model{m, from, problem == nil && m.Name == cfg.LLM.Model, problem})
	}
	if _, named := outside.Named(outside.LLM.Model); out.Locked && !named {
		from := outside.Origin("llm.model")
		if !from.Locked() {
			from = config.Origin{Kind: config.FromEnvironment} // of another program's variables
		}
		add(config.Model{Name: outside.LLM.Model, URL: outside.LLM.URL, Key: outside.LLM.Key, Fallbacks: outside.LLM.Fallbacks}, from, nil)
	}
	for _, m := range outside.ChatModels {
		add(m, m.Origin(), nil)
	}
	for _, m := range saved.Models {
		i := slices.IndexFunc(ignored, func(i config.Ignored) bool { return i.Key == config.ModelKey(m.Name) })
		if i >= 0 {
			add(m, config.Origin{Kind: config.FromDatabase}, ignored[i].Err)
			continue
		}
		add(m, config.Origin{Kind: config.FromDatabase}, nil) // as it is stored, without the defaults of the provider
	}
	return out, nil
}

// Change is a change of a stored model.
type Change struct {
	config.Model

	// KeepKey keeps the stored key. It has no effect if the address of the server changes: a key is only sent to the
	// server for which it was entered.
	KeepKey bool
}

// complete returns the model of a change, with the key of the model before.
func (c Change) complete(all []config.Model) config.Model {
	m := c.Model
	i := slices.IndexFunc(all, func(o config.Model) bool { return o.Name == m.Name })
	if i >= 0 && c.KeepKey && all[i].URL == m.URL && all[i].Provider == m.Provider {
		m.Key, m.Problem = all[i].Key, all[i].Problem
	}
	return m
}

// Draft returns a changed model as docent would use it, for a test before the change is stored.
func (s *Settings) Draft(ctx context.Context, change Change) (config.Config, config.Model, error) {
	saved, err := s.Load(ctx)
	if err != nil {
		return config.Config{}, config.Model{}, err
	}
	m := change.complete(saved.Models)
	m.Fallbacks = nil
	if named, ok := s.cfg.Outside.Named(m.Name); ok {
		return s.cfg.Outside, named, nil
	}
	saved.Models = []config.Model{m}
	cfg, ignored := s.cfg.Outside.With(saved)
	if i := slices.IndexFunc(ignored, func(i config.Ignored) bool { return i.Key == config.ModelKey(m.Name) }); i >= 0 {
		return cfg, m, ignored[i].Err
	}
	m, _ = cfg.Named(m.Name)
	return cfg, m, nil
}

// PutModel adds a model after the others, or replaces the stored one with its name. A task of the model is taken from
// other stored models.
func (s *Settings) PutModel(ctx context.Context, change Change) error {
	if named, ok := s.cfg.Outside.Named(change.Name); ok {
		return locked(named)
	}
	return s.changeModels(ctx, func(all []config.Model) ([]config.Model, error) {
		m := change.complete(all)
		for i := range all {
			all[i].Uses = slices.DeleteFunc(slices.Clone(all[i].Uses), func(u config.Use) bool { return slices.Contains(m.Uses, u) })
		}
		if i := slices.IndexFunc(all, func(o config.Model) bool { return o.Name == m.Name }); i >= 0 {
			all[i] = m
		} else {
			all = append(all, m)
		}
		return all, s.check(all, m)
	})
}

// check returns the problem of a model among others.
func (s *Settings) check(all []config.Model, m config.Model) error {
	cfg, ignored := s.cfg.Outside.With(config.Stored{Models: all})
	if i := slices.IndexFunc(ignored, func(i config.Ignored) bool { return i.Key == config.ModelKey(m.Name) }); i >= 0 {
		return ignored[i].Err
	}
	for _, name := range m.Fallbacks {
		if _, ok := cfg.Named(name); !ok || name == m.Name {
			return fault.New(fault.Invalid, "model_fallback", "%q cannot be a fallback of the model %q: choose another usable model", name, m.Name)
		}
	}
	return nil
}

// RemoveModel removes a stored model.
func (s *Settings) RemoveModel(ctx context.Context, name string) error {
	return s.changeModels(ctx, func(all []config.Model) ([]config.Model, error) {
		i := slices.IndexFunc(all, func(o config.Model) bool { return o.Name == name })
		if i < 0 {
			return nil, s.noModel(name)
		}
		all = slices.Delete(all, i, i+1)
		for i := range all {
			all[i].Fallbacks = slices.DeleteFunc(slices.Clone(all[i].Fallbacks), func(f string) bool { return f == name })
		}
		return all, nil
	})
}

// locked is the error for a change of a model of the configuration.
func locked(m config.Model) error {
	return fault.New(fault.Conflict, "model_locked", "the model %q comes from %s; change it there, or choose another name", m.Name, m.Origin())
}

// noModel is the error for a name that no stored model has.
func (s *Settings) noModel(name string) error {
	if named, ok := s.cfg.Outside.Named(name); ok {
		return locked(named)
	}
	return fault.New(fault.NotFound, "model_not_stored", "there is no stored model %q", name)
}

// OrderModels sets the order of the stored models. names must have each of them once.
func (s *Settings) OrderModels(ctx context.Context, names []string) error {
	return s.changeModels(ctx, func(all []config.Model) ([]config.Model, error) {
		var out []config.Model
		for _, name := range names {
			if i := slices.IndexFunc(all, func(o config.Model) bool { return o.Name == name }); i >= 0 {
				out, all = append(out, all[i]), slices.Delete(all, i, i+1)
			}
		}
		if len(all) > 0 || len(out) != len(names) {
			return nil, fault.New(fault.Conflict, "models_changed", "the models have changed meanwhile; load the list again")
		}
		return out, nil
	})
}

// changeModels replaces the stored models.
func (s *Settings) changeModels(ctx context.Context, change func([]config.Model) ([]config.Model, error)) error {
	return s.cfg.Store.ChangeSetting(ctx, ModelsKey, //nolint:wrapcheck // the store names the operation
		func(old *Record) (*Record, error) {
			all, err := s.decode(old)
			if err != nil {
				return nil, err
			}
			if all, err = change(all); err != nil {
				return nil, err
			}
			return s.encode(all)
		})
}
