// Command docent answers questions from your documents.
//
// A tour of the code, along the path of one question:
//
//  1. A frame arrives at a WebSocket. Package ws decodes it with package
//     payload, checks its size and rate, and hands it to the session.
//  2. Package agent stores the message, then runs the session's state machine:
//     one goroutine per session, one event at a time. Which transition it takes
//     may depend on an intent (agent/intent), told by example sentences. The
//     agent is the built-in assistant or one of a YAML file (agent/definition).
//  3. The state's body calls RunRAG. Package rag/retrieve finds passages in two
//     stages: it fuses the hits of keywords (index/bm25) and vectors
//     (index/chromem, embedded by package embed), then ranks them by features.
//  4. If the passages support an answer, a model writes it (package llm).
//     Without a model, package rag/quote quotes sentences. Package rag checks
//     the citations and marks each sentence by its support.
//     A question that takes several steps goes to a reasoning state instead,
//     where the model calls tools (agent/tool, agent/tool/mcp) until it can
//     answer; its citations are checked in the same way.
//  5. Package agent writes the turn to the database in one batch (store/postgres
//     or store/sqlite, tables in package migrations), and ws sends the answer.
//
// Documents come in through package ingest: extract, chunk, embed, store.
// Agents reach other agents through package client. Folder examples has programs
// that run agents of their own.
//
// Package api serves all of it over HTTP, package web holds the page. Package
// config reads the settings, package eval measures, internal/fault names what
// can go wrong. This package has one file per command and is the only place
// that knows every concrete type (app.go).
package main
