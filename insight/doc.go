// Package insight keeps facts about answers, so that people can learn from the questions of others:
// which were asked, which had no answer, and which answers were rated down.
//
// A [Follower] derives the facts from stored turns, because a turn must not pay for them. A
// [Recorder] adds those of answers without a conversation. Both keep totals for each day, so that no
// view counts answers.
package insight
