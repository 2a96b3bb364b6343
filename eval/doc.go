// Package eval measures retrieval and answers on question sets. It measures
// whether retrieval finds the right passage, whether the answer contains the
// facts, whether the citations support it, and whether abstention is right. A
// golden file detects results that get worse.
//
// A question set is a file of JSON lines. The folder sets has two of them, with a
// description of their fields and kinds. The caller ingests the corpus.
package eval
