package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"docent/client"
	"docent/internal/fault"
	"docent/internal/terminal"
	"docent/payload"
	"docent/rag/corpus"
	"docent/rag/text"
)

// defaultServer is the address that docent serve has by default.
const defaultServer = "http://127.0.0.1:8765"

const chatHelp = `  /new                begin a new conversation
  /docs [TEXT]        list the documents, or those with a text in the title
  /collection [NAME]  answer from one collection; without a name, from all
  /model [NAME]       let this model answer; without a name, list the models
  /sources            list the sources of the last answer
  NUMBER              show the passage, or choose the option, with this number
  /help               show this list
  /quit               end the conversation, like Ctrl-D

Ctrl-C stops an answer. At the prompt, it ends the conversation.`

func newChat(std stdio) *cobra.Command {
	var from remote
	var session, collection, model string
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk with a running server in the terminal",
		Long:  "Talk with the agent of a running server. Each line is a message. The server keeps\nthe conversation, and the page shows it too. These lines are commands:\n\n" + chatHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := from.check(cmd, "model"); err != nil {
				return err
			}
			// Ctrl-C stops an answer, so it must not end the context.
			ctx, stop := signal.NotifyContext(context.WithoutCancel(cmd.Context()), syscall.SIGTERM)
			defer stop()
			c := &conversation{from: from, std: std, page: std.layout(), interrupts: make(chan os.Signal, 1)}
			signal.Notify(c.interrupts, os.Interrupt)
			defer signal.Stop(c.interrupts)
			defer c.leave()
			if err := c.begin(ctx, session, collection, model); err != nil {
				return err
			}
			return errors.Join(c.run(ctx, std.in), c.farewell())
		},
	}
	from.flags(cmd, defaultServer)
	cmd.Flags().StringVar(&session, "session", "", "id of a conversation to show and continue (default a new one)")
	cmd.Flags().StringVar(&collection, "collection", "", "answer only from this collection (default all)")
	cmd.Flags().StringVar(&model, "model", "", "model of the server that answers, or extractive for quotes (default the server's choice)")
	completeCollections(cmd, std, &from)
	completeModels(cmd, &from)
	return cmd
}

// conversation is a conversation with a server in the terminal.
type conversation struct {
	from remote
	std  stdio
	// page shows answers.
	page *terminal.Layout
	// interrupts receives Ctrl-C.
	interrupts chan os.Signal
	session    *client.Session
	// events are those of the session. They end after an error.
	events <-chan heard
	// lost reports that the connection is lost.
	lost bool
	// deaf ends the reading of events.
	deaf context.CancelFunc
	// sent reports that the user has sent a message in the session. Others are deleted at their end.
	sent bool
	// options are the choices that the agent offered last; a number sends one of them.
	options []string
	// collection and model are those of the following answers; "" means the choice of the server.
	collection, model string
	// last is the last answer from documents; nil without one.
	last *payload.RAGMessage
	// numbered reports that the conversation before /new had passages. A number is then none of them, and no message either.
	numbered bool
}

// begin checks the choices of the command line, and joins a conversation.
func (c *conversation) begin(ctx context.Context, session, collection, model string) error {
	if _, err := c.from.models(ctx); err != nil { // it explains a missing server or token
		return err
	}
	if collection != "" {
		if err := c.choose(ctx, collection); err != nil {
			return err
		}
	}
	if model != "" {
		if err := c.chooseModel(ctx, model); err != nil {
			return err
		}
	}
	return c.join(ctx, session)
}

// join begins or continues a conversation.
func (c *conversation) join(ctx context.Context, id string) error {
	cfg := client.SessionConfig{URL: c.from.url + "/ws", Token: c.from.token, SessionID: id}
	if id != "" {
		cfg.LastSeq = new(int64) // with all messages
	}
	session, err := client.Open(ctx, cfg)
	if err != nil {
		return fault.Wrap(fault.KindOf(err), err, "cli_chat_failed", "no conversation with %s", c.from.url)
	}
	c.leave()
	c.session, c.last, c.options, c.sent = session, nil, nil, id != ""
	ctx, c.deaf = context.WithCancel(ctx)
	c.events = listen(ctx, session)
	if id != "" {
		return c.replay(ctx)
	}
	c.say("Talking with %s. /help lists the commands.", c.from.url)
	return c.greeted(ctx)
}

