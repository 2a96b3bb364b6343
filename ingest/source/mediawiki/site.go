package mediawiki

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"docent/ingest/source/dial"
	"docent/internal/fault"
)

// maxHead bounds the beginning of a page in which docent looks for the address of the
// API, in bytes.
const maxHead = 512 << 10

// site is a wiki.
type site struct {
	api        *url.URL
	namespaces []int // to read
	user       bool  // signed in
}

// connect finds the API of the wiki, signs in, and reads its namespaces. Without fresh,
// it returns the result of the last connect.
func (s *Source) connect(ctx context.Context, fresh bool) (*site, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.site != nil && !fresh {
		return s.site, nil
	}
	api, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	w := &site{api: api}
	if s.cfg.User != "" {
		if err := s.signIn(ctx, w); err != nil {
			return nil, err
		}
		w.user = true
	}
	if s.cfg.Reader != "" {
		if err := s.checkReader(ctx, w); err != nil {
			return nil, err
		}
	}
	var got struct {
		Query struct {
			Namespaces map[string]namespace `json:"namespaces"`
			Aliases    []namespace          `json:"namespacealiases"`
		} `json:"query"`
	}
	params := url.Values{"action": {"query"}, "meta": {"siteinfo"}, "siprop": {"namespaces|namespacealiases"}}
	if err := s.call(ctx, w, params, &got); err != nil {
		return nil, err
	}
	var all []namespace
	for _, n := range got.Query.Namespaces {
		all = append(all, n)
	}
	w.namespaces, err = choose(append(all, got.Query.Aliases...), s.cfg.Namespaces)
	s.site = w
	return w, err
}

// namespace is a group of pages. An alias has a further name of one.
type namespace struct {
	ID        int    `json:"id"`
	Name      string `json:"name"`
	Alias     string `json:"alias"`
	Canonical string `json:"canonical"`
	Content   bool   `json:"content"`
}

// choose returns the numbers of namespaces by their names or numbers; those with
// content if none are named. "main" is the namespace without a name.
func choose(all []namespace, names []string) ([]int, error) {
	var out []int
	for _, n := range all {
		if len(names) == 0 && n.Content && n.ID >= 0 {
			out = append(out, n.ID)
		}
	}
	for _, name := range names {
		plain := strings.ReplaceAll(strings.TrimSuffix(name, ":"), "_", " ")
		i := slices.IndexFunc(all, func(n namespace) bool {
			return strconv.Itoa(n.ID) == plain || strings.EqualFold(n.Name, plain) || strings.EqualFold(n.Alias, plain) && plain != "" ||
				strings.EqualFold(n.Canonical, plain) && plain != "" || n.ID == 0 && strings.EqualFold(plain, "main")
		})
		if i < 0 || all[i].ID < 0 {
			return nil, fault.New(fault.Invalid, "wiki_namespace_unknown", "namespaces: the wiki has no namespace %.64q", name)
		}
		out = append(out, all[i].ID)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// find returns the address of the API. Pages of a wiki name it in a link element.
func (s *Source) find(ctx context.Context) (*url.URL, error) {
	if strings.HasSuffix(s.url.Path, "/api.php") {
		return s.url, nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url.String(), http.NoBody)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "address_invalid", "%s is not an address", s.url)
	}
	res, err := dial.Do(s.client, req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close() //nolint:errcheck // it is only read
	at, err := editURI(io.LimitReader(res.Body, maxHead))
	if err != nil {
		return nil, dial.Explain(err, s.url.Host)
	}
	api, err := res.Request.URL.Parse(at)
	switch {
	case at == "" || err != nil:
		return nil, fault.New(fault.Invalid, "wiki_not_found", "docent finds no MediaWiki at this address; give the address of its api.php")
	case !dial.SameHost(api.Hostname(), s.url):
		return nil, fault.New(fault.Invalid, "wiki_other_host", "the API of this wiki is at %s; give that address", api.Redacted())
	}
	if s.url.Scheme == "https" {
		api.Scheme = "https"
	}
	api.RawQuery, api.Fragment = "", ""
	return api, nil
}

// editURI returns the address in the link element EditURI of a page; "" without one.
func editURI(page io.Reader) (string, error) {
	z := html.NewTokenizer(page)
	z.SetMaxBuf(maxHead)
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() == io.EOF || z.Err() == html.ErrBufferExceeded { //nolint:errorlint // it is not wrapped
				return "", nil
			}
			return "", z.Err()
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			values := map[string]string{}
			for _, a := range t.Attr {
				values[a.Key] = a.Val
			}
			if t.DataAtom == atom.Link && strings.EqualFold(values["rel"], "EditURI") {
				return values["href"], nil
			}
		}
	}
}

