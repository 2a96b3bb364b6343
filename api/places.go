package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/rag/corpus"
)

// PlaceCount is a folder, a tag, or a property of documents.
type PlaceCount struct {
	// Name is the folder, the tag, or the property.
	Name string `json:"name"`
	// Documents is the number of its documents.
	Documents int `json:"documents" doc:"The number of documents, also of those below the folder."`
}

type placesInput struct {
	Collection []string `query:"collection,explode" maxItems:"50" doc:"Counts only the documents of this collection. Can be repeated."`
	Match      string   `query:"match" maxLength:"200" doc:"Lists only names that contain this text."`
	Limit      int      `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"The maximum number of folders, and of tags."`
}

type placesOutput struct {
	Body struct {
		Folders []PlaceCount `json:"folders" nullable:"false" doc:"The folders with the most documents come first."`
		Tags    []PlaceCount `json:"tags" nullable:"false" doc:"The tags with the most documents come first."`
	} `nameHint:"Places"`
}

type facetsInput struct {
	Collection []string `query:"collection,explode" maxItems:"50" doc:"Counts only the documents of this collection. Can be repeated."`
}

type facetsOutput struct {
	Body struct {
		Types     []PlaceCount `json:"types" nullable:"false" doc:"The media types, without parameters. Those with the most documents come first."`
		Languages []PlaceCount `json:"languages" nullable:"false" doc:"The languages as ISO 639-1 codes; und for documents whose language is unknown."`
	} `nameHint:"Facets"`
}

// places handles the routes that count documents.
type places struct{ counter corpus.Library }

func (p places) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/places", OperationID: "list-places", Tags: []string{"documents"},
		Summary:     "List the folders and tags of documents",
		Description: "It counts only documents that you may read, and at most 10,000 different folders and tags.",
	}, p.list)
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/facets", OperationID: "list-facets", Tags: []string{"documents"},
		Summary:     "Count documents by media type and language",
		Description: "It counts only documents that you may read, also those that docent could not read.",
	}, p.facets)
}

func (p places) facets(ctx context.Context, in *facetsInput) (*facetsOutput, error) {
	if err := route.CheckTexts("collection", in.Collection); err != nil {
		return nil, err
	}
	var among []string
	if len(in.Collection) > 0 {
		among = in.Collection
	}
	found, err := p.counter.Facets(ctx, among)
	if err != nil {
		return nil, err //nolint:wrapcheck // the library names the operation
	}
	out := &facetsOutput{}
	out.Body.Types, out.Body.Languages = placeCounts(found.Types), placeCounts(found.Languages)
	return out, nil
}

func (p places) list(ctx context.Context, in *placesInput) (*placesOutput, error) {
	if err := route.CheckText("match", in.Match); err != nil {
		return nil, err
	}
	filter := corpus.PlaceFilter{Match: in.Match, Limit: in.Limit}
	if len(in.Collection) > 0 {
		filter.Collections = in.Collection
	}
	folders, tags, err := p.counter.Places(ctx, filter)
	if err != nil {
		return nil, err //nolint:wrapcheck // the library names the operation
	}
	out := &placesOutput{}
	out.Body.Folders, out.Body.Tags = placeCounts(folders), placeCounts(tags)
	return out, nil
}

func placeCounts(list []corpus.PlaceCount) []PlaceCount {
	out := make([]PlaceCount, len(list))
	for i, c := range list {
		out[i] = PlaceCount(c)
	}
	return out
}
