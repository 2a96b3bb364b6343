package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/text"
)

func newDocs(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "List, tag, move, rename, replace, and remove documents",
		Long:  `Without a command, "docent docs" lists the documents like "docent docs ls".`,
		Args:  cobra.NoArgs,
	}
	listsDocuments(cmd, std)
	cmd.AddCommand(newDocsLs(std), newDocsTag(std), newDocsMove(std), newDocsRename(std), newDocsReplace(std), newDocsRm(std))
	return cmd
}

// docLine is a line of `docs ls --json`; its keys are a contract.
type docLine struct {
	ID         int64         `json:"id"`
	Collection string        `json:"collection"`
	Source     string        `json:"source"`
	Title      string        `json:"title"`
	MediaType  string        `json:"media_type"`
	Size       int64         `json:"size"`
	SHA256     string        `json:"sha256"`
	Chunks     int           `json:"chunks"`
	Status     corpus.Status `json:"status"`
	Reason     string        `json:"reason,omitempty"`
	// Date is the day when the document was written or last changed.
	Date     string          `json:"date,omitempty"`
	DateFrom corpus.DateFrom `json:"date_from,omitempty"`
	Version  string          `json:"version,omitempty"`
	Folder   string          `json:"folder,omitempty"`
	Tags     []string        `json:"tags,omitempty"`
	// Sentence names the reason; docs/reference/errors.md lists the ids.
	Sentence fault.Sentence `json:"sentence,omitzero"`
}

// listPage is the number of documents in one query.
const listPage = 1000

// eachDocument calls f for every document of a place in a collection; "" means all
// collections.
func eachDocument(cmd *cobra.Command, lib corpus.Library, collection string, place corpus.Place, f func(corpus.Document) error) error {
	filter := corpus.DocumentFilter{
		Collection: collection, Place: corpus.Place{Folders: place.Folders}, Tagged: place.Tags, Limit: listPage,
	}
	for {
		docs, err := lib.Documents(cmd.Context(), filter)
		if err != nil {
			return fmt.Errorf("list documents: %w", err)
		}
		for _, d := range docs {
			if err := f(d); err != nil {
				return err
			}
		}
		if len(docs) < listPage {
			return nil
		}
		filter.After = docs[len(docs)-1].ID
	}
}

func newDocsLs(std stdio) *cobra.Command {
	cmd := &cobra.Command{Use: "ls", Short: "List the documents", Args: cobra.NoArgs}
	listsDocuments(cmd, std)
	return cmd
}

