package pipeline

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"

	"docent/internal/fault"
	"docent/rag/retrieve"
)

// germanFile has the German formats of docent's sentences in answers, by id. A test writes it from the words of the page.
//
//go:embed german.json
var germanFile embed.FS

// germanFormats are the German formats by id. Their verbs have the positions of the parameters.
var germanFormats = func() map[string]string {
	data, _ := germanFile.ReadFile("german.json") // an embedded file can be read
	out := map[string]string{}
	if err := json.Unmarshal(data, &out); err != nil {
		panic(fmt.Sprintf("german.json: %v", err))
	}
	return out
}()

// german reports whether docent's own words are German.
func (a *answering) german() bool {
	return cmp.Or(a.wishes.Language, a.message.Language, commonLanguage(a.found.Results)) == "de"
}

// commonLanguage returns the language of passages, or "" if they have several.
func commonLanguage(results []retrieve.Result) string {
	language := ""
	for i, r := range results {
		own := r.Passage.Document.Language
		if i > 0 && own != language {
			return ""
		}
		language = own
	}
	return language
}

// inLanguage returns a sentence in the language of the user's wishes, of the question, or of the passages for a few words. Only
// English and German are known. The id stays, so that clients can write the sentence in the language of their users.
func (a *answering) inLanguage(t fault.Text) fault.Text {
	if a.german() {
		return inGerman(t)
	}
	return t
}

// inGerman returns a sentence with its German message.
func inGerman(t fault.Text) fault.Text {
	format, ok := germanFormats[t.ID]
	if !ok {
		return t
	}
	var params []json.RawMessage
	if t.Params != "" && json.Unmarshal([]byte(t.Params), &params) != nil {
		return t
	}
	values := make([]any, len(params))
	for i, p := range params {
		var inner fault.Text
		var plain string
		switch {
		case p[0] == '{' && json.Unmarshal(p, &inner) == nil:
			values[i] = inGerman(inner).Message
		case json.Unmarshal(p, &plain) == nil:
			values[i] = plain
		default:
			values[i] = string(p) // a number
		}
	}
	t.Message = fmt.Sprintf(format, values...)
	return t
}
