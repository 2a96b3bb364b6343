package main

import (
	"path/filepath"

	"docent/ingest/source"
	"docent/ingest/source/feed"
	"docent/ingest/source/git"
	"docent/ingest/source/imap"
	"docent/ingest/source/s3"
	"docent/ingest/source/web"
	"docent/ingest/source/webdav"
)

// networkKinds are the kinds of sources that are read over the network. The
// names of their options are the JSON keys of their Configs.
func (a *app) networkKinds() []source.Kind {
	private := a.cfg.Sources.Private
	return []source.Kind{
		networkKind(source.Kind{Name: "web", Options: webOptions}, web.New, func(c *web.Config, s source.Settings) {
			c.URL, c.AllowPrivate = s.Location, private
		}),
		networkKind(source.Kind{Name: "feed", Schedule: "1h", Options: feedOptions}, feed.New, func(c *feed.Config, s source.Settings) {
			c.URL, c.AllowPrivate = s.Location, private
		}),
		networkKind(source.Kind{Name: "git", Options: gitOptions}, git.New, func(c *git.Config, s source.Settings) {
			c.URL, c.AllowPrivate, c.CacheDir = s.Location, private, filepath.Join(a.cfg.CacheDir(), "git")
		}),
		networkKind(source.Kind{Name: "s3", Options: s3Options}, s3.New, func(c *s3.Config, s source.Settings) {
			c.URL, c.AllowPrivate = s.Location, private
		}),
		networkKind(source.Kind{Name: "webdav", Options: webdavOptions}, webdav.New, func(c *webdav.Config, s source.Settings) {
			c.URL, c.AllowPrivate = s.Location, private
		}),
		networkKind(source.Kind{Name: "imap", Schedule: "15m", Options: imapOptions}, imap.New, func(c *imap.Config, s source.Settings) {
			c.URL, c.AllowPrivate = s.Location, private
		}),
	}
}

// networkKind makes a kind of a Config and its New. Fill sets what is not an
// option.
func networkKind[C any, S source.Source](k source.Kind, create func(C) (S, error), fill func(*C, source.Settings)) source.Kind {
	k.Open = func(s source.Settings) (source.Source, error) {
		var c C
		if err := k.Decode(s, &c); err != nil {
			return nil, err
		}
		fill(&c, s)
		src, err := create(c)
		if err != nil {
			return nil, err
		}
		return src, nil
	}
	return k
}

// fileOptions choose files by their paths.
var fileOptions = []source.Option{
	{Name: "include", Title: "patterns of the files to read, such as docs/**, comma-separated", Type: "list"},
	{Name: "exclude", Title: "patterns of files and folders to leave out, comma-separated", Type: "list"},
	{Name: "hidden", Title: "also read names that begin with a dot", Type: "bool", Default: "false"},
}

var webOptions = []source.Option{
	{Name: "mode", Title: "page, sitemap, or crawl", Choices: []string{"page", "sitemap", "crawl"}, Default: "page, or sitemap for .xml"},
	{Name: "depth", Title: "how many links a crawl follows", Type: "number", Default: "10"},
	{Name: "max_pages", Title: "most pages of one sync", Type: "number", Default: "5000"},
	{Name: "prefixes", Title: "paths to read below, comma-separated", Type: "list", Default: "the folder of the address"},
	{Name: "exclude", Title: "paths to leave out, comma-separated", Type: "list"},
	{Name: "hosts", Title: "further hosts to read from, comma-separated", Type: "list"},
	{Name: "ignore_robots", Title: "read pages that robots.txt forbids; for your own sites only", Type: "bool", Default: "false"},
	{Name: "authorization", Title: "Authorization header, such as Bearer TOKEN", Secret: true},
}

var feedOptions = []source.Option{
	{Name: "linked", Title: "read the linked pages instead of the entries", Type: "bool", Default: "false"},
	{Name: "remove_old", Title: "remove entries that the feed no longer lists", Type: "bool", Default: "false"},
	{Name: "authorization", Title: "Authorization header, such as Bearer TOKEN", Secret: true},
}

var gitOptions = append([]source.Option{
	{Name: "branch", Title: "branch or tag", Default: "the repository's default branch"},
	{Name: "user", Title: "user name that belongs to the token", Default: "git"},
	{Name: "token", Title: "password or access token", Secret: true},
}, fileOptions...)

var s3Options = append([]source.Option{
	{Name: "region", Title: "region of the bucket", Default: "us-east-1"},
	{Name: "access_key", Title: "access key; none for public buckets"},
	{Name: "secret_key", Title: "secret key", Secret: true},
	{Name: "session_token", Title: "session token of temporary keys", Secret: true},
	{Name: "virtual_host", Title: "put the bucket's name into the host name", Type: "bool", Default: "false"},
}, fileOptions...)

var webdavOptions = append([]source.Option{
	{Name: "user", Title: "user name"},
	{Name: "password", Title: "password", Secret: true},
	{Name: "token", Title: "bearer token instead of user and password", Secret: true},
}, fileOptions...)

var imapOptions = []source.Option{
	{Name: "user", Title: "user name of the account", Required: true},
	{Name: "password", Title: "password of the account", Secret: true, Required: true},
	{Name: "mailboxes", Title: "mailboxes, with * and % as wildcards, comma-separated", Type: "list", Default: "INBOX"},
	{Name: "certificate", Title: "certificate authority to trust, in PEM format"},
}
