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
	// Modified is when the file was changed.
	Modified time.Time
	// Reason says why the file cannot be read; it is zero if it can.
	Reason fault.Text
}

// Listing is what lies under some paths.
type Listing struct {
	// Files are the files, ordered by path, by the rules of Ingest: hidden
	// ones, folders of version control and what IgnoreFile names are left out.
	Files []File
	// Folders are the folders that hold them.
	Folders []string
	// Broken are the paths and folders that could not be read: of what is below
	// them nothing is known.
	Broken []string
}

// List lists the files under paths as Ingest does.
func List(ctx context.Context, paths []string) (Listing, error) {
	l, err := list(ctx, paths)
	if err != nil {
		return Listing{}, err
	}
	out := Listing{Folders: l.folders, Broken: l.broken}
	for _, f := range l.files {
		file := File{Path: f.path, Size: f.size, Reason: f.reason}
		if f.mtime != 0 {
			file.Modified = time.Unix(0, f.mtime)
		}
		out.Files = append(out.Files, file)
	}
	return out, nil
}
