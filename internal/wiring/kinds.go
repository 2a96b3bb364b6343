package wiring

import (
	"path/filepath"
	"slices"

	"docent/config"
	"docent/ingest/source"
	"docent/ingest/source/feed"
	"docent/ingest/source/folder"
	"docent/ingest/source/forge"
	"docent/ingest/source/git"
	"docent/ingest/source/imap"
	"docent/ingest/source/mediawiki"
	"docent/ingest/source/s3"
	"docent/ingest/source/singer"
	"docent/ingest/source/web"
	"docent/ingest/source/webdav"
	"docent/ingest/worker"
	"docent/internal/fault"
)

// SourceKinds returns the kinds of sources. Worker processes read those on the network.
func SourceKinds(cfg config.Config) []source.Kind {
	kinds := plainKinds(cfg.Sources.Private, filepath.Join(cfg.CacheDir(), "git"))
	kinds = append(kinds, singerKind(filepath.Join(cfg.CacheDir(), "singer")))
	for i, k := range kinds {
		if !k.Local {
			kinds[i] = confined(k, cfg.Sources.Private)
		}
	}
	return kinds
}

// OpenSource opens a source in a worker process; see worker.OpenSource.
func OpenSource(kind string, s source.Settings, private bool, folder string) (source.Source, error) {
	for _, k := range plainKinds(private, filepath.Dir(folder)) {
		if k.Name == kind && !k.Local {
			return k.Open(s)
		}
	}
	return nil, fault.New(fault.Internal, "worker_request_unknown", "unknown work %q", kind)
}

// plainKinds returns the kinds of sources, which this process reads. The names of their
// options are the JSON keys of their Configs.
func plainKinds(private bool, gitCache string) []source.Kind {
	return []source.Kind{
		{
			Name: "folder", Local: true, Watches: true, Schedule: "1h",
			Open: func(s source.Settings) (source.Source, error) { return folder.New(folder.Config{Path: s.Location}) },
		},
		networkKind(source.Kind{Name: "web", Options: webOptions}, web.New, func(c *web.Config, s source.Settings) {
			c.URL, c.AllowPrivate, c.Dial = s.Location, private, s.Dial
		}),
		networkKind(source.Kind{Name: "feed", Schedule: "1h", Options: feedOptions}, feed.New, func(c *feed.Config, s source.Settings) {
			c.URL, c.AllowPrivate, c.Dial = s.Location, private, s.Dial
		}),
		networkKind(source.Kind{Name: "git", Options: gitOptions}, git.New, func(c *git.Config, s source.Settings) {
			c.URL, c.AllowPrivate, c.Dial, c.CacheDir = s.Location, private, s.Dial, gitCache
		}),
		networkKind(source.Kind{Name: "s3", Options: s3Options}, s3.New, func(c *s3.Config, s source.Settings) {
			c.URL, c.AllowPrivate, c.Dial = s.Location, private, s.Dial
		}),
		networkKind(source.Kind{Name: "webdav", Options: webdavOptions}, webdav.New, func(c *webdav.Config, s source.Settings) {
			c.URL, c.AllowPrivate, c.Dial = s.Location, private, s.Dial
		}),
		networkKind(source.Kind{Name: "forge", Schedule: "1h", Options: forgeOptions}, forge.New, func(c *forge.Config, s source.Settings) {
			c.URL, c.AllowPrivate, c.Dial = s.Location, private, s.Dial
		}),
		networkKind(source.Kind{Name: "mediawiki", Options: mediawikiOptions}, mediawiki.New, func(c *mediawiki.Config, s source.Settings) {
			c.URL, c.AllowPrivate, c.Dial = s.Location, private, s.Dial
		}),
		networkKind(source.Kind{Name: "imap", Schedule: "15m", Options: imapOptions}, imap.New, func(c *imap.Config, s source.Settings) {
			c.URL, c.AllowPrivate, c.Dial = s.Location, private, s.Dial
		}),
	}
}

// singerKind returns the kind of sources that taps read. It is local because a tap is a
// program of the operator. The configuration is required, also an empty one: it is
// encrypted together with the path of the tap, so that nobody who can only write to the
// database can choose the program.
func singerKind(cache string) source.Kind {
	kind := source.Kind{Name: "singer", Local: true, Options: singerOptions}
	return networkKind(kind, singer.New, func(c *singer.Config, s source.Settings) {
		taps := worker.Taps{Env: certificates()}
		c.Command, c.CacheDir, c.Run, c.InFolder = s.Location, cache, taps.Run, taps.InFolder
	})
}

