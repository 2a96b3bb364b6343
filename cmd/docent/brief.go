package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"docent/internal/fault"
	"docent/payload"
	"docent/rag/retrieve"
)

const (
	// briefPoll is the time between two looks at a running brief.
	briefPoll = time.Second
	// stopTime bounds the wait for a brief that the user stopped.
	stopTime = time.Minute
)

// briefFormats are the formats of a file with a brief, by the ending of its name.
var briefFormats = map[string]string{".md": "markdown", ".docx": "docx", ".pdf": "pdf"}

func newBrief(std stdio) *cobra.Command {
	b := briefing{std: std}
	cmd := &cobra.Command{
		Use:   "brief TASK | -",
		Short: "Let a running server write a brief about a task",
		Long: `Let a running server write a brief: a report about a task that needs several searches.
The server makes an outline, and searches and answers once for each heading. The page shows
the brief as a conversation. With -, standard input is the task.

--outline prints only the outline, one heading in each line. To change it, pass the
headings that you want with --heading. Ctrl-C stops the brief, and prints the finished
sections. --output writes a file, whose ending chooses the format: .docx, .pdf, or .md.`,
		Example: `  docent brief "What do we promise about returns?" --outline
  docent brief "What do we promise about returns?" --heading Germany --heading France --output returns.docx`,
		Args: needsQuestion,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if b.task, err = questionOf(std.in, args); err != nil {
				return err
			}
			return b.run(cmd)
		},
	}
	cmd.Flags().BoolVar(&b.asJSON, "json", false, "print the brief, or the outline, as one JSON object")
	cmd.Flags().BoolVar(&b.outline, "outline", false, "print only the outline, and write no brief")
	cmd.Flags().StringArrayVar(&b.headings, "heading", nil, "write under this heading instead of those of an outline; repeatable")
	cmd.Flags().StringVarP(&b.output, "output", "o", "", "write the brief to this file, which must not exist: .docx, .pdf, or .md")
	cmd.Flags().StringVar(&b.collection, "collection", "", "search only this collection (default all)")
	b.within.flags(cmd)
	cmd.Flags().IntVarP(&b.k, "k", "k", retrieve.AnswerK, "number of passages for each section")
	cmd.Flags().StringVar(&b.model, "model", "", "model of the server that writes, or extractive for quotes (default the server's choice)")
	b.from.flags(cmd, defaultServer)
	completeCollections(cmd, std, &b.from)
	return cmd
}

// briefing is a brief that a server writes.
type briefing struct {
	std        stdio
	from       remote
	task       string
	headings   []string
	collection string
	model      string
	within     scope
	k          int
	output     string
	outline    bool
	asJSON     bool
	done       int // the number of finished headings
}

// run writes the brief, or prints its outline.
func (b *briefing) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	format, known := briefFormats[strings.ToLower(filepath.Ext(b.output))]
	if b.output != "" && !known {
		return fault.New(fault.Invalid, "cli_brief_format", "cannot write %s: its name must end with .docx, .pdf, or .md", b.output)
	}
	if _, err := b.from.check(cmd, "model"); err != nil {
		return err
	}
	if b.outline {
		return b.plan(ctx)
	}
	var file *os.File
	if b.output != "" { // before the work, which takes minutes
		var err error
		if file, err = os.OpenFile(b.output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
			return fault.New(fault.Invalid, "cli_brief_file", "cannot write %s: %w", b.output, err)
		}
	}
	err := b.write(ctx, file, format)
	if file != nil {
		err = errors.Join(err, file.Close())
		if err != nil {
			_ = os.Remove(b.output) // it has no brief
		}
	}
	return err
}

// body returns the body of both requests.
func (b *briefing) body() map[string]any {
	body := map[string]any{"task": b.task, "k": b.k}
	for name, list := range map[string][]string{
		"collections": collections(b.collection), "folders": b.within.place.Folders, "tags": b.within.place.Tags, "headings": b.headings,
	} {
		if len(list) > 0 {
			body[name] = list
		}
	}
	if len(b.within.documents) > 0 {
		body["documents"] = b.within.documents
	}
	if b.model != "" {
		body["model"] = b.model
	}
	return body
}

