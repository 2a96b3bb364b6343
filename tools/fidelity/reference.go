package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// The programs that texts are compared with, and a file of expected text.
const (
	pdftotext   = "pdftotext"
	pandoc      = "pandoc"
	trafilatura = "trafilatura"
	libreOffice = "LibreOffice"
	// expected is the name of the file with the main content of the source.html
	// beside it.
	expected = "expected.html"
)

// commands are the programs' names on the search path.
var commands = map[string]string{pdftotext: "pdftotext", pandoc: "pandoc", trafilatura: "trafilatura", libreOffice: "soffice"}

// howToInstall says where each program comes from.
var howToInstall = map[string]string{
	pdftotext: "apt install poppler-utils", pandoc: "apt install pandoc", trafilatura: "pip install trafilatura lxml_html_clean",
	libreOffice: "apt install libreoffice-writer libreoffice-calc libreoffice-impress",
}

// formatNames are the formats by the endings of their files, where a reference
// exists.
var formatNames = map[string]string{
	".pdf": "pdf", ".html": "html", ".htm": "html", ".docx": "docx", ".odt": "odt", ".epub": "epub", ".rtf": "rtf", ".ipynb": "ipynb",
	".tex": "latex", ".rst": "rst", ".org": "org", ".md": "markdown", ".pptx": "pptx", ".odp": "odp", ".xlsx": "xlsx", ".ods": "ods",
	".doc": "doc", ".xls": "xls", ".ppt": "ppt", ".dbk": "docbook",
}

// commandTimeout bounds one run of a program.
const commandTimeout = 2 * time.Minute

var errMissing = errors.New("not installed")

// formatOf is the format of a file by its name, "" if it has no reference.
func formatOf(path string) string { return formatNames[strings.ToLower(filepath.Ext(path))] }

// referencesOf are the references that a file is compared with.
func referencesOf(path, format string) []string {
	switch format {
	case "pdf":
		return []string{pdftotext}
	case "html":
		if filepath.Base(path) == "source.html" {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), expected)); err == nil {
				return []string{expected, trafilatura}
			}
		}
		return []string{pandoc, trafilatura}
	case "docx", "odt", "rtf":
		return []string{pandoc, libreOffice}
	case "epub", "ipynb", "latex", "rst", "org", "markdown", "docbook":
		return []string{pandoc}
	default:
		return []string{libreOffice}
	}
}

// references run the programs.
type references struct {
	scratch string // a folder for LibreOffice
	missing map[string]bool
}

// absent are the programs that were needed and are not installed.
func (r *references) absent() []string {
	var out []string
	for tool := range r.missing {
		out = append(out, tool)
	}
	slices.Sort(out)
	return out
}

// text is a file's text by a reference. It is errMissing if the program is not
// installed.
func (r *references) text(ctx context.Context, reference, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	if reference == expected {
		return expectedText(filepath.Join(filepath.Dir(path), expected))
	}
	program, err := exec.LookPath(commands[reference])
	if err != nil {
		r.missing[reference] = true
		return "", errMissing
	}
	switch reference {
	case pdftotext:
		return output(ctx, "", program, path, "-")
	case pandoc:
		if formatOf(path) == "latex" { // LaTeX prints the numbers of sections
			return output(ctx, "", program, "--to=plain", "--wrap=none", "--number-sections", path)
		}
		return output(ctx, "", program, "--to=plain", "--wrap=none", path)
	case trafilatura:
		return output(ctx, path, program)
	default:
		switch formatOf(path) {
		case "xlsx", "ods", "xls":
			return r.sheets(ctx, program, path)
		}
		return r.office(ctx, program, path)
	}
}

// expectedText is the text of a page without its tags.
func expectedText(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	root, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
	}
	return b.String(), nil
}

// office converts a document to PDF and reads that with pdftotext.
func (r *references) office(ctx context.Context, program, path string) (string, error) {
	reader, err := exec.LookPath(commands[pdftotext])
	if err != nil {
		r.missing[pdftotext] = true
		return "", errMissing
	}
	dir, err := os.MkdirTemp(r.scratch, "office")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	profile := "-env:UserInstallation=file://" + filepath.Join(r.scratch, "profile")
	if _, err := output(ctx, "", program, profile, "--headless", "--convert-to", "pdf", "--outdir", dir, path); err != nil {
		return "", err
	}
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	converted := filepath.Join(dir, base+".pdf")
	if _, err := os.Stat(converted); err != nil { // it exits with 0 all the same
		return "", errors.New("LibreOffice cannot load this format; install its writer, calc and impress")
	}
	return output(ctx, "", reader, converted, "-")
}

// allSheets is LibreOffice's filter for CSV: commas, quotes, UTF-8, values as they
// are displayed, and a file for each sheet.
const allSheets = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1"

// sheets converts a workbook to CSV. A print would cut values at the width of
// their columns.
func (r *references) sheets(ctx context.Context, program, path string) (string, error) {
	dir, err := os.MkdirTemp(r.scratch, "sheets")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	profile := "-env:UserInstallation=file://" + filepath.Join(r.scratch, "profile")
	if _, err := output(ctx, "", program, profile, "--headless", "--convert-to", allSheets, "--outdir", dir, path); err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		return "", err
	}
	if len(files) == 0 {
		return "", errors.New("LibreOffice cannot load this format; install its calc")
	}
	var b strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// output runs a program with a file as its standard input, if one is named, and
// returns its standard output.
func output(ctx context.Context, input, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	if input != "" {
		in, err := os.Open(input)
		if err != nil {
			return "", err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	out, err := cmd.Output()
	if err != nil {
		reason := ""
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
			reason = ": " + lines[len(lines)-1]
		}
		return "", fmt.Errorf("%s: %w%s", filepath.Base(program), err, reason)
	}
	return string(out), nil
}