// networkKind completes a kind of source that is read over the network. create is
// the New of its package. fill sets the fields of its Config that are not options.
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
	{Name: "include", Title: fault.NewText("option_include", "patterns of the files to read, such as docs/**, comma-separated"), Type: "list"},
	{Name: "exclude", Title: fault.NewText("option_exclude_files",
		"patterns of files and folders to leave out, comma-separated"), Type: "list"},
	{Name: "hidden", Title: fault.NewText("option_hidden", "also read names that begin with a dot"), Type: "bool", Default: "false"},
}

var webOptions = slices.Concat([]source.Option{
	{
		Name: "mode", Title: fault.NewText("option_mode", "page, sitemap, or crawl"), Choices: []string{"page", "sitemap", "crawl"},
		Default: "page, or sitemap for .xml",
	},
	{Name: "depth", Title: fault.NewText("option_depth", "how many links a crawl follows"), Type: "number", Default: "10"},
	{Name: "max_pages", Title: fault.NewText("option_max_pages", "most pages of one sync"), Type: "number", Default: "5000"},
	{
		Name: "prefixes", Title: fault.NewText("option_prefixes", "paths to read below, comma-separated"), Type: "list",
		Default: "the folder of the address",
	},
	{Name: "exclude", Title: fault.NewText("option_exclude_paths", "paths to leave out, comma-separated"), Type: "list"},
	{Name: "hosts", Title: fault.NewText("option_hosts", "further hosts to read from, comma-separated"), Type: "list"},
	{Name: "ignore_robots", Title: fault.NewText("option_ignore_robots",
		"read pages that robots.txt forbids; for your own sites only"), Type: "bool", Default: "false"},
	{Name: "authorization", Title: fault.NewText("option_authorization", "Authorization header, such as Bearer TOKEN"), Secret: true},
}, webPace(), []source.Option{maxBytes("52428800")}, patienceOptions("60"))

var feedOptions = slices.Concat([]source.Option{
	{Name: "linked", Title: fault.NewText("option_linked", "read the linked pages instead of the entries"), Type: "bool", Default: "false"},
	{Name: "remove_old", Title: fault.NewText("option_remove_old",
		"remove entries that the feed no longer lists"), Type: "bool", Default: "false"},
	{Name: "authorization", Title: fault.NewText("option_authorization", "Authorization header, such as Bearer TOKEN"), Secret: true},
}, []source.Option{maxBytes("20971520")}, patienceOptions("60"))

var gitOptions = slices.Concat([]source.Option{
	{Name: "branch", Title: fault.NewText("option_branch", "branch or tag"), Default: "the repository's default branch"},
	{Name: "user", Title: fault.NewText("option_git_user", "user name that belongs to the token"), Default: "git"},
	{Name: "token", Title: fault.NewText("option_git_token", "password or access token"), Secret: true},
}, fileOptions, []source.Option{
	maxFiles(), maxBytes("20971520"),
	number("max_repository_bytes", fault.NewText("option_max_repository_bytes", "most bytes of the download"), "536870912"),
}, patienceOptions("900"))

var s3Options = slices.Concat([]source.Option{
	{Name: "region", Title: fault.NewText("option_region", "region of the bucket"), Default: "us-east-1"},
	{Name: "access_key", Title: fault.NewText("option_access_key", "access key; none for public buckets")},
	{Name: "secret_key", Title: fault.NewText("option_secret_key", "secret key"), Secret: true},
	{Name: "session_token", Title: fault.NewText("option_session_token", "session token of temporary keys"), Secret: true},
	{Name: "virtual_host", Title: fault.NewText("option_virtual_host",
		"put the bucket's name into the host name"), Type: "bool", Default: "false"},
}, fileOptions, []source.Option{maxFiles(), maxBytes("104857600")}, patienceOptions("300"))

var webdavOptions = slices.Concat([]source.Option{
	{Name: "user", Title: fault.NewText("option_user", "user name")},
	{Name: "password", Title: fault.NewText("option_password", "password"), Secret: true},
	{Name: "token", Title: fault.NewText("option_bearer_token", "bearer token instead of user and password"), Secret: true},
}, fileOptions, []source.Option{maxFiles(), maxBytes("104857600")}, patienceOptions("300"))

