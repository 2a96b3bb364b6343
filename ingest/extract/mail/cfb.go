package mail

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"

	"docent/internal/fault"
)

// oleMagic begins a compound file, the container of Outlook messages.
const oleMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// IsOLE reports whether a file is a compound file, the format of Microsoft Office
// before 2007. The argument is the beginning of the file.
func IsOLE(head []byte) bool { return bytes.HasPrefix(head, []byte(oleMagic)) }

const (
	// maxStreams bounds the entries of a compound file.
	maxStreams = 100000
	// noSector and larger numbers are not sectors.
	noSector = 0xfffffff0
	// headerLen is the size of the header.
	headerLen = 512
)

// Types of directory entries.
const (
	typeStorage = 1
	typeStream  = 2
	typeRoot    = 5
)

var errCFB = fault.New(fault.Invalid,
	"outlook_message_damaged", "damaged: the Outlook message cannot be opened, or a part of it is missing; add an undamaged copy")

// compound is a compound file. It has streams in storages, like files in
// folders.
type compound struct {
	data      []byte
	shift     uint // binary logarithm of the sector size
	miniShift uint
	cutoff    uint64 // smaller streams are in the mini stream
	fat       []uint32
	miniFAT   []uint32
	mini      []byte
	entries   []dirEntry
	left      int // number of bytes that may still be read
}

// dirEntry is an entry of the directory.
type dirEntry struct {
	name              string
	kind              byte
	prev, next, child uint32
	start             uint32
	size              uint64
}

// storage is a storage with its entries by name.
type storage struct {
	file  *compound
	names []string
	items map[string]*dirEntry
}

// openCompound opens a compound file.
func openCompound(data []byte) (*compound, error) {
	if len(data) < headerLen || !IsOLE(data) {
		return nil, errCFB
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	c := &compound{
		data: data, shift: uint(binary.LittleEndian.Uint16(data[30:])), miniShift: uint(binary.LittleEndian.Uint16(data[32:])),
		cutoff: uint64(u32(56)), left: 2*len(data) + 1<<20,
	}
	if c.shift < 7 || c.shift > 16 || c.miniShift < 4 || c.miniShift > c.shift {
		return nil, errCFB
	}
	c.readFAT(u32(44), u32(68))
	c.miniFAT = words(c.chain(u32(60), uint64(len(data))))
	directory := c.chain(u32(48), uint64(len(data)))
	for i := 0; i+128 <= len(directory) && len(c.entries) < maxStreams; i += 128 {
		c.entries = append(c.entries, parseEntry(directory[i:i+128], c.shift))
	}
	if len(c.entries) == 0 || c.entries[0].kind != typeRoot {
		return nil, errCFB
	}
	c.mini = c.chain(c.entries[0].start, c.entries[0].size)
	return c, nil
}

// parseEntry reads an entry of the directory.
func parseEntry(b []byte, shift uint) dirEntry {
	n := min(int(binary.LittleEndian.Uint16(b[64:])), 64) / 2
	units := make([]uint16, 0, n)
	for i := range n {
		if u := binary.LittleEndian.Uint16(b[2*i:]); u != 0 {
			units = append(units, u)
		}
	}
	e := dirEntry{
		name: string(utf16.Decode(units)), kind: b[66],
		prev: binary.LittleEndian.Uint32(b[68:]), next: binary.LittleEndian.Uint32(b[72:]), child: binary.LittleEndian.Uint32(b[76:]),
		start: binary.LittleEndian.Uint32(b[116:]), size: binary.LittleEndian.Uint64(b[120:]),
	}
	if shift == 9 {
		e.size &= 0xffffffff
	}
	return e
}

// sector returns the bytes of a sector, or nil if it is outside the file.
func (c *compound) sector(n uint32) []byte {
	from := (uint64(n) + 1) << c.shift
	if n >= noSector || from >= uint64(len(c.data)) {
		return nil
	}
	return c.data[from:min(uint64(len(c.data)), from+1<<c.shift)]
}

// readFAT reads the allocation table. The header lists its sectors, and further
// sectors continue the list.
func (c *compound) readFAT(count, next uint32) {
	maxSectors := len(c.data)>>c.shift + 1
	list := words(c.data[76:headerLen])
	for range maxSectors {
		s := words(c.sector(next))
		if len(s) < 2 || len(list) > maxSectors {
			break
		}
		list, next = append(list, s[:len(s)-1]...), s[len(s)-1]
	}
	seen := 0
	for _, n := range list {
		if s := c.sector(n); s != nil && seen < int(count) && len(c.fat) <= maxSectors {
			c.fat = append(c.fat, words(s)...)
			seen++
		}
	}
}

// words splits bytes into 32-bit numbers.
func words(b []byte) []uint32 {
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

// chain reads up to size bytes from a chain of sectors.
func (c *compound) chain(start uint32, size uint64) []byte {
	var out []byte
	for n, steps := start, 0; n < noSector && uint64(len(out)) < size && steps <= len(c.fat); steps++ {
		s := c.sector(n)
		if s == nil || c.left < len(s) || int64(n) >= int64(len(c.fat)) {
			break
		}
		c.left -= len(s)
		out = append(out, s...)
		n = c.fat[n]
	}
	return out[:min(uint64(len(out)), size)]
}

// read returns the content of a stream.
func (c *compound) read(e *dirEntry) []byte {
	if e == nil || e.kind != typeStream {
		return nil
	}
	if e.size >= c.cutoff {
		return c.chain(e.start, e.size)
	}
	var out []byte
	for n, steps := e.start, 0; uint64(len(out)) < e.size && uint64(n) < uint64(len(c.miniFAT)) && steps <= len(c.miniFAT); steps++ {
		from := uint64(n) << c.miniShift
		if from >= uint64(len(c.mini)) || c.left <= 0 {
			break
		}
		s := c.mini[from:min(uint64(len(c.mini)), from+1<<c.miniShift)]
		c.left -= len(s)
		out = append(out, s...)
		n = c.miniFAT[n]
	}
	return out[:min(uint64(len(out)), e.size)]
}

// root returns the outermost storage.
func (c *compound) root() *storage { return c.open(&c.entries[0]) }

// open returns a storage with its entries, which the file stores as a tree.
func (c *compound) open(e *dirEntry) *storage {
	s := &storage{file: c, items: map[string]*dirEntry{}}
	seen := map[uint32]bool{}
	stack := []uint32{e.child}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if int64(n) >= int64(len(c.entries)) || seen[n] || n == 0 || c.left <= 0 {
			continue
		}
		c.left--
		seen[n] = true
		item := &c.entries[n]
		if s.items[item.name] == nil {
			s.items[item.name] = item
			s.names = append(s.names, item.name)
		}
		stack = append(stack, item.next, item.prev)
	}
	return s
}

// stream returns the content of a stream, or nil if it does not exist.
func (s *storage) stream(name string) []byte { return s.file.read(s.items[name]) }

// storage returns an inner storage, or nil if it does not exist.
func (s *storage) storage(name string) *storage {
	if e := s.items[name]; e != nil && e.kind == typeStorage {
		return s.file.open(e)
	}
	return nil
}
