// Package mcp serves the documents to clients of the Model Context Protocol (MCP).
// It has no logic of its own: each tool calls the retriever, the library, or the
// answering that all other interfaces use, with the rights of the reader in the
// context. [Server.Run] serves one client over a pair of streams, and AddRoutes adds
// the routes for clients over HTTP.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"runtime/debug"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/api/slots"
	"docent/internal/fault"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// Retriever finds passages.
type Retriever interface {
	// Retrieve returns the passages for a query, best first.
	Retrieve(ctx context.Context, q retrieve.Query) (retrieve.Retrieval, error)
}

// Answers answers questions, with limits. *ask.Service implements it.
type Answers interface {
	// Stream starts an answer and returns its parts.
	Stream(ctx context.Context, req rag.Request) (iter.Seq2[rag.Part, error], error)
	// CheckCollections refuses names of unknown collections.
	CheckCollections(ctx context.Context, names []string) error
	// Within returns the ids of some documents and of those of a place.
	Within(ctx context.Context, documents []int64, place corpus.Place, collections []string) ([]int64, error)
}

// Config connects a Server with the rest of docent. All fields without a default are
// required.
type Config struct {
	// Retriever searches.
	Retriever Retriever
	// Library reads documents.
	Library corpus.Library
	// Answers answers questions.
	Answers Answers
	// Searches bounds the searches that run at the same time.
	Searches *slots.Slots
	// Reads bounds the documents that are read at the same time.
	Reads *slots.Slots
	// Version is the version of the program.
	Version string
	// Logger gets failures inside of docent. Default: nil, which discards.
	Logger *slog.Logger
}

// Server answers the requests of MCP clients. It is safe for concurrent use.
type Server struct {
	cfg      Config
	sdk      *sdk.Server
	sessions *Sessions // nil outside of HTTP
}

// instructions tell the models of clients how to use the server.
const instructions = "docent answers questions from the user's documents. Use ask for a checked answer with citations. " +
	"Use search to find passages, then fetch or read_document to read a document. Cite the documents that you use."

// private says that a result is only for its reader.
const private = "private"

// New returns a Server.
func New(config Config) *Server {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: config}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "docent", Title: "docent", Version: config.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = private },
		Capabilities: &sdk.ServerCapabilities{ // nothing announces changes, because each reader has other documents
			Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}, Prompts: &sdk.PromptCapabilities{},
		},
	})
	s.addTools()
	s.addResources()
	s.sdk.AddReceivingMiddleware(s.survive, s.listResources)
	return s
}

// Run serves one client that writes to in and reads from out, one JSON object in a
// line. It returns when in ends, nobody reads out any longer, or ctx is canceled.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	w := &writer{out: out}
	err := s.sdk.Run(ctx, &sdk.IOTransport{Reader: newMessages(in, w), Writer: w, MaxLineLength: maxMessage})
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return fmt.Errorf("mcp: %w", err)
}

// survive turns a panic of a handler into an error.
func (s *Server) survive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.cfg.Logger.LogAttrs(ctx, slog.LevelError, "panic", slog.String("method", method),
					slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
				result, err = nil, errors.New(fault.Message(nil))
			}
		}()
		return next(ctx, method, req)
	}
}

// said returns an error with the sentence that a client may see. It logs the cause
// of a failure inside of docent.
func (s *Server) said(ctx context.Context, err error) error {
	if fault.KindOf(err) == fault.Internal {
		s.cfg.Logger.LogAttrs(ctx, slog.LevelError, "mcp request failed", slog.Any("error", err))
	}
	return errors.New(fault.Message(err))
}
