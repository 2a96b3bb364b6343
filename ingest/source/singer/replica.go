package singer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"docent/internal/fault"
)

// The limits of the records of a tap, in bytes: of one line, and of all records.
const (
	maxLine  = 8 << 20
	maxBytes = 2 << 30
)

// stored is a line in the file of records. The last line has only a state.
type stored struct {
	Stream  string          `json:"s,omitempty"`
	Key     string          `json:"k,omitempty"`
	Version int64           `json:"v,omitempty"`
	Record  json.RawMessage `json:"r,omitempty"`
	// State is the encrypted state of the tap.
	State []byte `json:"state,omitempty"`
}

// place is the place of a line in a file.
type place struct {
	at   int64
	size int
}

// live is the last version of a record.
type live struct {
	place
	version int64
}

// id identifies a record.
type id struct{ stream, key string }

// replica is a copy of the records of a tap while it runs. Lines are appended to a
// temporary file, and the live ones are saved at the end. So a run that fails changes
// nothing.
type replica struct {
	source *Source
	file   *os.File
	size   int64
	live   map[id]live
	keys   map[string][]string // the key properties of streams
	state  []byte              // of the tap; nil for none
	large  int                 // records that are too large
}

func (s *Source) path() string { return filepath.Join(s.folder, "records.jsonl") }

// open returns a replica. If the source is incremental, it has the records of the last
// run, except for those of streams that the tap always writes in full.
func (s *Source) open(cat catalog) (*replica, error) {
	file, err := os.CreateTemp(s.folder, "new-*.jsonl")
	if err != nil {
		return nil, fmt.Errorf("make the file of records: %w", err)
	}
	r := &replica{source: s, file: file, live: map[id]live{}, keys: map[string][]string{}}
	if !s.cfg.Incremental {
		return r, nil
	}
	old, err := os.Open(s.path())
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	defer old.Close() //nolint:errcheck // it is only read
	err = eachLine(old, func(line []byte, _ int64) error {
		var l stored
		if json.Unmarshal(line, &l) != nil {
			return nil //nolint:nilerr // a damaged file is as good as none
		}
		if l.State != nil {
			r.state = s.unseal(l.State)
			return nil
		}
		if cat.full[l.Stream] {
			return nil
		}
		return r.append(l)
	})
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	if r.state == nil { // without its state, the tap writes all records
		clear(r.live)
	}
	return r, nil
}

// close removes the temporary file.
func (r *replica) close() error {
	err := errors.Join(r.file.Close(), os.Remove(r.file.Name()))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}

// eachLine calls fn with each line and its place. A line that is too long is nil.
func eachLine(in io.Reader, fn func(line []byte, at int64) error) error {
	br := bufio.NewReaderSize(in, 64<<10)
	at := int64(0)
	for {
		var line []byte
		size, over := 0, false
		for {
			part, err := br.ReadSlice('\n')
			size += len(part)
			if over = over || size > maxLine; !over {
				line = append(line, part...)
			}
			if err == nil {
				break
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != io.EOF { //nolint:errorlint // it is not wrapped
				return err
			}
			if size == 0 {
				return nil
			}
			break
		}
		if over {
			line = nil
		}
		if err := fn(line, at); err != nil {
			return err
		}
		at += int64(size)
	}
}

// message is a line of a tap.
type message struct {
	Type          string          `json:"type"`
	Stream        string          `json:"stream"`
	Record        json.RawMessage `json:"record"`
	KeyProperties []string        `json:"key_properties"`
	Value         json.RawMessage `json:"value"`
	Version       int64           `json:"version"`
}

// read reads the output of a tap.
func (r *replica) read(in io.Reader) error {
	return eachLine(in, func(line []byte, _ int64) error {
		if line == nil {
			r.large++
			return nil
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return nil
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return notSinger(err)
		}
		return r.apply(m)
	})
}

func notSinger(err error) error {
	return fault.Wrap(fault.Unavailable, err, "tap_output_invalid", "the program writes lines that are no Singer messages; is it a tap?")
}

// apply applies a message. Unknown messages are ignored, as the specification says.
func (r *replica) apply(m message) error {
	switch m.Type {
	case "SCHEMA":
		if len(r.keys) >= maxStreams || len(m.KeyProperties) > maxKeys {
			return fault.New(fault.Invalid, "tap_too_many_streams",
				"the tap has more than %d streams or %d keys; choose streams", maxStreams, maxKeys)
		}
		r.keys[m.Stream] = m.KeyProperties
	case "RECORD":
		if !r.source.wants(m.Stream) {
			return nil
		}
		var fields map[string]any
		if err := decode(m.Record, &fields); err != nil || fields == nil {
			return notSinger(cmp.Or(err, errEmpty))
		}
		key := r.key(m, fields)
		if r.source.rules.of(m.Stream).isDeleted(fields) {
			delete(r.live, id{m.Stream, key})
			return nil
		}
		return r.append(stored{Stream: m.Stream, Key: key, Version: m.Version, Record: m.Record})
	case "STATE":
		r.state = append(r.state[:0:0], m.Value...)
	case "ACTIVATE_VERSION": // earlier versions are gone
		for which, l := range r.live {
			if which.stream == m.Stream && l.version != m.Version {
				delete(r.live, which)
			}
		}
	}
	return nil
}

// key returns the key of a record in its stream. Without key properties, it is the hash
// of the record.
func (r *replica) key(m message, fields map[string]any) string {
	var parts []any
	for _, name := range r.keys[m.Stream] {
		parts = append(parts, fields[name])
	}
	if len(parts) == 1 && parts[0] != nil {
		if text := plain(parts[0]); text != "" && len(text) < 200 {
			return text
		}
	}
	whole := []byte(m.Record)
	if len(parts) > 0 {
		if data, err := json.Marshal(parts); err == nil {
			whole = data
		}
	}
	sum := sha256.Sum256(whole)
	return hex.EncodeToString(sum[:16])
}

// append stores the last version of a record.
func (r *replica) append(l stored) error {
	line, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("store a record: %w", err)
	}
	line = append(line, '\n')
	if _, err := r.file.WriteAt(line, r.size); err != nil {
		return fmt.Errorf("store a record: %w", err)
	}
	r.live[id{l.Stream, l.Key}] = live{place{r.size, len(line)}, l.Version}
	r.size += int64(len(line))
	if len(r.live) > r.source.cfg.MaxRecords || r.size > maxBytes {
		return fault.New(fault.Invalid, "tap_too_many_records",
			"more than %d records or %d MiB; choose streams, or raise max_records", r.source.cfg.MaxRecords, maxBytes>>20)
	}
	return nil
}

