// Package embed turns text into vectors, either with the static model inside the
// binary, which has no requirements, or with any OpenAI-compatible endpoint.
package embed
