package forge

import (
	"context"
	"net/url"
	"strings"

	"docent/internal/fault"
)

// public is the reader of documents that everybody may read.
const public = "public"

// access has the parts that a reader may read.
type access map[string]bool

// everything is access to all parts.
func everything() access { return access{issues: true, pulls: true, wiki: true} }

// repository is the answer about a repository.
type repository struct {
	Private    *bool  `json:"private"`    // of GitHub and Gitea
	Internal   bool   `json:"internal"`   // of Gitea
	Visibility string `json:"visibility"` // of GitHub and GitLab
	Owner      struct {
		Visibility string `json:"visibility"` // of Gitea
	} `json:"owner"`
	IssuesLevel string `json:"issues_access_level"` // of GitLab, as the others
	MergeLevel  string `json:"merge_requests_access_level"`
	WikiLevel   string `json:"wiki_access_level"`
}

// team is a team, or a group of GitLab.
type team struct {
	Name       string            `json:"name"`
	Slug       string            `json:"slug"`
	Path       string            `json:"full_path"`
	Permission string            `json:"permission"`
	Units      map[string]string `json:"units_map"` // of Gitea
}

func (t team) called(name string) bool {
	return strings.EqualFold(t.Name, name) || t.Slug != "" && strings.EqualFold(t.Slug, name) ||
		t.Path != "" && strings.EqualFold(t.Path, name)
}

// access returns the parts that Config.Reader may read, as the forge tells. Missing answers count as
// forbidden.
func (s *Source) access(ctx context.Context) (access, error) {
	if s.cfg.Reader == "" {
		return everything(), nil
	}
	var r repository
	_, err := s.get(ctx, s.api.at(nil), &r)
	if fault.KindOf(err) == fault.NotFound {
		return access{}, nil // the forge hides it from this account
	}
	if err != nil {
		return nil, err
	}
	open := s.publicParts(r)
	if s.cfg.Reader == public {
		return open, nil
	}
	query := url.Values{"per_page": {"100"}, "limit": {"50"}}
	address := s.api.at(query, "teams")
	if s.api.software == gitlab {
		query.Set("with_shared", "true")
		address = s.api.at(query, "groups")
	}
	err = pages(ctx, s, address, maxPages, func(t team) (bool, error) {
		if t.called(s.cfg.Reader) {
			for part, allowed := range s.teamParts(t) {
				open[part] = open[part] || allowed
			}
		}
		return true, nil
	})
	if fault.KindOf(err) == fault.NotFound {
		return open, nil // a repository of a person has no teams
	}
	return open, err
}

// publicParts returns the parts that everybody may read.
func (s *Source) publicParts(r repository) access {
	if s.cfg.Token == "" {
		return everything() // the forge itself shows nothing else
	}
	switch s.api.software {
	case gitlab:
		all := r.Visibility == public
		return access{issues: all && r.IssuesLevel == enabled, pulls: all && r.MergeLevel == enabled, wiki: all && r.WikiLevel == enabled}
	case gitea:
		if r.Private == nil || *r.Private || r.Internal || r.Owner.Visibility != "" && r.Owner.Visibility != public {
			return access{}
		}
		return everything()
	}
	if r.Private == nil || *r.Private || r.Visibility != "" && r.Visibility != public {
		return access{}
	}
	return everything()
}

// enabled is the level of parts of a project on GitLab that all who see the project may read.
const enabled = "enabled"

// teamParts returns the parts that a team with access to the repository may read.
func (s *Source) teamParts(t team) access {
	switch s.api.software {
	case gitlab:
		return access{issues: true, wiki: true} // guests of private projects may read no merge requests
	case gitea:
		if t.Permission == "admin" || t.Permission == "owner" {
			return everything()
		}
		may := func(unit string) bool { return t.Units[unit] != "" && t.Units[unit] != "none" }
		return access{issues: may("repo.issues"), pulls: may("repo.pulls"), wiki: may("repo.wiki")}
	}
	if t.Permission == "" {
		return access{}
	}
	return everything()
}
