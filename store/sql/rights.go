package sql

import (
	"context"
	"strings"
	"time"

	"docent/auth/rights"
	"docent/rag/corpus"
	"docent/store"
)

var _ rights.Store = Store{}

// collectionRights stores groups, and rights on collections.
type collectionRights struct{ db Database }

// subjects selects the subjects of a principal: parameters 1 and 2 are the
// principal and the time.
const subjects = `SELECT 'everyone' WHERE $1 <> '' UNION ALL SELECT $1
	UNION ALL SELECT 'group:' || g.name FROM group_member m JOIN user_group g ON g.id = m.group_id WHERE m.member = $1
	UNION ALL SELECT 'group:' || name FROM issuer_group WHERE member = $1 AND expires_at > $2`

// Access returns the rights of a reader; see rights.Store.
func (s collectionRights) Access(ctx context.Context, reader corpus.Reader, at time.Time) (rights.Access, error) {
	var access rights.Access
	var scopes string
	principal := store.Text(reader.Principal)
	err := row(ctx, s.db, `SELECT NOT EXISTS (SELECT 1 FROM collection WHERE restricted),
		coalesce((SELECT scopes FROM app_user WHERE $1 LIKE 'user:%' AND username = substr($1, 6)),
			(SELECT scopes FROM api_token WHERE $1 LIKE 'token:%' AND name = substr($1, 7) AND user_id IS NULL), '')`, principal).Scan(&access.Unrestricted, &scopes)
	if err == nil && !reader.Limited {
		access.Admin, err = store.IsAdmin(scopes)
	}
	if err != nil || access.All() {
		return access, s.db.Fail("read rights", err)
	}
	levels, err := list(ctx, s.db, func(row Row) (g rights.Grant, err error) {
		err = row.Scan(&g.Subject, &g.Level)
		return g, err
	}, `SELECT name, max(level) FROM (
			SELECT name, 2 AS level FROM collection WHERE NOT restricted
			UNION ALL SELECT c.name, r.level FROM collection_right r JOIN collection c ON c.id = r.collection_id WHERE r.subject IN (`+subjects+`)
		) AS l GROUP BY name`, principal, at)
	access.Levels = make(map[string]rights.Level, len(levels))
	for _, l := range levels {
		access.Levels[l.Subject] = l.Level
	}
	return access, s.db.Fail("read rights", err)
}

// CollectionRights lists collections; see rights.Store.
func (s collectionRights) CollectionRights(ctx context.Context) ([]rights.Collection, error) {
	found, err := list(ctx, s.db, func(row Row) (rights.Collection, error) {
		c := rights.Collection{Grants: []rights.Grant{{}}}
		err := row.Scan(&c.Name, &c.Restricted, &c.Grants[0].Subject, &c.Grants[0].Level)
		return c, err
	}, `SELECT c.name, c.restricted, coalesce(r.subject, ''), coalesce(r.level, 0)
		FROM collection c LEFT JOIN collection_right r ON r.collection_id = c.id ORDER BY c.name COLLATE "C", r.subject COLLATE "C"`)
	return store.MergeGrants(found), s.db.Fail("list rights", err)
}

// SetRight sets a right; see rights.Store.
func (s collectionRights) SetRight(ctx context.Context, collection string, grant rights.Grant) error {
	return s.db.Fail("set a right", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		name, subject := store.Text(collection), store.Text(grant.Subject)
		if grant.Level == rights.None {
			return change(ctx, tx, nil, `DELETE FROM collection_right
				WHERE collection_id = (SELECT id FROM collection WHERE name = $1) AND subject = $2`, name, subject)
		}
		if err := checkSubject(ctx, tx, subject); err != nil {
			return err
		}
		var id int64
		var others int
		// The lock of the row makes concurrent calls wait, so that each counts the
		// rights of the others.
		err := row(ctx, tx, `INSERT INTO collection (name, created_at, restricted) VALUES ($1, $2, true)
			ON CONFLICT (name) DO UPDATE SET restricted = true RETURNING id`, name, s.db.Now()).Scan(&id)
		if err != nil {
			return err
		}
		err = row(ctx, tx, `SELECT count(*) FROM collection_right WHERE collection_id = $1 AND subject <> $2`, id, subject).Scan(&others)
		if err != nil {
			return err
		}
		if others >= rights.MaxGrants {
			return store.TooManyGrants(collection)
		}
		return change(ctx, tx, nil, `INSERT INTO collection_right (collection_id, subject, level) VALUES ($1, $2, $3)
			ON CONFLICT (collection_id, subject) DO UPDATE SET level = excluded.level`, id, subject, int(grant.Level))
	}))
}

// checkSubject fails unless a subject exists. It locks the subject, so that a
// concurrent removal waits and then also removes the new row. Nobody knows the
// principals of an issuer.
func checkSubject(ctx context.Context, tx Tx, subject string) error {
	kind, name, _ := strings.Cut(subject, ":")
	statement := map[string]string{
		"user":  `SELECT 1 FROM app_user WHERE username = $1 FOR KEY SHARE`,
		"token": `SELECT 1 FROM api_token WHERE name = $1 AND user_id IS NULL FOR KEY SHARE`,
		"group": `SELECT 1 FROM user_group WHERE name = $1 FOR KEY SHARE`,
	}[kind]
	if statement == "" {
		return nil
	}
	var one int
	return missing(row(ctx, tx, statement, name).Scan(&one), store.NoSubject(subject))
}

