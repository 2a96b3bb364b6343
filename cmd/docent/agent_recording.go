package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"docent/agent"
	"docent/agent/recording"
	"docent/agent/session/journal"
	"docent/auth/audit"
	"docent/config"
	"docent/ingest"
	"docent/internal/fault"
	"docent/internal/wiring"
)

func newAgentTest(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "test FILE [RECORDING...]",
		Short: "Play recorded conversations with an agent file",
		Long: `Play recorded conversations with an agent file, and show the differences. Each
recording has its own empty data folder, and its own clock. Models and tools answer
from the recording. Without a RECORDING, the command plays NAME.txt and NAME-*.txt
beside the agent file NAME.yaml and in the folder testdata. If the agent does
something else, the command exits with status 1.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			files := args[1:]
			if len(files) == 0 {
				if files, err = recordingsOf(args[0]); err != nil {
					return err
				}
			}
			r := &rehearsal{std: std, cfg: cfg, file: args[0]}
			defer func() { err = errors.Join(err, r.close(cmd.Context())) }()
			failed := 0
			for _, file := range files {
				rec, err := readRecording(file)
				if err != nil {
					return err
				}
				differences, err := r.play(cmd.Context(), rec)
				if cmd.Context().Err() != nil {
					return context.Cause(cmd.Context())
				}
				if fault.KindOf(err) == fault.Invalid {
					return err
				}
				if !reported(std, rec, differences, err) {
					failed++
				}
			}
			if failed > 0 {
				fmt.Fprintf(std.err, "docent: %s failed of %d\n", plural(failed, "recording"), len(files))
				return errFailed
			}
			return nil
		},
	}
}

// recordingsOf returns the recordings beside an agent file.
func recordingsOf(file string) ([]string, error) {
	dir, name := filepath.Dir(file), strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	var out []string
	for _, folder := range []string{dir, filepath.Join(dir, "testdata")} {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.Invalid, "other_error", "%w", err)
		}
		for _, e := range entries {
			rest, ok := strings.CutPrefix(e.Name(), name)
			if ok && (rest == ".txt" || strings.HasPrefix(rest, "-") && strings.HasSuffix(rest, ".txt")) {
				out = append(out, filepath.Join(folder, e.Name()))
			}
		}
	}
	if len(out) == 0 {
		return nil, fault.New(fault.Invalid, "cli_no_recordings",
			"there is no recording %s.txt beside %s; write one, or make one with: docent agent record SESSION", name, file)
	}
	return out, nil
}

// readRecording reads a recording.
func readRecording(file string) (recording.Recording, error) {
	info, err := os.Stat(file)
	if err == nil && info.Size() > recording.MaxBytes {
		return recording.Recording{}, fault.New(fault.Invalid,
			"recording_too_large", "%s: a recording may have %d bytes", file, recording.MaxBytes)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return recording.Recording{}, fault.New(fault.Invalid, "other_error", "%w", err)
	}
	return recording.Parse(file, raw)
}

// reported prints the outcome of a recording, and reports whether the agent did the same.
func reported(std stdio, rec recording.Recording, differences []recording.Difference, err error) bool {
	if len(differences) == 0 && err == nil {
		fmt.Fprintf(std.out, "ok    %s\n", rec.Name)
		return true
	}
	fmt.Fprintf(std.out, "FAIL  %s\n", rec.Name)
	for _, d := range differences {
		fmt.Fprint(std.out, d)
	}
	if err != nil {
		fmt.Fprintf(std.out, "%s: %s\n", rec.Name, strings.TrimPrefix(err.Error(), rec.Name+":"))
	}
	return false
}

// rehearsal plays recordings with an agent file, without the data of the user.
type rehearsal struct {
	std  stdio
	cfg  config.Config
	file string
	room *room // for recordings without documents; nil before the first
	// models reports that the configured chat model answers.
	models bool
}

// room has the parts that a trial needs, over an empty data folder.
type room struct {
	dir     string
	store   *wiring.Store
	readers *wiring.Readers
	answers *wiring.Answers
}

// play plays a recording.
func (r *rehearsal) play(ctx context.Context, rec recording.Recording) (_ []recording.Difference, err error) {
	if rec.Has(recording.Document) {
		own, err := r.open(ctx, rec)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, own.close(ctx)) }()
		return play(ctx, own.answers, own.readers, r.file, rec)
	}
	if r.room == nil {
		if r.room, err = r.open(ctx, rec); err != nil {
			return nil, err
		}
	}
	return play(ctx, r.room.answers, r.room.readers, r.file, rec)
}

// score plays a recording and counts what the agent does.
func (r *rehearsal) score(ctx context.Context, rec recording.Recording) (out recording.Score, err error) {
	own, err := r.open(ctx, rec)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, own.close(ctx)) }()
	player, trial, err := try(ctx, own.answers, own.readers, r.file, rec)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, trial.Close(ctx)) }()
	return player.Score(ctx, trial.Runtime), nil
}

// close removes the data folder.
func (r *rehearsal) close(ctx context.Context) error {
	if r.room == nil {
		return nil
	}
	return r.room.close(ctx)
}

// open opens a room with the documents of a recording.
func (r *rehearsal) open(ctx context.Context, rec recording.Recording) (_ *room, err error) {
	out := &room{}
	defer func() {
		if err != nil {
			err = errors.Join(err, out.close(ctx))
		}
	}()
	if out.dir, err = os.MkdirTemp("", "docent-test-"); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	cfg := r.cfg
	cfg.Data, cfg.Models, cfg.DatabaseURL = out.dir, filepath.Join(out.dir, "models"), ""
	if !r.models {
		cfg.LLM = config.LLM{}
	}
	cfg.Embedder, cfg.Rerank, cfg.Speech, cfg.Traces = config.Embedder{}, config.Rerank{}, config.Speech{}, ""
	if out.store, err = wiring.OpenStore(ctx, base(cfg, r.std)); err != nil {
		return nil, err
	}
	embedders, err := wiring.OpenEmbedders(ctx, out.store.Base)
	if err != nil {
		return nil, err
	}
	if out.readers, err = wiring.OpenReaders(out.store, embedders); err != nil {
		return nil, err
	}
	if err := addDocuments(ctx, out.readers, filepath.Join(out.dir, "documents"), rec); err != nil {
		return nil, err
	}
	indexes, err := wiring.OpenIndexes(ctx, out.store, embedders)
	if err != nil {
		return nil, err
	}
	out.answers, err = wiring.OpenAnswers(out.store, embedders, indexes)
	return out, err
}

// close closes the parts and removes the data folder. It also works if ctx has ended.
func (r *room) close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if r.readers != nil {
		r.readers.Close(ctx)
	}
	if r.store != nil {
		r.store.Close(ctx)
	}
	return os.RemoveAll(r.dir)
}

// addDocuments ingests the documents of a recording.
func addDocuments(ctx context.Context, readers *wiring.Readers, dir string, rec recording.Recording) error {
	documents := rec.Of(recording.Document)
	if len(documents) == 0 {
		return nil
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("documents: %w", err)
	}
	for _, d := range documents {
		name, text, _ := strings.Cut(d, " ")
		if !filepath.IsLocal(name) || filepath.Base(name) != name {
			return fault.New(fault.Invalid, "recording_document", "%s: the name of a document has no folder: %s", rec.Name, name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("documents: %w", err)
		}
	}
	for r, err := range readers.Ingester.Ingest(ctx, ingest.Request{Paths: []string{dir}}) {
		if err != nil {
			return fmt.Errorf("documents of %s: %w", rec.Name, err)
		}
		if r.Status == ingest.Failed {
			return fault.New(fault.Invalid, "recording_document_unread", "%s: %s: %s", rec.Name, filepath.Base(r.Source), r.Reason)
		}
	}
	return nil
}

// play plays a recording.
func play(
	ctx context.Context, answers *wiring.Answers, readers *wiring.Readers, file string, rec recording.Recording,
) (_ []recording.Difference, err error) {
	player, trial, err := try(ctx, answers, readers, file, rec)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, trial.Close(ctx)) }()
	return player.Play(ctx, trial.Runtime)
}

// try opens an agent for a recording, and its player.
func try(
	ctx context.Context, answers *wiring.Answers, readers *wiring.Readers, file string, rec recording.Recording,
) (*recording.Player, *wiring.Trial, error) {
	player := recording.NewPlayer(rec)
	trial, err := wiring.NewTrial(ctx, answers, readers, wiring.TrialConfig{
		File: file, Script: player.Script, Now: player.Now,
		Wrap: func(_ *agent.Agent, s journal.Store) journal.Store { return player.Watch(s) },
	})
	return player, trial, err
}

func newAgentRecord(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "record SESSION",
		Short: "Print a stored conversation as a recording",
		Long: `Print a stored conversation as a recording for docent agent test: the messages and
files of the user, and the replies of the agent. Replies with reasoning come with the
answers of the model and the results of the tools. Add lines for states, intents, and
other models where a test needs them.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rec, err := recorded(cmd, std, args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(std.out, rec)
			return err
		},
	}
}

