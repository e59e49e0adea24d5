// Package play has what the page of an empty cluster begins with: scenes, as chapters
// have theirs, that nobody reads before they're played. A beginning is a scene that the
// reader's lines go on from. The gallery answers questions: each scene there is a
// beginning with lines after it, and its comments are the question and its answer.
//
//	go test ./cmd/bookgen/internal/play            plays one in three
//	go test ./cmd/bookgen/internal/play -update    plays all, and writes down the output
//
// In reading order: play.go (what there is), beginnings and gallery (the scenes). Package
// engine has the page's scripts.
package play
