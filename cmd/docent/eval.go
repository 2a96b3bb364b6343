package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/eval"
	"docent/ingest"
	"docent/internal/fault"
	"docent/internal/wiring"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// evalOptions are the flags of eval.
type evalOptions struct {
	corpus, golden, before     string
	update, ablations, answers bool
	calibrate, asJSON          bool
	kept                       bool
	keep, collection, export   string
}

func newEval(std stdio) *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval [QUESTIONS]",
		Short: "Measure retrieval and answers on questions with known evidence",
		Long: `Ask the questions, and print how well retrieval finds their evidence. The report
compares keywords alone, vectors alone, the first stage, and both stages, with
bootstrap intervals.

With --corpus, docent reads a file or folder into a temporary database. Otherwise it
measures the documents in your database, with their enrichments. It first computes
the vectors that they lack.

Each line of the question file is a JSON object:

  {"id","kind","question","answer","facts":[...],"evidence":[{"file","quote"}],"also":[...],"history":[{"role","text"}]}

The field file is a file name, or the id of a JSONL document. The field also lists
other correct passages, with the keys of evidence. Questions of
kind "unanswerable" have no evidence. Their correct answer is "I don't know". docent
warns of files that are not among the documents. It stops if a question has no
evidence in any other file.

With --calibrate, docent finds the threshold of unsure answers for your documents. It
sets the threshold with the odd-numbered questions, so that at most one in ten that
have an answer is shown as unsure, and reports the effect on the others. About a third of the
questions should be unanswerable. docent warns if there are too few questions.

With --compare, docent prints the differences to an earlier run on the same questions,
with paired bootstrap intervals, and each changed question.

With --kept, docent asks the questions that the console keeps as tests, instead of
those of a file. --export writes them to a question file. --keep adds the questions of
a file to those of the console, for one collection or for all.

With --index pgvector, the corpus goes into the Postgres database of --database-url
and stays there. The database must have no documents.

With --golden, docent compares the figures with a golden file and exits with status
1 if one drops by more than its tolerance.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.kept || o.keep != "" || o.export != "" {
				return evalKept(cmd, std, o, args)
			}
			if len(args) == 0 {
				return errNoQuestions
			}
			questions, err := eval.Load(args[0])
			if err != nil {
				return err
			}
			return measure(cmd, std, o, questions)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.corpus, "corpus", "", "file or folder to measure, in a temporary database (default: the documents in your database)")
	f.StringVar(&o.golden, "golden", "", "golden file to compare the figures with")
	f.StringVar(&o.before, "compare", "", "report of an earlier run with --json to compare this run with")
	f.BoolVar(&o.update, "update", false, "write the figures to the golden file instead of comparing")
	f.BoolVar(&o.ablations, "ablations", false, "also measure retrieval without each feature of the second stage")
	f.BoolVar(&o.answers, "answers", true, "also measure answers, citations, and \"I don't know\"")
	f.BoolVar(&o.calibrate, "calibrate", false, "only print the value of --min-evidence that suits these questions")
	f.BoolVar(&o.kept, "kept", false, "ask the questions that the console keeps as tests")
	f.StringVar(&o.export, "export", "", "write the kept questions with an expectation to a question file, and measure nothing")
	f.StringVar(&o.keep, "keep", "", "add the questions of a file to the kept ones, and measure nothing")
	f.StringVar(&o.collection, "collection", "", "collection of the questions of --keep (default: all collections)")
	f.BoolVar(&o.asJSON, "json", false, "print the reports as JSON")
	scoped(cmd, config.Answering, config.Chatting, config.Embedding, config.Ingesting)
	return cmd
}

// measure evaluates questions on a corpus or on the stored documents.
func measure(cmd *cobra.Command, std stdio, o evalOptions, questions []eval.Question) error {
	if o.corpus != "" {
		return measureCorpus(cmd, std, o, questions)
	}
	s, err := openStored(cmd, std)
	if err != nil {
		return err
	}
	defer s.Close(cmd.Context())
	e, err := wiring.OpenEmbedders(cmd.Context(), s.Base)
	if err != nil {
		return err
	}
	all, err := s.DB.Library.Collections(cmd.Context())
	if err != nil {
		return fmt.Errorf("list collections: %w", err)
	}
	report := &eval.Report{}
	for _, c := range all {
		report.Documents += c.Documents
		report.Chunks += c.Chunks
	}
	if report.Chunks == 0 {
		return fault.New(fault.Invalid, "cli_eval_no_documents",
			"the database has no documents; run docent ingest, or name a file or folder with --corpus")
	}
	return evaluate(cmd.Context(), std, s, e, o, questions, report)
}

// measureCorpus evaluates questions on a temporary SQLite database, or on an empty
// Postgres for an index in it.
func measureCorpus(cmd *cobra.Command, std stdio, o evalOptions, questions []eval.Question) error {
	dir, err := os.MkdirTemp("", "docent-eval-*")
	if err != nil {
		return fmt.Errorf("folder for the evaluation: %w", err)
	}
	defer os.RemoveAll(dir)
	cfg, err := load(cmd)
	if err != nil {
		return err
	}
	if cfg.Data = dir; cfg.Index != config.IndexPGVector {
		cfg.DatabaseURL = ""
	}
	s, err := wiring.OpenStore(cmd.Context(), wiring.New(cfg, wiring.NewLog(cfg, std.err, false)))
	if err != nil {
		return err
	}
	defer s.Close(cmd.Context())
	e, err := wiring.OpenEmbedders(cmd.Context(), s.Base)
	if err != nil {
		return err
	}
	report, err := evalCorpus(cmd.Context(), std, s, e, o)
	if err != nil {
		return err
	}
	return evaluate(cmd.Context(), std, s, e, o, questions, report)
}

// evaluate opens the parts that answer, asks the questions, and prints the report.
func evaluate(
	ctx context.Context, std stdio, s *wiring.Store, e *wiring.Embedders, o evalOptions, questions []eval.Question, report *eval.Report,
) (err error) {
	if err := checkEvidence(ctx, std, s, questions); err != nil {
		return err
	}
	if err := wiring.NeedModel(s.Config); err != nil {
		return err
	}
	if err := e.Encode(ctx, s); err != nil {
		return err
	}
	x, err := wiring.OpenIndexes(ctx, s, e)
	if o.corpus != "" { // the database is temporary
		defer func() {
			if dropped := x.Drop(context.WithoutCancel(ctx)); err == nil {
				err = dropped
			}
		}()
	}
	if err != nil {
		return err
	}
	answers, err := wiring.OpenAnswers(s, e, x)
	if err != nil {
		return err
	}
	if err := evalQuestions(ctx, x, answers, o, questions, report); err != nil {
		return err
	}
	if o.calibrate {
		if short := report.Answers.Calibration.Short(); short != "" {
			fmt.Fprintln(std.err, "warning: "+short)
		}
		return report.Answers.WriteCalibration(std.out)
	}
	if o.before != "" {
		before, err := eval.ReadReport(o.before)
		if err != nil {
			return err
		}
		return eval.WriteComparison(std.out, before, *report)
	}
	if o.asJSON {
		err = json.NewEncoder(std.out).Encode(report)
	} else {
		err = report.WriteMarkdown(std.out)
	}
	if err != nil {
		return err
	}
	return o.compare(std, report)
}

// maxMissing limits the questions that checkEvidence names.
const maxMissing = 20

// checkEvidence warns of questions with evidence that the documents lack. It fails if a
// question has no evidence in them.
func checkEvidence(ctx context.Context, std stdio, s *wiring.Store, questions []eval.Question) error {
	missing, err := eval.MissingEvidence(ctx, s.DB.Library, questions)
	if err != nil {
		return err
	}
	without := 0
	for i, m := range missing {
		if i < maxMissing {
			for _, w := range m.Warnings() {
				fmt.Fprintln(std.err, "warning: "+w)
			}
		}
		if m.All {
			without++
		}
	}
	if more := len(missing) - maxMissing; more > 0 {
		fmt.Fprintf(std.err, "warning: missing files or quotes in %s more\n", plural(more, "question"))
	}
	if without > 0 {
		return fault.New(fault.Invalid, "cli_eval_evidence",
			"these documents have no evidence for %s; correct the field file of the evidence, or remove such questions", plural(without, "question"))
	}
	return nil
}

// evalCorpus ingests the corpus.
func evalCorpus(ctx context.Context, std stdio, s *wiring.Store, e *wiring.Embedders, o evalOptions) (*eval.Report, error) {
	readers, err := wiring.OpenReaders(s, e)
	if err != nil {
		return nil, err
	}
	defer readers.Close(ctx)
	if stored, err := s.DB.Library.Documents(ctx, corpus.DocumentFilter{Limit: 1}); err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	} else if len(stored) > 0 {
		return nil, fault.New(fault.Invalid, "cli_eval_database_used",
			"the database already has documents; name an empty database with --database-url")
	}
	began, report := time.Now(), &eval.Report{}
	for r, err := range readers.Ingester.Ingest(ctx, ingest.Request{Paths: []string{o.corpus}}) {
		if err != nil {
			return nil, fmt.Errorf("ingest %s: %w", filepath.Base(o.corpus), err)
		}
		if r.Status == ingest.Failed {
			fmt.Fprintf(std.err, "failed: %s: %s\n", r.Source, r.Reason.Message)
			continue
		}
		report.Documents++
		report.Chunks += r.Chunks
	}
	report.Seconds = time.Since(began).Seconds()
	return report, nil
}

// evalQuestions asks the questions and completes the report.
func evalQuestions(
	ctx context.Context, x *wiring.Indexes, answers *wiring.Answers, o evalOptions, questions []eval.Question, report *eval.Report,
) error {
	var err error
	if !o.calibrate {
		report.Retrieval, err = eval.MeasureRetrieval(ctx, eval.RetrievalConfig{Retriever: x.Retriever, Questions: questions})
		if err != nil {
			return fmt.Errorf("measure retrieval: %w", err)
		}
	}
	if o.ablations {
		report.Ablations, err = eval.MeasureRetrieval(ctx, eval.RetrievalConfig{
			Retriever: x.Retriever, Questions: questions, Variants: eval.Ablations(retrieve.FeatureNames()),
		})
		if err != nil {
			return fmt.Errorf("measure ablations: %w", err)
		}
	}
	if o.answers || o.calibrate {
		workers := 0
		if answers.Chat != nil {
			workers = 1 // so that the times are those of one user
		}
		report.Answers, err = eval.MeasureAnswers(ctx, eval.AnswersConfig{
			Answerer: answers.RAG, Retriever: x.Retriever, Questions: questions, Threshold: answers.RAG.Thresholds().Answered, Workers: workers,
		})
		if err != nil {
			return fmt.Errorf("measure answers: %w", err)
		}
	}
	return nil
}

// compare compares the report with the golden file, or updates the file.
func (o evalOptions) compare(std stdio, r *eval.Report) error {
	if o.golden == "" {
		return nil
	}
	golden, err := eval.LoadGolden(o.golden)
	if o.update {
		if errors.Is(err, fs.ErrNotExist) {
			golden, err = &eval.Golden{Tolerance: eval.DefaultTolerance}, nil
		}
		if err != nil {
			return err
		}
		golden.Update(r.Metrics())
		return golden.Save(o.golden)
	}
	if err != nil {
		return err
	}
	err = golden.Compare(r.Metrics())
	if eval.IsRegression(err) {
		fmt.Fprintln(std.err, "docent:", err)
		return errFailed
	}
	return err
}
