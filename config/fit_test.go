package config

import (
	"strings"
	"testing"

	"docent/auth"
)

// Settings that cannot work are rejected with a suggestion.
func TestWithoutEffect(t *testing.T) {
	t.Parallel()
	for value, tc := range map[string]struct {
		flags map[string]string
		want  string
	}{
		"origin without scheme":     {map[string]string{"origins": "app.example.com"}, "https://app.example.com"},
		"origin with a star":        {map[string]string{"origins": "http://*.example.com"}, "without *"},
		"any origin":                {map[string]string{"origins": "*"}, "origins"},
		"null":                      {map[string]string{"origins": "null"}, "origins"},
		"second origin":             {map[string]string{"origins": "https://a.example,b.example"}, `"b.example"`},
		"origin with a path":        {map[string]string{"origins": "https://a.example/app"}, "without a path"},
		"origin with a login":       {map[string]string{"origins": "https://u:p@a.example"}, "origins"},
		"origin with default port":  {map[string]string{"origins": "https://a.example:443"}, "write https://a.example"},
		"origin with umlauts":       {map[string]string{"origins": "https://bücher.example"}, "origins"},
		"host with scheme":          {map[string]string{"hosts": "https://docs.example.com"}, "such as docs.example.com"},
		"host with a star":          {map[string]string{"hosts": "*.example.com"}, "hosts"},
		"domain":                    {map[string]string{"hosts": ".example.com"}, "hosts"},
		"silence below pings":       {map[string]string{"silence": "10s"}, "time between pings (25s)"},
		"silence as long as pings":  {map[string]string{"ping-interval": "1m"}, "sockets.silence"},
		"frame of a byte":           {map[string]string{"frame-size": "1"}, "sockets.frame-size"},
		"frame below a message":     {map[string]string{"frame-size": "128KiB"}, "262144"},
		"outbox of a few bytes":     {map[string]string{"outbox-size": "10"}, "64KiB"},
		"message of a few bytes":    {map[string]string{"message-size": "10"}, "1KiB"},
		"speech URL alone":          {map[string]string{"speech-url": "http://127.0.0.1:1/v1"}, "--speech-model"},
		"voice alone":               {map[string]string{"speech-voice": "nova"}, "--speech-model"},
		"voice of who listens":      {map[string]string{"speech-voice": "nova", "transcription-model": "w", "speech-key": "k"}, "--speech-model"},
		"embedder URL alone":        {map[string]string{"embedder-url": "http://127.0.0.1:1/v1"}, "--embedder-model"},
		"dimensions alone":          {map[string]string{"embedder-dimensions": "64"}, "--embedder-model"},
		"reranking key alone":       {map[string]string{"rerank-key": "k"}, "--rerank-url"},
		"reranker elsewhere":        {map[string]string{"rerank-url": "127.0.0.1:1"}, "rerank.url"},
		"audience without issuer":   {map[string]string{"auth": "true", "oidc-audience": "docent"}, "--oidc-issuer"},
		"scopes without issuer":     {map[string]string{"auth": "true", "oidc-scopes": "ask,ingest"}, "--oidc-issuer"},
		"scopes that are not there": {map[string]string{"auth": "true", "oidc-issuer": "https://i.example", "oidc-audience": "docent", "oidc-scopes": "read"}, "ask,ingest,admin"},
		"no scopes":                 {map[string]string{"auth": "true", "oidc-issuer": "https://i.example", "oidc-audience": "docent", "oidc-scopes": ","}, "ask,ingest,admin"},
	} {
		if _, err := Load(Sources{Flags: tc.flags, Env: env()}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error with %q", value, err, tc.want)
		}
	}
	for value, flags := range map[string]map[string]string{
		"origins": {"origins": "https://app.example.com/ http://127.0.0.1:3000,capacitor://localhost,http://[::1]"},
		"hosts":   {"hosts": "docs.example.com,localhost:8080,[::1],127.0.0.1"},
		"sockets": {"message-size": "1KiB", "frame-size": "1KiB", "outbox-size": "64KiB", "ping-interval": "1s", "silence": "2s"},
		"rerank":  {"rerank-model": "m"},
		"encoder": {"encoder": "bge-small-en-v1.5"},
		"speech":  {"speech-model": "m", "speech-voice": "nova", "speech-url": "http://127.0.0.1:1/v1"},
		"oidc":    {"auth": "true", "oidc-issuer": "https://i.example", "oidc-audience": "docent", "oidc-scopes": "ask ingest,admin"},
	} {
		if _, err := Load(Sources{Flags: flags, Env: env()}); err != nil {
			t.Errorf("%s: %v", value, err)
		}
	}
	if _, err := auth.ParseScopes(strings.Join(scopes, ",")); err != nil {
		t.Error(err)
	}
}

// An API key that many programs share is sent only to the servers for which it is
// meant. Other speech servers do not receive it.
func TestSharedKey(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env []string
		url string
		key string
	}{
		"OpenAI":              {nil, "", "shared"},
		"OpenAI by name":      {nil, "https://api.openai.com/v1", "shared"},
		"without TLS":         {nil, "http://api.openai.com/v1", ""},
		"called like it":      {nil, "https://api.openai.com.example/v1", ""},
		"the shared URL":      {[]string{"OPENAI_BASE_URL", "http://shared.example/v1"}, "", "shared"},
		"another by flag":     {nil, "http://127.0.0.1:1/v1", ""},
		"another beside":      {[]string{"OPENAI_BASE_URL", "http://shared.example/v1"}, "http://127.0.0.1:1/v1", ""},
		"another by variable": {[]string{"DOCENT_SPEECH_URL", "http://127.0.0.1:1/v1"}, "", ""},
		"its own":             {[]string{"DOCENT_SPEECH_KEY", "own"}, "http://127.0.0.1:1/v1", "own"},
	} {
		flags := map[string]string{"speech-model": "tts"}
		if tc.url != "" {
			flags["speech-url"] = tc.url
		}
		c, err := Load(Sources{Flags: flags, Env: env(append(tc.env, "OPENAI_API_KEY", "shared")...)})
		if err != nil || c.Speech.Key != tc.key {
			t.Errorf("%s: the key is %q, want %q (%v)", name, c.Speech.Key, tc.key, err)
		}
	}
	// For other commands the setting is not an error.
	if c, err := Load(Sources{Env: env("OPENAI_BASE_URL", "http://shared.example/v1", "DOCENT_LLM_URL", "")}); err != nil || c.LLM.URL+c.Embedder.URL+c.Speech.URL != "" {
		t.Errorf("without a model: %+v, %v", c, err)
	}
}