// save replaces the stored records and the state in one step.
func (r *replica) save() error {
	out, err := os.CreateTemp(r.source.folder, "new-*.jsonl")
	if err != nil {
		return fmt.Errorf("make the file of records: %w", err)
	}
	defer os.Remove(out.Name()) //nolint:errcheck // it may have its new name
	places := make([]live, 0, len(r.live))
	for _, l := range r.live {
		places = append(places, l)
	}
	slices.SortFunc(places, func(a, b live) int { return int(a.at - b.at) })
	w := bufio.NewWriter(out)
	for _, l := range places {
		if _, err = io.Copy(w, io.NewSectionReader(r.file, l.at, int64(l.size))); err != nil {
			break
		}
	}
	var last []byte
	if err == nil && r.state != nil {
		last, err = r.source.sealed(r.state)
	}
	if err == nil && last != nil {
		_, err = w.Write(last)
	}
	if err = errors.Join(err, w.Flush(), out.Sync(), out.Close()); err == nil {
		err = os.Rename(out.Name(), r.source.path())
	}
	if err != nil {
		return fmt.Errorf("store the records: %w", err)
	}
	return nil
}

// cipher encrypts the state, which may have tokens, with a key from the configuration.
func (s *Source) cipher() (cipher.AEAD, error) {
	key := sha256.Sum256([]byte("docent singer state\x00" + s.cfg.Config))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// sealed returns the line with the state.
func (s *Source) sealed(plain []byte) ([]byte, error) {
	aead, err := s.cipher()
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(stored{State: aead.Seal(nil, nil, plain, nil)})
	return append(line, '\n'), err
}

// unseal returns a state; nil if it cannot be decrypted.
func (s *Source) unseal(text []byte) []byte {
	aead, err := s.cipher()
	if err != nil {
		return nil
	}
	plain, err := aead.Open(nil, nil, text, nil)
	if err != nil {
		return nil
	}
	return plain
}

// load reads the stored records and groups them to documents.
func (s *Source) load(ctx context.Context) error {
	file, err := os.Open(s.path())
	if err != nil {
		return fmt.Errorf("read the records: %w", err)
	}
	docs := map[string]*document{}
	err = eachLine(file, func(line []byte, at int64) error {
		var l stored
		if err := json.Unmarshal(line, &l); err != nil {
			return fmt.Errorf("read the records: %w", err)
		}
		if l.State != nil {
			return nil
		}
		m, err := s.rules.mapped(l)
		if err != nil {
			return err
		}
		key := l.Stream + "/" + l.Key
		if m.group != "" {
			key = "group/" + m.group
		}
		d := docs[key]
		if d == nil {
			d = &document{}
			docs[key] = d
		}
		d.add(m, place{at, len(line)})
		if len(m.readers) > 0 {
			may := slices.Contains(m.readers, s.cfg.Reader)
			d.allowed, d.denied = d.allowed || may, d.denied || !may
		}
		return ctx.Err()
	})
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if s.cfg.Readers != "" {
		maps.DeleteFunc(docs, func(_ string, d *document) bool { return !d.permits() })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs, s.file = docs, file
	return nil
}

// record reads a stored record. The caller holds the lock.
func (s *Source) record(at place) (mapped, error) {
	line := make([]byte, at.size)
	if _, err := s.file.ReadAt(line, at.at); err != nil {
		return mapped{}, fmt.Errorf("read a record: %w", err)
	}
	var l stored
	if err := json.Unmarshal(line, &l); err != nil {
		return mapped{}, fmt.Errorf("read a record: %w", err)
	}
	return s.rules.mapped(l)
}
