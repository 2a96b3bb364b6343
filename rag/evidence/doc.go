// Package evidence estimates whether passages answer a question, by the words that
// both share. docs/explanation/evaluation-details.md has the measurements.
package evidence
