package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"docent/eval"
	"docent/insight/quality"
	"docent/internal/fault"
)

var (
	errNoQuestions = fault.New(fault.Invalid, "cli_eval_no_questions", "name a question file, or use --kept")
	errKeptTwice   = fault.New(fault.Invalid, "cli_eval_kept_twice",
		"use one of a question file, --kept, --keep, and --export; --kept measures the documents in your database, without --corpus")
)

// evalKept measures, writes, or adds the kept questions of the database.
func evalKept(cmd *cobra.Command, std stdio, o evalOptions, args []string) error {
	if len(args) > 0 || o.corpus != "" || o.keep != "" && (o.kept || o.export != "") {
		return errKeptTwice
	}
	if o.keep != "" {
		return keepSet(cmd, std, o)
	}
	s, err := openStored(cmd, std)
	if err != nil {
		return err
	}
	kept, err := s.DB.Kept.Kept(cmd.Context(), nil)
	s.Close(cmd.Context())
	if err != nil {
		return err
	}
	set := keptSet(kept)
	if len(set) == 0 {
		return fault.New(fault.Invalid, "cli_eval_nothing_kept", "the database has no kept questions with an expectation; keep some in the console")
	}
	if o.export == "" {
		return measure(cmd, std, o, set)
	}
	var out bytes.Buffer
	for _, q := range set {
		if err := json.NewEncoder(&out).Encode(q); err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
	}
	if err := os.WriteFile(o.export, out.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write the questions: %w", err)
	}
	fmt.Fprintf(std.out, "wrote %s\n", plural(len(set), "question"))
	return nil
}

// keepSet adds the questions of a file to the kept ones.
func keepSet(cmd *cobra.Command, std stdio, o evalOptions) error {
	set, err := eval.Load(o.keep)
	if err != nil {
		return err
	}
	questions := fromSet(set, o.collection)
	for i, q := range questions {
		if err := q.Check(); err != nil {
			return fmt.Errorf("question %s: %w", set[i].ID, err)
		}
	}
	s, err := openStored(cmd, std)
	if err != nil {
		return err
	}
	defer s.Close(cmd.Context())
	if o.collection != "" {
		all, err := s.DB.Library.Collections(cmd.Context())
		if err != nil {
			return fmt.Errorf("list collections: %w", err)
		}
		known := false
		for _, c := range all {
			known = known || c.Name == o.collection
		}
		if !known {
			return fault.New(fault.NotFound, "cli_eval_no_collection", "there is no collection %s", o.collection)
		}
	}
	kept, err := s.DB.Kept.Kept(cmd.Context(), nil)
	if err != nil {
		return err
	}
	added := 0
	for _, q := range questions {
		if slices.ContainsFunc(kept, func(k quality.Question) bool { return sameQuestion(k, q) }) {
			continue
		}
		if _, err := s.DB.Kept.Keep(cmd.Context(), q); err != nil {
			return err
		}
		kept = append(kept, q)
		added++
	}
	fmt.Fprintf(std.out, "kept %s", plural(added, "question"))
	if twice := len(questions) - added; twice > 0 {
		fmt.Fprintf(std.out, " (kept before: %d)", twice)
	}
	fmt.Fprintln(std.out)
	return nil
}

// sameQuestion reports whether two questions ask the same of the same collection.
func sameQuestion(a, b quality.Question) bool {
	return a.Collection == b.Collection && a.Text == b.Text && slices.Equal(a.History, b.History)
}

// keptKind is the kind of answerable questions in an exported set.
const keptKind = "kept"

// keptSet returns the questions with an expectation in the form that docent eval measures.
func keptSet(kept []quality.Question) []eval.Question {
	var out []eval.Question
	for _, q := range kept {
		e := eval.Question{ID: fmt.Sprint("kept-", q.ID), Text: q.Text}
		for _, t := range q.History {
			e.History = append(e.History, eval.Turn{Role: t.Role, Text: t.Text})
		}
		switch q.Expect {
		case quality.Undecided:
			continue
		case quality.Absent:
			e.Kind = eval.Unanswerable
		case quality.Passage:
			e.Kind, e.Evidence = keptKind, []eval.Evidence{{File: q.File, Quote: q.Quote}}
		}
		out = append(out, e)
	}
	return out
}

// fromSet returns questions of a set as questions to keep for a collection. The first piece of
// evidence becomes the expected passage.
func fromSet(set []eval.Question, collection string) []quality.Question {
	out := make([]quality.Question, len(set))
	for i := range set {
		e := &set[i]
		q := quality.Question{Collection: collection, Text: e.Text, Expect: quality.Absent}
		if len(e.History) > 0 {
			q.History = e.Turns()
		}
		if len(e.Evidence) > 0 {
			q.Expect, q.File, q.Quote = quality.Passage, e.Evidence[0].File, e.Evidence[0].Quote
		}
		out[i] = q
	}
	return out
}
