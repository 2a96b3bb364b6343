package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/rag/corpus"
)

// PlaceCount is a folder or a tag.
type PlaceCount struct {
	// Name is the folder or the tag.
	Name string `json:"name"`
	// Documents is the number of its documents.
	Documents int `json:"documents" doc:"The number of documents that searches can find, also of those below the folder."`
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

// places handles the route for folders and tags.
type places struct{ counter corpus.PlaceCounter }

func (p places) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/places", OperationID: "list-places", Tags: []string{"documents"},
		Summary:     "List the folders and tags of documents",
		Description: "It counts only documents that you may read, and at most 10,000 different folders and tags.",
	}, p.list)
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