// plan prints the outline.
func (b *briefing) plan(ctx context.Context) error {
	body := b.body()
	delete(body, "headings")
	var out struct {
		Headings []string `json:"headings"`
		ByModel  bool     `json:"by_model"`
	}
	if err := b.from.call(ctx, http.MethodPost, "/api/briefs/outline", body, &out); err != nil {
		return err
	}
	if b.asJSON {
		return json.NewEncoder(b.std.out).Encode(out)
	}
	for _, h := range out.Headings {
		fmt.Fprintln(b.std.out, oneLine(h))
	}
	return nil
}

// write starts the brief, follows it to its end, and prints it or writes it to a file.
func (b *briefing) write(ctx context.Context, file *os.File, format string) error {
	var started struct {
		Session  string   `json:"session_id"`
		Headings []string `json:"headings"`
	}
	if err := b.from.call(ctx, http.MethodPost, "/api/briefs", b.body(), &started); err != nil {
		return err
	}
	at := "/api/sessions/" + url.PathEscape(started.Session)
	msg, err := b.follow(ctx, at, started.Headings)
	if ctx.Err() != nil { // the user stopped it
		rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		ctx = rest
		if err := b.from.call(ctx, http.MethodPost, at+"/stop", struct{}{}, nil); err != nil {
			return err
		}
		msg, err = b.follow(ctx, at, started.Headings)
	}
	if err != nil {
		return err
	}
	if file == nil {
		return showAnswer(b.std, msg, b.asJSON)
	}
	text, err := b.from.download(ctx, at+"/export?format="+format)
	if err != nil {
		return err
	}
	if _, err := file.Write(text); err != nil {
		return fault.New(fault.Invalid, "cli_brief_file", "cannot write %s: %w", b.output, err)
	}
	_, err = fmt.Fprintf(b.std.out, "wrote %s\n", b.output)
	return err
}

// follow prints the finished headings until there is the brief.
func (b *briefing) follow(ctx context.Context, at string, headings []string) (payload.RAGMessage, error) {
	for {
		var page struct {
			Messages []struct {
				Type    string          `json:"type"`
				Content json.RawMessage `json:"content"`
				IsUser  bool            `json:"is_user"`
			} `json:"messages"`
			Steps []struct {
				Kind    string          `json:"step_kind"`
				Payload json.RawMessage `json:"payload"`
			} `json:"steps"`
		}
		if err := b.from.get(ctx, at+"/messages", nil, &page); err != nil {
			return payload.RAGMessage{}, err
		}
		for _, s := range page.Steps {
			var section struct{ Details struct{ Section int } }
			if s.Kind != string(payload.StepSection) || json.Unmarshal(s.Payload, &section) != nil {
				continue
			}
			if n := section.Details.Section; n == b.done+1 && n <= len(headings) {
				b.done = n
				fmt.Fprintf(b.std.err, "%d of %d: %s\n", n, len(headings), oneLine(headings[n-1]))
			}
		}
		asked := false // the task comes after a greeting
		for _, m := range page.Messages {
			asked = asked || m.IsUser
			var answer payload.RAGMessage
			var text string
			switch {
			case m.IsUser, !asked:
			case m.Type == payload.TypeRAG && json.Unmarshal(m.Content, &answer) == nil:
				return answer, nil
			case json.Unmarshal(m.Content, &text) == nil: // the agent says why there is no brief
				return answer, fault.New(fault.Unavailable, "named_reason", "%s: %s", b.from.url, oneLine(text))
			}
		}
		select {
		case <-time.After(briefPoll):
		case <-ctx.Done():
			return payload.RAGMessage{}, ctx.Err()
		}
	}
}
