package git

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // git uses it
	"encoding/binary"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"docent/internal/fault"
)

// pack is a pack under construction.
type pack struct {
	bytes.Buffer
	count uint32
}

// add adds an object. before comes before its content, which has size bytes in total.
func (p *pack) add(kind plumbing.ObjectType, before []byte, content string, size int) (offset int) {
	offset = 12 + p.Len()
	p.count++
	b := byte(kind)<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		p.WriteByte(b | 0x80)
		b = byte(size & 0x7f)
	}
	p.WriteByte(b)
	p.Write(before)
	z := zlib.NewWriter(&p.Buffer)
	_, _ = io.WriteString(z, content)
	_ = z.Close()
	return offset
}

func (p *pack) whole(kind plumbing.ObjectType, content string) (plumbing.Hash, int) {
	return plumbing.ComputeHash(kind, []byte(content)), p.add(kind, nil, content, len(content))
}

// delta adds a delta to the object at an offset.
func (p *pack) delta(base int, content string) (offset int) {
	back := 12 + p.Len() - base
	reference := []byte{byte(back & 0x7f)}
	for back >>= 7; back > 0; back >>= 7 {
		back--
		reference = append([]byte{0x80 | byte(back&0x7f)}, reference...)
	}
	return p.add(plumbing.OFSDeltaObject, reference, content, len(content))
}

// bytes returns the pack with its header and checksum.
func (p *pack) bytes() []byte {
	out := append([]byte("PACK\x00\x00\x00\x02"), binary.BigEndian.AppendUint32(nil, p.count)...)
	out = append(out, p.Bytes()...)
	sum := sha1.Sum(out) //nolint:gosec // git uses it
	return append(out, sum[:]...)
}

// copies is a delta that copies its base n times.
func copies(base, n int) string {
	out := binary.AppendUvarint(nil, uint64(base))
	out = binary.AppendUvarint(out, uint64(base)*uint64(n))
	for range n {
		out = append(out, 0x80|0x10|0x20|0x40, byte(base), byte(base>>8), byte(base>>16))
	}
	return string(out)
}

func TestUnpackDeltas(t *testing.T) {
	t.Parallel()
	const limit = 10_000
	var p pack
	base := strings.Repeat("x", 1000)
	_, at := p.whole(plumbing.BlobObject, base)
	first := p.delta(at, copies(1000, 2))
	p.delta(first, copies(2000, 3))
	p.delta(first, copies(2000, 4))
	bomb := p.delta(at, copies(1000, 8000)) // it builds 8 MB
	p.delta(bomb, copies(8_000_000, 1))
	later := strings.Repeat("y", 100)
	reference := plumbing.ComputeHash(plumbing.BlobObject, []byte(later))
	d := copies(100, 3)
	p.add(plumbing.REFDeltaObject, reference[:], d, len(d))
	p.whole(plumbing.BlobObject, later)
	p.whole(plumbing.BlobObject, strings.Repeat("z", limit+1))
	dir := t.TempDir()
	if err := unpack(t.Context(), dir, bytes.NewReader(p.bytes()), limit); err != nil {
		t.Fatal(err)
	}
	s := storage(dir)
	for text, want := range map[string]bool{
		base:                       true,
		strings.Repeat("x", 2000):  true,
		strings.Repeat("x", 6000):  true,
		strings.Repeat("x", 8000):  true,
		strings.Repeat("y", 300):   true,
		strings.Repeat("x", 8e6):   false,
		strings.Repeat("z", 10001): false,
	} {
		blob, err := object.GetBlob(s, plumbing.ComputeHash(plumbing.BlobObject, []byte(text)))
		if (err == nil) != want {
			t.Errorf("%.1s, %d bytes: %v", text, len(text), err)
			continue
		}
		if err != nil {
			continue
		}
		r, err := blob.Reader()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		r.Close()
		if err != nil || string(got) != text {
			t.Errorf("%.1s: %d bytes, %v", text, len(got), err)
		}
	}
}

func TestUnpackHostilePacks(t *testing.T) {
	t.Parallel()
	entry := "100644 a\x00" + strings.Repeat("\x00", 20)
	var tree, treeDelta, count, length, longer pack
	tree.whole(plumbing.TreeObject, strings.Repeat(entry, maxTree/len(entry)+1))
	_, at := treeDelta.whole(plumbing.TreeObject, strings.Repeat(entry, 100))
	treeDelta.delta(at, copies(100*len(entry), 8000))
	count.count = maxObjects + 1
	length.add(plumbing.BlobObject, nil, "four", 5)
	longer.add(plumbing.BlobObject, nil, strings.Repeat("long", 1000), 5)
	for want, all := range map[string][]*pack{
		"git_too_large":    {&tree, &treeDelta, &count},
		"git_pack_damaged": {&length, &longer},
	} {
		for i, p := range all {
			err := unpack(t.Context(), t.TempDir(), bytes.NewReader(p.bytes()), 1<<20)
			if fault.TextOf(err).ID != want {
				t.Errorf("%s %d: %v", want, i, err)
			}
		}
	}
	var good pack
	good.whole(plumbing.BlobObject, "good")
	whole := good.bytes()
	for n := range whole {
		dir := t.TempDir()
		if err := unpack(t.Context(), dir, bytes.NewReader(whole[:n]), 1<<20); fault.TextOf(err).ID != "git_pack_damaged" {
			t.Errorf("%d bytes: %v", n, err)
		}
		if names, _ := os.ReadDir(dir + "/objects/pack"); len(names) != 1 {
			t.Errorf("%d bytes: the folder has %v", n, names)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	var p pack
	_, at := p.whole(plumbing.BlobObject, strings.Repeat("x", 100))
	p.delta(at, copies(100, 2))
	f.Add(p.bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 20 { // with the right checksum
			sum := sha1.Sum(data[:len(data)-20]) //nolint:gosec // git uses it
			data = append(data[:len(data)-20:len(data)-20], sum[:]...)
		}
		_ = unpack(t.Context(), t.TempDir(), bytes.NewReader(data), 1000)
	})
}
