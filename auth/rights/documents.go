package rights

import (
	"context"
	"slices"

	"docent/internal/fault"
)

// Lacking returns those of some documents in which the reader of ctx lacks a level. Unknown
// documents are among them if anything limits the reader.
func (r *Rights) Lacking(ctx context.Context, documents []int64, level Level) ([]int64, error) {
	access, err := r.Access(ctx)
	if err != nil || access.Admin || access.Unrestricted && level <= Write || len(documents) == 0 {
		return nil, err
	}
	in, err := r.store.CollectionsOf(ctx, documents)
	if err != nil {
		return nil, err //nolint:wrapcheck // the store names the operation
	}
	var out []int64
	for _, id := range documents {
		if collection, known := in[id]; !known || access.Level(collection) < level {
			out = append(out, id)
		}
	}
	return out, nil
}

// Writable returns those of some documents that the reader of ctx may change or remove. It
// leaves out documents that the reader may not read. It fails with fault.Forbidden
// for documents that the reader may only read.
func (r *Rights) Writable(ctx context.Context, documents []int64) ([]int64, error) {
	unread, err := r.Lacking(ctx, documents, Read)
	if err != nil {
		return nil, err
	}
	documents = slices.DeleteFunc(slices.Clone(documents), func(id int64) bool { return slices.Contains(unread, id) })
	unwritable, err := r.Lacking(ctx, documents, Write)
	if err == nil && len(unwritable) > 0 {
		err = fault.New(fault.Forbidden, "document_read_only", "you may read document %d but not change or remove it", unwritable[0])
	}
	return documents, err
}
