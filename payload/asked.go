package payload

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"docent/internal/fault"
)

// AskOptions are the options that a user chose for one question. They are sent in
// the same object as the text: {"message", "collections", "documents", "folders",
// "tags", "model", "k", "brief"}.
type AskOptions struct {
	// Collections are the collections to search. An empty list means the agent's
	// collections.
	Collections []string `json:"collections,omitempty"`
	// Documents are the ids of the documents to search. An empty list means all of
	// the collections.
	Documents []int64 `json:"documents,omitempty"`
	// Folders are the folders to search, such as manuals/pumps, with those below them.
	Folders []string `json:"folders,omitempty"`
	// Tags are the tags of documents to search.
	Tags []string `json:"tags,omitempty"`
	// Model is the name of a model. An empty name means the agent's model.
	Model string `json:"model,omitempty"`
	// K is the number of passages for the answer, from 1 to MaxAskK. 0 means the
	// agent's number.
	K int `json:"k,omitempty"`
	// Brief are the headings of a brief about the text. An empty list means an answer
	// without headings.
	Brief []string `json:"brief,omitempty"`
}

// Bounds of AskOptions.
const (
	// MaxAskK bounds AskOptions.K.
	MaxAskK = 50
	// MaxAskCollections bounds AskOptions.Collections.
	MaxAskCollections = 50
	// MaxAskDocuments bounds AskOptions.Documents.
	MaxAskDocuments = 100
	// MaxAskPlaces bounds AskOptions.Folders and AskOptions.Tags, each.
	MaxAskPlaces = 50
	// MaxHeadings bounds AskOptions.Brief.
	MaxHeadings = 8
	// MaxHeading bounds a heading, in characters.
	MaxHeading = 200
	// MaxTaskBytes bounds the text of a brief: 4,000 characters of up to four bytes.
	MaxTaskBytes = 16_000
	// maxPlaceBytes bounds a folder or a tag.
	maxPlaceBytes = 1024
)

// IsZero reports whether there are no options.
func (o AskOptions) IsZero() bool {
	return len(o.Collections) == 0 && len(o.Documents) == 0 && len(o.Folders) == 0 && len(o.Tags) == 0 && o.Model == "" && o.K == 0 &&
		len(o.Brief) == 0
}

// IsAsk reports whether a message is an object with a string under message, at
// least one key of AskOptions, and nothing else.
func IsAsk(content json.RawMessage) bool {
	var keys map[string]json.RawMessage
	if json.Unmarshal(content, &keys) != nil || len(keys) < 2 || len(keys["message"]) == 0 || keys["message"][0] != '"' {
		return false
	}
	for key := range keys {
		if !slices.Contains([]string{"message", "collections", "documents", "folders", "tags", "model", "k", "brief"}, key) {
			return false
		}
	}
	return true
}

