// Package settings has the routes for the settings and chat models in the database.
package settings

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/config"
	"docent/internal/fault"
	"docent/llm"
	"docent/settings"
)

// Settings reads and changes settings and models. *settings.Settings implements it.
type Settings interface {
	// List lists the settings that the database may hold.
	List(ctx context.Context) ([]settings.Item, error)
	// Get returns one of them.
	Get(ctx context.Context, key string) (settings.Item, error)
	// Set stores a value.
	Set(ctx context.Context, key, value string) error
	// Unset removes a stored value.
	Unset(ctx context.Context, key string) error
	// Models lists the chat models.
	Models(ctx context.Context) (settings.Models, error)
	// PutModel stores a model.
	PutModel(ctx context.Context, change settings.Change) error
	// RemoveModel removes a stored model.
	RemoveModel(ctx context.Context, name string) error
	// OrderModels sets the order of the stored models.
	OrderModels(ctx context.Context, names []string) error
}

// Config connects the routes with the rest of docent.
type Config struct {
	// Settings reads and changes settings. Default: nil, there are none.
	Settings Settings
	// ReadOnly refuses changes, because everybody who reaches docent could make them. Default: false.
	ReadOnly bool
	// Running returns the value of a setting since the start of the server. Required with Settings.
	Running func(config.Setting) string
	// Apply makes new turns use changed settings. Required with Settings.
	Apply func(ctx context.Context) error
	// Test has a conversation with a model. Required with Settings.
	Test func(ctx context.Context, change settings.Change) (llm.Report, error)
	// Find looks for model servers on this machine. Required with Settings.
	Find func(ctx context.Context) []LocalServer
	// States describes the models by name, as /api/ready does. Default: nil, they are unknown.
	States func() map[string]string
}

// Origin says where a value is from.
type Origin struct {
	// Kind is the source.
	Kind string `json:"kind" enum:"flag,environment,file,program,database,default"`
	// Name is the flag or the variable.
	Name string `json:"name,omitempty" doc:"The flag or the variable."`
}

// Setting is a setting that the console can show and change.
type Setting struct {
	// Key identifies it.
	Key string `json:"key" doc:"The key in the configuration file."`
	// Value is the value in force.
	Value string `json:"value" doc:"The value in force, or the one after a restart. It is empty for secrets."`
	// Has reports that a secret has a value.
	Has bool `json:"has,omitempty" doc:"A secret has a value. Absent otherwise."`
	// Default is the default value.
	Default string `json:"default"`
	// Type is the type of the value.
	Type string `json:"type" enum:"string,bool,int,number,duration,bytes,color,picture,choice,secret"`
	// Values are the possible values of a choice.
	Values []string `json:"values,omitempty" doc:"The possible values of the type choice."`
	// Help describes the setting.
	Help string `json:"help" doc:"A description in English."`
	// Origin says where the value is from.
	Origin Origin `json:"origin"`
	// Locked reports that the database cannot change the value.
	Locked bool `json:"locked" doc:"A flag, a variable, a file, or a program sets the value, so it cannot be changed here."`
	// Live reports when a change applies.
	Live bool `json:"live" doc:"A change applies to the next turn. Otherwise, it applies after a restart."`
	// Pending reports that docent runs with another value until a restart.
	Pending bool `json:"pending" doc:"docent runs with another value until it is restarted."`
	// Problem says why a stored value is ignored.
	Problem *fault.Text `json:"problem,omitempty" doc:"Why the stored value is ignored."`
}

type settingsOutput struct{ Body []Setting }

type settingOutput struct{ Body Setting }

type keyInput struct {
	Key string `path:"key" maxLength:"100"`
}

type setInput struct {
	route.JSONBody
	Key  string `path:"key" maxLength:"100"`
	Body struct {
		Value string `json:"value" maxLength:"49152" doc:"The value, as in the configuration file."`
	} `nameHint:"SettingChange"`
}

