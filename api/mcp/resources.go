package mcp

import (
	"cmp"
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/internal/fault"
	"docent/rag/corpus"
)

const (
	// template is the template of the addresses of documents.
	template = scheme + "{collection}/{document}"
	// plain is the media type of the texts of documents.
	plain = "text/plain"
)

// titleOf returns the title of a document, or the name of its source.
func titleOf(d corpus.Document) string { return cmp.Or(d.Title, path.Base(d.Source)) }

// addressOf returns the address of a document from the web, and the id of any other.
func addressOf(d corpus.Document) string {
	if strings.HasPrefix(d.Source, "https://") || strings.HasPrefix(d.Source, "http://") {
		return d.Source
	}
	return idOf(d.Collection, d.ID)
}

// pageOf returns the number of a page for people; "" without pages.
func pageOf(c corpus.Chunk) string {
	if c.PageLabel == "" && c.Page != nil {
		return strconv.Itoa(*c.Page + 1)
	}
	return c.PageLabel
}

// addResources adds the documents as resources, and the prompt.
func (s *Server) addResources() {
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "document", Title: "Document", URITemplate: template, MIMEType: plain, Description: "The text of a document.",
	}, func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		d, err := s.document(ctx, req.Params.URI)
		if fault.KindOf(err) == fault.NotFound {
			return nil, sdk.ResourceNotFoundError(req.Params.URI)
		}
		if err != nil {
			return nil, s.said(ctx, err)
		}
		text := part(d.Text, 0, maxText)
		if len(text) < len(d.Text) {
			text += "\n\n[The tool read_document reads the rest, from offset " + strconv.Itoa(len(text)) + ".]"
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: plain, Text: text}}}, nil
	})
	s.sdk.AddPrompt(&sdk.Prompt{
		Name: "answer_from_documents", Title: "Answer from the documents",
		Description: "Answers a question only from the documents, with citations.",
		Arguments:   []*sdk.PromptArgument{{Name: "question", Description: "The question.", Required: true}},
	}, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		question := req.Params.Arguments["question"]
		if strings.TrimSpace(question) == "" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the argument question is missing"}
		}
		text := "Answer this question only from the documents of docent. Call the tool ask. If its answer is not enough, call search and " +
			"fetch. Cite the title and the address of each document that you use. If the documents do not answer the question, say so.\n\n" +
			"Question: " + question
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
	})
}

// listResources answers the requests for the list of resources. The list of the SDK
// is the same for all clients, but each reader has other documents.
func (s *Server) listResources(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		params, ok := req.GetParams().(*sdk.ListResourcesParams)
		if method != "resources/list" || !ok {
			return next(ctx, method, req)
		}
		after := int64(0)
		if params != nil && params.Cursor != "" {
			var err error
			if after, err = strconv.ParseInt(params.Cursor, 10, 64); err != nil || after < 0 {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is not one of this list"}
			}
		}
		docs, err := s.cfg.Library.Documents(ctx, corpus.DocumentFilter{Status: corpus.Ready, After: after, Limit: maxList + 1})
		if err != nil {
			return nil, s.said(ctx, err)
		}
		out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}}
		out.CacheScope = private
		if len(docs) > maxList {
			docs = docs[:maxList]
			out.NextCursor = strconv.FormatInt(docs[maxList-1].ID, 10)
		}
		for _, d := range docs {
			out.Resources = append(out.Resources, &sdk.Resource{
				URI: idOf(d.Collection, d.ID), Name: path.Base(d.Source), Title: titleOf(d), MIMEType: plain,
			})
		}
		return out, nil
	}
}
