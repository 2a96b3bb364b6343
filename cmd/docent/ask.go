package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"docent/agent"
	"docent/config"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/order"
	"docent/rag/retrieve"
)

func newAsk(std stdio) *cobra.Command {
	var (
		asJSON     bool
		collection string
		within     scope
		k          int
		from       remote
	)
	cmd := &cobra.Command{
		Use:   "ask QUESTION | -",
		Short: "Answer a question from the documents",
		Long: `Answer one question from the documents and list the sources. The question does
not belong to a conversation, and no agent handles it. "docent docs ls" lists the
documents. With -, standard input is the question. With --server, a running server
answers.`,
		Args: needsQuestion,
		RunE: func(cmd *cobra.Command, args []string) error {
			question, err := questionOf(std.in, args)
			if err != nil {
				return err
			}
			if elsewhere, err := from.check(); err != nil {
				return err
			} else if elsewhere {
				msg, err := from.ask(cmd.Context(), question, k, collections(collection), within)
				if err != nil {
					return err
				}
				return showAnswer(std.out, msg, asJSON)
			}
			p, err := openAnswering(cmd, std, collection)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			answer, err := p.RAG.Run(cmd.Context(), rag.Request{
				Question:    question,
				K:           k,
				Collections: collections(collection),
				Documents:   within.documents,
				Place:       within.place,
			})
			if err != nil {
				return fmt.Errorf("ask: %w", err)
			}
			return showAnswer(std.out, agent.AnswerMessage(answer), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer as one JSON object")
	cmd.Flags().StringVar(&collection, "collection", "", "search only this collection (default all)")
	within.flags(cmd)
	cmd.Flags().IntVarP(&k, "k", "k", retrieve.AnswerK, "number of passages to answer from")
	from.flags(cmd, "")
	completeCollections(cmd, std, &from)
	scoped(cmd, config.Answering, config.Chatting, config.Embedding)
	return cmd
}

// questionOf returns the question of the arguments. With the argument -, it is on standard input.
func questionOf(in io.Reader, args []string) (string, error) {
	question := strings.Join(args, " ")
	if question == "-" {
		text, err := io.ReadAll(io.LimitReader(in, rag.MaxQuestionBytes+1))
		if err != nil {
			return "", fault.New(fault.Invalid, "cli_questions_unreadable", "questions on standard input: %w", err)
		}
		question = string(text)
	}
	if strings.TrimSpace(question) == "" {
		return "", fault.New(fault.Invalid, "question_empty", "the question is empty")
	}
	return question, nil
}

// showAnswer prints an answer for people, or as JSON.
func showAnswer(w io.Writer, msg payload.RAGMessage, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(msg)
	}
	return printAnswer(w, order.ByCitation(msg))
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
	return printSources(w, msg, cited)
}

// printSources lists the cited passages, or all of an answer that found nothing.
func printSources(w io.Writer, msg payload.RAGMessage, cited map[int]bool) error {
	for i, d := range msg.Docs {
		if !cited[i+1] && !msg.Abstained {
			continue
		}
		m := d.Metadata
		_, err := fmt.Fprintf(w, "[%d] %s\n    %s\n", i+1, oneLine(place(m.Title, m.Heading, m.PageLabel, m.Page)), oneLine(m.Source))
		if err != nil {
			return err
		}
	}
	return nil
}
