// Package quote answers questions without a model. It chooses sentences of the
// retrieved passages and renders them as Markdown.
package quote