var mediawikiOptions = slices.Concat([]source.Option{
	{
		Name: "namespaces", Type: "list",
		Title:   fault.NewText("option_namespaces", "names or numbers of the namespaces to read, comma-separated"),
		Default: "those with content",
	},
	{Name: "user", Title: fault.NewText("option_wiki_user", "name of a bot password, such as Reader@docent")},
	{Name: "password", Title: fault.NewText("option_wiki_password", "bot password"), Secret: true},
	{Name: "reader", Title: fault.NewText("option_wiki_reader", "group of the wiki whose pages the source has, or * for those of everybody")},
	{Name: "token", Title: fault.NewText("option_wiki_token", "OAuth token instead of user and password"), Secret: true},
	{Name: "max_pages", Title: fault.NewText("option_max_pages", "most pages of one sync"), Type: "number", Default: "100000"},
}, []source.Option{maxBytes("20971520")}, patienceOptions("60"))

var forgeOptions = slices.Concat([]source.Option{
	{
		Name: "software", Title: fault.NewText("option_forge_software", "github, gitlab, or gitea, which is also for Forgejo"),
		Choices: []string{"github", "gitlab", "gitea"}, Default: "what the host's name says",
	},
	{
		Name: "parts", Title: fault.NewText("option_forge_parts", "issues, pulls, and wiki, comma-separated"), Type: "list",
		Default: "all",
	},
	{Name: "reader", Title: fault.NewText("option_forge_reader", "public, or the team or group whose documents the source has")},
	{Name: "token", Title: fault.NewText("option_forge_token", "access token with the right to read"), Secret: true},
	{
		Name: "max_items", Title: fault.NewText("option_forge_max_items", "most issues, pull requests, and pages"), Type: "number",
		Default: "50000",
	},
}, patienceOptions("60"))

var singerOptions = []source.Option{
	{Name: "config", Title: fault.NewText("option_tap_config", "configuration of the tap, a JSON object"), Secret: true, Required: true},
	{Name: "streams", Title: fault.NewText("option_tap_streams", "streams to read, comma-separated"), Type: "list", Default: "all"},
	{Name: "incremental", Title: fault.NewText("option_tap_incremental",
		"pass the state of the last run to the tap, so that it writes only changes"), Type: "bool", Default: "false"},
	{Name: "files", Title: fault.NewText("option_tap_files", "files and folders that the tap may read, comma-separated"), Type: "list"},
	{Name: "title", Title: fault.NewText("option_tap_title", "template of the title, such as {key} {fields.summary}")},
	{Name: "text", Title: fault.NewText("option_tap_text", "template of the text, such as {body|description}")},
	{Name: "author", Title: fault.NewText("option_tap_author", "template of the author")},
	{Name: "address", Title: fault.NewText("option_tap_address", "template of the address of the original")},
	{Name: "date", Title: fault.NewText("option_tap_date", "template of the date of the last change")},
	{Name: "group", Title: fault.NewText("option_tap_group", "template; records with the same value become one document")},
	{Name: "tags", Title: fault.NewText("option_tap_tags", "template of the tags, comma-separated")},
	{Name: "deleted", Title: fault.NewText("option_tap_deleted", "template; records with a value are removed")},
	{Name: "readers", Title: fault.NewText("option_tap_readers", "field with the groups that may read a record, such as {visibility.groups}")},
	{Name: "reader", Title: fault.NewText("option_tap_reader", "group whose documents the source has; needs readers")},
	{Name: "max_records", Title: fault.NewText("option_tap_max_records", "most records of the source"), Type: "number", Default: "200000"},
}

var imapOptions = []source.Option{
	{Name: "user", Title: fault.NewText("option_mail_user", "user name of the account"), Required: true},
	{Name: "password", Title: fault.NewText("option_mail_password", "password of the account"), Secret: true, Required: true},
	{Name: "mailboxes", Title: fault.NewText("option_mailboxes",
		"mailboxes, with * and %% as wildcards, comma-separated"), Type: "list", Default: "INBOX"},
	{Name: "certificate", Title: fault.NewText("option_certificate", "certificate authority to trust, in PEM format")},
	number("max_messages", fault.NewText("option_max_messages", "most messages of the source"), "100000"),
	maxBytes("52428800"),
	patienceOptions("300")[0],
}

// certificates returns the variables that name the trusted certificates.
func certificates() (env []string) {
	for _, name := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if value, ok := config.Variable(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
