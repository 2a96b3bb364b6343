package ingest

import (
	"context"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"docent/ingest/boilerplate"
	"docent/ingest/intake"
)

// Web pages in one folder often begin with the same menu and end with the same
// footer. Before the first page of a folder is read, a sample of the folder is
// read. All pages are then read without the blocks that most pages of the
// sample share. Folders in archives are handled in the same way.

// pageFolders are the folders of a run that hold web pages, by path.
type pageFolders map[string]*pageFolder

// pageFolder is a folder with enough web pages to find their shared blocks.
type pageFolder struct {
	files  []page
	once   sync.Once
	blocks []uint64
}

// page is a file that holds a web page.
type page struct {
	name string // file name, as a hint at the format
	path string
	part *partContent // nil if it is all of the file
	size int64
}

// isPage reports whether a file name belongs to a web page.
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
		folders[dir].files = append(folders[dir].files, page{name: f.path, path: f.path, size: f.size})
	}
	folders.dropSmall()
	return folders
}

// dropSmall removes folders with too few pages to find shared blocks.
func (p pageFolders) dropSmall() {
	for dir, f := range p {
		if len(f.files) < boilerplate.MinDocuments {
			delete(p, dir)
		}
	}
}

// partBlocks returns the blocks that most pages of each folder of an archive
// share, by folder. It reads them before the parts are sent, because the file with
// the parts is removed after the last one.
func (in *Ingester) partBlocks(ctx context.Context, file string, parts []intake.Part) map[string][]uint64 {
	folders := pageFolders{}
	for _, part := range parts {
		if !part.Reason.IsZero() || !isPage(part.Name) {
			continue
		}
		dir := path.Dir(part.Name)
		if folders[dir] == nil {
			folders[dir] = &pageFolder{}
		}
		folders[dir].files = append(folders[dir].files, page{
			name: part.Name, path: file, part: &partContent{offset: part.Offset}, size: part.Size,
		})
	}
	folders.dropSmall()
	blocks := map[string][]uint64{}
	for dir, f := range folders {
		blocks[dir] = in.sharedBlocks(ctx, f.files)
	}
	return blocks
}

// shared returns the shared blocks of the folder of an item's page.
func (p pageFolders) shared(ctx context.Context, in *Ingester, it *item) []uint64 {
	if it.part != nil {
		return it.shared
	}
	if !isPage(it.path) {
		return nil
	}
	folder := p[filepath.Dir(it.path)]
	if folder == nil {
		return nil
	}
	folder.once.Do(func() { folder.blocks = in.sharedBlocks(ctx, folder.files) })
	return folder.blocks
}

// sharedBlocks reads a sample of files. It ignores unreadable files, because
// reading them later reports the error.
func (in *Ingester) sharedBlocks(ctx context.Context, files []page) []uint64 {
	repeats := boilerplate.New()
	n := min(len(files), boilerplate.SampleSize)
	for i := range n {
		f := files[i*len(files)/n]
		c := content{path: f.path, part: f.part, size: f.size}
		if reason, _ := in.read(&c); !reason.IsZero() {
			continue
		}
		edges, err := in.reader.Edges(ctx, intake.Source{Name: f.name, Data: c.data})
		if err == nil {
			repeats.Add(edges)
		}
	}
	return repeats.Shared()
}
