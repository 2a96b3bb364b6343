package flat

import "sync"

// Files are files that replace each other while searches read them. Each file stays open
// until the searches that may read it have ended. The zero value has no file.
type Files struct {
	mu sync.Mutex // guards the following field
	// open are the files in the order of their use. The last one is in use. Searches that
	// began with a file can read it and all later ones.
	open []*openFile
}

// openFile is a file, or nil for none, with the number of the searches that began
// while it was in use.
type openFile struct {
	*File
	searches int
}

// Begin begins a search. The caller calls end after it.
func (f *Files) Begin() (end func()) {
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

// Use replaces the file in use, which no search that begins later may read. file can be
// nil, for none. Files closes it.
func (f *Files) Use(file *File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = append(f.open, &openFile{File: file})
	f.closeUnused()
}

func (f *Files) closeUnused() {
	for len(f.open) > 1 && f.open[0].searches == 0 {
		if file := f.open[0].File; file != nil {
			_ = file.Close() // a file that stays mapped does no harm
		}
		f.open = f.open[1:]
	}
}
