// Package auth tells who asks and what they may do: API tokens, users with
// passwords and cookies, and tokens of an OpenID Connect issuer.
package auth