// recorded returns a stored conversation as a recording.
func recorded(cmd *cobra.Command, std stdio, session string) (rec recording.Recording, err error) {
	store, err := openStored(cmd, std)
	if err != nil {
		return rec, err
	}
	defer store.Close(cmd.Context())
	return readConversation(cmd.Context(), store, session)
}

// minPrefix is the minimum length of the beginning of an id that names a conversation.
const minPrefix = 8

// findConversation returns the conversation with an id, or the only one whose id begins so.
func findConversation(ctx context.Context, all journal.Directory, id string) (journal.SessionRecord, error) {
	var past *journal.SessionRecord
	var near []journal.SessionRecord
	for {
		page, err := all.Sessions(ctx, journal.SessionFilter{Latest: true, Past: past})
		if err != nil {
			return journal.SessionRecord{}, fmt.Errorf("list conversations: %w", err)
		}
		for _, r := range page {
			if r.Key.ID == id {
				return r, nil
			}
			if len(near) < 2 && len(id) >= minPrefix && strings.HasPrefix(r.Key.ID, id) {
				near = append(near, r)
			}
		}
		if len(page) == 0 && len(near) == 1 {
			return near[0], nil
		}
		if len(page) == 0 {
			return journal.SessionRecord{}, fault.New(fault.NotFound, "cli_no_conversation",
				"there is no conversation %s; the address of the page ends with the id of a conversation", id)
		}
		past = &page[len(page)-1]
	}
}

