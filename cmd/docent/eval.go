package main

import (
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
	"docent/rag"
	"docent/rag/retrieve"
)

// evalOptions are eval's own flags.
type evalOptions struct {
	corpus, golden             string
	update, ablations, answers bool
	asJSON                     bool
}

func newEval(std stdio) *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval QUESTIONS --corpus PATH",
		Short: "Measure retrieval and answers on questions with known evidence",
		Long: `Read a corpus (a file or folder) into a temporary database, ask the questions, and
print how well retrieval finds their evidence. The report compares keywords alone,
vectors alone, the first stage, and both stages, with bootstrap intervals.

Each line of the question file is a JSON object:

  {"id","kind","question","answer","facts":[...],"evidence":[{"file","quote"}],"history":[{"role","text"}]}

The file of an evidence is a file name, or the id of a JSONL document. Questions of
kind "unanswerable" have no evidence. Their correct answer is "I don't know".

With --golden, docent compares the figures with a golden file and exits with status
1 if one drops by more than its tolerance.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.corpus == "" {
				return fault.New(fault.Invalid,
					"cli_corpus_missing", "--corpus PATH is missing: the documents that the questions are about")
			}
			questions, err := eval.Load(args[0])
			if err != nil {
				return err
			}
			return measure(cmd, std, o, questions)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.corpus, "corpus", "", "file or folder with the documents")
	f.StringVar(&o.golden, "golden", "", "golden file to compare the figures with")
	f.BoolVar(&o.update, "update", false, "write the figures to the golden file instead of comparing")
	f.BoolVar(&o.ablations, "ablations", false, "also measure retrieval without each feature of the second stage")
	f.BoolVar(&o.answers, "answers", true, "also measure answers, citations, and \"I don't know\"")
	f.BoolVar(&o.asJSON, "json", false, "print the reports as JSON")
	scoped(cmd, config.Answering, config.Embedding, config.Ingesting)
	return cmd
}

// evalReport is the output of eval.
type evalReport struct {
	Documents int                   `json:"documents"`
	Chunks    int                   `json:"chunks"`
	Seconds   float64               `json:"ingest_seconds"`
	Retrieval *eval.RetrievalReport `json:"retrieval"`
	Ablations *eval.RetrievalReport `json:"ablations,omitempty"`
	Answers   *eval.AnswersReport   `json:"answers,omitempty"`
}

func measure(cmd *cobra.Command, std stdio, o evalOptions, questions []eval.Question) error {
	// A temporary database: SQLite in a folder that is removed.
	dir, err := os.MkdirTemp("", "docent-eval-*")
	if err != nil {
		return fmt.Errorf("folder for the evaluation: %w", err)
	}
	defer os.RemoveAll(dir)
	cfg, err := load(cmd)
	if err != nil {
		return err
	}
	cfg.Data, cfg.DatabaseURL = dir, ""
	a := &app{cfg: cfg, log: logger(std, cfg, false)}
	defer a.close()
	report, err := a.evalCorpus(cmd, std, o)
	if err != nil {
		return err
	}
	if err := a.evalQuestions(cmd, o, questions, report); err != nil {
		return err
	}
	if err := report.write(std, o.asJSON); err != nil {
		return err
	}
	return o.compare(std, report)
}

// evalCorpus ingests the corpus and opens the answering service.
func (a *app) evalCorpus(cmd *cobra.Command, std stdio, o evalOptions) (*evalReport, error) {
	ctx := cmd.Context()
	if err := os.MkdirAll(a.cfg.CacheDir(), 0o700); err != nil {
		return nil, fmt.Errorf("folder for the evaluation: %w", err)
	}
	var err error
	if a.db, err = openDatabase(ctx, a.cfg, a.log); err != nil {
		return nil, err
	}
	if err := errors.Join(a.addEmbedder(ctx), a.addIngester(0)); err != nil {
		return nil, err
	}
	began, report := time.Now(), &evalReport{}
	for r, err := range a.ingester.Ingest(ctx, ingest.Request{Paths: []string{o.corpus}}) {
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
	if err := a.addRetriever(ctx); err != nil {
		return nil, err
	}
	return report, a.addRAG()
}

func (a *app) evalQuestions(cmd *cobra.Command, o evalOptions, questions []eval.Question, report *evalReport) error {
	ctx := cmd.Context()
	var err error
	report.Retrieval, err = eval.MeasureRetrieval(ctx, eval.RetrievalConfig{Retriever: a.retriever, Questions: questions})
	if err != nil {
		return fmt.Errorf("measure retrieval: %w", err)
	}
	if o.ablations {
		report.Ablations, err = eval.MeasureRetrieval(ctx, eval.RetrievalConfig{
			Retriever: a.retriever, Questions: questions, Variants: eval.Ablations(retrieve.FeatureNames()),
		})
		if err != nil {
			return fmt.Errorf("measure ablations: %w", err)
		}
	}
	if o.answers {
		report.Answers, err = eval.MeasureAnswers(ctx, eval.AnswersConfig{
			Answerer: a.rag, Retriever: a.retriever, Questions: questions, Threshold: rag.DefaultMinEvidence,
		})
		if err != nil {
			return fmt.Errorf("measure answers: %w", err)
		}
	}
	return nil
}

func (r *evalReport) write(std stdio, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(std.out).Encode(r)
	}
	fmt.Fprintf(std.out, "%s, %s, read in %.1f s\n\n", plural(r.Documents, "document"), plural(r.Chunks, "chunk"), r.Seconds)
	if err := r.Retrieval.WriteMarkdown(std.out); err != nil {
		return err
	}
	if r.Ablations != nil {
		fmt.Fprintln(std.out, "\nEach feature left out:")
		if err := r.Ablations.WriteMarkdown(std.out); err != nil {
			return err
		}
	}
	if r.Answers != nil {
		fmt.Fprintln(std.out)
		return r.Answers.WriteMarkdown(std.out)
	}
	return nil
}

// metrics are the numbers that a golden file may hold.
func (r *evalReport) metrics() map[string]float64 {
	all := r.Retrieval.Metrics()
	if r.Answers != nil {
		for name, v := range r.Answers.Metrics() {
			all[name] = v
		}
	}
	return all
}

// compare holds the report against the golden file, or writes that.
func (o evalOptions) compare(std stdio, r *evalReport) error {
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
		golden.Update(r.metrics())
		return golden.Save(o.golden)
	}
	if err != nil {
		return err
	}
	err = golden.Compare(r.metrics())
	if eval.IsRegression(err) {
		fmt.Fprintln(std.err, "docent:", err)
		return errFailed
	}
	return err
}
