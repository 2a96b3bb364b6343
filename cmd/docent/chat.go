package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"docent/client"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag/corpus"
	"docent/rag/order"
	"docent/rag/text"
)

// defaultServer is the address that docent serve has by default.
const defaultServer = "http://127.0.0.1:8765"

const chatHelp = `  /new                begin a new conversation
  /docs [TEXT]        list the documents, or those with a text in the title
  /collection [NAME]  answer from one collection; without a name, from all
  /sources            list the sources of the last answer
  NUMBER              show the passage with this number
  /help               show this list
  /quit               end the conversation, like Ctrl-D`

func newChat(std stdio) *cobra.Command {
	var from remote
	var session string
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk with a running server in the terminal",
		Long:  "Talk with the agent of a running server. Each line is a message. The server keeps\nthe conversation, and the page shows it too. These lines are commands:\n\n" + chatHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := from.check(); err != nil {
				return err
			}
			c := &conversation{from: from, out: std.out}
			defer c.leave()
			if err := c.join(cmd.Context(), session); err != nil {
				return err
			}
			return c.run(cmd.Context(), std.in)
		},
	}
	from.flags(cmd, defaultServer)
	cmd.Flags().StringVar(&session, "session", "", "id of a conversation to continue (default a new one)")
	return cmd
}

// conversation is a conversation with a server in the terminal.
type conversation struct {
	from       remote
	out        io.Writer
	session    *client.Session
	collection string
	// last is the last answer from documents; nil without one.
	last *payload.RAGMessage
}

// join begins or continues a conversation, and prints its greeting.
func (c *conversation) join(ctx context.Context, id string) error {
	session, err := client.Open(ctx, client.SessionConfig{URL: c.from.url + "/ws", Token: c.from.token, SessionID: id})
	if err != nil {
		return fault.New(fault.KindOf(err), "cli_chat_failed", "talk with %s: %w; is docent serve running there?", c.from.url, err)
	}
	c.leave()
	c.session, c.last = session, nil
	if id == "" {
		fmt.Fprintf(c.out, "Talking with %s. /help lists the commands.\n", c.from.url)
	}
	return nil
}

func (c *conversation) leave() {
	if c.session != nil {
		_ = c.session.Close() // the conversation stays on the server
	}
}

// run sends each line of in as a message until its end, or the line /quit.
func (c *conversation) run(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 4096), maxQuestion)
	for {
		fmt.Fprint(c.out, "> ")
		if !lines.Scan() {
			fmt.Fprintln(c.out)
			if err := lines.Err(); err != nil {
				return fault.New(fault.Invalid, "cli_questions_unreadable", "questions on standard input: %w", err)
			}
			return ctx.Err()
		}
		line := strings.TrimSpace(lines.Text())
		if line == "/quit" {
			return nil
		}
		if err := c.take(ctx, line); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fmt.Fprintf(c.out, "error: %s\n", fault.Message(err))
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
	case notNumber == nil && c.last != nil && number >= 1 && number <= len(c.last.Docs):
		return c.passage(number)
	case command == "/new":
		return c.join(ctx, "")
	case command == "/docs":
		return c.documents(ctx, argument)
	case command == "/collection":
		return c.choose(ctx, argument)
	case command == "/sources":
		return c.sources()
	case strings.HasPrefix(command, "/"):
		fmt.Fprintln(c.out, chatHelp)
		return nil
	}
	return c.ask(ctx, line)
}

// ask sends a message and prints the replies while they come.
func (c *conversation) ask(ctx context.Context, line string) error {
	var message any = line
	if c.collection != "" {
		message = map[string]any{"message": line, "collections": []string{c.collection}}
	}
	receipt, err := c.session.Send(ctx, message)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	var streamed strings.Builder
	for event, err := range c.session.Events(ctx) {
		if err != nil {
			return fmt.Errorf("the conversation: %w", err)
		}
		switch e := event.(type) {
		case *client.Delta:
			if e.Turn == receipt.Turn {
				streamed.WriteString(e.Text)
				fmt.Fprint(c.out, e.Text)
			}
		case *client.Reply:
			if e.Turn == receipt.Turn {
				c.reply(e.Entry, streamed.String())
				streamed.Reset()
			}
		case *client.Error:
			if e.Turn == receipt.Turn {
				fmt.Fprintf(c.out, "error: %s\n", e.Reason)
			}
		case *client.TurnFinished:
			if e.Turn == receipt.Turn {
				return nil
			}
		}
	}
	return ctx.Err()
}

// reply prints a reply. streamed is its printed beginning.
func (c *conversation) reply(e client.Entry, streamed string) {
	if streamed != "" {
		fmt.Fprintln(c.out)
	}
	var rag payload.RAGMessage
	var said string
	switch {
	case e.Action == payload.ReplyRAG && json.Unmarshal(e.Message, &rag) == nil:
		rag = order.ByCitation(rag)
		c.last = &rag
		if !sameWords(streamed, rag.Answer) {
			fmt.Fprintln(c.out, strings.TrimSpace(rag.Answer))
		}
		if len(rag.Docs) > 0 {
			fmt.Fprintln(c.out)
		}
		_ = c.sources() // nothing can be done about an output that is gone
	case json.Unmarshal(e.Message, &said) == nil:
		if !sameWords(streamed, said) {
			fmt.Fprintln(c.out, said)
		}
	default:
		fmt.Fprintf(c.out, "(%s: the page shows it)\n", e.Action)
	}
}

// sameWords reports whether two texts differ only in their markers and white space.
func sameWords(a, b string) bool {
	return strings.Join(strings.Fields(text.Unmarked(a)), " ") == strings.Join(strings.Fields(text.Unmarked(b)), " ")
}

// sources lists the sources of the last answer.
func (c *conversation) sources() error {
	if c.last == nil {
		fmt.Fprintln(c.out, "There is no answer with sources yet.")
		return nil
	}
	cited := map[int]bool{}
	for _, s := range c.last.Sentences {
		for _, n := range s.Docs {
			cited[n] = true
		}
	}
	return printSources(c.out, *c.last, cited)
}

// passage prints a passage of the last answer.
func (c *conversation) passage(n int) error {
	d := c.last.Docs[n-1]
	m := d.Metadata
	_, err := fmt.Fprintf(c.out, "[%d] %s\n    %s\n\n%s\n",
		n, oneLine(place(m.Title, m.Heading, m.PageLabel, m.Page)), oneLine(m.Source), strings.TrimSpace(d.Content))
	return err
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
		fmt.Fprintf(c.out, "%6d  %s  (%s)\n", d.ID, text.Shorten(oneLine(d.Title), 60), oneLine(corpus.ShortSource(d.Source)))
	}
	switch len(page.Documents) {
	case 0:
		fmt.Fprintln(c.out, "No documents.")
	case maxShown:
		fmt.Fprintln(c.out, "There may be more: /docs TEXT lists those with a text in the title.")
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
		fmt.Fprintf(c.out, "Answers come from the collection %s.\n", name)
		return nil
	case name != "":
		return fault.New(fault.NotFound, "no_collection_of", "there is no collection %q; there are: %s", name, strings.Join(names, ", "))
	}
	c.collection = ""
	fmt.Fprintf(c.out, "Answers come from all collections: %s.\n", strings.Join(names, ", "))
	return nil
}
