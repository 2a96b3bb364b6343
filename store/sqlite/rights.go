package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"time"

	"docent/auth/rights"
	"docent/rag/corpus"
	"docent/store"
)

var _ rights.Store = (*Store)(nil)

// subjects selects the subjects of a principal: parameters 1 and 2 are the
// principal and the time.
const subjects = `SELECT 'everyone' WHERE ?1 <> '' UNION ALL SELECT ?1
	UNION ALL SELECT 'group:' || g.name FROM group_member m JOIN user_group g ON g.id = m.group_id WHERE m.member = ?1
	UNION ALL SELECT 'group:' || name FROM issuer_group WHERE member = ?1 AND expires_at > ?2`

// Access returns the rights of a reader; see rights.Store.
func (s *rightsTables) Access(ctx context.Context, reader corpus.Reader, at time.Time) (rights.Access, error) {
	var access rights.Access
	var scopes string
	principal := store.Text(reader.Principal)
	err := s.reader.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT 1 FROM collection WHERE restricted),
		coalesce((SELECT scopes FROM app_user WHERE ?1 LIKE 'user:%' AND username = substr(?1, 6)),
			(SELECT scopes FROM api_token WHERE ?1 LIKE 'token:%' AND name = substr(?1, 7) AND user_id IS NULL), '')`, principal).Scan(&access.Unrestricted, &scopes)
	if err == nil && !reader.Limited {
		access.Admin, err = store.IsAdmin(scopes)
	}
	if err != nil || access.All() {
		return access, fail("read rights", err)
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT name, max(level) FROM (
			SELECT name, 2 AS level FROM collection WHERE NOT restricted
			UNION ALL SELECT c.name, r.level FROM collection_right r JOIN collection c ON c.id = r.collection_id WHERE r.subject IN (`+subjects+`)
		) GROUP BY name`, principal, at.UnixMicro())
	if err != nil {
		return access, fail("read rights", err)
	}
	levels, err := collect(rows, scanGrant)
	access.Levels = make(map[string]rights.Level, len(levels))
	for _, l := range levels {
		access.Levels[l.Subject] = l.Level
	}
	return access, fail("read rights", err)
}

// scanGrant reads a name and a level.
func scanGrant(rows *sql.Rows) (rights.Grant, error) {
	var g rights.Grant
	err := rows.Scan(&g.Subject, &g.Level)
	return g, err
}

// CollectionRights lists collections; see rights.Store.
func (s *rightsTables) CollectionRights(ctx context.Context) ([]rights.Collection, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT c.name, c.restricted, coalesce(r.subject, ''), coalesce(r.level, 0)
		FROM collection c LEFT JOIN collection_right r ON r.collection_id = c.id ORDER BY c.name, r.subject`)
	if err != nil {
		return nil, fail("list rights", err)
	}
	found, err := collect(rows, func(rows *sql.Rows) (rights.Collection, error) {
		c := rights.Collection{Grants: []rights.Grant{{}}}
		err := rows.Scan(&c.Name, &c.Restricted, &c.Grants[0].Subject, &c.Grants[0].Level)
		return c, err
	})
	return store.MergeGrants(found), fail("list rights", err)
}

// SetRight sets a right; see rights.Store.
func (s *rightsTables) SetRight(ctx context.Context, collection string, grant rights.Grant) error {
	return fail("set a right", s.write(ctx, func(ctx context.Context, w *writer) error {
		name, subject := store.Text(collection), store.Text(grant.Subject)
		if grant.Level == rights.None {
			_, err := w.exec(ctx, `DELETE FROM collection_right
				WHERE collection_id = (SELECT id FROM collection WHERE name = ?) AND subject = ?`, name, subject)
			return err
		}
		if err := w.checkSubject(ctx, subject); err != nil {
			return err
		}
		var id int64
		var others int
		err := w.row(ctx, `INSERT INTO collection (name, created_at, restricted) VALUES (?, ?, 1)
			ON CONFLICT (name) DO UPDATE SET restricted = 1 RETURNING id`, name, s.config.Now().UnixMicro()).Scan(&id)
		if err != nil {
			return err
		}
		err = w.row(ctx, `SELECT count(*) FROM collection_right WHERE collection_id = ? AND subject <> ?`, id, subject).Scan(&others)
		if err != nil {
			return err
		}
		if others >= rights.MaxGrants {
			return store.TooManyGrants(collection)
		}
		_, err = w.exec(ctx, `INSERT INTO collection_right (collection_id, subject, level) VALUES (?, ?, ?)
			ON CONFLICT (collection_id, subject) DO UPDATE SET level = excluded.level`, id, subject, int(grant.Level))
		return err
	}))
}

// checkSubject fails unless a subject exists. Nobody knows the principals of an
// issuer.
func (w *writer) checkSubject(ctx context.Context, subject string) error {
	kind, name, _ := strings.Cut(subject, ":")
	query := map[string]string{
		"user":  `SELECT 1 FROM app_user WHERE username = ?`,
		"token": `SELECT 1 FROM api_token WHERE name = ? AND user_id IS NULL`,
		"group": `SELECT 1 FROM user_group WHERE name = ?`,
	}[kind]
	if query == "" {
		return nil
	}
	var one int
	return missing(w.row(ctx, query, name).Scan(&one), store.NoSubject(subject))
}

// OpenCollection removes rights; see rights.Store.
func (s *rightsTables) OpenCollection(ctx context.Context, collection string) error {
	return fail("open a collection", s.write(ctx, func(ctx context.Context, w *writer) error {
		name := store.Text(collection)
		if err := w.change(ctx, store.NoCollection(collection), `UPDATE collection SET restricted = 0 WHERE name = ?`, name); err != nil {
			return err
		}
		_, err := w.exec(ctx, `DELETE FROM collection_right WHERE collection_id = (SELECT id FROM collection WHERE name = ?)`, name)
		return err
	}))
}

// Groups lists groups; see rights.Store.
func (s *rightsTables) Groups(ctx context.Context) ([]rights.Group, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT g.name, coalesce(m.member, '')
		FROM user_group g LEFT JOIN group_member m ON m.group_id = g.id ORDER BY g.name, m.member`)
	if err != nil {
		return nil, fail("list groups", err)
	}
	found, err := collect(rows, func(rows *sql.Rows) (rights.Group, error) {
		g := rights.Group{Members: []string{""}}
		err := rows.Scan(&g.Name, &g.Members[0])
		return g, err
	})
	return store.MergeMembers(found), fail("list groups", err)
}

