// Package web is the page: its TypeScript sources, and the handler that serves
// what was built from them. Only `make web` fills dist; a bare clone holds a
// placeholder there, so that `go build` always works.
package web

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed all:dist
var dist embed.FS

// Handler serves the embedded page: index.html for every address that is not a
// file, hashed assets for ever, and a page that says how to build it when it
// was not built. It reads nothing from disk and is safe for concurrent use.
func Handler() http.Handler {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // "dist" is a valid path; embedding it is checked by the compiler
	}
	return newSite(sub)
}
