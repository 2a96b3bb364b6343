package payload

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"unicode"

	"docent/internal/fault"
)

// Defaults of a File.
const (
	// DefaultFileName is the name of a file without a name.
	DefaultFileName = "default_filename"
	// DefaultFileType is the type of a file without a type. Browsers send the same
	// type for unknown extensions.
	DefaultFileType = "file"
)

// MaxFileNameBytes bounds the name of a file, and its type.
const MaxFileNameBytes = 255

// File is a complete file. In JSON it is an object, or a string that contains the
// object.
type File struct {
	// Name is the file name that the sender chose. Do not use it as a path.
	Name string `json:"name"`
	// Type is a media type, or a bare extension.
	Type string `json:"type"`
	// Base64 is the content in standard base64.
	Base64 string `json:"base64"`
}

// NewFile returns a file with the given content. Without a name or a type it
// gets DefaultFileName or DefaultFileType.
func NewFile(name, mediaType string, content []byte) File {
	f := File{Name: name, Type: mediaType, Base64: base64.StdEncoding.EncodeToString(content)}
	f.defaults()
	return f
}

func (f *File) defaults() {
	if f.Name == "" {
		f.Name = DefaultFileName
	}
	if f.Type == "" {
		f.Type = DefaultFileType
	}
}

// Bytes returns the content; fault.Invalid if it is not base64.
func (f File) Bytes() ([]byte, error) {
	content, err := base64.StdEncoding.DecodeString(f.Base64)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "file_content_not_base64", "a file's content must be base64")
	}
	return content, nil
}

// Text returns the file as JSON text with BAF's spacing, as in the message of a
// user_file frame.
func (f File) Text() string {
	b := make([]byte, 0, len(f.Base64)+len(f.Name)+len(f.Type)+64)
	b = appendString(append(b, `{"name": `...), f.Name)
	b = appendString(append(b, `, "type": `...), f.Type)
	b = appendString(append(b, `, "base64": `...), f.Base64)
	return string(append(b, '}'))
}

// UnmarshalJSON reads a file from an object, or from a string that contains one.
// It replaces the name by its ReadableName. It fails with fault.Invalid if the
// content is invalid, or if the name is too long or contains control characters.
func (f *File) UnmarshalJSON(data []byte) error {
	var text string
	if !bytes.HasPrefix(data, []byte{'{'}) && json.Unmarshal(data, &text) == nil { // objects are read only once
		data = []byte(text)
	}
	var in struct {
		Name   *string `json:"name"`
		Type   *string `json:"type"`
		Base64 *string `json:"base64"`
	}
	if err := unmarshal(data, &in); err != nil {
		return fault.Wrap(fault.Invalid, err, "file_invalid", "a file must be an object of name, type and base64, which are strings")
	}
	if in.Base64 == nil {
		return fault.New(fault.Invalid, "file_without_content", "the file has no content; send it in the field base64")
	}
	read := File{Base64: *in.Base64}
	for from, to := range map[*string]*string{in.Name: &read.Name, in.Type: &read.Type} {
		if from == nil {
			continue
		}
		if len(*from) > MaxFileNameBytes || strings.ContainsFunc(*from, unicode.IsControl) {
			return fault.New(fault.Invalid,
				"file_name_invalid", "a file's name and type may have at most %d bytes, without control characters", MaxFileNameBytes)
		}
		*to = ReadableName(*from)
	}
	if _, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, strings.NewReader(read.Base64))); err != nil {
		return fault.Wrap(fault.Invalid, err, "file_content_not_base64", "a file's content must be base64")
	}
	read.defaults()
	*f = read
	return nil
}

// DecodeFile reads the message of a user_file frame. All errors are
// fault.Invalid.
func DecodeFile(message json.RawMessage) (File, error) {
	var f File
	if len(message) == 0 {
		return f, fault.New(fault.Invalid, "file_missing", "user_file needs a file")
	}
	return f, f.UnmarshalJSON(message)
}
