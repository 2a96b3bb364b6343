package api

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"docent/internal/fault"

	"github.com/danielgtaylor/huma/v2"

	"docent/rag"
)

// Info describes an installation to its page and its clients.
type Info struct {
	// Name is the program's.
	Name string `json:"name"`
	// Version is the program's.
	Version string `json:"version"`
	// Agent is the name sessions are kept under.
	Agent string `json:"agent"`
	// BuiltIn reports whether the agent is the built-in assistant, which answers
	// from the documents; what another agent does is its own affair.
	BuiltIn bool `json:"built_in" doc:"The agent is the built-in assistant, which answers from the documents."`
	// Database is sqlite or postgres.
	Database string `json:"database" enum:"sqlite,postgres"`
	// Model is what writes answers.
	Model ModelInfo `json:"model"`
	// Models are the names a question may ask for.
	Models []string `json:"models"`
	// Embedder is what makes vectors.
	Embedder EmbedderInfo `json:"embedder"`
	// Index is what passages are found with.
	Index IndexInfo `json:"index"`
	// StartedAt is when this process began to serve.
	StartedAt time.Time `json:"started_at"`
	// Go is the version it is built with.
	Go string `json:"go" doc:"The version of Go of the build."`
	// Collections are the sets of documents.
	Collections []CollectionInfo `json:"collections"`
	// Voice says who listens and speaks.
	Voice VoiceInfo `json:"voice"`
	// Limits are what a client has to keep to.
	Limits Limits `json:"limits"`
	// Auth reports whether everybody has to say who they are.
	Auth bool `json:"auth" doc:"Authentication is on, so every user must sign in."`
}

// ModelInfo describes the model that answers.
type ModelInfo struct {
	// Name is the model's, or extractive.
	Name string `json:"name"`
	// Kind is extractive or openai.
	Kind string `json:"kind" enum:"extractive,openai"`
	// Hint says what to set for better answers; "" if a model is set.
	Hint string `json:"hint" doc:"A setting that improves answers. Empty if a model is configured."`
	// Sentence names the hint; absent without one.
	Sentence *fault.Sentence `json:"sentence,omitempty"`
}

// EmbedderInfo describes the embedder.
type EmbedderInfo struct {
	// Name is the embedder's.
	Name string `json:"name"`
	// Dimensions is the length of its vectors.
	Dimensions int `json:"dimensions"`
}

// IndexInfo describes the index.
type IndexInfo struct {
	// Keyword is the kind that finds words.
	Keyword string `json:"keyword" doc:"The keyword index, such as bm25."`
	// Vectors is the kind that finds meaning.
	Vectors string `json:"vectors" doc:"The vector index, such as chromem."`
	// Chunks counts the passages in it.
	Chunks int `json:"chunks" doc:"The number of passages in the index. It is smaller than the stored number while the index is updated."`
}

// VoiceInfo says whether there is somebody to talk to.
type VoiceInfo struct {
	// Listens reports whether recordings are understood.
	Listens bool `json:"listens" doc:"Recordings are transcribed. If false, they are declined."`
	// Speaks reports whether the agent can say a text as sound.
	Speaks bool `json:"speaks" doc:"The agent can reply with sound."`
}

// CollectionInfo describes a set of documents.
type CollectionInfo struct {
	// Name is the collection's.
	Name string `json:"name"`
	// Documents counts those that can be found.
	Documents int `json:"documents"`
	// Failed counts those that could not be read.
	Failed int `json:"failed"`
	// Chunks counts the passages.
	Chunks int `json:"chunks"`
}

// Limits are what a client has to keep to.
type Limits struct {
	// UploadBytes bounds a file.
	UploadBytes int64 `json:"upload_bytes"`
	// MessageBytes bounds a question.
	MessageBytes int64 `json:"message_bytes"`
	// K is how many passages an answer is made from.
	K int `json:"k"`
}

type infoOutput struct{ Body Info }

func (s *server) infoRoutes() {
	register(s, huma.Operation{
		Method: http.MethodGet, Path: "/api/info", OperationID: "info", Tags: []string{"service"},
		Summary: "Describe this installation",
	}, s.info)
}

func (s *server) info(ctx context.Context, _ *struct{}) (*infoOutput, error) {
	info, err := s.cfg.Info(ctx)
	if err != nil {
		return nil, err
	}
	collections, err := s.cfg.Library.Collections(ctx)
	if err != nil {
		return nil, err
	}
	info.Name, info.Version, info.Agent = "docent", s.cfg.Version, s.cfg.Agent
	info.StartedAt, info.Go = s.startedAt, runtime.Version()
	info.Auth = s.cfg.Logins != nil
	info.Limits.UploadBytes, info.Limits.MessageBytes = s.cfg.UploadBytes, rag.MaxQuestionBytes
	setDefault(&info.Limits.K, rag.DefaultK)
	if info.Models == nil {
		info.Models = []string{}
	}
	info.Collections = []CollectionInfo{}
	for _, c := range collections {
		info.Collections = append(info.Collections, CollectionInfo(c))
	}
	return &infoOutput{info}, nil
}
