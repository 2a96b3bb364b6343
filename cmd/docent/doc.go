// Command docent answers questions from your documents.
//
// This tour follows one question through the code:
//
//  1. Package ws reads a frame from a WebSocket, decodes it with package payload,
//     checks its size and rate, and passes it to the session.
//  2. Package agent/session stores the message and runs the state machine of the
//     session, which package agent describes.
//     Each session has one goroutine, which handles one event at a time. A
//     transition can depend on the intent of the message (agent/intent). The
//     agent is the built-in assistant or comes from a YAML file
//     (agent/definition).
//  3. The body of the state calls RunRAG. Package rag/pipeline answers the
//     question. Package rag holds the types of questions and answers. First,
//     rag/retrieve finds passages. Its first stage combines keywords (index/bm25)
//     and vectors (index/chromem or index/flat, embedded by package embed). Both
//     can also be in Postgres (index/pgwords and index/pgvector), and the vectors
//     in a Weaviate cluster (index/weaviate). The second stage ranks the candidates by features.
//     Then the built-in encoder (embed/encoder) orders the best 20 passages.
//  4. If the passages support an answer, a model writes it (package llm). Without
//     a model, rag/quote quotes sentences. rag/pipeline checks the citations
//     against the passages and computes a support mark for each sentence.
//     Questions that need several steps go to a reasoning state. There, the model
//     calls tools (agent/tool, agent/tool/mcp) until it can answer, and the
//     citations are checked too.
//  5. Package agent/session writes the turn to the database in one batch (store/postgres
//     or store/sqlite, schema in package migrations). Then ws sends the answer.
//
// Package ingest reads documents: extract, chunk, embed, store. Package client
// connects agents to other agents. The folder examples has programs that run their
// own agents.
//
// Package api serves the HTTP API, and package web holds the page. Package config
// reads the settings, package eval measures quality, and internal/fault defines the
// kinds of errors. Package internal/wiring builds all parts and runs the server. It
// is the only package that knows every concrete type. Package docent, in the root
// folder, uses it to serve an agent, for this command and for Go programs. This
// package has one file per command.
package main
