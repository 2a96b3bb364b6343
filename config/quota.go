package config

import "time"

// Quota limits the work for one client in a day. 0 means no limit.
type Quota struct {
	// Questions limits messages to an agent and questions over HTTP.
	Questions int
	// Tokens limits those that the chat model reads and writes.
	Tokens int
	// Bytes limits stored messages, files, and documents.
	Bytes int64
	// PageTime limits the time of drawing and reading pages.
	PageTime time.Duration
	// SearchTime limits the time of searches.
	SearchTime time.Duration
}

// wrong returns the name of the first negative limit, or "".
func (q Quota) wrong() string {
	switch {
	case q.Questions < 0:
		return "questions"
	case q.Tokens < 0:
		return "tokens"
	case q.PageTime < 0:
		return "page-time"
	case q.SearchTime < 0:
		return "search-time"
	}
	return ""
}

// quotaSettings are the limits of the work for one client.
func quotaSettings() []Setting {
	return []Setting{
		with(Setting{
			Storage: AfterRestart,
			Key:     "quota.questions", Flag: "quota-questions", Env: []string{"DOCENT_QUOTA_QUESTIONS"}, Scope: Serving,
			Help: "questions of one user or token per day (with --auth); 0 for no limit", Default: "20000",
		})(number(func(c *Config) *int { return &c.Quota.Questions })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "quota.tokens", Flag: "quota-tokens", Env: []string{"DOCENT_QUOTA_TOKENS"}, Scope: Serving,
			Help: "tokens of the chat model for one user or token per day; 0 for no limit", Default: "20000000",
		})(number(func(c *Config) *int { return &c.Quota.Tokens })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "quota.bytes", Flag: "quota-bytes", Env: []string{"DOCENT_QUOTA_BYTES"}, Scope: Serving,
			Help: "size of the messages, files, and documents that one user or token may store per day; 0 for no limit", Default: "10GiB",
		})(size(func(c *Config) *int64 { return &c.Quota.Bytes })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "quota.page-time", Flag: "quota-page-time", Env: []string{"DOCENT_QUOTA_PAGE_TIME"}, Scope: Serving,
			Help: "time of drawing pages for one user or token per day; 0 for no limit", Default: "1h0m0s",
		})(duration(func(c *Config) *time.Duration { return &c.Quota.PageTime })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "quota.search-time", Flag: "quota-search-time", Env: []string{"DOCENT_QUOTA_SEARCH_TIME"}, Scope: Serving,
			Help: "time of searches for one user or token per day; 0 for no limit", Default: "2h0m0s",
		})(duration(func(c *Config) *time.Duration { return &c.Quota.SearchTime })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "address-quota.questions", Flag: "address-quota-questions", Env: []string{"DOCENT_ADDRESS_QUOTA_QUESTIONS"}, Scope: Serving,
			Help: "questions per day from one address without a user: without --auth, or with a token of the scope chat; 0 for no limit", Default: "1000",
		})(number(func(c *Config) *int { return &c.AddressQuota.Questions })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "address-quota.tokens", Flag: "address-quota-tokens", Env: []string{"DOCENT_ADDRESS_QUOTA_TOKENS"}, Scope: Serving,
			Help: "tokens of the chat model per day for one address without a user; 0 for no limit", Default: "2000000",
		})(number(func(c *Config) *int { return &c.AddressQuota.Tokens })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "address-quota.bytes", Flag: "address-quota-bytes", Env: []string{"DOCENT_ADDRESS_QUOTA_BYTES"}, Scope: Serving,
			Help: "size of the messages, files, and documents per day from one address without a user; 0 for no limit", Default: "1GiB",
		})(size(func(c *Config) *int64 { return &c.AddressQuota.Bytes })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "address-quota.page-time", Flag: "address-quota-page-time", Env: []string{"DOCENT_ADDRESS_QUOTA_PAGE_TIME"}, Scope: Serving,
			Help: "time of drawing pages per day for one address without a user; 0 for no limit", Default: "10m0s",
		})(duration(func(c *Config) *time.Duration { return &c.AddressQuota.PageTime })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "address-quota.search-time", Flag: "address-quota-search-time", Env: []string{"DOCENT_ADDRESS_QUOTA_SEARCH_TIME"},
			Scope: Serving,
			Help:  "time of searches per day for one address without a user; 0 for no limit", Default: "20m0s",
		})(duration(func(c *Config) *time.Duration { return &c.AddressQuota.SearchTime })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "limits.searches", Flag: "searches", Env: []string{"DOCENT_SEARCHES"}, Scope: Serving,
			Help: "maximum number of concurrent searches over HTTP; one user gets half of them", Default: "16",
		})(number(func(c *Config) *int { return &c.Searches })),
		with(Setting{
			Key: "limits.http-connections", Flag: "http-connections", Env: []string{"DOCENT_HTTP_CONNECTIONS"}, Scope: Serving,
			Help: "maximum number of HTTP connections; at this limit, a new one closes a connection of the address that has the most", Default: "4096",
		})(number(func(c *Config) *int { return &c.HTTPConnections })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "keep-questions", Flag: "keep-questions", Env: []string{"DOCENT_KEEP_QUESTIONS"}, Scope: Serving,
			Help: "days for which questions are kept for administrators and managers of collections; 0 keeps only daily totals", Default: "90",
		})(number(func(c *Config) *int { return &c.KeepQuestions })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "keep-conversations", Flag: "keep-conversations", Env: []string{"DOCENT_KEEP_CONVERSATIONS"}, Scope: Serving,
			Help: "days after their last use for which conversations are kept, unless they are pinned or in a folder; 0 for no limit", Default: "0",
		})(number(func(c *Config) *int { return &c.KeepConversations })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "keep-log", Flag: "keep-log", Env: []string{"DOCENT_KEEP_LOG"}, Scope: Serving,
			Help: "days for which records of the audit log are kept; 0 for no limit", Default: "0",
		})(number(func(c *Config) *int { return &c.KeepLog })),
		with(Setting{
			Key: "traces.url", Flag: "traces-url", Env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT"}, Scope: Serving,
			Help: "base URL of an OpenTelemetry collector that receives traces over HTTP, such as http://127.0.0.1:4318",
		})(text(func(c *Config) *string { return &c.Traces })),
	}
}
