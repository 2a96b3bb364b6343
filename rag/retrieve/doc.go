// Package retrieve finds the passages that fit a question. The first stage
// takes candidates from a keyword index and a vector index. The second stage
// ranks them by features. The package also defines the interfaces that indexes
// implement.
package retrieve
