package git

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"docent/internal/fault"
)

// The limits of a pack. A file above Config.MaxBytes is skipped, and anything else
// above its limit refuses the repository.
const (
	// maxObjects bounds the objects of a pack.
	maxObjects = 1_000_000
	// maxTree bounds a folder, commit, or tag, in bytes.
	maxTree = 16 << 20
	// maxInflated bounds the bytes of all objects, also of those that are skipped.
	maxInflated = 16 << 30
	// maxHeld bounds the bytes in memory to build one object from its deltas.
	maxHeld = 128 << 20
	// maxChain bounds the deltas of one object.
	maxChain = 4096
)

// errSkipped means that a pack has an object that docent does not build.
var errSkipped = errors.New("skipped")

// unpacking makes the index of a pack that a server sent. It reads the sizes of
// objects from their headers, and the sizes of results from deltas, before it builds
// anything. Skipped files are not in the index.
type unpacking struct {
	limit    int64 // for files
	pack     *os.File
	scanner  *packfile.Scanner
	index    idxfile.Writer
	inflated int64
	whole    []packed // objects that are no deltas and may be the base of some
	// The deltas by their base.
	at   map[int64][]packed
	with map[plumbing.Hash][]packed
}

// packed is an object of a pack.
type packed struct {
	offset int64
	crc    uint32
	kind   plumbing.ObjectType
	hash   plumbing.Hash // zero for a delta
}

// unpack stores a pack with its index in a folder, so that storage can read it.
func unpack(ctx context.Context, dir string, in io.Reader, limit int64) error {
	dir = filepath.Join(dir, "objects", "pack")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cacheUnwritten(err)
	}
	f, err := os.Create(filepath.Join(dir, "new.pack"))
	if err != nil {
		return cacheUnwritten(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, in); err != nil {
		return err
	}
	u := &unpacking{limit: limit, pack: f, at: map[int64][]packed{}, with: map[plumbing.Hash][]packed{}}
	checksum, err := u.read(ctx)
	if err != nil {
		return err
	}
	for _, o := range u.whole {
		if err := u.build(ctx, o); err != nil {
			return err
		}
	}
	if err := u.index.OnFooter(checksum); err != nil {
		return err
	}
	if err := u.writeIndex(filepath.Join(dir, "pack-"+checksum.String()+".idx")); err != nil {
		return cacheUnwritten(err)
	}
	if err := os.Rename(f.Name(), filepath.Join(dir, "pack-"+checksum.String()+".pack")); err != nil {
		return cacheUnwritten(err)
	}
	return nil
}

func cacheUnwritten(err error) error {
	return fault.Wrap(fault.Internal, err, "git_cache_not_written", "cache_dir: the folder cannot be written")
}

func tooLarge() error {
	return fault.New(fault.Invalid, "git_too_large", "the repository has too many files, too large folders, or too many levels")
}

func packDamaged(err error) error {
	return fault.Wrap(fault.Unavailable, err, "git_pack_damaged", "the server sent a damaged repository; try again later")
}

