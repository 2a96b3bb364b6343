package worker

import (
	"context"
	"crypto/md5" //nolint:gosec // see removeSocket
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"

	"docent/ingest/extract"
	"docent/ingest/extract/picture"
	"docent/ingest/format"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// newer returns the ending of the format into which LibreOffice converts
// documents with a media type before they are read, or "".
func newer(media string) string {
	f, _ := extract.Formats.ByMedia(media)
	return f.Convert
}

// drawn returns the unit of the pages that LibreOffice draws for documents with
// a media type. It is format.Page, for pages of text, if it draws none.
func drawn(media string) format.Unit {
	f, _ := extract.Formats.ByMedia(media)
	if f.Unit == format.Image {
		return format.Page // docent draws pictures itself
	}
	return f.Unit
}

// Shows reports whether pages of documents with a media type can be displayed.
func (p *Pool) Shows(media string) bool {
	return showsAlone(media) || drawn(media) != format.Page && p.tools.Soffice != ""
}

// Shows reports whether pages of documents with a media type can be displayed.
func (l *Local) Shows(media string) bool { return showsAlone(media) }

// showsAlone reports whether docent draws a format without other programs.
func showsAlone(media string) bool {
	media = format.Base(media)
	f, _ := extract.Formats.ByMedia(media)
	return media == "application/pdf" || f.Unit == format.Image
}

// convert converts a document to another format with LibreOffice.
func (p *Pool) convert(ctx context.Context, data []byte, to string) (made []byte, err error) {
	err = inFolder(func(dir string) error {
		in := filepath.Join(dir, "document")
		if err := os.WriteFile(in, data, 0o600); err != nil {
			return fmt.Errorf("write a document to convert: %w", err)
		}
		profile := profileIn(dir)
		args := []string{"-env:UserInstallation=" + profile, "--headless", "--norestore", "--nologo", "--convert-to", to, "--outdir", dir, in}
		_, err := p.tools.run(ctx, dir, nil, p.tools.Soffice, args...)
		removeSocket(profile)
		if fault.KindOf(err) == fault.Invalid {
			// With a new profile, LibreOffice restarts itself. It then finds
			// its old socket, which it may not remove.
			_, err = p.tools.run(ctx, dir, nil, p.tools.Soffice, args...)
			removeSocket(profile)
		}
		if err != nil {
			return err
		}
		ending, _, _ := strings.Cut(to, ":")
		made, err = os.ReadFile(in + "." + ending)
		if err != nil {
			return fault.Wrap(fault.Invalid, err, "libreoffice_failed", "damaged: LibreOffice cannot read it")
		}
		return nil
	})
	return made, err
}

// profileIn returns the address of LibreOffice's profile in a temporary folder.
func profileIn(dir string) string { return "file://" + filepath.Join(dir, "profile") }

// removeSocket removes the socket that LibreOffice creates for a profile and
// may not remove itself. The name of the socket ends in a hash of the profile's
// address. The hash has each byte of the MD5 of the address in UTF-16 as hex
// without leading zeros (see desktop/source/app/officeipcthread.cxx of
// LibreOffice).
func removeSocket(profile string) {
	var text []byte
	for _, unit := range utf16.Encode([]rune(profile)) {
		text = binary.LittleEndian.AppendUint16(text, unit)
	}
	name := ""
	for _, b := range md5.Sum(text) { //nolint:gosec // it is LibreOffice's choice, and protects nothing
		name += strconv.FormatUint(uint64(b), 16)
	}
	found, _ := filepath.Glob("/tmp/OSL_PIPE_*_SingleOfficeIPC_" + name) // the pattern is valid
	for _, socket := range found {
		_ = os.Remove(socket) // fails if it no longer exists
	}
}

// readConverted reads a document of Office 2003 or earlier. It first converts
// the document to the newer format.
func (p *Pool) readConverted(ctx context.Context, src intake.Source, media string) (intake.Reading, error) {
	slow(ctx)
	ending := newer(media)
	data, err := p.convert(ctx, src.Data, ending)
	if err != nil {
		return intake.Reading{Media: media}, err
	}
	r, err := p.once(ctx, intake.Source{Name: src.Name + "." + ending, Data: data})
	if r.Title == filepath.Base(src.Name+"."+ending) {
		r.Title = filepath.Base(src.Name)
	}
	r.Media = media
	return r, err
}

// pdfOf returns a document as a PDF. It returns PDFs and pictures unchanged.
func (p *Pool) pdfOf(ctx context.Context, src intake.Source) ([]byte, error) {
	switch {
	case isPDF(src.Data), picture.Media(src.Data) != "", drawn(src.Media) == format.Page:
		return src.Data, nil
	case p.tools.Soffice == "":
		return nil, fault.New(fault.NotFound,
			"libreoffice_missing", "its pages cannot be shown: LibreOffice is not installed on the server")
	}
	to := `pdf:impress_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"}}`
	if drawn(src.Media) == format.Sheet { // one page for each sheet of any size
		to = `pdf:calc_pdf_Export:{"SinglePageSheets":{"type":"boolean","value":"true"}}`
	}
	sum := sha256.New()
	sum.Write([]byte(to))
	sum.Write(src.Data)
	key := hex.EncodeToString(sum.Sum(nil)) + ".pdf"
	if kept, ok := p.kept.get(key); ok {
		return kept, nil
	}
	made, err := p.convert(ctx, src.Data, to)
	if err != nil {
		return nil, err
	}
	return made, p.kept.put(key, made)
}

// maxKept bounds the files in a keptFiles, in bytes.
const maxKept = 256 << 20

// keptFiles is a folder of files that can be created again. It removes the
// oldest files first.
type keptFiles struct {
	dir string // "" keeps no files
	mu  sync.Mutex
}

func (k *keptFiles) get(name string) ([]byte, bool) {
	if k.dir == "" {
		return nil, false
	}
	data, err := os.ReadFile(filepath.Join(k.dir, name))
	return data, err == nil
}

// put stores a file atomically.
func (k *keptFiles) put(name string, data []byte) error {
	if k.dir == "" || len(data) > maxKept/4 {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return fmt.Errorf("keep a file: %w", err)
	}
	temporary := filepath.Join(k.dir, "new")
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return fmt.Errorf("keep a file: %w", err)
	}
	if err := os.Rename(temporary, filepath.Join(k.dir, name)); err != nil {
		return fmt.Errorf("keep a file: %w", err)
	}
	return k.forget()
}

// forget removes the oldest files if there are too many.
func (k *keptFiles) forget() error {
	entries, err := os.ReadDir(k.dir)
	if err != nil {
		return fmt.Errorf("look at the kept files: %w", err)
	}
	var files []fs.FileInfo
	var size int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			files, size = append(files, info), size+info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if size <= maxKept {
			break
		}
		if err := os.Remove(filepath.Join(k.dir, f.Name())); err != nil {
			return fmt.Errorf("forget a kept file: %w", err)
		}
		size -= f.Size()
	}
	return nil
}
