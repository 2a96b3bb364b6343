package forge

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"docent/ingest/source/dial"
	"docent/internal/fault"
)

// The kinds of software.
const (
	github = "github"
	gitlab = "gitlab"
	gitea  = "gitea"
)

// api is the API of a repository.
type api struct {
	software string
	base     *url.URL
	project  string // owner and name, or the path on GitLab
}

// newAPI returns the API of the repository at an address.
func newAPI(u *url.URL, software string) (api, error) {
	host := strings.ToLower(u.Hostname())
	if software == "" {
		switch {
		case host == "github.com" || host == "www.github.com":
			software = github
		case strings.Contains(host, "gitlab"):
			software = gitlab
		case host == "codeberg.org", strings.Contains(host, "gitea"), strings.Contains(host, "forgejo"):
			software = gitea
		}
	}
	a := api{software: software, project: strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git")}
	a.project, _, _ = strings.Cut(a.project, "/-/") // a page of a project on GitLab
	names := strings.Split(a.project, "/")
	base := &url.URL{Scheme: u.Scheme, Host: u.Host}
	switch software {
	case github:
		a.base = base.JoinPath("api", "v3")
		if strings.HasSuffix(host, "github.com") {
			a.base = &url.URL{Scheme: "https", Host: "api.github.com", Path: "/"}
		}
	case gitlab:
		a.base = base.JoinPath("api", "v4")
	case gitea:
		a.base = base.JoinPath("api", "v1")
	default:
		return api{}, fault.New(fault.Invalid, "forge_software", "software: give github, gitlab, or gitea, which is also for Forgejo")
	}
	if software != gitlab && len(names) > 2 { // a page of the repository
		names = names[:2]
		a.project = strings.Join(names, "/")
	}
	if len(names) < 2 || names[0] == "" || strings.Contains(a.project, "..") {
		return api{}, fault.New(fault.Invalid, "forge_repository", "url: %q names no repository, such as https://host/owner/name", u.Redacted())
	}
	return a, nil
}

// at returns the address of a resource of the repository.
func (a api) at(query url.Values, path ...string) string {
	prefix := "repos/" + a.project
	if a.software == gitlab {
		prefix = "projects/" + url.PathEscape(a.project)
	}
	for _, p := range path {
		prefix += "/" + url.PathEscape(p)
	}
	address := strings.TrimSuffix(a.base.String(), "/") + "/" + prefix
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return address
}

// list is a list of issues.
type list struct{ part, address string }

// lists returns the lists with the parts that are read. On GitHub and Gitea, pull
// requests are issues.
func (a api) lists(reads func(string) bool) []list {
	var out []list
	if a.software != gitlab {
		query := url.Values{"state": {"all"}, "per_page": {"100"}, "limit": {"50"}, "sort": {"created"}, "direction": {"asc"}}
		if a.software == gitea && !reads(pulls) {
			query.Set("type", "issues")
		}
		if reads(issues) || reads(pulls) {
			out = append(out, list{issues, a.at(query, "issues")})
		}
		return out
	}
	query := url.Values{"per_page": {"100"}, "order_by": {"created_at"}, "sort": {"asc"}, "scope": {"all"}}
	if reads(issues) {
		out = append(out, list{issues, a.at(query, "issues")})
	}
	if reads(pulls) {
		out = append(out, list{pulls, a.at(query, "merge_requests")})
	}
	return out
}

// item returns the address of an issue or a pull request.
func (a api) item(part, number string) string {
	if a.software == gitlab && part == pulls {
		return a.at(nil, "merge_requests", number)
	}
	return a.at(nil, "issues", number)
}

// comments returns the addresses of the comments of an issue or a pull request.
func (a api) comments(part, number string, t ticket) []string {
	query := url.Values{"per_page": {"100"}, "limit": {"50"}}
	if a.software == gitlab {
		query.Set("sort", "asc")
		if t.Notes != nil && *t.Notes == 0 {
			return nil
		}
		if part == pulls {
			return []string{a.at(query, "merge_requests", number, "notes")}
		}
		return []string{a.at(query, "issues", number, "notes")}
	}
	var out []string
	if t.Comments == nil || *t.Comments > 0 {
		out = append(out, a.at(query, "issues", number, "comments"))
	}
	if part == pulls {
		out = append(out, a.at(query, "pulls", number, "reviews"))
		if a.software == github {
			out = append(out, a.at(query, "pulls", number, "comments"))
		}
	}
	return out
}

// wiki returns the address of the list of pages.
func (a api) wiki() string {
	if a.software == gitlab {
		return a.at(url.Values{"with_content": {"1"}}, "wikis")
	}
	return a.at(url.Values{"limit": {"50"}}, "wiki", "pages")
}

// page returns the address of a page.
func (a api) page(slug string) string {
	if a.software == gitlab {
		return a.at(nil, "wikis", slug)
	}
	return a.at(nil, "wiki", "page", slug)
}

// get requests a resource. It returns the address of the next page of a list, or "".
func (s *Source) get(ctx context.Context, address string, out any) (next string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", fault.Wrap(fault.Invalid, err, "address_invalid", "%s is not an address", address)
	}
	header, err := dial.JSON(s.client, req, out)
	if err != nil {
		return "", err
	}
	return s.api.next(header), nil
}

// nextLink is a part of the header Link.
var nextLink = regexp.MustCompile(`<([^<>]+)>\s*;[^,]*\brel="?next"?`)

// next returns the address of the next page; "" for the last one. It must be on the
// server of the API, which gets the token.
func (a api) next(header http.Header) string {
	for _, value := range header.Values("Link") {
		if m := nextLink.FindStringSubmatch(value); m != nil {
			if u, err := a.base.Parse(m[1]); err == nil && u.Scheme == a.base.Scheme && u.Host == a.base.Host {
				return u.String()
			}
		}
	}
	return ""
}

// pages calls fn with each element of a list of up to a number of pages, until it returns false.
func pages[T any](ctx context.Context, s *Source, address string, most int, fn func(T) (bool, error)) error {
	for range most {
		var all dial.List[T]
		next, err := s.get(ctx, address, &all)
		if err != nil {
			return err
		}
		for _, one := range all {
			if more, err := fn(one); err != nil || !more {
				return err
			}
		}
		if next == "" || next == address {
			return nil
		}
		address = next
	}
	return fault.New(fault.Invalid, "forge_too_many_pages", "the list of the server has more than %d pages", most)
}