// AddGroup adds a group; see rights.Store.
func (s *rightsTables) AddGroup(ctx context.Context, name string) error {
	return fail("add a group", s.write(ctx, func(ctx context.Context, w *writer) error {
		var groups int
		if err := w.row(ctx, `SELECT count(*) FROM user_group`).Scan(&groups); err != nil {
			return err
		}
		if groups >= rights.MaxGroups {
			return store.TooManyGroups()
		}
		return w.change(ctx, store.GroupTaken(name), `INSERT INTO user_group (name, created_at) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`,
			store.Text(name), s.config.Now().UnixMicro())
	}))
}

// RemoveGroup removes a group; see rights.Store.
func (s *rightsTables) RemoveGroup(ctx context.Context, name string) error {
	return fail("remove a group", s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.change(ctx, store.NoGroup(name), `DELETE FROM user_group WHERE name = ?`, store.Text(name)); err != nil {
			return err
		}
		return w.removeSubject(ctx, "group:"+name)
	}))
}

// removeSubject removes the rights and the memberships of a subject that no longer
// exists. A later subject of the same name does not get them.
func (w *writer) removeSubject(ctx context.Context, subject string) error {
	subject = store.Text(subject)
	if _, err := w.exec(ctx, `DELETE FROM collection_right WHERE subject = ?`, subject); err != nil {
		return err
	}
	_, err := w.exec(ctx, `DELETE FROM group_member WHERE member = ?`, subject)
	return err
}

// SetMember changes a group; see rights.Store.
func (s *rightsTables) SetMember(ctx context.Context, group, member string, is bool) error {
	return fail("change a group", s.write(ctx, func(ctx context.Context, w *writer) error {
		var id int64
		if err := w.row(ctx, `SELECT id FROM user_group WHERE name = ?`, store.Text(group)).Scan(&id); err != nil {
			return missing(err, store.NoGroup(group))
		}
		member = store.Text(member)
		if !is {
			_, err := w.exec(ctx, `DELETE FROM group_member WHERE group_id = ? AND member = ?`, id, member)
			return err
		}
		if err := w.checkSubject(ctx, member); err != nil {
			return err
		}
		var others int
		if err := w.row(ctx, `SELECT count(*) FROM group_member WHERE group_id = ? AND member <> ?`, id, member).Scan(&others); err != nil {
			return err
		}
		if others >= rights.MaxMembers {
			return store.TooManyMembers(group)
		}
		_, err := w.exec(ctx, `INSERT INTO group_member (group_id, member) VALUES (?, ?) ON CONFLICT DO NOTHING`, id, member)
		return err
	}))
}

// SetIssuerGroups replaces groups; see rights.Store.
func (s *rightsTables) SetIssuerGroups(ctx context.Context, principal string, groups []string, until time.Time) error {
	names, err := json.Marshal(append([]string{}, groups...)) // never null
	if err != nil {
		return fail("store the groups of a token", err)
	}
	return fail("store the groups of a token", s.write(ctx, func(ctx context.Context, w *writer) error {
		principal = store.Text(principal)
		if _, err := w.exec(ctx, `DELETE FROM issuer_group WHERE member = ?1 OR expires_at <= ?2`, principal,
			s.config.Now().UnixMicro()); err != nil {
			return err
		}
		_, err := w.exec(ctx, `INSERT INTO issuer_group (member, name, expires_at) SELECT DISTINCT ?, value, ? FROM json_each(?)`,
			principal, until.UnixMicro(), store.Text(string(names)))
		return err
	}))
}

// CollectionsOf returns the collections of documents; see rights.Store.
func (s *rightsTables) CollectionsOf(ctx context.Context, ids []int64) (map[int64]string, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, fail("read the collections of documents", err)
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT d.id, c.name FROM document d JOIN collection c ON c.id = d.collection_id
		WHERE d.id IN (SELECT value FROM json_each(?))`, string(list))
	if err != nil {
		return nil, fail("read the collections of documents", err)
	}
	out := map[int64]string{}
	_, err = collect(rows, func(rows *sql.Rows) (struct{}, error) {
		var id int64
		var name string
		err := rows.Scan(&id, &name)
		out[id] = name
		return struct{}{}, err
	})
	return out, fail("read the collections of documents", err)
}
