package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"docent/config"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag/corpus"
)

const (
	// tokenEnv names the token, so that it need not stand in the list of processes.
	tokenEnv = "DOCENT_TOKEN"
	// maxRemote bounds a response of a server, in bytes.
	maxRemote = 64 << 20
)

// remote is a running server that a command asks instead of the database.
type remote struct {
	// url is its address; "" without one.
	url string
	// token is sent with each request; "" for none.
	token string
}

// flags adds the flags for a server to a command.
func (r *remote) flags(cmd *cobra.Command, address string) {
	cmd.Flags().StringVar(&r.url, "server", address, "address of a running server to ask, such as https://docs.example.com")
	cmd.Flags().StringVar(&r.token, "token", "", "token for the server (default $"+tokenEnv+")")
}

// check completes the token and checks the address. ok is false without a server. With one, flags for the database and
// the models of this machine are errors, except those in sent.
func (r *remote) check(cmd *cobra.Command, sent ...string) (ok bool, err error) {
	if r.url == "" {
		if r.token != "" {
			return false, fault.New(fault.Invalid, "cli_token_without_server", "--token needs the server that it is for; add --server URL")
		}
		return false, nil
	}
	for _, s := range config.Settings() {
		if s.Scope != config.Global && cmd.Flags().Changed(s.Flag) && !slices.Contains(sent, s.Flag) {
			return false, fault.New(fault.Invalid, "cli_flag_of_server", "--%s has no effect with --server; set it on the server", s.Flag)
		}
	}
	u, err := url.Parse(r.url)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return false, fault.New(fault.Invalid, "cli_remote_address", "--server %.200q is not an address such as http://127.0.0.1:8765", r.url)
	}
	r.url = strings.TrimSuffix(r.url, "/")
	if r.token == "" {
		r.token, _ = config.Variable(tokenEnv)
	}
	return true, nil
}

// get requests a path, and decodes the response.
func (r *remote) get(ctx context.Context, path string, query url.Values, into any) error {
	return r.call(ctx, http.MethodGet, path+"?"+query.Encode(), nil, into)
}

// call sends a body as JSON, unless it is nil, and decodes the response.
func (r *remote) call(ctx context.Context, method, path string, body, into any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("write a request: %w", err)
		}
		sent = bytes.NewReader(text)
	}
	return r.send(ctx, method, path, "application/json", sent, into)
}

// send sends a body of a media type, unless it is nil, and decodes the response.
func (r *remote) send(ctx context.Context, method, path, mediaType string, body io.Reader, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, body)
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "cli_remote_address", "--server %.200q is not an address such as http://127.0.0.1:8765", r.url)
	}
	if body != nil {
		req.Header.Set("Content-Type", mediaType)
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return r.away(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxRemote))
	if err != nil {
		return r.away(err)
	}
	if resp.StatusCode/100 != 2 {
		return r.refusal(resp.StatusCode, text)
	}
	if resp.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fault.Wrap(fault.Unavailable, err, "cli_server_foreign", "%s does not answer like docent; check --server", r.url)
	}
	return nil
}

// download returns the response to a request.
func (r *remote) download(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+path, http.NoBody)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "cli_remote_address", "--server %.200q is not an address such as http://127.0.0.1:8765", r.url)
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, r.away(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxRemote))
	switch {
	case err != nil:
		return nil, r.away(err)
	case resp.StatusCode != http.StatusOK:
		return nil, r.refusal(resp.StatusCode, text)
	}
	return text, nil
}

// away is the error of a server that does not answer.
func (r *remote) away(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	return fault.New(fault.Unavailable, "cli_server_away", "no answer from %s: %w; start it with docent serve, or check --server", r.url, err)
}

// refusal is the error of a response of the server.
func (r *remote) refusal(status int, body []byte) error {
	var said struct{ Code, Message string }
	if json.Unmarshal(body, &said) != nil || said.Message == "" {
		return fault.New(fault.Unavailable, "cli_server_status", "%s answers with status %d, and not like docent; check --server", r.url, status)
	}
	kind := fault.Kind(said.Code)
	if kind == fault.Unauthorized {
		said.Message += "; name a token with --token or $" + tokenEnv
	}
	return fault.New(kind, "named_reason", "%s: %s", r.url, said.Message)
}

// ask answers a question.
func (r *remote) ask(
	ctx context.Context, question, model string, k int, collections []string, within scope,
) (payload.RAGMessage, error) {
	var msg payload.RAGMessage
	body := map[string]any{"question": question, "k": k}
	if model != "" {
		body["model"] = model
	}
	if len(collections) > 0 {
		body["collections"] = collections
	}
	if len(within.documents) > 0 {
		body["documents"] = within.documents
	}
	if len(within.place.Folders) > 0 {
		body["folders"] = within.place.Folders
	}
	if len(within.place.Tags) > 0 {
		body["tags"] = within.place.Tags
	}
	return msg, r.call(ctx, http.MethodPost, "/api/ask", body, &msg)
}

// search finds passages. k is at most 50.
func (r *remote) search(
	ctx context.Context, question string, k int, explain bool, collections []string, within scope,
) (searchFound, error) {
	query := url.Values{"q": {question}, "k": {strconv.Itoa(k)}, "collection": collections}
	within.query(query)
	for _, id := range within.documents {
		query.Add("document", strconv.FormatInt(id, 10))
	}
	if explain {
		query.Set("explain", "true")
	}
	var found searchFound
	return found, r.get(ctx, "/api/search", query, &found)
}

// models lists the models that users may choose. The first one is that of the server.
func (r *remote) models(ctx context.Context) ([]string, error) {
	var info struct {
		Model  struct{ Name string } `json:"model"`
		Models []string              `json:"models"`
	}
	if err := r.get(ctx, "/api/info", nil, &info); err != nil {
		return nil, err
	}
	if info.Model.Name == "" {
		return nil, fault.New(fault.Unavailable, "cli_server_foreign", "%s does not answer like docent; check --server", r.url)
	}
	if i := slices.Index(info.Models, info.Model.Name); i > 0 {
		info.Models = slices.Insert(slices.Delete(info.Models, i, i+1), 0, info.Model.Name)
	}
	return info.Models, nil
}

// collections lists the names of the collections that the user of the token may read.
func (r *remote) collections(ctx context.Context) ([]string, error) {
	var found []struct {
		Name string `json:"name"`
	}
	if err := r.get(ctx, "/api/collections", nil, &found); err != nil {
		return nil, err
	}
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = c.Name
	}
	return names, nil
}

// documents calls f with each document of a collection, in pages; "" means all collections.
func (r *remote) documents(ctx context.Context, collection string, place corpus.Place, f func(docLine) error) error {
	query := url.Values{"limit": {strconv.Itoa(listPage)}}
	(&scope{place: place}).query(query)
	if collection != "" {
		query.Set("collection", collection)
	}
	for {
		var page struct {
			Documents []remoteDocument `json:"documents"`
			Next      int64            `json:"next"`
		}
		if err := r.get(ctx, "/api/documents", query, &page); err != nil {
			return err
		}
		for _, d := range page.Documents {
			d.Reason = d.Error
			if err := f(d.docLine); err != nil {
				return err
			}
		}
		if page.Next == 0 {
			return nil
		}
		query.Set("after", strconv.FormatInt(page.Next, 10))
	}
}

// remoteDocument is a document in the list of a server.
type remoteDocument struct {
	docLine

	Error string `json:"error"`
}
