// Package web is the page: its TypeScript sources, and the handler that serves
// the built files. Only `make web` fills dist. A fresh clone has a placeholder
// there, so that `go build` always works.
package web

import (
	"context"
	"embed"
	"io/fs"
	"net/http"
)

//go:embed all:dist
var dist embed.FS

// Handler serves the embedded page. It serves index.html for every address that
// is not a file. Browsers may cache hashed assets forever. If the page was not
// built, Handler serves instructions to build it. It reads nothing from disk
// and is safe for concurrent use. base returns the path below which a proxy
// serves the page, such as /docent, or "". look returns how the page looks at present.
func Handler(base func(context.Context) string, look func() Look) http.Handler {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // "dist" is a valid path; embedding it is checked by the compiler
	}
	s := newSite(sub)
	s.base, s.look = base, look
	return s
}
