// Package quote answers questions without a model. It chooses blocks of the
// retrieved passages, which are the smallest parts that stand alone, and renders
// them as Markdown.
package quote
