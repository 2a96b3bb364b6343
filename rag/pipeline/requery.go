package pipeline

import (
	"context"
	"fmt"
	"strings"
	"time"

	"docent/internal/fault"
	"docent/internal/lazyregexp"
	"docent/llm"
	"docent/rag"
	"docent/rag/retrieve"
	"docent/rag/text"
)

// SecondQuery says how a model helps if the first results are weak.
type SecondQuery string

// The values of Config.SecondQuery.
const (
	// SecondQueryOff searches once.
	SecondQueryOff SecondQuery = "off"
	// SecondQueryWordings also searches for other wordings of the question.
	SecondQueryWordings SecondQuery = "wordings"
	// SecondQueryPassage also searches for a passage that could answer the question.
	SecondQueryPassage SecondQuery = "passage"
)

// weakEvidence is the evidence below which results are weak. On the question set
// postfix, it is half of the questions whose evidence is not found, and one in
// seven of the others.
const weakEvidence = .7

// Limits of the texts for a second query.
const (
	// maxWordings is the maximum number of wordings.
	maxWordings = 3
	// maxWordingsBytes limits the texts together.
	maxWordingsBytes = 1200
	// maxWordingsTokens limits the texts together.
	maxWordingsTokens = 200
	// wordingsTimeout limits the call.
	wordingsTimeout = 8 * time.Second
)

// searchAgain searches also for texts by the model if the results are weak.
func (a *answering) searchAgain(
	ctx context.Context, query retrieve.Query, found retrieve.Retrieval,
) (retrieve.Retrieval, []string, error) {
	kind := a.pipeline.cfg.SecondQuery
	if a.model == nil || kind == SecondQueryOff || len(found.Results) == 0 || found.Evidence >= weakEvidence {
		return found, nil, nil
	}
	texts, err := a.wordings(ctx, kind, found.Question)
	switch {
	case ctx.Err() != nil:
		return found, nil, fmt.Errorf("second query: %w", ctx.Err())
	case err != nil:
		a.pipeline.cfg.Logger.WarnContext(ctx, "no second query; the first results stay", "model", a.req.Model, "error", err)
		return found, nil, nil
	case len(texts) == 0:
		return found, nil, nil
	}
	query.Wordings = texts
	again, err := a.retrieve(ctx, query)
	if err != nil {
		return found, nil, fmt.Errorf("retrieve passages again: %w", err)
	}
	return again, texts, nil
}

// rewriter returns the model that rewrites questions. The request has a model.
func (a *answering) rewriter() llm.Model {
	if r := a.pipeline.cfg.Rewriter; r != nil {
		return r
	}
	return a.model
}

// wordings lets the model write texts to search for. A text may be incomplete.
func (a *answering) wordings(ctx context.Context, kind SecondQuery, question string) ([]string, error) {
	prompt, err := fill(searchPrompts, string(kind), question)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, wordingsTimeout)
	defer cancel()
	var written strings.Builder
	request := llm.Request{Messages: []llm.Message{llm.Text(llm.User, prompt)}, MaxTokens: maxWordingsTokens}
	for delta, err := range a.rewriter().Chat(ctx, request) {
		if err != nil {
			return nil, fmt.Errorf("write wordings: %w", err)
		}
		if delta.Restart {
			written.Reset()
		}
		if written.WriteString(delta.Text); written.Len() > maxWordingsBytes {
			break
		}
	}
	clean := text.Clean(text.Cut(written.String(), maxWordingsBytes))
	if kind == SecondQueryPassage {
		if clean = strings.Join(strings.Fields(clean), " "); clean == "" {
			return nil, nil
		}
		return []string{clean}, nil
	}
	return wordingLines(clean, question), nil
}

// lineMark matches the number or bullet of a line in a list.
var lineMark = lazyregexp.New(`^(?:[-*+•]|\d+[.):]|(?i:query \d+:))\s*`)

// wordingLines returns the distinct lines, without numbers and quotation marks.
func wordingLines(written, question string) []string {
	seen := map[string]bool{strings.ToLower(question): true, "": true}
	var out []string
	for line := range strings.Lines(written) {
		line = strings.Trim(lineMark.ReplaceAllString(strings.TrimSpace(line), ""), ` "'“”`+"`")
		if key := strings.ToLower(line); !seen[key] && len(out) < maxWordings && len(line) <= rag.MaxQuestionBytes {
			seen[key] = true
			out = append(out, line)
		}
	}
	return out
}

// validate reports an unknown value.
func (s SecondQuery) validate() error {
	switch s {
	case SecondQueryOff, SecondQueryWordings, SecondQueryPassage:
		return nil
	}
	return fault.New(fault.Invalid, "config_second_query_unknown",
		"there is no second query %q; there are: off, wordings, passage", string(s))
}
