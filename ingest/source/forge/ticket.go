package forge

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"docent/ingest/source/dial"
	"docent/ingest/source/thread"
	"docent/internal/fault"
)

// person is the author of a text.
type person struct {
	Login    string `json:"login"`
	Username string `json:"username"`
	Name     string `json:"name"`
}

func (p person) called() string {
	for _, name := range []string{p.Login, p.Username, p.Name} {
		if name != "" {
			return name
		}
	}
	return ""
}

// labels are names, or objects with names.
type labels []string

// UnmarshalJSON reads both forms.
func (l *labels) UnmarshalJSON(data []byte) error {
	var all dial.List[json.RawMessage]
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for _, one := range all {
		var name string
		var object struct{ Name string }
		if json.Unmarshal(one, &name) != nil && json.Unmarshal(one, &object) == nil {
			name = object.Name
		}
		if name != "" {
			*l = append(*l, name)
		}
	}
	return nil
}

// ticket is an issue or a pull request. The forges have different names for some fields.
type ticket struct {
	Number      int               `json:"number"`
	IID         int               `json:"iid"` // GitLab's number
	Title       string            `json:"title"`
	Body        string            `json:"body"`
	Description string            `json:"description"`
	State       string            `json:"state"`
	HTMLURL     string            `json:"html_url"`
	WebURL      string            `json:"web_url"`
	User        person            `json:"user"`
	Author      person            `json:"author"`
	Assignees   dial.List[person] `json:"assignees"`
	Labels      labels            `json:"labels"`
	CreatedAt   time.Time         `json:"created_at"`
	UpdatedAt   time.Time         `json:"updated_at"`
	ClosedAt    *time.Time        `json:"closed_at"`
	PullRequest *struct{}         `json:"pull_request"`
	Comments    *int              `json:"comments"`
	Notes       *int              `json:"user_notes_count"`
	// Confidential issues of GitLab are for some members of the project only.
	Confidential bool `json:"confidential"`
	Milestone    *struct {
		Title string `json:"title"`
	} `json:"milestone"`
}

func (t ticket) number() int { return max(t.Number, t.IID) }

func (t ticket) address() string {
	if t.WebURL != "" {
		return t.WebURL
	}
	return t.HTMLURL
}

// comment is a comment or a review.
type comment struct {
	Body        string    `json:"body"`
	User        person    `json:"user"`
	Author      person    `json:"author"`
	CreatedAt   time.Time `json:"created_at"`
	SubmittedAt time.Time `json:"submitted_at"` // of a review
	Path        string    `json:"path"`         // the file of a comment on code
	System      bool      `json:"system"`       // a note of GitLab about an event
	// Internal notes of GitLab, also called confidential, are for some members of the project only.
	Confidential bool `json:"confidential"`
	Internal     bool `json:"internal"`
}

func (c comment) at() time.Time {
	if c.CreatedAt.IsZero() {
		return c.SubmittedAt
	}
	return c.CreatedAt
}

// document returns an issue or a pull request with its comments as a document.
func (t ticket) document(part, project string, comments []comment) thread.Document {
	kind := "Issue"
	if part == pulls {
		kind = "Pull request"
	}
	d := thread.Document{Title: fmt.Sprintf("%s (#%d)", t.Title, t.number()), Date: t.UpdatedAt, Tags: t.Labels}
	status := t.State
	if t.ClosedAt != nil && !t.ClosedAt.IsZero() {
		status += " on " + t.ClosedAt.UTC().Format(time.DateOnly)
	}
	d.Facts = append(d.Facts, strings.TrimSuffix(fmt.Sprintf("%s %d of %s, %s", kind, t.number(), project, status), ", "))
	if t.Milestone != nil && t.Milestone.Title != "" {
		d.Facts = append(d.Facts, "Milestone: "+t.Milestone.Title)
	}
	var names []string
	for _, p := range t.Assignees {
		names = append(names, p.called())
	}
	if len(names) > 0 {
		d.Facts = append(d.Facts, "Assigned to: "+strings.Join(names, ", "))
	}
	text := t.Body
	if text == "" {
		text = t.Description
	}
	author := t.User
	if author.called() == "" {
		author = t.Author
	}
	d.Entries = []thread.Entry{{Author: author.called(), At: t.CreatedAt, Text: text}}
	slices.SortStableFunc(comments, func(a, b comment) int { return a.at().Compare(b.at()) })
	for _, c := range comments {
		by := c.User
		if by.called() == "" {
			by = c.Author
		}
		d.Entries = append(d.Entries, thread.Entry{Title: c.Path, Author: by.called(), At: c.at(), Text: c.Body})
	}
	return d
}

// page is a page of a wiki.
type page struct {
	Title   string  `json:"title"`
	SubURL  string  `json:"sub_url"`        // of Gitea
	Encoded string  `json:"content_base64"` // of Gitea
	HTMLURL string  `json:"html_url"`       // of Gitea
	Slug    string  `json:"slug"`           // of GitLab
	Content *string `json:"content"`        // of GitLab
	Format  string  `json:"format"`         // of GitLab
	Last    struct {
		SHA string `json:"sha"`
	} `json:"last_commit"`
}

func (p page) slug() string {
	if p.Slug != "" {
		return p.Slug
	}
	slug, err := url.PathUnescape(p.SubURL)
	if err != nil {
		return p.SubURL
	}
	return slug
}

// name returns a file name with the ending of the format.
func (p page) name() string {
	ending := map[string]string{"rdoc": ".rdoc", "asciidoc": ".adoc", "org": ".org"}[p.Format]
	if ending == "" {
		ending = ".md"
	}
	return strings.ReplaceAll(p.Title, "/", "-") + ending
}

func (p page) address(repository *url.URL) string {
	if p.HTMLURL != "" {
		return p.HTMLURL
	}
	if p.Slug != "" {
		return repository.JoinPath("-", "wikis", p.Slug).String()
	}
	return repository.JoinPath("wiki", p.SubURL).String()
}

// version changes with the page.
func (p page) version() string {
	if p.Last.SHA != "" {
		return p.Last.SHA
	}
	if p.Content == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(p.Title + "\x00" + *p.Content))
	return hex.EncodeToString(sum[:16])
}

func (p page) text() (string, error) {
	if p.Content != nil {
		return *p.Content, nil
	}
	text, err := base64.StdEncoding.DecodeString(p.Encoded)
	if err != nil {
		return "", fault.Wrap(fault.Invalid, err, "forge_page_damaged", "damaged: the content of the page is no base64")
	}
	return string(text), nil
}
