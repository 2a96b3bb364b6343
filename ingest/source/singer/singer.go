// Package singer runs Singer taps: programs that write the records of a service as lines
// of JSON. Records become documents.
package singer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"docent/ingest/source"
	"docent/internal/fault"
)

// Config describes a source that a tap reads.
type Config struct {
	// Command is the absolute path of the tap. Required.
	Command string `json:"url"`
	// Config is the configuration of the tap in JSON. It is a secret. Required.
	Config string `json:"config"`
	// Streams are the names of the streams to read. Default: all.
	Streams []string `json:"streams,omitempty"`
	// Incremental passes the state of the last run to the tap, so that the tap writes
	// only changes. Default: false.
	Incremental bool `json:"incremental,omitempty"`
	// Files are files and folders that the tap may read. Default: none.
	Files []string `json:"files,omitempty"`
	// Title, Text, Author, Address, Date, Group, Tags, and Deleted are templates. See
	// mapping. Default: those of a known tap, or fields with usual names.
	Title   string `json:"title,omitempty"`
	Text    string `json:"text,omitempty"`
	Author  string `json:"author,omitempty"`
	Address string `json:"address,omitempty"`
	Date    string `json:"date,omitempty"`
	Group   string `json:"group,omitempty"`
	Tags    string `json:"tags,omitempty"`
	Deleted string `json:"deleted,omitempty"`
	// Readers is a template with one field: the groups that may read a record, as a text or a list. With
	// it, the source has only those documents that the group Reader may read, so that the rights on its
	// collection are those of the service. Default: the source has all documents.
	Readers string `json:"readers,omitempty"`
	// Reader is the name of the group at the service.
	Reader string `json:"reader,omitempty"`
	// MaxRecords bounds the records of the source. Default: 200000.
	MaxRecords int `json:"max_records,omitempty"`
	// CacheDir is the folder for the records. Required.
	CacheDir string `json:"-"`
	// Run runs the tap. Required.
	Run Run `json:"-"`
	// InFolder calls its argument with a temporary folder, which it removes afterwards,
	// also if this process is killed. Required.
	InFolder func(work func(dir string) error) error `json:"-"`
}

// Run runs a program that may write only to the folder dir, and read only that folder
// and the files. It passes the output to read, and ends the program if read fails.
type Run func(ctx context.Context, dir string, files []string, command []string, read func(io.Reader) error) error

// Source is a source that a tap reads. It implements source.Source and is safe for
// concurrent use of Open.
type Source struct {
	cfg    Config
	folder string
	rules  rules

	mu   sync.Mutex
	docs map[string]*document // of the last listing, by key
	file *os.File             // the records of docs
}

// New checks a configuration and returns its source. It does not run the tap.
func New(cfg Config) (*Source, error) {
	if !filepath.IsAbs(cfg.Command) {
		return nil, fault.New(fault.Invalid, "tap_path_relative", "the path of the tap %s must be absolute", cfg.Command)
	}
	var config map[string]any
	if err := json.Unmarshal([]byte(cfg.Config), &config); err != nil || config == nil {
		return nil, fault.New(fault.Invalid, "tap_config_invalid",
			"config: it must be a JSON object with the settings of the tap; pass it with --secret-stdin=config")
	}
	for _, file := range cfg.Files {
		if !filepath.IsAbs(file) {
			return nil, fault.New(fault.Invalid, "tap_file_relative", "files: the path %s must be absolute", file)
		}
	}
	if cfg.MaxRecords < 0 {
		return nil, fault.New(fault.Invalid, "tap_option_negative", "max_records: it cannot be negative")
	}
	if cfg.MaxRecords == 0 {
		cfg.MaxRecords = 200_000
	}
	rules, err := newRules(cfg)
	if err != nil {
		return nil, err
	}
	reader := "" // sources of several groups keep their records apart
	if cfg.Readers != "" {
		reader = "\x00" + cfg.Readers + "\x00" + cfg.Reader
	}
	sum := sha256.Sum256([]byte(cfg.Command + "\x00" + cfg.Config + "\x00" + strings.Join(cfg.Streams, "\x00") + reader))
	return &Source{cfg: cfg, folder: filepath.Join(cfg.CacheDir, hex.EncodeToString(sum[:16])), rules: rules}, nil
}

