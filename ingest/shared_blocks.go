package ingest

import (
	"context"
	"path/filepath"
	"strings"
	"sync"

	"docent/ingest/boilerplate"
	"docent/ingest/extract"
)

// Web pages of one folder often begin with the same menu and end with the same
// footer. The first page of a folder that is read has a sample of the folder
// looked at; the blocks that most pages share are then left out of all of them.

// pageFolders are the folders of a run that hold web pages, by path.
type pageFolders map[string]*pageFolder

// pageFolder is a folder with enough web pages to tell what they share.
type pageFolder struct {
	files  []file
	once   sync.Once
	blocks []uint64
}

// isPage reports whether a name is a web page's.
func isPage(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		return true
	}
	return false
}

// newPageFolders groups web pages by their folder.
func newPageFolders(files []file) pageFolders {
	folders := pageFolders{}
	for _, f := range files {
		if !f.reason.IsZero() || !isPage(f.path) {
			continue
		}
		dir := filepath.Dir(f.path)
		if folders[dir] == nil {
			folders[dir] = &pageFolder{}
		}
		folders[dir].files = append(folders[dir].files, f)
	}
	for dir, f := range folders {
		if len(f.files) < boilerplate.MinDocuments {
			delete(folders, dir)
		}
	}
	return folders
}

// shared returns the blocks that an item's page shares with most of its folder.
func (p pageFolders) shared(ctx context.Context, in *Ingester, it *item) []uint64 {
	if it.spooled || !isPage(it.path) {
		return nil
	}
	folder := p[filepath.Dir(it.path)]
	if folder == nil {
		return nil
	}
	folder.once.Do(func() { folder.blocks = in.sharedBlocks(ctx, folder.files) })
	return folder.blocks
}

// sharedBlocks looks at a sample of files. Those that cannot be read do not
// count; reading them for their own sake says why.
func (in *Ingester) sharedBlocks(ctx context.Context, files []file) []uint64 {
	repeats := boilerplate.New()
	n := min(len(files), boilerplate.SampleSize)
	for i := range n {
		f := files[i*len(files)/n]
		data, reason := in.read(&item{path: f.path, size: f.size})
		if !reason.IsZero() {
			continue
		}
		edges, err := in.reader.Edges(ctx, extract.Source{Name: f.path, Data: data})
		if err == nil {
			repeats.Add(edges)
		}
	}
	return repeats.Shared()
}
