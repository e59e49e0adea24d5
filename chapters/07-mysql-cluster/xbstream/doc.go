// Package xbstream is the stream in which a backup travels: files in chunks, each
// with its place and a checksum, so that what is read can be sent before its end is
// known. The format is Percona's, and its own xbstream reads ours, and we its.
//
// In reading order: stream.go (the format), command.go (the program of that name).
package xbstream