// Close frees memory. The source stays usable.
func (s *Source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.file != nil {
		err = s.file.Close()
	}
	s.docs, s.file = nil, nil
	return err
}

// state is the stored state of a document between two syncs.
type state struct {
	Hash string `json:"h"`
}

// List runs the tap, and then yields the documents of its records.
func (s *Source) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		large, err := s.update(ctx)
		if err == nil {
			err = s.load(ctx)
		}
		if err != nil {
			yield(source.Item{}, fmt.Errorf("run %s: %w", filepath.Base(s.cfg.Command), err))
			return
		}
		s.mu.Lock()
		docs := s.docs
		s.mu.Unlock()
		for key, d := range docs {
			item := source.Item{Key: key, Name: "record.md", Address: d.address}
			hash := d.hash()
			item.State, item.Err = json.Marshal(state{hash})
			if raw, ok := known(key); ok {
				var old state
				item.Unchanged = len(raw) < 1000 && json.Unmarshal(raw, &old) == nil && old.Hash == hash
			}
			if !yield(item, nil) {
				return
			}
		}
		for i := range large { // their keys are not known
			item := source.Item{
				Key: fmt.Sprintf("large/%d", i+1),
				Err: fault.New(fault.Invalid, "tap_record_large", "too large: a record of the tap has more than %d MiB", maxLine>>20),
			}
			if !yield(item, nil) {
				return
			}
		}
	}
}

// update runs the tap and replaces the stored records. It returns the number of records
// that are too large.
func (s *Source) update(ctx context.Context) (large int, err error) {
	if err := s.Close(); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return 0, fmt.Errorf("make the folder of a source: %w", err)
	}
	err = s.cfg.InFolder(func(dir string) (err error) {
		large, err = s.run(ctx, dir)
		return err
	})
	return large, err
}

// run runs the tap in a folder.
func (s *Source) run(ctx context.Context, dir string) (large int, err error) {
	put := func(name string, data []byte) (string, error) {
		at := filepath.Join(dir, name)
		return at, os.WriteFile(at, data, 0o600)
	}
	config, err := put("config.json", []byte(s.cfg.Config))
	if err != nil {
		return 0, err
	}
	cat, err := s.discover(ctx, dir, config)
	if err != nil {
		return 0, err
	}
	command := []string{s.cfg.Command, "--config", config}
	if cat.data != nil {
		at, err := put("catalog.json", cat.data)
		if err != nil {
			return 0, err
		}
		command = append(command, "--catalog", at)
	}
	r, err := s.open(cat)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if r.state != nil {
		at, err := put("state.json", r.state)
		if err != nil {
			return 0, err
		}
		command = append(command, "--state", at)
	}
	if err := s.cfg.Run(ctx, dir, s.cfg.Files, command, r.read); err != nil {
		return 0, err
	}
	return r.large, r.save()
}

// Open returns a document as Markdown.
func (s *Source) Open(_ context.Context, item source.Item) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[item.Key]
	if d == nil {
		return nil, fault.New(fault.NotFound, "tap_record_gone", "the tap no longer has this record")
	}
	var all []mapped
	for _, at := range d.records {
		m, err := s.record(at)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	// The record with a title is the first one. The others are its replies.
	slices.SortStableFunc(all, func(a, b mapped) int {
		if (a.title != "") != (b.title != "") {
			if a.title != "" {
				return -1
			}
			return 1
		}
		return a.date.Compare(b.date)
	})
	return io.NopCloser(strings.NewReader(text(strings.TrimPrefix(item.Key, "group/"), all))), nil
}
