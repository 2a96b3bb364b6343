package hub

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"docent/embed/multilingual"
	"docent/internal/fault"
)

// manifestFile describes an installed model.
const manifestFile = "docent.json"

// Manifest describes an installed model.
type Manifest struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Source is the folder or the address that the model comes from.
	Source string `json:"source"`
	// Checksum is the SHA-256 of the weights, in hexadecimal.
	Checksum string `json:"sha256"`
	// Bytes is the size of all files.
	Bytes int64 `json:"bytes"`
	// Memory is about the memory that the open model needs, in bytes.
	Memory int64 `json:"memory"`
	// Width is the length of the vectors.
	Width int `json:"width"`
	// Multilingual is set for models with the vocabulary of XLM-RoBERTa.
	Multilingual bool `json:"multilingual"`
	// Scale and Shift turn cosines into the scale of the built-in encoder.
	Scale float64 `json:"scale,omitempty"`
	Shift float64 `json:"shift,omitempty"`

	// Folder is the place of the model.
	Folder string `json:"-"`
}

// Names of models are names of folders on every system.
var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}[a-z0-9]$`)

// Source gives the files of a model.
type Source interface {
	// Open opens a file. The error wraps fs.ErrNotExist without the file.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// String is the place of the files.
	String() string
}

// folderSource is a folder on this machine.
type folderSource string

// NewFolder returns the files in a folder.
func NewFolder(path string) Source { return folderSource(path) }

func (f folderSource) Open(_ context.Context, name string) (io.ReadCloser, error) {
	path := filepath.Join(string(f), filepath.FromSlash(name))
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	return os.Open(path)
}

func (f folderSource) String() string { return string(f) }

// Install copies a model into the folder of models, checks it, and replaces an
// installed model with its name. It reads only the files that the package knows.
func Install(ctx context.Context, from Source, name, models string, cfg Config) (*Manifest, error) {
	if !validName.MatchString(name) || name == multilingual.Model {
		return nil, fault.New(fault.Invalid, "cli_model_name",
			"%q cannot be the name of a model: use small letters, digits, dots, and hyphens, as in --name bge-small", name)
	}
	if err := os.MkdirAll(models, 0o700); err != nil {
		return nil, fault.New(fault.Invalid, "cli_model_file", "the model cannot be installed: %w", err)
	}
	folder, err := os.MkdirTemp(models, ".install-*")
	if err != nil {
		return nil, fault.New(fault.Invalid, "cli_model_file", "the model cannot be installed: %w", err)
	}
	defer os.RemoveAll(folder) // does nothing after the rename
	m := &Manifest{Name: name, Source: from.String(), Folder: filepath.Join(models, name)}
	for _, f := range files {
		if f.name == weightsFile { // they are large: a model that docent cannot run is refused before
			if _, err := describe(folder, name); err != nil {
				return nil, unfit(from, err)
			}
		}
		if err := m.copyFile(ctx, from, folder, f.name, f.limit); err != nil {
			return nil, fault.New(fault.Invalid, "cli_model_copy", "the model in %s cannot be read: %w", from, err)
		}
	}
	if err := m.check(ctx, folder, cfg); err != nil {
		return nil, unfit(from, err)
	}
	raw, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, manifestFile), raw, 0o600)
	}
	if err == nil {
		err = os.RemoveAll(m.Folder)
	}
	if err == nil {
		err = os.Rename(folder, m.Folder)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "cli_model_file", "the model cannot be installed: %w", err)
	}
	return m, nil
}

func unfit(from Source, err error) error {
	return fault.New(fault.Invalid, "cli_model_unfit", "docent cannot run the model in %s: %w", from, err)
}

// copyFile copies a file of the model. It does nothing if the file does not exist.
func (m *Manifest) copyFile(ctx context.Context, from Source, folder, name string, limit int64) error {
	in, err := from.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(in, limit+1))
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if n > limit {
		return fmt.Errorf("%s is larger than %d MB", name, limit>>20)
	}
	m.Bytes += n
	if name == weightsFile {
		m.Checksum = hex.EncodeToString(sum.Sum(nil))
	}
	return nil
}

// check opens the model and uses it once.
func (m *Manifest) check(ctx context.Context, folder string, cfg Config) error {
	opened, err := open(folder, m.Name, cfg)
	if err != nil {
		return err
	}
	m.Kind, m.Width, m.Multilingual = opened.kind, opened.shape.Width, opened.tokenizer.multilingual
	s := opened.shape
	m.Memory = int64(s.Width) * (int64(opened.words) + int64(opened.layers)*int64(4*s.Width+2*s.Inner) + 4*int64(s.MaxTokens))
	if m.Kind != Encoder {
		_, err = opened.logits(ctx, []string{"Is the server on?"}, []string{"The server is on."})
		return err
	}
	m.Scale, m.Shift, err = opened.calibrate(ctx)
	return err
}

// List returns the installed models by name.
func List(models string) ([]Manifest, error) {
	entries, err := os.ReadDir(models)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the models: %w", err)
	}
	var out []Manifest
	for _, e := range entries {
		if !e.IsDir() || !validName.MatchString(e.Name()) {
			continue
		}
		m := Manifest{Folder: filepath.Join(models, e.Name())}
		if err := readJSON(m.Folder, manifestFile, &m); err != nil {
			return nil, fmt.Errorf("model %s: %w", e.Name(), err)
		}
		if m.Name != e.Name() || len(m.Checksum) != hex.EncodedLen(sha256.Size) || m.Width < 1 {
			continue // not a model
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Manifest) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// Remove removes an installed model.
func Remove(models, name string) error {
	list, err := List(models)
	if err != nil {
		return err
	}
	for _, m := range list {
		if m.Name == name {
			if err := os.RemoveAll(m.Folder); err != nil {
				return fmt.Errorf("remove the model: %w", err)
			}
			return nil
		}
	}
	return fault.New(fault.NotFound, "cli_no_model", "there is no model %q; docent model ls lists the models", name)
}
