package agenttest

import (
	"log/slog"
	"os"
	"testing"

	"docent/agent"
	"docent/agent/recording"
	"docent/agent/session"
	"docent/llm"
)

// Play plays the recording in a file with the agent of a configuration, as docent agent test does with an agent file. It
// reports the differences as errors of the test. The store, the clock, and the speech are those of the recording. So are the
// model and the other agents, unless the configuration has its own. Facts about the user are kept until the end of the
// recording, and Answers answers from the documents.
func Play(t *testing.T, cfg session.RuntimeConfig, file string) {
	t.Helper()
	PlayWith(t, cfg, NewPlayer(t, file))
}

// NewPlayer reads the recording in a file. Its Script is a model, for agents that need one when they are made.
func NewPlayer(t *testing.T, file string) *recording.Player {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recording.Parse(file, raw)
	if err != nil {
		t.Fatal(err)
	}
	return recording.NewPlayer(rec)
}

// PlayWith is Play with a player of NewPlayer.
func PlayWith(t *testing.T, cfg session.RuntimeConfig, player *recording.Player) {
	t.Helper()
	script := player.Script
	cfg.Store, cfg.Now, cfg.Speaker = player.Watch(NewStore()), player.Now, script
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	if cfg.Dialer == nil {
		cfg.Dialer = script
	}
	if cfg.Memories == nil {
		cfg.Memories = &session.TemporaryMemories{}
	}
	if cfg.RAG == nil {
		cfg.RAG = &Answers{}
	}
	if len(cfg.Models.ByName) == 0 && script.Models() {
		cfg.Models = agent.Models{ByName: map[string]llm.Model{script.Name(): script}, Default: script.Name()}
	}
	differences, err := player.Play(t.Context(), Start(t, cfg))
	for _, d := range differences {
		t.Errorf("the agent did something else (- missing, + new):\n%s", d)
	}
	if err != nil {
		t.Error(err)
	}
}
