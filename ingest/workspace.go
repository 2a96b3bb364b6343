package ingest

import (
	"path/filepath"
	"sync"
	"time"

	"docent/ingest/extract/chat"
)

// workspaceAge is how long the people of a workspace are kept. A run reads many files of a workspace.
const workspaceAge = time.Minute

// workspaces keeps the workspace of chat that was read last, so that its files get the names of people. It is
// safe for concurrent use.
type workspaces struct {
	mu     sync.Mutex // guards the fields below
	folder string
	read   time.Time
	last   chat.Workspace
	ok     bool
}

// named returns the messages in a file with the names of people, if the folder above it is an unpacked
// workspace.
func (w *workspaces) named(path string, data []byte) []byte {
	folder := filepath.Dir(filepath.Dir(path))
	w.mu.Lock()
	if w.folder != folder || time.Since(w.read) > workspaceAge {
		w.folder, w.read = folder, time.Now()
		w.last, w.ok = chat.OpenFolder(folder)
	}
	last, ok := w.last, w.ok
	w.mu.Unlock()
	if !ok {
		return data
	}
	return last.Named(filepath.ToSlash(path), data)
}
