package main

import (
	"encoding/json"
	"errors"
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
answers. --model then chooses one of its models, or extractive for quotes.`,
		Args: needsQuestion,
		RunE: func(cmd *cobra.Command, args []string) error {
			question, err := questionOf(std.in, args)
			if err != nil {
				return err
			}
			if elsewhere, err := from.check(cmd, "model"); err != nil {
				return err
			} else if elsewhere {
				model, err := chosenModel(cmd)
				if err != nil {
					return err
				}
				msg, err := from.ask(cmd.Context(), question, model, k, collections(collection), within)
				if err != nil {
					return err
				}
				return showAnswer(std, msg, asJSON)
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
			return showAnswer(std, agent.AnswerMessage(answer), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer as one JSON object")
	cmd.Flags().StringVar(&collection, "collection", "", "search only this collection (default all)")
	within.flags(cmd)
	cmd.Flags().IntVarP(&k, "k", "k", retrieve.AnswerK, "number of passages to answer from")
	from.flags(cmd, "")
	completeCollections(cmd, std, &from)
	scoped(cmd, config.Answering, config.Chatting, config.Embedding)
	completeModels(cmd, &from)
	return cmd
}

// chosenModel returns the model that the command line names for a server, or "". The variables are those of
// servers on this machine.
func chosenModel(cmd *cobra.Command) (string, error) {
	if !cmd.Flags().Changed("model") {
		return "", nil
	}
	return cmd.Flags().GetString("model") //nolint:wrapcheck // the command has this flag
}

// questionOf returns the question of the arguments. With the argument -, it is on standard input.
func questionOf(in io.Reader, args []string) (string, error) {
	question := strings.Join(args, " ")
	if question == "-" {
		all, err := io.ReadAll(io.LimitReader(in, rag.MaxQuestionBytes+1))
		if err != nil {
			return "", fault.New(fault.Invalid, "cli_questions_unreadable", "questions on standard input: %w", err)
		}
		question = string(all)
	}
	if strings.TrimSpace(question) == "" {
		return "", fault.New(fault.Invalid, "question_empty", "the question is empty")
	}
	return question, nil
}

// showAnswer prints an answer for people, or as JSON.
func showAnswer(std stdio, msg payload.RAGMessage, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(std.out).Encode(msg)
	}
	page := std.layout()
	return errors.Join(printAnswer(page, order.ByCitation(msg)), page.Flush())
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
	return printEvidence(w, msg)
}

// printEvidence prints the sentences of an answer that no source supports, and the sources.
func printEvidence(w io.Writer, msg payload.RAGMessage) error {
	printUnsupported(w, msg)
	if len(citedBy(msg)) == 0 && !msg.Abstained {
		return nil
	}
	fmt.Fprintln(w)
	return printSources(w, msg)
}

// citedBy returns the numbers of the passages that the answer cites.
func citedBy(msg payload.RAGMessage) map[int]bool {
	cited := map[int]bool{}
	for _, s := range msg.Sentences {
		for _, n := range s.Docs {
			cited[n] = true
		}
	}
	return cited
}

// printSources lists the cited passages, or all of an answer that found nothing.
func printSources(w io.Writer, msg payload.RAGMessage) error {
	cited := citedBy(msg)
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