// listsDocuments makes a command list the documents.
func listsDocuments(cmd *cobra.Command, std stdio) {
	var asJSON bool
	var collection string
	var from remote
	var within scope
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		each, done, err := documentsOf(cmd, std, &from, collection, within.place)
		if err != nil {
			return err
		}
		defer done()
		if asJSON {
			enc := json.NewEncoder(std.out)
			return each(func(d docLine) error { return enc.Encode(d) })
		}
		n := 0
		w := tabwriter.NewWriter(std.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tSTATUS\tPASSAGES\tTITLE\tSOURCE")
		err = each(func(d docLine) error {
			n++
			source := d.Source
			if d.Reason != "" {
				source += "  (" + d.Reason + ")"
			}
			_, err := fmt.Fprintf(w, "%d\t%s\t%d\t%s\t%s\n", d.ID, d.Status, d.Chunks, text.Shorten(oneLine(d.Title), 48), oneLine(source))
			return err
		})
		if err != nil {
			return err
		}
		if n == 0 && !within.place.IsZero() {
			_, err := fmt.Fprintln(std.out, "No documents in these folders or with these tags.")
			return err
		}
		if n == 0 && collection != "" {
			_, err := fmt.Fprintf(std.out, "No documents in the collection %q.\n", collection)
			return err
		}
		if n == 0 {
			_, err := fmt.Fprintln(std.out, "No documents yet. Add some: docent ingest FOLDER")
			return err
		}
		return w.Flush()
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per document")
	cmd.Flags().StringVar(&collection, "collection", "", "list only this collection (default all)")
	within.placeFlags(cmd, "list")
	from.flags(cmd, "")
	completeCollections(cmd, std, &from)
}

// documentsOf returns the function that lists the documents of a server, or of the database, and one that ends the use of it.
func documentsOf(
	cmd *cobra.Command, std stdio, from *remote, collection string, place corpus.Place,
) (each func(func(docLine) error) error, done func(), err error) {
	if elsewhere, err := from.check(cmd); err != nil {
		return nil, nil, err
	} else if elsewhere {
		return func(f func(docLine) error) error { return from.documents(cmd.Context(), collection, place, f) }, func() {}, nil
	}
	p, err := openStored(cmd, std)
	if err != nil {
		return nil, nil, err
	}
	if err := needsCollection(cmd.Context(), p, collection); err != nil {
		p.Close(cmd.Context())
		return nil, nil, err
	}
	return func(f func(docLine) error) error {
		return eachDocument(cmd, p.DB.Library, collection, place, func(d corpus.Document) error {
			return f(docLine{
				d.ID, d.Collection, d.Source, d.Title, d.MediaType, d.Size, d.SHA256, d.Chunks, d.Status,
				d.Error.Message, d.Day(), d.DateFrom, d.Version, d.Folder, corpus.CleanTags(slices.Concat(d.Tags, d.OwnTags)), d.Error.Sentence,
			})
		})
	}, func() { p.Close(cmd.Context()) }, nil
}

func newDocsRm(std stdio) *cobra.Command {
	var collection string
	var from remote
	cmd := &cobra.Command{
		Use:   "rm ID|SOURCE...",
		Short: "Remove documents by id, source, or file",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			each, done, err := documentsOf(cmd, std, &from, collection, corpus.Place{})
			if err != nil {
				return err
			}
			wanted := map[string]string{}
			for _, arg := range args {
				wanted[arg] = arg
				if abs, err := filepath.Abs(arg); err == nil {
					wanted[abs] = arg
				}
			}
			found := map[string]bool{}
			var ids []int64
			err = each(func(d docLine) error {
				file, _, _ := strings.Cut(d.Source, "#")
				for _, name := range []string{strconv.FormatInt(d.ID, 10), d.Source, file} {
					if arg, ok := wanted[name]; ok {
						found[arg] = true
						ids = append(ids, d.ID)
						break
					}
				}
				return nil
			})
			done()
			if err != nil {
				return err
			}
			for _, arg := range args {
				if !found[arg] {
					return fault.New(fault.NotFound,
						"cli_no_document", "there is no document %q; docent docs ls lists them; nothing was removed", arg)
				}
			}
			n, err := removeDocuments(cmd, std, &from, ids)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out, "removed %s\n", plural(n, "document"))
			return err
		},
	}
	cmd.Flags().StringVar(&collection, "collection", "", "remove only from this collection (default all)")
	from.flags(cmd, "")
	completeCollections(cmd, std, &from)
	return cmd
}

// removeDocuments removes documents from the server, or from the database. It returns their number.
func removeDocuments(cmd *cobra.Command, std stdio, from *remote, ids []int64) (n int, err error) {
	if from.url == "" {
		p, err := openStored(cmd, std)
		if err != nil {
			return 0, err
		}
		defer p.Close(cmd.Context())
		if n, err = p.DB.Documents.RemoveDocuments(cmd.Context(), ids); err != nil {
			return 0, fmt.Errorf("remove documents: %w", err)
		}
		return n, nil
	}
	for some := range slices.Chunk(ids, maxIDs) {
		var out struct{ Removed int }
		if err := from.call(cmd.Context(), http.MethodPost, "/api/documents/delete", map[string]any{"ids": some}, &out); err != nil {
			return n, err
		}
		n += out.Removed
	}
	return n, nil
}

// maxIDs is the number of ids in a request to a server.
const maxIDs = 10_000

func newDocsTag(std stdio) *cobra.Command {
	var add, remove []string
	var from remote
	cmd := &cobra.Command{
		Use:   "tag ID...",
		Short: "Add and remove tags of documents",
		Long: `Add and remove tags of documents. They stay when docent reads the documents again. Tags
that a document states itself cannot be removed.`,
		Example: `  docent docs tag 12 15 --add draft --remove final`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := documentIDs(args)
			if err != nil {
				return err
			}
			n, err := tagDocuments(cmd, std, &from, ids, add, remove)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out, "tagged %s\n", plural(n, "document"))
			return err
		},
	}
	cmd.Flags().StringArrayVar(&add, "add", nil, "add this tag; repeatable")
	cmd.Flags().StringArrayVar(&remove, "remove", nil, "remove this tag; repeatable")
	from.flags(cmd, "")
	return cmd
}

