// Package brief writes reports about a task: an outline, one search and one answer for each heading, and the report that
// joins the answers. The answers come from the same requests as those to any question, so rights, citations, and support
// marks are theirs.
package brief

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"docent/internal/lazyregexp"
	"docent/payload"
	"docent/rag"
	"docent/rag/text"
)

// MaxWords is the number of words of a section that a model is asked for.
const MaxWords = 200

//go:embed prompts
var promptFiles embed.FS

// prompts ask a model for an outline, and for a section.
var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))

// Section returns the request for the answer under one of the headings of a brief. req has its scope and its model.
func Section(req rag.Request, task string, headings []string, n int) (rag.Request, error) {
	others := []string{}
	for i, h := range headings {
		if i != n {
			others = append(others, text.Attribute(h))
		}
	}
	var b strings.Builder
	err := prompts.ExecuteTemplate(&b, "section.tmpl", struct {
		Task, Heading string
		Others        []string
		Words         int
	}{text.Enclosed(task), text.Attribute(headings[n]), others, MaxWords})
	if err != nil {
		return rag.Request{}, fmt.Errorf("prompt for a section: %w", err)
	}
	req.Question = question(task, headings[n])
	req.Prompt = strings.TrimSpace(b.String() + "\n\n" + req.Prompt)
	req.History, req.Turns, req.Last, req.WholeOnly = 0, nil, nil, true
	return req, nil
}

// ordered matches the beginning of a task that orders a text. Docent does not take orders, so only their subjects are searched.
var ordered = lazyregexp.New(`(?i)^(?:please\s+|bitte\s+)?(?:write|draft|prepare|create|make|compile|schreibe?|erstelle?|verfasse)\s(?:\S+\s){0,5}?(?:about|on|of|over|über|zum?|zur|von)\s+`)

// subject returns the searched part of a task.
func subject(task string) string {
	task = strings.Join(strings.Fields(task), " ")
	if rest := ordered.ReplaceAllString(task, ""); rest != "" {
		return rest
	}
	return task
}

// question returns the question of a section. A heading that is a question needs no task.
func question(task, heading string) string {
	if strings.HasSuffix(heading, "?") {
		return heading
	}
	return heading + ": " + subject(task)
}

// cited reports which passages an answer cites.
func cited(m payload.RAGMessage) map[int]bool {
	out := map[int]bool{}
	for _, s := range m.Sentences {
		for _, n := range s.Docs {
			out[n] = true
		}
	}
	for _, n := range text.Marked(m.Answer, len(m.Docs)) {
		out[n] = true
	}
	return out
}
