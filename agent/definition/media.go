package definition

import (
	"context"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"docent/agent"
	"docent/llm/speech"
	"docent/payload"
)

// Bounds of the files that an agent sends. They are read when the agent starts.
const (
	// MaxMedia bounds one file, in bytes.
	MaxMedia = 8 << 20
	// MaxAllMedia bounds all files of an agent together, in bytes.
	MaxAllMedia = 64 << 20
)

// fileReply reads the action file: a file of the agent's folder, or a text with a name.
func (d replies) fileReply(n *yaml.Node) action {
	var path, name, kind string
	var content []byte
	var text template
	keys := d.mapping(n, "file",
		field{"path", func(n *yaml.Node) { path, content = d.media(n, "path") }},
		field{"text", func(n *yaml.Node) { text = d.template(n, "text") }},
		field{"name", func(n *yaml.Node) { name = d.fileWord(n, "name") }},
		field{"type", func(n *yaml.Node) { kind = d.fileWord(n, "type") }},
	)
	switch {
	case (keys["path"] == nil) == (keys["text"] == nil):
		d.wrong(n, "file needs either path, a file to send, or text with a name")
	case keys["text"] != nil && keys["name"] == nil:
		d.wrong(n, "a file of text needs a name, as in {name: order.txt, text: \"{{.variables.order}}\"}")
	}
	if name == "" {
		name = filepath.Base(path)
	}
	if kind == "" {
		kind, _, _ = mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(name))) // "" if it is unknown
	}
	return always(func(ctx context.Context, s *agent.Session) error {
		bytes := content
		if text != nil {
			bytes = []byte(text.fill(s))
		}
		return s.ReplyFile(ctx, payload.NewFile(name, kind, bytes))
	})
}

// fileWord reads the name or the type of a file.
func (d replies) fileWord(n *yaml.Node, what string) string {
	word := d.text(n, what)
	if len(word) > payload.MaxFileNameBytes || strings.ContainsFunc(word, unicode.IsControl) {
		d.wrong(n, "%s may have at most %d bytes, without control characters", what, payload.MaxFileNameBytes)
	}
	return word
}

// imageReply reads the action image.
func (d replies) imageReply(n *yaml.Node) action {
	path, content := d.media(n, "image")
	if content != nil && !payload.Image(content).IsPicture() {
		d.wrong(n, "image: %s is not a picture: use a JPEG, PNG, GIF, or WebP file", path)
	}
	return always(func(ctx context.Context, s *agent.Session) error { return s.ReplyImage(ctx, payload.Image(content)) })
}

// audioReply reads the action audio.
func (d replies) audioReply(n *yaml.Node) action {
	path, content := d.media(n, "audio")
	var sound payload.Audio
	if content != nil {
		var err error
		if sound, err = speech.ParseWAV(content); err != nil {
			d.wrong(n, "audio: %s is not sound: use a WAV file with 16-bit or 32-bit floating-point samples", path)
		}
	}
	return always(func(ctx context.Context, s *agent.Session) error { return s.ReplyAudio(ctx, sound) })
}

// media reads the path of a file and the file. The content is nil after an error.
func (d replies) media(n *yaml.Node, what string) (path string, content []byte) {
	if path = d.expanded(n, what); path == "" {
		return "", nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.env.Dir, path)
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		d.wrong(n, "%s: there is no file %s; paths are relative to the file", what, path)
		return path, nil
	}
	content, err := readSome(path, MaxMedia)
	if d.loaded += len(content); err == nil && d.loaded > MaxAllMedia {
		err = fmt.Errorf("the files of an agent may have %d bytes together", MaxAllMedia)
	}
	if err != nil {
		d.wrong(n, "%s: %v", what, err)
		return path, nil
	}
	return path, content
}

// readSome reads a file of at most a number of bytes. The result is not nil.
func readSome(path string, most int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read: %w", err)
	case len(content) > most:
		return nil, fmt.Errorf("%s is larger than %d bytes", path, most)
	}
	return content, nil
}
