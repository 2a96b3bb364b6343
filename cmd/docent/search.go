package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/text"
)

// maxQuestion bounds a line of questions on standard input, in bytes.
const maxQuestion = 64 << 10

// searchResult is one result of `search --json`; its keys are a contract.
type searchResult struct {
	Rank       int                `json:"rank"`
	Score      float64            `json:"score"`
	Source     string             `json:"source"`
	Title      string             `json:"title"`
	Heading    string             `json:"heading"`
	Page       *int               `json:"page"`
	PageLabel  *string            `json:"page_label,omitempty"`
	Start      int                `json:"start"`
	End        int                `json:"end"`
	Text       string             `json:"text"`
	DocumentID int64              `json:"document_id"`
	ChunkID    int64              `json:"chunk_id"`
	Date       string             `json:"date,omitempty"`
	DateFrom   corpus.DateFrom    `json:"date_from,omitempty"`
	Version    string             `json:"version,omitempty"`
	Features   map[string]float64 `json:"features,omitempty"`
}

// searchLine is a line of `search --json`.
type searchLine struct {
	Question string         `json:"question"`
	Results  []searchResult `json:"results"`
}

// searchFound is the result of a search. Its Question is the search text.
type searchFound struct {
	searchLine

	Evidence float64 `json:"evidence"`
}

func newSearch(std stdio) *cobra.Command {
	var (
		asJSON, explain bool
		collection      string
		within          scope
		k               int
		mode            string
		from            remote
	)
	cmd := &cobra.Command{
		Use:   "search QUESTION | -",
		Short: "Find passages for a question",
		Long: "Print the best passages for a question, best first. With -, each line of standard\n" +
			"input is a question. With --json, docent prints one JSON object per question.",
		Args: needsQuestion,
		RunE: func(cmd *cobra.Command, args []string) error {
			if k < 1 || k > retrieve.MaxK*20 {
				return fault.New(fault.Invalid, "cli_k_out_of_range", "-k %d is not between 1 and %d", k, retrieve.MaxK*20)
			}
			query := retrieve.Query{K: k, Collections: collections(collection), Documents: within.documents, Mode: retrieve.Mode(mode)}
			find, done, err := finder(cmd, std, &from, query, within, explain)
			if err != nil {
				return err
			}
			defer done()
			one := func(question string) error {
				found := searchFound{searchLine: searchLine{Results: []searchResult{}}}
				if question != "" { // one output line for each input line
					if found, err = find(question); err != nil {
						return err
					}
				}
				if asJSON {
					return json.NewEncoder(std.out).Encode(searchLine{question, found.Results})
				}
				page := std.layout()
				return errors.Join(printSearch(page, found, explain), page.Flush())
			}
			if len(args) == 1 && args[0] == "-" {
				return eachLine(std.in, func(line string) error {
					if line == "" && !asJSON {
						return nil
					}
					return one(line)
				})
			}
			question := strings.TrimSpace(strings.Join(args, " "))
			if question == "" {
				return fault.New(fault.Invalid, "question_empty", "the question is empty")
			}
			return one(question)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per question")
	cmd.Flags().BoolVar(&explain, "explain", false, "print the features of each score")
	cmd.Flags().StringVar(&collection, "collection", "", "search only this collection (default all)")
	within.flags(cmd)
	cmd.Flags().IntVarP(&k, "k", "k", 10, "number of passages")
	cmd.Flags().StringVar(&mode, "mode", string(retrieve.Full), "ranking: full, hybrid, bm25, or vectors")
	from.flags(cmd, "")
	completeCollections(cmd, std, &from)
	scoped(cmd, config.Embedding)
	return cmd
}

// finder returns the function that searches a server, or the database, and one that ends the use of it.
func finder(
	cmd *cobra.Command, std stdio, from *remote, query retrieve.Query, within scope, explain bool,
) (find func(question string) (searchFound, error), done func(), err error) {
	elsewhere, err := from.check(cmd)
	switch {
	case err != nil:
		return nil, nil, err
	case elsewhere && query.Mode != retrieve.Full:
		return nil, nil, fault.New(fault.Invalid, "cli_mode_of_server", "a server searches with the mode full; leave out --mode or --server")
	case elsewhere:
		return func(question string) (searchFound, error) {
			return from.search(cmd.Context(), question, query.K, explain, query.Collections, within)
		}, func() {}, nil
	}
	s, err := openStored(cmd, std)
	if err != nil {
		return nil, nil, err
	}
	if err := corpus.CheckCollections(cmd.Context(), s.DB.Library, query.Collections); err != nil {
		s.Close(cmd.Context())
		return nil, nil, err
	}
	if query.Documents, err = corpus.Within(cmd.Context(), s.DB.Library, within.documents, within.place, query.Collections); err != nil {
		s.Close(cmd.Context())
		return nil, nil, err
	}
	p, err := openFinding(cmd.Context(), s)
	if err != nil {
		return nil, nil, err
	}
	return func(question string) (searchFound, error) {
		query.Question = question
		found, err := p.Retriever.Retrieve(cmd.Context(), query)
		if err != nil {
			return searchFound{}, fmt.Errorf("search: %w", err)
		}
		return foundIn(found, explain), nil
	}, func() { p.Close(cmd.Context()) }, nil
}

// collections returns the filter for an optional collection.
func collections(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// eachLine calls f with every line, without surrounding space.
func eachLine(r io.Reader, f func(string) error) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 4096), maxQuestion)
	for sc.Scan() {
		if err := f(strings.TrimSpace(sc.Text())); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return fault.New(fault.Invalid, "cli_questions_unreadable", "questions on standard input: %w", err)
	}
	return nil
}