// readConversation reads a conversation of a database.
func readConversation(ctx context.Context, store *wiring.Store, session string) (rec recording.Recording, err error) {
	found, err := findConversation(ctx, store.DB.Directory, session)
	if err != nil {
		return rec, err
	}
	if found.Owner != "" {
		if !store.Config.ReadConversations {
			return rec, fault.New(fault.Forbidden, "cli_conversation_private", "the conversation belongs to %s; "+
				"to read conversations of others, set DOCENT_READ_CONVERSATIONS=true", found.Owner)
		}
		act := audit.Record{Actor: audit.Operator, Action: audit.ConversationRead, Object: found.Key.ID}
		if _, err := store.DB.Audit.AddRecord(ctx, act); err != nil {
			return rec, fmt.Errorf("record the reading: %w", err)
		}
	}
	messages, err := store.DB.Sessions.Messages(ctx, found.RowID, journal.MessageQuery{})
	if err != nil {
		return rec, fmt.Errorf("read the conversation: %w", err)
	}
	steps, err := store.DB.Sessions.Steps(ctx, found.RowID, journal.MessageQuery{})
	if err != nil {
		return rec, fmt.Errorf("read the conversation: %w", err)
	}
	events, err := store.DB.Traces.Events(ctx, found.RowID, 0, recording.MaxLines)
	if err != nil {
		return rec, fmt.Errorf("read the conversation: %w", err)
	}
	return recording.FromStored(session, messages, steps, events), nil
}

func newAgentReplay(std stdio) *cobra.Command {
	var models bool
	var file string
	cmd := &cobra.Command{
		Use:   "replay SESSION... --agent FILE",
		Short: "Show what a changed agent would do in stored conversations",
		Long: `Play stored conversations with an agent file, and show for each message what the agent
would do now. The stored conversations stay as they are. The documents are those of
the data folder. The chat model and the tools give the stored replies and results of
each message; with --models, the configured chat model answers anew.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := openReading(cmd, std)
			if err != nil {
				return err
			}
			defer p.Close(cmd.Context())
			warnWithoutModel(std, p.Config, models)
			x, err := wiring.OpenIndexes(cmd.Context(), p.Store, p.Embedders)
			if err != nil {
				return err
			}
			a, err := wiring.OpenAnswers(p.Store, p.Embedders, x)
			if err != nil {
				return err
			}
			failed := 0
			for _, id := range args {
				rec, err := readConversation(cmd.Context(), p.Store, id)
				if err != nil {
					return err
				}
				if models {
					rec = rec.Unanswered()
				} else {
					rec = rec.Answered()
				}
				differences, err := play(cmd.Context(), a, p.Readers, file, rec)
				if fault.KindOf(err) == fault.Invalid {
					return err
				}
				if !reported(std, rec, differences, err) {
					failed++
				}
			}
			if failed > 0 {
				return errFailed
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "agent", "", "the agent file; without it, the built-in assistant")
	cmd.Flags().BoolVar(&models, "models", false, "ask the configured chat model")
	scoped(cmd, config.Answering, config.Chatting, config.Embedding)
	return cmd
}
