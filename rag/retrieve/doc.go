// Package retrieve finds the passages that fit a question. The first stage
// takes candidates from a keyword index and a vector index. The second stage
// ranks them by features. If there is a Reranker, it orders the best passages.
// The package also defines the interfaces that indexes
// implement.
package retrieve
