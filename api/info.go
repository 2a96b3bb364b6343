package api

import (
	"cmp"
	"context"
	"net/http"
	"runtime"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/internal/fault"
	"docent/rag"
	"docent/rag/retrieve"
)

// Info describes an installation to its page and its clients.
type Info struct {
	// Name is the name of the program.
	Name string `json:"name"`
	// Version is the version of the program.
	Version string `json:"version"`
	// Agent is the default agent of sessions.
	Agent string `json:"agent"`
	// Agents are the agents, the default first.
	Agents []AgentInfo `json:"agents" nullable:"false" doc:"The agents, the default first."`
	// BuiltIn reports whether the agent is the built-in assistant, which answers
	// from the documents.
	BuiltIn bool `json:"built_in" doc:"The agent is the built-in assistant, which answers from the documents."`
	// Files reports whether the agent takes files in a conversation.
	Files bool `json:"files" doc:"The agent takes files that are sent in a conversation."`
	// Database is sqlite or postgres.
	Database string `json:"database" enum:"sqlite,postgres"`
	// Model writes the answers.
	Model ModelInfo `json:"model"`
	// Models are the names that a question may use.
	Models []string `json:"models"`
	// Embedder makes the vectors.
	Embedder EmbedderInfo `json:"embedder"`
	// Encoders improve the search in the background.
	Encoders []EncoderInfo `json:"encoders" doc:"Models that embed passages in the background, after searches can find them. Empty without one, and for readers without the scope admin if rights apply."`
	// Index finds the passages.
	Index IndexInfo `json:"index"`
	// StartedAt is the start time of this process.
	StartedAt time.Time `json:"started_at"`
	// Go is the version of Go of the build.
	Go string `json:"go" doc:"The version of Go of the build."`
	// Collections lists the collections.
	Collections []CollectionInfo `json:"collections"`
	// Voice describes speech recognition and synthesis.
	Voice VoiceInfo `json:"voice"`
	// Limits are the limits for clients.
	Limits Limits `json:"limits"`
	// Auth reports whether authentication is on.
	Auth bool `json:"auth" doc:"Authentication is on, so every user must sign in."`
	// PublicLinks reports whether shared links may be public.
	PublicLinks bool `json:"public_links" doc:"Shared links may be public."`
	// ReadConversations reports whether administrators may read conversations of others.
	ReadConversations bool `json:"read_conversations" doc:"Administrators may read conversations of others. Each reading is recorded."`
}

// AgentInfo describes an agent.
type AgentInfo struct {
	// Name is the name of the agent.
	Name string `json:"name"`
	// BuiltIn and Files are those of Info, for this agent.
	BuiltIn bool `json:"built_in" doc:"The agent is the built-in assistant, which answers from the documents."`
	Files   bool `json:"files" doc:"The agent takes files that are sent in a conversation."`
}

// ModelInfo describes the model that answers.
type ModelInfo struct {
	// Name is the name of the model, or extractive.
	Name string `json:"name"`
	// Kind is extractive or openai.
	Kind string `json:"kind" enum:"extractive,openai"`
	// Hint names a setting for better answers; empty if a model is configured.
	Hint string `json:"hint" doc:"A setting that improves answers. Empty if a model is configured."`
	// Sentence is the id of the hint; absent without one.
	Sentence *fault.Sentence `json:"sentence,omitempty"`
}

// EmbedderInfo describes the embedder.
type EmbedderInfo struct {
	// Name is the name of the embedder.
	Name string `json:"name"`
	// Dimensions is the length of its vectors.
	Dimensions int `json:"dimensions"`
}

// EncoderInfo describes an encoder and its progress.
type EncoderInfo struct {
	// Model is the name of the encoder.
	Model string `json:"model"`
	// Done is the number of passages with a vector of the encoder.
	Done int `json:"done"`
	// Total is the number of passages that the encoder takes.
	Total int `json:"total" doc:"The number of passages that the encoder takes. It depends on their language."`
}

// IndexInfo describes the index.
type IndexInfo struct {
	// Keyword is the kind of the keyword index.
	Keyword string `json:"keyword" doc:"The keyword index, such as bm25."`
	// Vectors is the kind of the vector index.
	Vectors string `json:"vectors" doc:"The vector index: flat, or chromem."`
	// Chunks is the number of passages in it.
	Chunks int `json:"chunks" doc:"The number of passages in the index. It is smaller than the stored number while the index is updated."`
}

// VoiceInfo describes speech recognition and synthesis.
type VoiceInfo struct {
	// Listens reports whether recordings are transcribed.
	Listens bool `json:"listens" doc:"Recordings are transcribed. If false, they are declined."`
	// Speaks reports whether the agent can reply with sound.
	Speaks bool `json:"speaks" doc:"The agent can reply with sound."`
}

// Limits are the limits for clients.
type Limits struct {
	// UploadBytes bounds a file.
	UploadBytes int64 `json:"upload_bytes"`
	// MessageBytes bounds a question.
	MessageBytes int64 `json:"message_bytes"`
	// K is the number of passages for an answer.
	K int `json:"k"`
}

type infoOutput struct{ Body Info }

// installation handles the route for the description of this installation.
type installation struct {
	cfg       Config
	startedAt time.Time
}

func (i installation) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/info", OperationID: "info", Tags: []string{"service"},
		Summary: "Describe this installation",
	}, i.info)
}

func (i installation) info(ctx context.Context, _ *struct{}) (*infoOutput, error) {
	info, err := i.cfg.Info(ctx)
	if err != nil {
		return nil, err
	}
	collections, err := i.cfg.Library.Collections(ctx)
	if err != nil {
		return nil, err
	}
	info.Name, info.Version, info.Agent = "docent", i.cfg.Version, i.cfg.Agents[0]
	info.StartedAt, info.Go = i.startedAt, runtime.Version()
	info.Auth, info.ReadConversations, info.PublicLinks = i.cfg.Logins != nil, i.cfg.ReadConversations, i.cfg.PublicLinks
	info.Limits.UploadBytes, info.Limits.MessageBytes = i.cfg.UploadBytes, rag.MaxQuestionBytes
	info.Limits.K = cmp.Or(info.Limits.K, retrieve.AnswerK)
	if info.Agents == nil {
		for _, name := range i.cfg.Agents {
			info.Agents = append(info.Agents, AgentInfo{Name: name})
		}
	}
	if info.Models == nil {
		info.Models = []string{}
	}
	if info.Encoders == nil {
		info.Encoders = []EncoderInfo{}
	}
	info.Collections = []CollectionInfo{}
	for _, c := range collections {
		info.Collections = append(info.Collections, collectionInfo(c))
	}
	return &infoOutput{info}, nil
}
