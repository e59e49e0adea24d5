package images

import (
	"sync"

	"reconcile/chapters/01-control-loop/simulated"
	mysqlcluster "reconcile/chapters/07-mysql-cluster"
)

// withChapters adds the repositories of the last chapter's images.
func withChapters(
	all map[string]func(tag string) *image,
) map[string]func(tag string) *image {
	for repository, tagged := range mysqlcluster.Images() {
		all[repository] = ofChapter(tagged)
	}
	return all
}

// ofChapter makes the images of a chapter's repository, each once.
func ofChapter(
	tagged func(tag string) (simulated.Image, bool),
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
		found, _ := madeOnce.LoadOrStore(tag, made(of))
		return found.(*image)
	}
}