// tagDocuments adds and removes tags of documents of the server, or of the database. It returns their number.
func tagDocuments(cmd *cobra.Command, std stdio, from *remote, ids []int64, add, remove []string) (int, error) {
	if elsewhere, err := from.check(cmd); err != nil {
		return 0, err
	} else if elsewhere {
		var out struct{ Tagged int }
		err := from.call(cmd.Context(), http.MethodPost, "/api/documents/tag", map[string]any{"ids": ids, "add": add, "remove": remove}, &out)
		return out.Tagged, err
	}
	p, err := openStored(cmd, std)
	if err != nil {
		return 0, err
	}
	defer p.Close(cmd.Context())
	n, err := p.DB.Tags.TagDocuments(cmd.Context(), ids, corpus.CleanTags(add), corpus.CleanTags(remove))
	if err != nil {
		return 0, fmt.Errorf("tag documents: %w", err)
	}
	return n, nil
}

// documentIDs reads the ids in arguments.
func documentIDs(args []string) ([]int64, error) {
	ids := make([]int64, len(args))
	for i, arg := range args {
		var err error
		if ids[i], err = strconv.ParseInt(arg, 10, 64); err != nil {
			return nil, fault.New(fault.Invalid, "cli_not_an_id", "%q is not the id of a document; docent docs ls lists the ids", arg)
		}
	}
	return ids, nil
}

func newDocsMove(std stdio) *cobra.Command {
	var to string
	var from remote
	cmd := &cobra.Command{
		Use:   "move ID...",
		Short: "Move documents to another collection",
		Long: `Move documents to another collection. They keep their ids and tags, and answers still
cite them. docent moves all of them or none. Documents that a source keeps in sync cannot
be moved.`,
		Example: `  docent docs move 12 15 --to manuals`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := documentIDs(args)
			if err != nil {
				return err
			}
			if len(ids) > corpus.MaxMoved {
				return fault.New(fault.Invalid, "cli_too_many_moved", "at most %d documents can be moved at a time", corpus.MaxMoved)
			}
			n, err := moveDocuments(cmd, std, &from, ids, to)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out, "moved %s to %s\n", plural(n, "document"), to)
			return err
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the collection to move them to (required)")
	cobra.CheckErr(cmd.MarkFlagRequired("to"))
	from.flags(cmd, "")
	completeCollection(cmd, std, &from, "to")
	return cmd
}

// moveDocuments moves documents of a server, or of the database.
func moveDocuments(cmd *cobra.Command, std stdio, from *remote, ids []int64, to string) (int, error) {
	if elsewhere, err := from.check(cmd); err != nil {
		return 0, err
	} else if elsewhere {
		var out struct{ Moved int }
		err := from.call(cmd.Context(), http.MethodPost, "/api/documents/move", map[string]any{"ids": ids, "collection": to}, &out)
		return out.Moved, err
	}
	p, err := openStored(cmd, std)
	if err != nil {
		return 0, err
	}
	defer p.Close(cmd.Context())
	n, err := p.DB.Moves.MoveDocuments(cmd.Context(), ids, to)
	if err != nil {
		return 0, fmt.Errorf("move documents: %w", err)
	}
	return n, nil
}

func newDocsRename(std stdio) *cobra.Command {
	var from remote
	cmd := &cobra.Command{
		Use:   "rename ID TITLE",
		Short: "Change the title of a document",
		Long: `Change the title of a document. The title stays when docent reads the document again,
also if the file has changed. The file and the source keep their names. An empty title
restores the one in the file.`,
		Example: `  docent docs rename 12 "Travel policy"`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := documentIDs(args[:1])
			if err != nil {
				return err
			}
			title, err := renameDocument(cmd, std, &from, ids[0], args[1])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out, "document %d is now %q\n", ids[0], title)
			return err
		},
	}
	from.flags(cmd, "")
	return cmd
}

// renameDocument renames a document of a server, or of the database. It returns the new title.
func renameDocument(cmd *cobra.Command, std stdio, from *remote, id int64, title string) (string, error) {
	ctx := cmd.Context()
	if elsewhere, err := from.check(cmd); err != nil {
		return "", err
	} else if elsewhere {
		var out struct{ Title string }
		err := from.call(ctx, http.MethodPatch, fmt.Sprintf("/api/documents/%d", id), map[string]any{"title": title}, &out)
		return out.Title, err
	}
	p, err := openStored(cmd, std)
	if err != nil {
		return "", err
	}
	defer p.Close(ctx)
	if err := p.DB.Titles.RenameDocument(ctx, id, title); err != nil {
		return "", fmt.Errorf("rename a document: %w", err)
	}
	d, err := p.DB.Library.Document(ctx, id)
	if err != nil {
		return "", fmt.Errorf("read the new title: %w", err)
	}
	return d.Title, nil
}
