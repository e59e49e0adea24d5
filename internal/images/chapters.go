package images

import (
	"strings"
	"sync"

	"reconcile/chapters/01-control-loop/simulated"
	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/internal/images/unix"
)

// withChapters adds the repositories of the last chapter's images.
func withChapters(
	all map[string]func(tag string) *image,
) map[string]func(tag string) *image {
	for repository, tagged := range mysqlcluster.Images() {
		all[repository] = ofChapter(repository, tagged)
	}
	return all
}

// mysql is on Oracle Linux, whose sh is bash, but for tags that say otherwise.
const mysql = "docker.io/library/mysql"

// ofChapter makes the images of a chapter's repository, each once.
func ofChapter(
	repository string, tagged func(tag string) (simulated.Image, bool),
) func(tag string) *image {
	var madeOnce sync.Map // by tag
	return func(tag string) *image {
		if found, ok := madeOnce.Load(tag); ok {
			return found.(*image)
		}
		of, ok := tagged(tag)
		if !ok {
			return nil
		}
		i := made(of)
		if repository == mysql && !strings.HasSuffix(tag, "-debian") {
			i.commands["/bin/sh"] = unix.Bash
		}
		found, _ := madeOnce.LoadOrStore(tag, i)
		return found.(*image)
	}
}
