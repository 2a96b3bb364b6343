// Package eval measures retrieval and answers on question sets: whether the
// right passage is found, whether the answer holds the facts, whether what is
// cited says it, and whether "I don't know" comes at the right time. The numbers
// can be compared with a golden file, so that a change that makes them worse is
// seen.
//
// A question set is a file of JSON lines; sets/ holds two, with what their
// fields and kinds mean. The corpus they ask about is ingested by the caller.
package eval
