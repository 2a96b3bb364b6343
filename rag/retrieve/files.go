package retrieve

import (
	"sync"

	"docent/internal/flat"
)

// files are the snapshots that the data of the retriever is in. A snapshot replaces
// another one while searches run, so each file stays open until the searches that may
// read it have ended.
type files struct {
	mu sync.Mutex // guards the following field
	// open are the files in the order of their use. The last one is in use. Searches that
	// began with a file can read it and all later ones.
	open []*openFile
}

// openFile is a snapshot, or nil for none, with the number of the searches that began
// while it was in use.
type openFile struct {
	*flat.File
	searches int
}

// begin begins a search. The caller calls end after it.
func (f *files) begin() (end func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.open) == 0 {
		f.open = append(f.open, &openFile{})
	}
	current := f.open[len(f.open)-1]
	current.searches++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		current.searches--
		f.closeUnused()
	}
}

// use replaces the file in use. file can be nil. All data of the retriever must be in it,
// or in memory.
func (f *files) use(file *flat.File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = append(f.open, &openFile{File: file})
	f.closeUnused()
}

func (f *files) closeUnused() {
	for len(f.open) > 1 && f.open[0].searches == 0 {
		if file := f.open[0].File; file != nil {
			_ = file.Close() // a file that stays mapped does no harm
		}
		f.open = f.open[1:]
	}
}
