// Evidence fits the weights behind "I don't know". Its arguments are reports of
// `docent eval --json`, one for each question set. It prints the weights for all
// sets, and how weights and threshold from the other sets do on each one:
//
//	go run ./tools/evidence pgdocs.json pgxcode.json postfix.json
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"docent/eval"
)

// maxRefused is the share of answerable questions that the threshold refuses.
const maxRefused = .08

// question has the signs of one question.
type question struct {
	signs      []float64
	answerable bool
}

func main() {
	sets := map[string][]question{}
	var all []question
	for _, path := range os.Args[1:] {
		questions, err := load(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, "evidence:", err)
			os.Exit(1)
		}
		sets[path], all = questions, append(all, questions...)
	}
	model, threshold := fit(all)
	fmt.Printf("bias %.2f, close %.2f, gap %.2f, strange %.2f, words %.2f, threshold %.2f\n",
		model.Bias, model.Weights[0], model.Weights[1], model.Weights[2], model.Weights[3], threshold)
	for _, path := range os.Args[1:] {
		var others []question
		for other, questions := range sets {
			if other != path {
				others = append(others, questions...)
			}
		}
		if len(others) == 0 {
			continue
		}
		model, threshold := fit(others)
		fmt.Printf("%s, with weights and threshold of the others: refused %.2f of the unanswerable, %.3f of the answerable\n",
			filepath.Base(path), refused(sets[path], model, threshold, false), refused(sets[path], model, threshold, true))
	}
}

// load reads the signs from a report.
func load(path string) ([]question, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var report struct {
		Answers *eval.AnswersReport `json:"answers"`
	}
	if err := json.Unmarshal(data, &report); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if report.Answers == nil {
		return nil, fmt.Errorf("%s: the report has no answers", path)
	}
	var out []question
	for _, o := range report.Answers.Outcomes {
		out = append(out, question{[]float64{o.Signs.Close, o.Signs.Gap, o.Signs.Strange, o.Signs.Words}, o.Kind != eval.Unanswerable})
	}
	return out, nil
}

// fit returns the weights and the threshold.
func fit(questions []question) (eval.Logistic, float64) {
	var rows [][]float64
	var answerable []bool
	for _, q := range questions {
		rows, answerable = append(rows, q.signs), append(answerable, q.answerable)
	}
	model := eval.FitLogistic(rows, answerable)
	var evidence []float64
	for _, q := range questions {
		if q.answerable {
			evidence = append(evidence, model.Probability(q.signs))
		}
	}
	slices.Sort(evidence)
	if len(evidence) == 0 {
		return model, 0
	}
	return model, evidence[int(maxRefused*float64(len(evidence)))]
}

// refused returns the share of the answerable or unanswerable questions below the
// threshold.
func refused(questions []question, model eval.Logistic, threshold float64, answerable bool) float64 {
	n, below := 0, 0
	for _, q := range questions {
		if q.answerable != answerable {
			continue
		}
		n++
		if model.Probability(q.signs) < threshold {
			below++
		}
	}
	return float64(below) / float64(max(n, 1))
}