func foundIn(found retrieve.Retrieval, explain bool) searchFound {
	line := searchFound{searchLine{found.Question, []searchResult{}}, found.Evidence}
	for _, r := range found.Results {
		p := r.Passage
		out := searchResult{
			Rank: r.Rank, Score: r.Score, Source: p.Document.Source, Title: p.Document.Title,
			Heading: p.Heading(), Page: p.Page, Start: p.Start, End: p.End, Text: p.Text,
			DocumentID: p.DocumentID, ChunkID: p.ID,
			PageLabel: labelOf(p), Date: p.Document.Day(), DateFrom: p.Document.DateFrom, Version: p.Document.Version,
		}
		if explain {
			out.Features = r.Features
		}
		line.Results = append(line.Results, out)
	}
	return line
}

func labelOf(p corpus.Passage) *string {
	if p.PageLabel == "" {
		return nil
	}
	return &p.PageLabel
}

func printSearch(w io.Writer, found searchFound, explain bool) error {
	if len(found.Results) == 0 {
		_, err := fmt.Fprintln(w, "Nothing found. docent docs ls lists the documents.")
		return err
	}
	if explain {
		fmt.Fprintf(w, "searched for: %s\nevidence: %.2f\n\n", found.Question, found.Evidence)
	}
	for _, r := range found.Results {
		fmt.Fprintf(w, "%2d. %s\n    %s\n", r.Rank, oneLine(r.place()), oneLine(r.Source))
		if explain {
			fmt.Fprintf(w, "    score %.3f", r.Score)
			for _, name := range slices.Sorted(maps.Keys(r.Features)) {
				fmt.Fprintf(w, "  %s %.2f", name, r.Features[name])
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "    %s\n\n", text.Shorten(strings.Join(strings.Fields(r.Text), " "), 300))
	}
	return nil
}

// place returns the title, the headings, and the page of a passage.
func (r searchResult) place() string {
	return place(r.Title, r.Heading, r.PageLabel, r.Page)
}

func place(title, heading string, label *string, page *int) string {
	s := title
	if heading != "" {
		s = strings.TrimPrefix(title+corpus.HeadingSeparator+heading, corpus.HeadingSeparator)
	}
	if s == "" {
		s = "(untitled)"
	}
	switch {
	case label != nil && *label != "":
		s += ", page " + *label
	case page != nil:
		s += fmt.Sprintf(", page %d", *page+1)
	}
	return s
}
