package mcp

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"docent/api/route"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag/corpus"
)

// scheme begins the ids of documents.
const scheme = "docent://"

// idOf returns the id of a document, docent://COLLECTION/DOCUMENT. It is a URI too.
func idOf(collection string, document int64) string {
	return scheme + strings.ReplaceAll(url.QueryEscape(collection), "+", "%20") + "/" + strconv.FormatInt(document, 10)
}

// parseID returns the collection and the document of an id. It accepts exactly the
// ids of idOf.
func parseID(id string) (collection string, document int64, err error) {
	path, found := strings.CutPrefix(id, scheme)
	escaped, number, two := strings.Cut(path, "/")
	if found && two {
		collection, err = url.QueryUnescape(escaped)
		if err == nil {
			document, err = strconv.ParseInt(number, 10, 64)
		}
	}
	if !found || !two || err != nil || document <= 0 || corpus.CheckCollectionName(collection) != nil || idOf(collection, document) != id {
		return "", 0, noDocument(id)
	}
	return collection, document, nil
}

// parseIDs returns the documents of ids.
func parseIDs(ids []string) ([]int64, error) {
	var documents []int64
	for _, id := range ids {
		_, document, err := parseID(id)
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	return documents, nil
}

// placeOf returns the place of folders and tags.
func placeOf(folders, tags []string) (corpus.Place, error) {
	err := cmp.Or(route.CheckTexts("folders", folders), route.CheckTexts("tags", tags))
	if err == nil && (!payload.ArePlaces(folders) || !payload.ArePlaces(tags)) {
		err = fault.New(fault.Invalid, "places_of_tool",
			"folders and tags are lists of at most %d texts, none of them empty", payload.MaxAskPlaces)
	}
	return corpus.Place{Folders: folders, Tags: tags}, err
}

// noDocument is the error for an id without a document. Documents that the reader
// may not read have the same error.
func noDocument(id string) error {
	return fault.New(fault.NotFound, "mcp_no_document", "there is no document with the id %.300q; search and list_documents return ids", id)
}
