// Package pipeline answers questions from documents. It retrieves passages, quotes
// them or lets a model write from them, and checks each statement against the
// passages it cites. It answers "I don't know" if the passages do not support
// an answer.
package pipeline
