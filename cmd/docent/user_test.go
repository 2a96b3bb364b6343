package main

import (
	"testing"

	"docent/auth"
	"docent/internal/servertest"
)

// TestUserScopes: docent user scopes changes the scopes of an existing user.
func TestUserScopes(t *testing.T) {
	t.Parallel()
	env := []string{"DOCENT_DATA=" + dataFolder(t)}
	db := opened(t, env)
	a, err := db.Authenticator(auth.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.CreateUser(t.Context(), "Ann", servertest.Password, auth.Scopes{auth.Ask}); err != nil {
		t.Fatal(err)
	}
	if out := docent(t, env, 0, "user", "scopes", "ANN", "ask,ingest"); out != "ann may ask,ingest\n" {
		t.Errorf("it says %q", out)
	}
	user, err := db.Users.User(t.Context(), "ann")
	if err != nil || user.Scopes.String() != "ask ingest" {
		t.Errorf("%+v, %v", user, err)
	}
	docent(t, env, 2, "user", "scopes", "ann", "all")
	docent(t, env, 1, "user", "scopes", "eve", "ask")
}