func (c *conversation) leave() {
	if c.session != nil {
		c.deaf()
		_ = c.session.Close() // the conversation stays on the server
	}
}

// farewell says how to continue the conversation.
func (c *conversation) farewell() error {
	if !c.sent {
		return nil
	}
	server := ""
	if c.from.url != defaultServer {
		server = " --server " + terminal.ShellWord(c.from.url)
	}
	_, err := fmt.Fprintf(c.std.err, "To continue: docent chat%s --session %s\n", server, terminal.ShellWord(c.session.ID()))
	return err
}

// say prints a line.
func (c *conversation) say(format string, args ...any) {
	fmt.Fprintf(c.page, format+"\n", args...)
	_ = c.page.Flush() // nothing can be done about an output that is gone
}

// typed is a line of the user. The last one has an error: io.EOF at the end.
type typed struct {
	text string
	err  error
}

// read reads the lines of in. A read of a terminal cannot be interrupted, so nobody waits for the end of it.
func read(ctx context.Context, in io.Reader) <-chan typed {
	lines := make(chan typed)
	send := func(t typed) bool {
		select {
		case lines <- t:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		scan := bufio.NewScanner(in)
		scan.Buffer(make([]byte, 0, 4096), maxQuestion)
		for scan.Scan() {
			if !send(typed{text: strings.TrimSpace(scan.Text())}) {
				return
			}
		}
		err := io.EOF
		if scan.Err() != nil {
			err = fault.New(fault.Invalid, "cli_questions_unreadable", "questions on standard input: %w", scan.Err())
		}
		send(typed{err: err})
	}()
	return lines
}

// run sends each line of in as a message until its end, the line /quit, or Ctrl-C at the prompt.
func (c *conversation) run(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := read(ctx, in)
	waiting := false // the prompt is there
	for {
		if !waiting {
			fmt.Fprint(c.std.out, "> ")
		}
		waiting = false
		var line typed
		select {
		case line = <-lines:
		case h, ok := <-c.events:
			shown, err := c.overhear(h, ok)
			if err != nil {
				return err
			}
			waiting = !shown
			continue
		case <-c.interrupts:
			fmt.Fprintln(c.std.out)
			return nil
		case <-ctx.Done():
			fmt.Fprintln(c.std.out)
			return ctx.Err()
		}
		switch {
		case errors.Is(line.err, io.EOF):
			fmt.Fprintln(c.std.out)
			return nil
		case line.err != nil:
			return line.err
		case line.text == "/quit" || line.text == "/exit":
			return nil
		}
		c.page = c.std.layout() // the width may have changed
		if err := c.take(ctx, line.text); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if errors.Is(err, errStopped) {
				c.say("(stopped)")
				continue
			}
			c.say("error: %s", fault.Message(err))
		}
	}
}

// take carries out a command, or sends a message.
func (c *conversation) take(ctx context.Context, line string) error {
	command, argument, _ := strings.Cut(line, " ")
	argument = strings.TrimSpace(argument)
	number, notNumber := strconv.Atoi(line)
	switch {
	case line == "":
		return nil
	case notNumber == nil && len(c.options) > 0:
		if number < 1 || number > len(c.options) {
			return fault.New(fault.Invalid, "cli_no_option_number", "there is no option %d; there are %d", number, len(c.options))
		}
		return c.ask(ctx, c.options[number-1])
	case notNumber == nil && c.last != nil && len(c.last.Docs) > 0:
		return c.passage(number)
	case notNumber == nil && c.numbered && !c.sent: // right after /new
		return c.sources()
	case command == "/new":
		c.numbered = c.last != nil && len(c.last.Docs) > 0
		return c.join(ctx, "")
	case command == "/docs":
		return c.documents(ctx, argument)
	case command == "/collection":
		return c.choose(ctx, argument)
	case command == "/model":
		return c.chooseModel(ctx, argument)
	case command == "/sources":
		return c.sources()
	case command == "/help":
		c.say("%s", chatHelp)
		return nil
	case strings.HasPrefix(command, "/") && !strings.Contains(command[1:], "/"): // not a path
		return unknownCommand(command)
	}
	return c.ask(ctx, line)
}