// read reads all objects once and returns the checksum of the pack.
func (u *unpacking) read(ctx context.Context) (plumbing.Hash, error) {
	if _, err := u.pack.Seek(0, io.SeekStart); err != nil {
		return plumbing.ZeroHash, packDamaged(err)
	}
	u.scanner = packfile.NewScanner(u.pack)
	_, count, err := u.scanner.Header()
	if err != nil {
		return plumbing.ZeroHash, packDamaged(err)
	}
	if count > maxObjects {
		return plumbing.ZeroHash, tooLarge()
	}
	for range count {
		if err := u.one(ctx); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	checksum, err := u.scanner.Checksum()
	if err != nil {
		return plumbing.ZeroHash, packDamaged(err)
	}
	return checksum, nil
}

// one reads the next object. It builds nothing: it computes the hash of the object, or
// notes the delta.
func (u *unpacking) one(ctx context.Context) error {
	head, err := u.scanner.NextObjectHeader()
	if err != nil {
		return packDamaged(err)
	}
	o := packed{offset: head.Offset, kind: head.Type}
	hasher := plumbing.NewHasher(head.Type, head.Length)
	var to io.Writer = hasher
	skipped := false
	switch head.Type {
	case plumbing.OFSDeltaObject, plumbing.REFDeltaObject:
		to = io.Discard
	case plumbing.BlobObject:
		if skipped = head.Length > u.limit; skipped {
			to = io.Discard
		}
	default:
		if head.Length > maxTree {
			return tooLarge()
		}
	}
	n, crc, err := u.scanner.NextObject(&meter{ctx: ctx, to: to, left: &u.inflated})
	if err != nil {
		return inflating(err)
	}
	if n != head.Length {
		return packDamaged(fmt.Errorf("an object has %d bytes and not %d", n, head.Length))
	}
	o.crc = crc
	switch head.Type {
	case plumbing.OFSDeltaObject:
		u.at[head.OffsetReference] = append(u.at[head.OffsetReference], o)
	case plumbing.REFDeltaObject:
		u.with[head.Reference] = append(u.with[head.Reference], o)
	default:
		if !skipped {
			o.hash = hasher.Sum()
			u.whole = append(u.whole, o)
			u.index.Add(o.hash, uint64(o.offset), o.crc)
		}
	}
	return nil
}

// inflating returns the error of reading an object.
func inflating(err error) error {
	var known *fault.Fault
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return packDamaged(err)
}

// meter counts the bytes of all objects.
type meter struct {
	ctx  context.Context //nolint:containedctx // it lives as long as one call
	to   io.Writer
	left *int64
}

// Write writes the bytes, unless they are too many.
func (m *meter) Write(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	if *m.left += int64(len(p)); *m.left > maxInflated {
		return 0, tooLarge()
	}
	return m.to.Write(p)
}

// level is an object whose deltas are being built.
type level struct {
	content []byte
	deltas  []packed
	cost    int64 // bytes of the deltas from the first object to this one
}

// build builds all objects that are deltas of an object or of each other, and adds them
// to the index. It holds at most maxHeld bytes.
func (u *unpacking) build(ctx context.Context, o packed) error {
	deltas := u.deltas(o)
	if len(deltas) == 0 {
		return nil
	}
	content, err := u.content(ctx, o.offset, max(u.limit, maxTree))
	if err != nil {
		return err
	}
	held := int64(len(content))
	stack := []level{{content: content, deltas: deltas}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.deltas) == 0 {
			held -= int64(len(top.content))
			stack = stack[:len(stack)-1]
			continue
		}
		d, base := top.deltas[0], *top
		if top.deltas = top.deltas[1:]; len(top.deltas) == 0 { // so that a long chain does not stay in memory
			held -= int64(len(base.content))
			stack = stack[:len(stack)-1]
		}
		content, size, err := u.apply(ctx, o.kind, d, base, held)
		if errors.Is(err, errSkipped) && o.kind == plumbing.BlobObject {
			continue
		}
		if errors.Is(err, errSkipped) {
			return tooLarge()
		}
		if err != nil {
			return err
		}
		d.hash = plumbing.ComputeHash(o.kind, content)
		u.index.Add(d.hash, uint64(d.offset), d.crc)
		if deltas := u.deltas(d); len(deltas) > 0 && len(stack) < maxChain {
			held += int64(len(content))
			stack = append(stack, level{content: content, deltas: deltas, cost: base.cost + size})
		}
	}
	return nil
}

// deltas returns the deltas of an object, each once.
func (u *unpacking) deltas(o packed) []packed {
	out := slices.Concat(u.at[o.offset], u.with[o.hash])
	delete(u.at, o.offset)
	delete(u.with, o.hash)
	return out
}

// apply builds one object from its base. size is the size of the delta. It fails with
// errSkipped if the object is too large.
func (u *unpacking) apply(ctx context.Context, kind plumbing.ObjectType, d packed, base level, held int64) (
	content []byte, size int64, err error,
) {
	limit := int64(maxTree)
	if kind == plumbing.BlobObject {
		limit = u.limit
	}
	delta, err := u.content(ctx, d.offset, limit)
	if err != nil {
		return nil, 0, err
	}
	size = int64(len(delta))
	in := bytes.NewReader(delta)
	_, err = binary.ReadUvarint(in)
	result, failed := binary.ReadUvarint(in)
	if err := errors.Join(err, failed); err != nil {
		return nil, 0, packDamaged(err)
	}
	// Reading the object later holds all deltas from the first object to this one.
	if result > uint64(limit) || base.cost+size > maxHeld || held+int64(len(base.content))+int64(result) > maxHeld {
		return nil, 0, errSkipped
	}
	content, err = packfile.PatchDelta(base.content, delta)
	if err != nil {
		return nil, 0, packDamaged(err)
	}
	u.inflated += int64(len(content))
	if u.inflated > maxInflated {
		return nil, 0, tooLarge()
	}
	return content, size, nil
}

// content returns the content of an object, or a delta itself. It fails with errSkipped
// above the limit.
func (u *unpacking) content(ctx context.Context, offset, limit int64) ([]byte, error) {
	head, err := u.scanner.SeekObjectHeader(offset)
	if err != nil {
		return nil, packDamaged(err)
	}
	if head.Length > limit {
		return nil, errSkipped
	}
	var out bytes.Buffer
	if _, _, err := u.scanner.NextObject(&meter{ctx: ctx, to: &out, left: &u.inflated}); err != nil {
		return nil, inflating(err)
	}
	return out.Bytes(), nil
}

func (u *unpacking) writeIndex(file string) error {
	index, err := u.index.Index()
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(f)
	_, err = idxfile.NewEncoder(buffered).Encode(index)
	if err == nil {
		err = buffered.Flush()
	}
	return errors.Join(err, f.Close())
}