// ReadAskOptions reads the options of a message. Only an object with a string
// under message has options, also inside a text. Null and empty values are
// ignored. If a value has a wrong type or is out of bounds, ReadAskOptions
// returns no options and a fault.Invalid with a sentence for the sender.
func ReadAskOptions(object json.RawMessage) (AskOptions, error) {
	var in struct {
		Message     json.RawMessage `json:"message"`
		Collections json.RawMessage `json:"collections"`
		Documents   json.RawMessage `json:"documents"`
		Folders     json.RawMessage `json:"folders"`
		Tags        json.RawMessage `json:"tags"`
		Model       json.RawMessage `json:"model"`
		K           json.RawMessage `json:"k"`
		Brief       json.RawMessage `json:"brief"`
	}
	var o AskOptions
	var text string
	if json.Unmarshal(object, &text) == nil {
		object = []byte(text)
	}
	if unmarshal(object, &in) != nil || len(in.Message) == 0 || in.Message[0] != '"' {
		return o, nil //nolint:nilerr // other messages have no options
	}
	var k *float64
	var model *string
	for _, f := range []struct {
		raw  json.RawMessage
		into any
		want error
	}{
		{in.Collections, &o.Collections, fault.New(fault.Invalid, "collections_not_a_list", "collections must be a list of names")},
		{in.Documents, &o.Documents, fault.New(fault.Invalid, "documents_not_a_list", "documents must be a list of ids, which are numbers")},
		{in.Folders, &o.Folders, errPlaces},
		{in.Tags, &o.Tags, errPlaces},
		{in.Model, &model, fault.New(fault.Invalid, "model_not_a_name", "model must be the name of a model")},
		{in.K, &k, fault.New(fault.Invalid, "k_not_a_number", "k must be a whole number from 1 to %d", MaxAskK)},
		{in.Brief, &o.Brief, errHeadings},
	} {
		if len(f.raw) > 0 && json.Unmarshal(f.raw, f.into) != nil {
			return AskOptions{}, f.want
		}
	}
	if k != nil {
		if *k < 1 || *k > MaxAskK || *k != float64(int(*k)) {
			return AskOptions{}, fault.New(fault.Invalid, "k_invalid", "k is out of range: it must be a whole number from 1 to %d", MaxAskK)
		}
		o.K = int(*k)
	}
	if model != nil {
		o.Model = strings.TrimSpace(*model)
	}
	if len(o.Collections) > MaxAskCollections || slices.Contains(o.Collections, "") {
		return AskOptions{}, fault.New(fault.Invalid,
			"collections_invalid", "collections must be at most %d names, none of them empty", MaxAskCollections)
	}
	if len(o.Documents) > MaxAskDocuments || slices.ContainsFunc(o.Documents, func(id int64) bool { return id <= 0 }) {
		return AskOptions{}, fault.New(fault.Invalid,
			"documents_invalid", "documents must be at most %d ids of documents", MaxAskDocuments)
	}
	for _, list := range [][]string{o.Folders, o.Tags} {
		if !ArePlaces(list) {
			return AskOptions{}, errPlaces
		}
	}
	if err := CheckHeadings(o.Brief); err != nil {
		return AskOptions{}, err
	}
	if len(o.Brief) > 0 && len(in.Message) > MaxTaskBytes {
		return AskOptions{}, fault.New(fault.Invalid, "brief_task_too_long", "the task of a brief has at most %d bytes", MaxTaskBytes)
	}
	return o.withoutEmpty(), nil
}

// withoutEmpty returns the options with nil for empty lists.
func (o AskOptions) withoutEmpty() AskOptions {
	for _, list := range []*[]string{&o.Collections, &o.Folders, &o.Tags, &o.Brief} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	if len(o.Documents) == 0 {
		o.Documents = nil
	}
	return o
}

// errHeadings is the error for headings of a wrong type, number, or length.
var errHeadings = fault.New(fault.Invalid, "brief_headings_invalid",
	"brief must be a list of at most %d headings with at most %d characters each, none of them empty or twice", MaxHeadings, MaxHeading)

// CheckHeadings fails with fault.Invalid if the headings of a brief are out of bounds.
func CheckHeadings(list []string) error {
	if len(list) > MaxHeadings || slices.ContainsFunc(list, func(s string) bool {
		return strings.TrimSpace(s) == "" || utf8.RuneCountInString(s) > MaxHeading || strings.ContainsRune(s, 0)
	}) {
		return errHeadings
	}
	for i, s := range list {
		same := func(o string) bool { return strings.EqualFold(strings.TrimSpace(o), strings.TrimSpace(s)) }
		if slices.ContainsFunc(list[:i], same) {
			return errHeadings
		}
	}
	return nil
}

// errPlaces is the error for folders and tags of a wrong type or number.
var errPlaces = fault.New(fault.Invalid, "places_invalid",
	"folders and tags must be lists of at most %d texts, none of them empty", MaxAskPlaces)

// ArePlaces reports whether folders or tags are within the bounds.
func ArePlaces(list []string) bool {
	return len(list) <= MaxAskPlaces && !slices.ContainsFunc(list, func(s string) bool {
		return strings.TrimSpace(s) == "" || len(s) > maxPlaceBytes || strings.ContainsRune(s, 0)
	})
}