// unknownCommand names similar commands. It uses cobra's search for them.
func unknownCommand(name string) error {
	known := &cobra.Command{SuggestionsMinimumDistance: 2} // typing errors
	for line := range strings.Lines(chatHelp) {
		if command, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(command, "/") {
			known.AddCommand(&cobra.Command{Use: command, Run: func(*cobra.Command, []string) {}})
		}
	}
	if near := known.SuggestionsFor(name); len(near) > 0 {
		return fault.New(fault.Invalid, "cli_chat_command_meant", "there is no command %s; did you mean %s?", name, strings.Join(near, " or "))
	}
	return fault.New(fault.Invalid, "cli_chat_command", "there is no command %s; /help lists the commands", name)
}

// sources lists the sources of the last answer.
func (c *conversation) sources() error {
	if c.last == nil {
		c.say("There is no answer with sources yet.")
		return nil
	}
	return errors.Join(printSources(c.page, *c.last), c.page.Flush())
}

// passage prints a passage of the last answer.
func (c *conversation) passage(n int) error {
	if n < 1 || n > len(c.last.Docs) {
		return fault.New(fault.Invalid, "cli_no_source_number",
			"there is no passage %d: those of the last answer have the numbers 1 to %d; to send a number as a message, write a sentence",
			n, len(c.last.Docs))
	}
	d := c.last.Docs[n-1]
	m := d.Metadata
	_, err := fmt.Fprintf(c.page, "[%d] %s\n    %s\n\n%s\n",
		n, oneLine(place(m.Title, m.Heading, m.PageLabel, m.Page)), oneLine(m.Source), strings.TrimSpace(d.Content))
	return errors.Join(err, c.page.Flush())
}

// documents lists up to maxShown documents.
func (c *conversation) documents(ctx context.Context, match string) error {
	const maxShown = 50
	query := url.Values{"limit": {strconv.Itoa(maxShown)}, "sort": {"title"}}
	if match != "" {
		query.Set("match", match)
	}
	if c.collection != "" {
		query.Set("collection", c.collection)
	}
	var page struct {
		Documents []remoteDocument `json:"documents"`
	}
	if err := c.from.get(ctx, "/api/documents", query, &page); err != nil {
		return err
	}
	for _, d := range page.Documents {
		fmt.Fprintf(c.std.out, "%6d  %s  (%s)\n", d.ID, text.Shorten(oneLine(d.Title), 60), oneLine(corpus.ShortSource(d.Source)))
	}
	switch len(page.Documents) {
	case 0:
		c.say("No documents.")
	case maxShown:
		c.say("There may be more: /docs TEXT lists those with a text in the title.")
	}
	return nil
}

// choose limits the following answers to a collection, or to none.
func (c *conversation) choose(ctx context.Context, name string) error {
	names, err := c.from.collections(ctx)
	switch {
	case err != nil:
		return err
	case slices.Contains(names, name):
		c.collection = name
		c.say("Answers come from the collection %s.", name)
		return nil
	case name != "":
		return fault.New(fault.NotFound, "no_collection_of", "there is no collection %q; there are: %s", name, strings.Join(names, ", "))
	}
	c.collection = ""
	c.say("Answers come from all collections: %s.", strings.Join(names, ", "))
	return nil
}

// chooseModel lets a model answer from now on. Without a name, it lists the models.
func (c *conversation) chooseModel(ctx context.Context, name string) error {
	names, err := c.from.models(ctx)
	switch {
	case err != nil:
		return err
	case slices.Contains(names, name):
		c.model = name
		c.say("%s answers.", name)
		return nil
	case name != "":
		return fault.New(fault.NotFound, "model_unknown", "there is no model %q; there are: %s", name, strings.Join(names, ", "))
	}
	for i, name := range names {
		if name == c.model || i == 0 && c.model == "" {
			name += " (answers now)"
		}
		c.say("  %s", name)
	}
	return nil
}
