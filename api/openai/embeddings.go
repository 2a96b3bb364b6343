package openai

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
)

// maxTexts bounds the texts of one request for vectors.
const maxTexts = 256

// EmbeddingRequest asks for vectors. Parameters that are not listed are ignored.
type EmbeddingRequest struct {
	_          struct{} `additionalProperties:"true"`
	Model      string   `json:"model" minLength:"1" maxLength:"300" doc:"The embedder of GET /api/info, or an agent."`
	Input      any      `json:"input" doc:"A text, or a list of up to 256 texts."`
	Format     any      `json:"encoding_format,omitempty" doc:"float or base64."`
	Dimensions any      `json:"dimensions,omitempty" doc:"Only the length of the vectors."`
}

// EmbeddingList has one vector for each text.
type EmbeddingList struct {
	Object string         `json:"object" enum:"list"`
	Data   []Embedding    `json:"data"`
	Model  string         `json:"model"`
	Usage  EmbeddingUsage `json:"usage"`
}

// Embedding is a vector of length 1.
type Embedding struct {
	Object string `json:"object" enum:"embedding"`
	Index  int    `json:"index"`
	Vector any    `json:"embedding" doc:"A list of numbers, or base64 of little-endian 32-bit numbers."`
}

// tokenizer is an embedder that can count tokens.
type tokenizer interface{ Tokenize(text string) []uint16 }

// EmbeddingUsage counts the tokens of the texts. It is 0 for embedders on other servers.
type EmbeddingUsage struct {
	Prompt int `json:"prompt_tokens"`
	Total  int `json:"total_tokens"`
}

type embeddingInput struct {
	route.JSONBody
	Body EmbeddingRequest
}

type embeddingOutput struct{ Body EmbeddingList }

func (s server) addEmbeddings() {
	route.Add(s.routes, huma.Operation{
		Method: http.MethodPost, Path: "/v1/embeddings", OperationID: "openai-embeddings", Tags: []string{tag},
		Summary:      "Compute vectors of texts",
		Description:  "Computes vectors with docent's embedder. The dot product of two vectors is the similarity of their texts.",
		MaxBodyBytes: s.MaxBytes, DefaultStatus: http.StatusOK,
		Errors: []int{http.StatusNotFound, http.StatusTooManyRequests},
	}, s.embed)
}

func (s server) embed(ctx context.Context, in *embeddingInput) (*embeddingOutput, error) {
	r := in.Body
	if r.Model != s.Embedder.Name() && !slices.Contains(s.Agents, r.Model) {
		return nil, unknownModel(r.Model)
	}
	texts, err := r.texts()
	if err != nil {
		return nil, err
	}
	if r.Format != nil && r.Format != "float" && r.Format != "base64" {
		return nil, unsupported("encoding_format", "it must be float or base64")
	}
	done, err := s.Answers.Slot(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer done()
	vectors, err := s.Embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return nil, err
	}
	list := EmbeddingList{Object: "list", Data: []Embedding{}, Model: r.Model}
	if t, ok := s.Embedder.(tokenizer); ok {
		for _, text := range texts {
			list.Usage.Prompt += len(t.Tokenize(text))
		}
		list.Usage.Total = list.Usage.Prompt
	}
	for i, v := range vectors {
		if r.Dimensions != nil && r.Dimensions != float64(len(v)) {
			return nil, unsupported("dimensions", "the embedder has vectors of one length")
		}
		e := Embedding{Object: "embedding", Index: i, Vector: v}
		if r.Format == "base64" {
			e.Vector = packed(v)
		}
		list.Data = append(list.Data, e)
	}
	return &embeddingOutput{list}, nil
}

// texts returns the texts to embed.
func (r EmbeddingRequest) texts() ([]string, error) {
	list, ok := r.Input.([]any)
	if text, is := r.Input.(string); is {
		list, ok = []any{text}, true
	}
	var texts []string
	for _, v := range list {
		text, is := v.(string)
		ok = ok && is && text != ""
		texts = append(texts, text)
	}
	if !ok || len(texts) == 0 || len(texts) > maxTexts {
		return nil, unsupported("input", "it must be a text or a list of up to 256 texts; texts must not be empty, and lists of tokens are refused")
	}
	return texts, nil
}

// packed returns a vector as base64.
func packed(v []float32) string {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}
