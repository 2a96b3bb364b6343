// Package rag defines questions about documents and their answers. Agents and the
// HTTP API exchange these types with rag/pipeline, which makes the answers.
package rag
