// Package embed turns text into vectors: with the static model inside the
// binary, which needs nothing, or with any OpenAI-compatible endpoint.
package embed
