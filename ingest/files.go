package ingest

import (
	"context"
	"time"

	"docent/internal/fault"
)

// File is a file that Ingest would read.
type File struct {
	// Path is absolute.
	Path string
	// Size is in bytes.
	Size int64
	// Modified is the modification time.
	Modified time.Time
	// Reason says why the file cannot be read; it is zero if it can.
	Reason fault.Text
}

// Listing is the content of folders and files.
type Listing struct {
	// Files are the files, ordered by path. Like Ingest, List omits hidden files,
	// folders of version control, files that IgnoreFile excludes, and files that format.Skip names.
	Files []File
	// Folders are the folders that contain the files.
	Folders []string
	// Broken are the paths and folders that could not be read. Their content is
	// unknown.
	Broken []string
}

// List lists the files below paths. It follows the rules of Ingest.
func List(ctx context.Context, paths []string, links Links) (Listing, error) {
	l, err := list(ctx, paths, links)
	if err != nil {
		return Listing{}, err
	}
	out := Listing{Folders: l.folders, Broken: l.broken}
	for _, f := range l.files {
		if !skip(f).IsZero() {
			continue
		}
		file := File{Path: f.path, Size: f.size, Reason: f.reason}
		if f.mtime != 0 {
			file.Modified = time.Unix(0, f.mtime)
		}
		out.Files = append(out.Files, file)
	}
	return out, nil
}
