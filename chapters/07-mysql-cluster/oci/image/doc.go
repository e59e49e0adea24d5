// Package image finds images and unpacks them: assembled from the programs that are
// installed on this machine, or real ones, from a registry or a folder, whose layers
// a stranger has made. Either way an image is, in the end, a directory and a note of
// what to start in it.
//
// In reading order: image.go; assembled.go, recipes.go and layout.go (those made
// here); fetch.go, unpack.go and overlay.go (those of others); name.go (how it is
// said that there is none).
package image
