// Package speech turns recordings into text and text into sound, by any server
// with OpenAI's audio API.
package speech
