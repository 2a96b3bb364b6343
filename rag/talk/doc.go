// Package talk recognizes small talk and questions that depend on earlier turns.
package talk
