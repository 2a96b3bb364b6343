package rights

import (
	"context"

	"docent/auth"
	"docent/rag/corpus"
)

// Visible is a collection as one reader sees it.
type Visible struct {
	Collection

	// Level is the right of the reader.
	Level Level
}

// Visible lists the collections that the reader of ctx may read, by name. Only
// readers with the level Manage see the grants.
func (r *Rights) Visible(ctx context.Context) ([]Visible, error) {
	access, err := r.Access(ctx)
	if err != nil {
		return nil, err
	}
	all, err := r.store.CollectionRights(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // the store names the operation
	}
	var out []Visible
	for _, c := range all {
		level := access.Level(c.Name)
		if level < Read {
			continue
		}
		if level < Manage {
			c.Grants = nil
		}
		out = append(out, Visible{c, level})
	}
	return out, nil
}

// Set sets the right of a subject in a collection; see Store.SetRight. The reader
// of ctx needs the level Manage. Administrators can name a collection that does not
// exist yet.
func (r *Rights) Set(ctx context.Context, collection string, grant Grant) error {
	subject, err := ParseSubject(grant.Subject)
	if err != nil {
		return err
	}
	if err := corpus.CheckCollectionName(collection); err != nil {
		return err
	}
	if err := r.Check(ctx, collection, Manage); err != nil {
		return err
	}
	grant.Subject = subject
	return r.store.SetRight(ctx, collection, grant) //nolint:wrapcheck // the store names the operation
}

// Open removes all rights on a collection; see Store.OpenCollection. The reader of
// ctx needs the level Manage.
func (r *Rights) Open(ctx context.Context, collection string) error {
	if err := r.Check(ctx, collection, Manage); err != nil {
		return err
	}
	return r.store.OpenCollection(ctx, collection) //nolint:wrapcheck // the store names the operation
}

// Groups lists the groups. Like the methods below, it is for administrators, and
// the caller checks that.
func (r *Rights) Groups(ctx context.Context) ([]Group, error) {
	return r.store.Groups(ctx) //nolint:wrapcheck // the store names the operation
}

// AddGroup adds a group; see Store.AddGroup.
func (r *Rights) AddGroup(ctx context.Context, name string) error {
	if err := auth.CheckGroupName(name); err != nil {
		return err
	}
	return r.store.AddGroup(ctx, name) //nolint:wrapcheck // the store names the operation
}

// RemoveGroup removes a group; see Store.RemoveGroup.
func (r *Rights) RemoveGroup(ctx context.Context, name string) error {
	return r.store.RemoveGroup(ctx, name) //nolint:wrapcheck // the store names the operation
}

// SetMember adds a member to a group, or removes it. The member is a user's name,
// user:NAME, or oidc:ISSUER#SUBJECT.
func (r *Rights) SetMember(ctx context.Context, group, member string, is bool) error {
	member, err := ParseMember(member)
	if err != nil {
		return err
	}
	return r.store.SetMember(ctx, group, member, is) //nolint:wrapcheck // the store names the operation
}
