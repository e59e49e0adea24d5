// Package build makes the site: it reads the chapters, weaves them, renders the
// pages, and puts them in the place of the old ones in one step.
//
// In reading order: compose.go (from chapters to pages), press.go (what one
// edition leaves to the next), binding.go (the book as one file), build.go (from pages to a folder), record.go (when
// there is nothing to do), replace.go (the one step), exchange_linux.go (for
// systems that have it), lock.go (one build at a time), progress.go (naming the
// slow steps).
package build
