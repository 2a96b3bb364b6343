// Package text analyzes text: sentences, words, negations, citation markers,
// and the weight of a question's terms.
package text
