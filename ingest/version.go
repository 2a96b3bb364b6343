package ingest

import (
	"strconv"
	"strings"
)

// pipelineOf is what a document of a media type stores as its pipeline: the
// program's pipeline, the media type, and the version of its reader. An unknown
// media type has version 0.
func (in *Ingester) pipelineOf(media string) string {
	media, _, _ = strings.Cut(media, ";")
	return in.pipeline + " " + strings.TrimSpace(media) + "@" + strconv.Itoa(in.version(media))
}

// current reports whether this program would read a document in the same way
// again. Documents of programs before formats had versions do not say which
// format they have; they are current while all formats have version 1.
func (in *Ingester) current(pipeline string) bool {
	base, format, ok := strings.Cut(pipeline, " ")
	if base != in.pipeline {
		return false
	}
	if !ok {
		return !in.raised
	}
	media, _, _ := strings.Cut(format, "@")
	return pipeline == in.pipelineOf(media)
}
