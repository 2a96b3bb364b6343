package intent

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
	"time"
	"unicode"

	"docent/llm"
	"docent/rag/text"
)

const (
	// maxShownSentences bounds the examples of an intent in a prompt.
	maxShownSentences = 50
	// maxShownValues bounds the values of an entity in a prompt.
	maxShownValues = 500
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))

// fill renders a prompt and trims it.
func fill(name string, data any) (string, error) {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name+".tmpl", data); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}

// shownIntent is an intent in a prompt.
type shownIntent struct {
	Name        string           `json:"name"`
	Description string           `json:"description,omitempty"`
	Examples    []string         `json:"examples,omitempty"`
	Parameters  []shownParameter `json:"parameters,omitempty"`
}

// shownParameter is a parameter in a prompt.
type shownParameter struct {
	Name     string `json:"name"`
	Fragment string `json:"fragment,omitempty"`
	Entity   string `json:"entity"`
}

// shownEntity is an entity in a prompt.
type shownEntity struct {
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	Is          string       `json:"is,omitempty"`
	Pattern     string       `json:"pattern,omitempty"`
	Values      []shownValue `json:"values,omitempty"`
}

// shownValue is a listed value in a prompt.
type shownValue struct {
	Value    string   `json:"value"`
	Synonyms []string `json:"synonyms,omitempty"`
}

// natures describe the values of a kind of entity to a model.
var natures = map[Kind]string{
	KindListed:   "one of its values",
	KindRegexp:   "text that matches its pattern",
	KindNumber:   "a number, in digits or words",
	KindDateTime: "a date, a time of day, or both",
	KindAny:      "any text of the message",
}

// messages returns the messages that ask a model.
func (c *LLM) messages(req Request) ([]llm.Message, error) {
	definitions, err := c.definitions(req.Intents)
	if err != nil {
		return nil, err
	}
	sentence, err := json.Marshal(plain(text.Head(req.Text, maxScan)))
	if err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	data := struct {
		Definitions, Form, Language, Now  string
		Descriptions, Sentences, Synonyms bool
	}{
		Definitions: definitions, Form: answerForm(req.Intents), Language: shownLanguage(req.Language),
		Descriptions: !c.cfg.OmitDescriptions, Sentences: !c.cfg.OmitSentences, Synonyms: !c.cfg.OmitSynonyms,
	}
	if !req.Now.IsZero() {
		data.Now = req.Now.Format("Monday, " + time.RFC3339)
	}
	system, err := fill("system", data)
	if err != nil {
		return nil, err
	}
	user, err := fill("message", string(sentence))
	if err != nil {
		return nil, err
	}
	return []llm.Message{
		llm.Text(llm.System, system),
		llm.Text(llm.User, user),
	}, nil
}

// plain removes invisible characters that a model would read.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) {
			return -1
		}
		return r
	}, text)
}

// shownLanguage returns the language code for a prompt, or "".
func shownLanguage(language string) string {
	code := languageCode(language)
	if len(code) < 2 || len(code) > 3 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return code
}

// definitions returns the intents and their entities as JSON, one on each line.
func (c *LLM) definitions(intents []*Intent) (string, error) {
	var shownIntents, shownEntities []any
	seen := map[string]bool{}
	for _, i := range intents {
		shown := shownIntent{Name: i.Name}
		if !c.cfg.OmitDescriptions {
			shown.Description = i.Description
		}
		if !c.cfg.OmitSentences {
			shown.Examples = i.Sentences[:min(len(i.Sentences), maxShownSentences)]
		}
		for _, p := range i.Parameters {
			shown.Parameters = append(shown.Parameters, shownParameter{p.Name, p.Fragment, p.Entity.Name})
			if !seen[p.Entity.Name] {
				seen[p.Entity.Name] = true
				shownEntities = append(shownEntities, c.shownEntity(p.Entity))
			}
		}
		shownIntents = append(shownIntents, shown)
	}
	out, err := jsonLines(shownIntents)
	if err != nil {
		return "", err
	}
	out = `{"intents": ` + out
	if len(shownEntities) > 0 {
		entities, err := jsonLines(shownEntities)
		if err != nil {
			return "", err
		}
		out += `, "entities": ` + entities
	}
	return out + "}", nil
}

// jsonLines writes a list as JSON with one element on each line.
func jsonLines(list []any) (string, error) {
	lines := make([]string, len(list))
	for n, v := range list {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false) // the author of the agent wrote the text
		if err := e.Encode(v); err != nil {
			return "", fmt.Errorf("encode intents: %w", err)
		}
		lines[n] = strings.TrimSpace(b.String())
	}
	return "[\n" + strings.Join(lines, ",\n") + "\n]", nil
}

func (c *LLM) shownEntity(e *Entity) shownEntity {
	out := shownEntity{Name: e.Name, Is: natures[e.Kind], Pattern: e.Pattern}
	if !c.cfg.OmitEntityDescriptions {
		out.Description = e.Description
	}
	for _, v := range e.Values[:min(len(e.Values), maxShownValues)] {
		shown := shownValue{Value: v.Value}
		if !c.cfg.OmitSynonyms {
			shown.Synonyms = v.Synonyms
		}
		out.Values = append(out.Values, shown)
	}
	return out
}

// answerForm returns an example of an answer for the given intents.
func answerForm(intents []*Intent) string {
	var b strings.Builder
	b.WriteString("{")
	for n, i := range intents {
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoted(i.Name) + `: {"score": 0.0`)
		for k, p := range i.Parameters {
			if k == 0 {
				b.WriteString(`, "parameters": {`)
			} else {
				b.WriteString(", ")
			}
			b.WriteString(quoted(p.Name) + ": null")
		}
		if len(i.Parameters) > 0 {
			b.WriteString("}")
		}
		b.WriteString("}")
	}
	b.WriteString("}")
	return b.String()
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // marshaling strings never fails
	}
	return string(b)
}
