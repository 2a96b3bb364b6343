package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"docent/embed/download"
	"docent/internal/fault"
)

// maxRedirects bounds the redirects of a download.
const maxRedirects = 5

// Address is a folder on a server.
type Address struct {
	base   *url.URL
	client *http.Client
}

// NewAddress returns the files below an address, such as
// https://huggingface.co/BAAI/bge-small-en-v1.5. Plain HTTP is for this machine only. A
// download fails if the server sends nothing for a minute.
func NewAddress(address string) (*Address, error) {
	u, err := url.Parse(strings.TrimRight(address, "/"))
	if err == nil {
		err = fits(u)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "cli_model_address", "%s is not the address of a model: %w", address, err)
	}
	u.RawQuery, u.Fragment = "", ""
	// Its pages are not its files.
	if parts := strings.Split(strings.Trim(u.Path, "/"), "/"); u.Host == "huggingface.co" && len(parts) == 2 {
		u.Path += "/resolve/main"
	}
	transport := download.NewTransport(download.DefaultIdle)
	return &Address{u, &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errors.New("too many redirects")
		}
		return fits(r.URL)
	}}}, nil
}

// fits checks that an address can be trusted to give the files of its host.
func fits(u *url.URL) error {
	host := u.Hostname()
	switch {
	case host == "" || u.User != nil:
		return errors.New("use https://HOST/PATH")
	case u.Scheme == "https", u.Scheme == "http" && (host == "localhost" || host == "127.0.0.1" || host == "::1"):
		return nil
	default:
		return errors.New("use https")
	}
}

// ModelName returns the last part of the path, in small letters. On Hugging Face this is
// the name of the model.
func (a *Address) ModelName() string {
	return strings.ToLower(path.Base(strings.TrimSuffix(a.base.Path, "/resolve/main")))
}

// String returns the address.
func (a *Address) String() string { return a.base.String() }

// Size returns the size of the weights in bytes, or -1 if the server does not tell it.
func (a *Address) Size(ctx context.Context) (int64, error) {
	resp, err := a.request(ctx, http.MethodHead, weightsFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, fault.New(fault.Invalid, "cli_model_address", "%s is not the address of a model: %w", a, err)
	case err != nil:
		return 0, fault.New(fault.Unavailable, "cli_model_unreachable",
			"the model at %s cannot be downloaded: %w; if a proxy is needed, set HTTPS_PROXY; or download its folder on another machine, "+
				"and run: docent model install FOLDER", a, err)
	}
	return resp.ContentLength, resp.Body.Close()
}

// Open implements Source.
func (a *Address) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	resp, err := a.request(ctx, http.MethodGet, name)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

func (a *Address) request(ctx context.Context, method, name string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.base.JoinPath(name).String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, err
	}
	switch resp.StatusCode {
	case http.StatusOK:
		return resp, nil
	case http.StatusNotFound:
		err = fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	default:
		err = fmt.Errorf("%s: status %d", name, resp.StatusCode)
	}
	return nil, errors.Join(err, resp.Body.Close())
}
