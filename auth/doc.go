// Package auth authenticates requests and decides what they may do. It knows
// API tokens, users with passwords and cookies, and tokens (JWT) of an OpenID
// Connect issuer.
//
// An [Authenticator] turns credentials into a [Principal]. Its Middleware does
// so for HTTP requests and WebSocket handshakes. Handlers ask [Principal.May]
// and [Principal.Owns] what a principal may do. The stores hold only hashes:
// SHA-256 for tokens and cookies, argon2id for passwords.
package auth