// OpenCollection removes rights; see rights.Store.
func (s collectionRights) OpenCollection(ctx context.Context, collection string) error {
	return s.db.Fail("open a collection", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		name := store.Text(collection)
		if err := change(ctx, tx, store.NoCollection(collection), `UPDATE collection SET restricted = false WHERE name = $1`, name); err != nil {
			return err
		}
		return change(ctx, tx, nil, `DELETE FROM collection_right WHERE collection_id = (SELECT id FROM collection WHERE name = $1)`, name)
	}))
}

// Groups lists groups; see rights.Store.
func (s collectionRights) Groups(ctx context.Context) ([]rights.Group, error) {
	found, err := list(ctx, s.db, func(row Row) (rights.Group, error) {
		g := rights.Group{Members: []string{""}}
		err := row.Scan(&g.Name, &g.Members[0])
		return g, err
	}, `SELECT g.name, coalesce(m.member, '')
		FROM user_group g LEFT JOIN group_member m ON m.group_id = g.id ORDER BY g.name COLLATE "C", m.member COLLATE "C"`)
	return store.MergeMembers(found), s.db.Fail("list groups", err)
}

// AddGroup adds a group; see rights.Store. Concurrent calls may add a few groups
// too many.
func (s collectionRights) AddGroup(ctx context.Context, name string) error {
	return s.db.Fail("add a group", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var groups int
		if err := row(ctx, tx, `SELECT count(*) FROM user_group`).Scan(&groups); err != nil {
			return err
		}
		if groups >= rights.MaxGroups {
			return store.TooManyGroups()
		}
		return change(ctx, tx, store.GroupTaken(name), `INSERT INTO user_group (name, created_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`,
			store.Text(name), s.db.Now())
	}))
}

// RemoveGroup removes a group; see rights.Store.
func (s collectionRights) RemoveGroup(ctx context.Context, name string) error {
	return s.db.Fail("remove a group", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := change(ctx, tx, store.NoGroup(name), `DELETE FROM user_group WHERE name = $1`, store.Text(name)); err != nil {
			return err
		}
		return removeSubject(ctx, tx, "group:"+name)
	}))
}

// removeSubject removes the rights and the memberships of a subject that no longer
// exists. A later subject of the same name does not get them.
func removeSubject(ctx context.Context, tx Tx, subject string) error {
	subject = store.Text(subject)
	if err := change(ctx, tx, nil, `DELETE FROM collection_right WHERE subject = $1`, subject); err != nil {
		return err
	}
	if err := change(ctx, tx, nil, `DELETE FROM issuer_group WHERE member = $1`, subject); err != nil {
		return err
	}
	return change(ctx, tx, nil, `DELETE FROM group_member WHERE member = $1`, subject)
}

// SetMember changes a group; see rights.Store.
func (s collectionRights) SetMember(ctx context.Context, group, member string, is bool) error {
	return s.db.Fail("change a group", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var id int64
		// The lock makes concurrent calls wait, so that each counts the members of
		// the others.
		if err := row(ctx, tx, `SELECT id FROM user_group WHERE name = $1 FOR NO KEY UPDATE`, store.Text(group)).Scan(&id); err != nil {
			return missing(err, store.NoGroup(group))
		}
		member = store.Text(member)
		if !is {
			return change(ctx, tx, nil, `DELETE FROM group_member WHERE group_id = $1 AND member = $2`, id, member)
		}
		if err := checkSubject(ctx, tx, member); err != nil {
			return err
		}
		var others int
		err := row(ctx, tx, `SELECT count(*) FROM group_member WHERE group_id = $1 AND member <> $2`, id, member).Scan(&others)
		if err != nil {
			return err
		}
		if others >= rights.MaxMembers {
			return store.TooManyMembers(group)
		}
		return change(ctx, tx, nil, `INSERT INTO group_member (group_id, member) VALUES ($1, $2) ON CONFLICT DO NOTHING`, id, member)
	}))
}

// SetIssuerGroups replaces groups; see rights.Store.
func (s collectionRights) SetIssuerGroups(ctx context.Context, principal string, groups []string, until time.Time) error {
	return s.db.Fail("store the groups of a token", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		principal = store.Text(principal)
		if err := change(ctx, tx, nil, `DELETE FROM issuer_group WHERE member = $1 OR expires_at <= $2`, principal, s.db.Now()); err != nil {
			return err
		}
		lists := make([][]any, len(groups))
		for i, name := range groups {
			lists[i] = []any{principal, store.Text(name), until}
		}
		return tx.ExecAll(ctx, `INSERT INTO issuer_group (member, name, expires_at) VALUES ($1, $2, $3)
			ON CONFLICT (member, name) DO UPDATE SET expires_at = excluded.expires_at`, lists)
	}))
}

// CollectionsOf returns the collections of documents; see rights.Store.
func (s collectionRights) CollectionsOf(ctx context.Context, ids []int64) (map[int64]string, error) {
	type collection struct {
		document int64
		name     string
	}
	found, err := list(ctx, s.db, func(row Row) (c collection, err error) {
		err = row.Scan(&c.document, &c.name)
		return c, err
	}, `SELECT d.id, c.name FROM document d JOIN collection c ON c.id = d.collection_id WHERE d.id IN (SELECT unnest($1::bigint[]))`, ids)
	out := make(map[int64]string, len(found))
	for _, c := range found {
		out[c.document] = c.name
	}
	return out, s.db.Fail("read the collections of documents", err)
}
