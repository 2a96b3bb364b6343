package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"docent/ingest/source/dial"
	"docent/internal/fault"
)

// maxCached bounds the objects that are kept in memory.
const maxCached = 16 << 20

// refresh asks for the branch's commit and downloads its files if the cache
// folder does not have them. It returns the branch's name.
func (s *Source) refresh(ctx context.Context) (branch string, err error) {
	ep, err := transport.NewEndpoint(s.url.String())
	if err != nil {
		return "", fault.Wrap(fault.Invalid, err, "git_url_invalid", "url: %q is not the address of a repository", s.cfg.URL)
	}
	var auth transport.AuthMethod
	if s.cfg.Token != "" {
		auth = &githttp.BasicAuth{Username: s.cfg.User, Password: s.cfg.Token}
	}
	session, err := githttp.NewClient(s.client).NewUploadPackSession(ep, auth)
	if err != nil {
		return "", s.explain(err)
	}
	defer session.Close()
	_ = s.noted() // of an earlier sync
	adv, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		return "", s.explain(err)
	}
	branch, commit, err := s.resolve(adv)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects != nil && s.commit == commit {
		return branch, nil
	}
	dir := filepath.Join(s.Folder(), commit.String())
	if _, err := os.Stat(dir); err != nil {
		if err := s.download(ctx, session, adv, commit, dir); err != nil {
			return "", err
		}
	}
	s.objects, s.commit = storage(dir), commit
	return branch, nil
}

// Folder returns the cache folder of this repository. It has one folder for each
// complete commit.
func (s *Source) Folder() string {
	sum := sha256.Sum256([]byte(s.url.String() + "\x00" + s.cfg.Branch))
	return filepath.Join(s.cfg.CacheDir, hex.EncodeToString(sum[:10]))
}

func storage(dir string) *filesystem.Storage {
	return filesystem.NewStorage(osfs.New(dir), cache.NewObjectLRU(maxCached))
}

// resolve finds the branch or tag and its commit.
func (s *Source) resolve(adv *packp.AdvRefs) (branch string, commit plumbing.Hash, err error) {
	refs, err := adv.AllReferences()
	if err != nil {
		return "", plumbing.ZeroHash, fault.Wrap(fault.Unavailable, err, "git_branches_unreadable", "the list of branches cannot be read")
	}
	if s.cfg.Branch == "" {
		head, err := storer.ResolveReference(refs, plumbing.HEAD)
		if err != nil {
			return "", plumbing.ZeroHash, fault.Wrap(fault.Invalid, err,
				"git_no_default_branch", "branch: the repository has no default branch; name one")
		}
		return head.Name().Short(), head.Hash(), nil
	}
	for _, name := range []plumbing.ReferenceName{plumbing.NewBranchReferenceName(s.cfg.Branch), plumbing.NewTagReferenceName(s.cfg.Branch)} {
		if ref, err := refs.Reference(name); err == nil {
			return s.cfg.Branch, ref.Hash(), nil
		}
	}
	return "", plumbing.ZeroHash, fault.New(fault.NotFound, "git_no_branch", "branch: the repository has no branch or tag %q", s.cfg.Branch)
}

// download downloads the files of one commit without its history. The folder gets
// its final name when it is complete. Folders of other commits are removed.
func (s *Source) download(ctx context.Context, session transport.UploadPackSession,
	adv *packp.AdvRefs, commit plumbing.Hash, dir string,
) error {
	if err := os.MkdirAll(s.Folder(), 0o700); err != nil {
		return fault.Wrap(fault.Internal, err, "git_cache_not_made", "cache_dir: the folder cannot be made")
	}
	tmp, err := os.MkdirTemp(s.Folder(), "new-")
	if err != nil {
		return fault.Wrap(fault.Internal, err, "git_cache_not_written", "cache_dir: the folder cannot be written")
	}
	defer os.RemoveAll(tmp)
	req := packp.NewUploadPackRequestFromCapabilities(adv.Capabilities)
	req.Wants = append(req.Wants, commit)
	if adv.Capabilities.Supports(capability.Shallow) {
		req.Depth = packp.DepthCommits(1)
		if err := req.Capabilities.Set(capability.Shallow); err != nil {
			return err
		}
	}
	res, err := session.UploadPack(ctx, req)
	if err != nil {
		return s.explain(err)
	}
	defer func() { _ = res.Close() }() // a read error has already been handled
	var pack io.Reader = res
	switch {
	case req.Capabilities.Supports(capability.Sideband64k):
		pack = sideband.NewDemuxer(sideband.Sideband64k, res)
	case req.Capabilities.Supports(capability.Sideband):
		pack = sideband.NewDemuxer(sideband.Sideband, res)
	}
	if err := unpack(ctx, tmp, pack, s.cfg.MaxBytes); err != nil {
		return s.explain(err)
	}
	old, err := os.ReadDir(s.Folder())
	if err != nil {
		return fault.Wrap(fault.Internal, err, "git_cache_unreadable", "cache_dir: the folder cannot be read")
	}
	if err := os.Rename(tmp, dir); err != nil {
		return fault.Wrap(fault.Internal, err, "git_cache_not_written", "cache_dir: the folder cannot be written")
	}
	for _, e := range old {
		if at := filepath.Join(s.Folder(), e.Name()); at != tmp && at != dir {
			os.RemoveAll(at)
		}
	}
	return nil
}

// explain returns an error of the git library with a message for users.
func (s *Source) explain(err error) error {
	if broken := s.noted(); broken != nil {
		return dial.Explain(broken, s.url.Host)
	}
	var packet *packp.ErrUnexpectedData
	switch {
	case errors.As(err, &packet), errors.Is(err, pktline.ErrInvalidPktLen), errors.Is(err, packp.ErrEmptyInput):
		return fault.Wrap(fault.Unavailable, err, "git_branches_unreadable", "the list of branches cannot be read")
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed),
		errors.Is(err, transport.ErrInvalidAuthMethod):
		return fault.Wrap(fault.Unauthorized, err, "git_refused", "the server refuses access; check the token")
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return fault.Wrap(fault.NotFound, err, "git_no_repository", "the server has no such repository; check the address and the token")
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return fault.Wrap(fault.Invalid, err, "git_empty", "the repository is empty")
	}
	return dial.Explain(err, s.url.Host)
}
