package ingest

import (
	"strconv"
	"strings"
)

// pipelines returns the pipeline version of each format.
type pipelines struct {
	// version returns the version of the reader for a media type.
	version func(media string) int
}

// of returns the pipeline that documents of a media type store. It consists of
// Pipeline, the media type, and the version of the reader. An unknown media
// type has version 0.
func (p pipelines) of(media string) string {
	media, _, _ = strings.Cut(media, ";")
	return Pipeline + " " + strings.TrimSpace(media) + "@" + strconv.Itoa(p.version(media))
}

// current reports whether this program would read a document in the same way
// again. Documents from before formats had versions do not store their format. They
// are not current, because some readers have improved since.
func (p pipelines) current(pipeline string) bool {
	base, format, ok := strings.Cut(pipeline, " ")
	if base != Pipeline || !ok {
		return false
	}
	media, _, _ := strings.Cut(format, "@")
	return pipeline == p.of(media)
}