// signIn signs in with a bot password.
func (s *Source) signIn(ctx context.Context, w *site) error {
	var got struct {
		Query struct {
			Tokens struct {
				Login string `json:"logintoken"`
			} `json:"tokens"`
		} `json:"query"`
		Login struct {
			Result string `json:"result"`
		} `json:"login"`
	}
	if err := s.call(ctx, w, url.Values{"action": {"query"}, "meta": {"tokens"}, "type": {"login"}}, &got); err != nil {
		return err
	}
	params := url.Values{"action": {"login"}, "lgname": {s.cfg.User}, "lgpassword": {s.cfg.Password}, "lgtoken": {got.Query.Tokens.Login}}
	if err := s.call(ctx, w, params, &got); err != nil {
		return err
	}
	if got.Login.Result != "Success" {
		return fault.New(fault.Unauthorized, "wiki_login", "the wiki refused the user name and password; make a bot password with Special:BotPasswords")
	}
	return nil
}

// everybody is the group of all, also of those who are not signed in.
const everybody = "*"

// checkReader fails unless the account has the rights of the group Config.Reader, and of no other group.
func (s *Source) checkReader(ctx context.Context, w *site) error {
	var got struct {
		Query struct {
			User struct {
				Groups   []string `json:"groups"`
				Implicit []string `json:"implicitgroups"`
			} `json:"userinfo"`
		} `json:"query"`
	}
	params := url.Values{"action": {"query"}, "meta": {"userinfo"}, "uiprop": {"groups|implicitgroups"}}
	if err := s.call(ctx, w, params, &got); err != nil {
		return err
	}
	user := got.Query.User
	if !slices.Contains(user.Groups, s.cfg.Reader) {
		return fault.New(fault.Forbidden, "wiki_reader_missing", "reader: the account is not in the group %.64q of the wiki", s.cfg.Reader)
	}
	var others []string
	for _, group := range user.Groups {
		if group != everybody && group != s.cfg.Reader && (s.cfg.Reader == everybody || !slices.Contains(user.Implicit, group)) {
			others = append(others, group)
		}
	}
	if len(others) > 0 {
		return fault.New(fault.Forbidden, "wiki_reader_groups",
			"reader: the account is also in the group %.64q; use one that is only in %.64q", others[0], s.cfg.Reader)
	}
	return nil
}

// call calls the API and decodes its answer.
func (s *Source) call(ctx context.Context, w *site, params url.Values, out any) error {
	params.Set("format", "json")
	params.Set("formatversion", "2")
	if w.user {
		params.Set("assert", "user")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.api.String(), strings.NewReader(params.Encode()))
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "address_invalid", "%s is not an address", w.api)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var data json.RawMessage
	if _, err := dial.JSON(s.client, req, &data); err != nil {
		return err
	}
	var failed struct {
		Error *struct{ Code, Info string } `json:"error"`
	}
	if err := json.Unmarshal(data, &failed); err == nil && failed.Error != nil {
		return apiError(failed.Error.Code, failed.Error.Info)
	}
	if err := json.Unmarshal(data, out); err != nil {
		return dial.NotJSON(err, w.api.Host)
	}
	return nil
}

// deniedID is the id of the error of a wiki that the account may not read.
const deniedID = "wiki_denied"

// apiError returns the error for a code of the API.
func apiError(code, info string) error {
	detail := fmt.Errorf("%.100s: %.300s", code, info)
	switch code {
	case "readapidenied", "permissiondenied", "assertuserfailed", "mwoauth-invalid-authorization":
		return fault.Wrap(fault.Unauthorized, detail, deniedID,
			"the wiki does not allow this account to read; check the user name, password, or token")
	case "nosuchpageid", "missingtitle":
		return fault.Wrap(fault.NotFound, detail, "wiki_page_gone", "the page is no longer in the wiki")
	case "ratelimited", "maxlag":
		return fault.Wrap(fault.RateLimited, detail, "wiki_busy", "the wiki is busy; sync less often")
	}
	return fault.Wrap(fault.Unavailable, detail, "wiki_failed", "the wiki answered with the error %.64s", code)
}
