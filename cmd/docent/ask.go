package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"docent/agent"
	"docent/config"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/order"
	"docent/rag/retrieve"
)

func newAsk(std stdio) *cobra.Command {
	var (
		asJSON     bool
		collection string
		documents  []int64
		k          int
	)
	cmd := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Answer a question from the documents",
		Long: `Answer one question from the documents and list the sources. The question does
not belong to a conversation, and no agent handles it. "docent docs ls" lists the
documents.`,
		Args: needsQuestion,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := openAnswering(cmd, std, collection)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			answer, err := p.RAG.Run(cmd.Context(), rag.Request{
				Question:    strings.Join(args, " "),
				K:           k,
				Collections: collections(collection),
				Documents:   documents,
			})
			if err != nil {
				return fmt.Errorf("ask: %w", err)
			}
			msg := agent.AnswerMessage(answer)
			if asJSON {
				return json.NewEncoder(std.out).Encode(msg)
			}
			return printAnswer(std.out, order.ByCitation(msg))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer as one JSON object")
	cmd.Flags().StringVar(&collection, "collection", "", "search only this collection (default all)")
	cmd.Flags().Int64SliceVar(&documents, "document", nil, "search only the document with this id; repeatable (docent docs ls)")
	cmd.Flags().IntVarP(&k, "k", "k", retrieve.AnswerK, "number of passages to answer from")
	scoped(cmd, config.Answering, config.Chatting, config.Embedding)
	return cmd
}

// needsQuestion checks the arguments of a command that takes a question.
func needsQuestion(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf(`there is no question; add it in quotes: %s "How often is the pump serviced?"`, cmd.CommandPath())
	}
	return nil
}

// printAnswer prints the answer and the cited sources. Below an answer that the
// documents do not give, it prints the nearest passages.
func printAnswer(w io.Writer, msg payload.RAGMessage) error {
	fmt.Fprintln(w, strings.TrimSpace(msg.Answer))
	cited := map[int]bool{}
	unsupported := 0
	for _, s := range msg.Sentences {
		if s.Support == payload.SupportNone {
			unsupported++
		}
		for _, n := range s.Docs {
			cited[n] = true
		}
	}
	if unsupported > 0 && !msg.Abstained {
		fmt.Fprintf(w, "\nNote: no source supports %s of this answer.\n", plural(unsupported, "sentence"))
	}
	if len(cited) == 0 && !msg.Abstained {
		return nil
	}
	fmt.Fprintln(w)
	for i, d := range msg.Docs {
		if !cited[i+1] && !msg.Abstained {
			continue
		}
		m := d.Metadata
		where := m.Title
		if m.Heading != "" {
			where = strings.TrimPrefix(where+corpus.HeadingSeparator+m.Heading, corpus.HeadingSeparator)
		}
		switch {
		case m.PageLabel != nil:
			where += ", page " + *m.PageLabel
		case m.Page != nil:
			where += fmt.Sprintf(", page %d", *m.Page+1)
		}
		if _, err := fmt.Fprintf(w, "[%d] %s\n    %s\n", i+1, oneLine(where), oneLine(m.Source)); err != nil {
			return err
		}
	}
	return nil
}
