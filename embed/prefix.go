package embed

import (
	"fmt"
	"hash/crc32"
	"strings"
)

// NoPrefix as a prefix in Config turns off the prefix of a known model.
const NoPrefix = "none"

const retrievalPrefix = "Represent this sentence for searching relevant passages: "

// families are models that were trained with prefixes. Their makers publish these in the
// description of the model.
var families = []struct{ name, query, passage string }{
	{"multilingual-e5-large-instruct", "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ", ""},
	{"e5-mistral", "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ", ""},
	{"multilingual-e5", "query: ", "passage: "},
	{"e5-small", "query: ", "passage: "},
	{"e5-base", "query: ", "passage: "},
	{"e5-large", "query: ", "passage: "},
	{"nomic-embed-text", "search_query: ", "search_document: "},
	{"arctic-embed-m-v2", "query: ", ""},
	{"arctic-embed-l-v2", "query: ", ""},
	{"arctic-embed2", "query: ", ""},
	{"arctic-embed", retrievalPrefix, ""},
	{"mxbai-embed-large", retrievalPrefix, ""},
	{"bge-small-en", retrievalPrefix, ""},
	{"bge-base-en", retrievalPrefix, ""},
	{"bge-large-en", retrievalPrefix, ""},
	{"qwen3-embedding", "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:", ""},
	{"embeddinggemma", "task: search result | query: ", "title: none | text: "},
}

// Prefixes returns the prefixes of questions and passages that a model was trained
// with. It knows models by their names.
func Prefixes(model string) (query, passage string) { return prefixes(model, "", "") }

// prefixes returns the prefixes of questions and passages for a model. Configured ones
// replace those of its family.
func prefixes(model, query, passage string) (q, p string) {
	model = strings.ToLower(model)
	for _, f := range families {
		if strings.Contains(model, f.name) {
			q, p = f.query, f.passage
			break
		}
	}
	choose := func(configured, known string) string {
		switch configured {
		case "":
			return known
		case NoPrefix:
			return ""
		default:
			return configured
		}
	}
	return choose(query, q), choose(passage, p)
}

// prefixMark is a part of the name of an embedder, because vectors of passages with
// another prefix cannot be compared.
func prefixMark(passage string) string {
	if passage == "" {
		return ""
	}
	return fmt.Sprintf("+%08x", crc32.ChecksumIEEE([]byte(passage)))
}
