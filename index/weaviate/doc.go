// Package weaviate is a vector index in a Weaviate cluster. Its objects are derived
// from the corpus, and the cluster can be emptied and filled again. Each node can
// answer each request, so a request that one node does not answer goes to the next.
//
// It uses Weaviate's REST and GraphQL APIs. The official client of Go has the whole
// server among its dependencies.
package weaviate
