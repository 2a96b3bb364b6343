package servertest_test

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"docent/agent/session/journal"
	"docent/internal/servertest"
	"docent/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(servertest.Main(m)) }

// who is somebody who uses a server.
type who = servertest.Person

// The steps of tests that use a server.
var (
	dial          = who{}.Dial // as a client without credentials
	say           = servertest.Say
	hear          = servertest.Hear
	until         = servertest.Until
	frame         = servertest.Frame
	getJSON       = servertest.GetJSON
	eventually    = servertest.Eventually
	calling       = servertest.Calling
	notAtMidnight = servertest.NotAtMidnight
)

// pump is the document of most tests.
var pump = servertest.Document{Name: "pump.md", Content: "# Pump\n\nThe feed pump stops at noon.\n"}

// litres is another document about the same pump.
var litres = servertest.Document{Name: "pump.md", Content: "# Pump\n\nThe feed pump moves 40 litres per minute.\n"}

// vault is a document for a collection that only some people may read.
var vault = servertest.Document{Collection: "vault", Name: "vault.md", Content: "# Vault\n\nThe vault pump stops at Zqmidnight.\n"}

// site is a server with authentication.
type site struct {
	*servertest.Server

	asked atomic.Int64
	reads bool // administrators may read conversations
}

// guarded starts a site with the document pump after the others.
func guarded(t *testing.T, cfg servertest.Config) *site {
	t.Helper()
	cfg.Auth = true
	cfg.Documents = append(slices.Clone(cfg.Documents), pump)
	cfg.Settings = with(cfg.Settings, map[string]string{"trusted-proxies": "127.0.0.1"})
	return &site{Server: servertest.Start(t, cfg), reads: cfg.Settings["read-conversations"] == "true"}
}

// with returns the settings of both maps.
func with(settings, more map[string]string) map[string]string {
	all := maps.Clone(more)
	maps.Copy(all, settings)
	return all
}

// session makes a session of an owner.
func (s *site) session(t *testing.T, owner string) journal.SessionKey {
	t.Helper()
	key := journal.SessionKey{Agent: "docent", ID: fmt.Sprintf("s%d", s.asked.Add(1))}
	if _, _, err := s.DB.Sessions.OpenSession(t.Context(), journal.SessionRecord{Key: key, Owner: owner, Platform: "WebSocketPlatform"}); err != nil {
		t.Fatal(err)
	}
	return key
}

// from returns a new client address. The server slows down addresses that send
// wrong credentials.
func (s *site) from() []string {
	n := s.asked.Add(1)
	return []string{"X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)}
}

// scripted returns the settings for a scripted model.
func scripted(model *llmtest.Server) map[string]string {
	return map[string]string{"llm.url": model.URL, "llm.model": "scripted", "llm.key": "none"}
}

// thinker is an agent that reasons about each message.
const thinker = `name: thinker
tools: {knowledge: true}
states:
  think:
    initial: true
    body: [reason]
    on: [{message: any, to: think}]
`
