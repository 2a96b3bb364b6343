package git

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"docent/ingest/source"
	"docent/ingest/source/dial"
	"docent/internal/fault"
)

// The limits of a tree: entries, levels, and the length of a path.
const (
	maxEntries = 2_000_000
	maxDepth   = 128
	maxPath    = 4096
)

// state is the stored state of a file between two syncs.
type state struct {
	Blob string `json:"b"`
}

func decodeState(raw []byte) (plumbing.Hash, bool) {
	var st state
	if len(raw) > 1000 || json.Unmarshal(raw, &st) != nil || !plumbing.IsHash(st.Blob) {
		return plumbing.ZeroHash, false
	}
	return plumbing.NewHash(st.Blob), true
}

// List yields the files of the branch. It sends one request to check the branch.
// If the branch has changed, it downloads the files of the new commit.
func (s *Source) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		branch, err := s.refresh(ctx)
		if err == nil {
			err = s.walk(ctx, branch, known, yield)
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(source.Item{}, fmt.Errorf("list %s: %w", s.url, err))
		}
	}
}

// errStopped means that the caller broke the loop over a listing.
var errStopped = errors.New("stopped")

// folder is a tree that is still to be read.
type folder struct {
	path  string // with a slash at the end, or ""
	hash  plumbing.Hash
	depth int
}

func (s *Source) walk(ctx context.Context, branch string, known source.Known, yield func(source.Item, error) bool) error {
	root, err := s.root()
	if err != nil {
		return err
	}
	files, entries := 0, 0
	for queue := []folder{{hash: root}}; len(queue) > 0; {
		dir := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if err := ctx.Err(); err != nil {
			return err
		}
		tree, err := s.tree(dir.hash)
		if err != nil {
			return damaged(err)
		}
		seen := make(map[string]bool, len(tree.Entries))
		for _, e := range tree.Entries {
			at := dir.path + e.Name
			if entries++; entries > maxEntries || len(at) > maxPath || dir.depth > maxDepth {
				return tooLarge()
			}
			if seen[e.Name] || e.Name == "" {
				continue
			}
			seen[e.Name] = true
			switch e.Mode {
			case filemode.Dir:
				if !s.filter.Excludes(at) {
					queue = append(queue, folder{at + "/", e.Hash, dir.depth + 1})
				}
			case filemode.Regular, filemode.Executable, filemode.Deprecated: // neither links nor submodules
				if !s.filter.Allows(at) {
					continue
				}
				if files++; files > s.cfg.MaxFiles {
					return fault.New(fault.Invalid,
						"source_too_many_files", "more than %d files; choose fewer with include or raise max_files", s.cfg.MaxFiles)
				}
				if !yield(s.item(branch, at, e.Hash, known), nil) {
					return errStopped
				}
			}
		}
	}
	return nil
}

func damaged(err error) error {
	return fault.Wrap(fault.Unavailable, err, "git_cache_damaged", "docent's copy of the repository is damaged; remove the cache folder")
}

// root returns the tree of the downloaded commit or tag.
func (s *Source) root() (plumbing.Hash, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	commit, err := object.GetCommit(s.objects, s.commit)
	if err != nil {
		tag, tagErr := object.GetTag(s.objects, s.commit)
		if tagErr != nil {
			return plumbing.ZeroHash, damaged(err)
		}
		if commit, err = tag.Commit(); err != nil {
			return plumbing.ZeroHash, damaged(err)
		}
	}
	return commit.TreeHash, nil
}

func (s *Source) tree(hash plumbing.Hash) (*object.Tree, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return object.GetTree(s.objects, hash)
}

func (s *Source) item(branch, at string, blob plumbing.Hash, known source.Known) source.Item {
	item := source.Item{Key: at, Name: path.Base(at), Address: address(s.url, branch, at)}
	item.State, item.Err = json.Marshal(state{blob.String()})
	if raw, ok := known(at); ok {
		old, ok := decodeState(raw)
		item.Unchanged = ok && old == blob
	}
	if item.Unchanged || item.Err != nil {
		return item
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	item.Size, item.Err = s.objects.EncodedObjectSize(blob)
	if errors.Is(item.Err, plumbing.ErrObjectNotFound) || item.Size > s.cfg.MaxBytes { // unpack skips large files
		item.Err = dial.TooLarge(s.cfg.MaxBytes)
	}
	return item
}

// Open returns a file of the commit that List used last.
func (s *Source) Open(_ context.Context, item source.Item) (io.ReadCloser, error) {
	hash, ok := decodeState(item.State)
	if !ok {
		return nil, fault.New(fault.Invalid, "git_file_unlisted", "%s was not listed", item.Key)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects == nil {
		return nil, fault.New(fault.Invalid, "git_file_unlisted", "%s was not listed", item.Key)
	}
	if size, err := s.objects.EncodedObjectSize(hash); err == nil && size > s.cfg.MaxBytes {
		return nil, dial.TooLarge(s.cfg.MaxBytes)
	}
	blob, err := object.GetBlob(s.objects, hash)
	if err != nil {
		return nil, damaged(err)
	}
	r, err := blob.Reader()
	if err != nil {
		return nil, damaged(err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, blob.Size))
	if err != nil {
		return nil, damaged(err)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}