// bodyBytes limits the body of a change.
const bodyBytes = 64 << 10

// server handles the routes.
type server struct{ Config }

var (
	missing = []int{http.StatusNotFound}
	refused = []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict}
)

// AddRoutes adds the routes.
func AddRoutes(r *route.Router, cfg Config) {
	s := server{cfg}
	const list, one = "/api/settings", "/api/settings/{key}"
	tags := []string{"settings"}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-settings", Tags: tags, Errors: missing,
		Summary: "List the settings that can be changed while docent runs", Description: "Other settings are not in the list.",
	}, s.list)
	route.Add(r, huma.Operation{
		Method: http.MethodPut, Path: one, OperationID: "set-setting", Tags: tags, Errors: refused, MaxBodyBytes: bodyBytes,
		Summary:     "Store the value of a setting",
		Description: "It fails if a flag, a variable, the configuration file, or a program sets the value.",
	}, s.set)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: one, OperationID: "unset-setting", Tags: tags, Errors: refused,
		Summary: "Remove the stored value of a setting, so that the default applies", DefaultStatus: http.StatusNoContent,
	}, s.unset)
	s.addModels(r)
}

// on fails without settings.
func (s server) on() error {
	if s.Settings == nil {
		return fault.New(fault.NotFound, "settings_off", "this server stores no settings")
	}
	return nil
}

// may fails if the settings cannot be changed.
func (s server) may() error {
	if err := s.on(); err != nil {
		return err
	}
	if s.ReadOnly {
		return fault.New(fault.Forbidden, "settings_insecure",
			"authentication is off and others can reach docent, so settings can only be changed with docent config")
	}
	return nil
}

// change runs a change and applies it.
func (s server) change(ctx context.Context, change func(Settings) error) error {
	if err := s.may(); err != nil {
		return err
	}
	if err := change(s.Settings); err != nil {
		return err
	}
	return s.Apply(context.WithoutCancel(ctx)) // the change is stored, even if the client has left
}

func (s server) list(ctx context.Context, _ *struct{}) (*settingsOutput, error) {
	if err := s.on(); err != nil {
		return nil, err
	}
	all, err := s.Settings.List(ctx)
	if err != nil {
		return nil, err
	}
	out := &settingsOutput{Body: make([]Setting, len(all))}
	for i, item := range all {
		out.Body[i] = s.setting(item)
	}
	return out, nil
}

func (s server) setting(item settings.Item) Setting {
	out := Setting{
		Key: item.Key, Value: item.Value, Default: item.Default, Type: item.Takes(), Values: item.Values, Help: item.Help,
		Origin: originOf(item.Origin), Locked: item.Origin.Locked(), Live: item.Storage == config.Live, Problem: problemOf(item.Problem),
	}
	switch {
	case item.Secret:
		out.Type, out.Has = "secret", item.Has
	case len(item.Values) > 0:
		out.Type = "choice"
	case item.Bool:
		out.Type = "bool"
	}
	out.Pending = !out.Live && s.Running(item.Setting) != item.Value
	return out
}

func originOf(o config.Origin) Origin { return Origin{Kind: string(o.Kind), Name: o.Name} }

// problemOf returns the text of an error, or nil.
func problemOf(err error) *fault.Text {
	if err == nil {
		return nil
	}
	text := fault.TextOf(err)
	return &text
}

func (s server) set(ctx context.Context, in *setInput) (*settingOutput, error) {
	if err := route.CheckText("value", in.Body.Value); err != nil {
		return nil, err
	}
	if err := s.change(ctx, func(all Settings) error { return all.Set(ctx, in.Key, in.Body.Value) }); err != nil {
		return nil, err
	}
	item, err := s.Settings.Get(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	return &settingOutput{s.setting(item)}, nil
}

func (s server) unset(ctx context.Context, in *keyInput) (*struct{}, error) {
	return nil, s.change(ctx, func(all Settings) error { return all.Unset(ctx, in.Key) })
}
