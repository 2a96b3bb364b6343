package wiring

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docent/config"
	"docent/llm"
)

// modelRemedy is the fix if the chat models cannot be opened.
const modelRemedy = "check DOCENT_MODEL, DOCENT_LLM_URL and the key, and models in the configuration file; unset them to answer with quotes"

// modelChecks returns a check for each chat model on a server.
func (d *Doctor) modelChecks() []Check {
	one := func(found string, err error) []Check {
		return []Check{{Name: "model", Remedy: modelRemedy, Run: func(context.Context) (string, error) { return found, err }}}
	}
	if d.server != nil && d.server.now().pool != nil {
		return one(d.server.now().lastCalls())
	}
	models, err := OpenModels(d.Base)
	switch {
	case err != nil:
		return one("", err)
	case models.Chat == nil && d.Config.UnusedModel != "":
		return one("none: "+UnusedModel, nil)
	case models.Chat == nil:
		return one("none: "+ModelHint().Message, nil)
	case len(models.Served) == 0:
		return one(models.Chat.Name()+" belongs to the program", nil)
	}
	checks := make([]Check, len(models.Served))
	for i, m := range models.Served {
		checks[i] = d.modelCheck(m)
	}
	return checks
}

// modelCheck returns the check of a model. Its results name the entry, its place, and its tasks.
func (d *Doctor) modelCheck(m *llm.OpenAI) Check {
	name := m.Name()
	place, remedy := "--model or DOCENT_MODEL", "check DOCENT_MODEL, DOCENT_LLM_URL and the key; unset DOCENT_MODEL to answer with quotes"
	named, isNamed := d.Config.Named(name)
	switch {
	case isNamed && named.Origin().Kind == config.FromDatabase:
		place, remedy = "view Models", "check the model "+name+" in the view Models of the console"
	case isNamed:
		place = config.ModelKey(name)
		remedy = fmt.Sprintf("check url, model, and key of %s in models of %s", name, named.Origin())
	case name != d.Config.LLM.Model:
		place = "--model-fallbacks or DOCENT_MODEL_FALLBACKS"
		remedy = "check DOCENT_MODEL_FALLBACKS, DOCENT_LLM_URL and the key"
	}
	tasks, spare := d.tasks(name, named)
	entry := fmt.Sprintf("%s (%s)", name, strings.Join(append([]string{place}, tasks...), "; "))
	run := func(ctx context.Context) (string, error) {
		report, err := m.Probe(ctx)
		if err != nil {
			return "", fmt.Errorf("%s: %w", entry, err) // with the words of the server
		}
		return entry + ": " + report.String(), nil
	}
	return Check{Name: "model", Run: run, Remedy: remedy, Timeout: modelTimeout, Spare: spare}
}

// tasks describes the use of a model. spare reports that the model only answers if others fail.
func (d *Doctor) tasks(name string, named config.Model) (tasks []string, spare bool) {
	l := d.Config.LLM
	if name == l.Model {
		tasks = append(tasks, "answers")
	}
	for _, use := range named.Uses {
		if use != config.UseAnswers {
			tasks = append(tasks, string(use))
		}
	}
	if named.Choose {
		tasks = append(tasks, "users may choose it")
	}
	fallback := slices.Contains(l.Fallbacks, name) || slices.ContainsFunc(d.Config.ChatModels, func(m config.Model) bool {
		return slices.Contains(m.Fallbacks, name)
	})
	spare = fallback && len(tasks) == 0
	if fallback {
		tasks = append(tasks, "fallback")
	}
	return tasks, spare
}

// lastCalls describes the last calls of the chat models. A server does not call them for a check, because calls can
// cost money and take long.
func (a *Answers) lastCalls() (string, error) {
	var found []string
	var failed []error
	for _, m := range a.pool.States() {
		switch {
		case m.Failed != nil:
			failed = append(failed, m.Failed)
		case !m.Known:
			found = append(found, m.Model+" was not asked yet")
		default:
			found = append(found, m.Model+" answers")
		}
	}
	return strings.Join(found, "; "), errors.Join(failed...)
}
