// Package enforce applies rights to everything that a server reads for somebody.
// [Retriever], [Library], and [Conversations] take the reader from the context; see
// corpus.WithReader. A server gives only these to its other parts, so that no part
// can forget a check.
package enforce
