package plugins

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// Images smaller than the first count for nothing; of each container, an image
// counts up to the second.
const (
	smallImage = 23 << 20
	largeImage = 1000 << 20
)

// rateImages prefers nodes that have the Pod's images. One that few nodes have
// counts for little: else all Pods of a kind would end on them. (Kubernetes:
// plugins/imagelocality.)
func rateImages(c *scheduler.Cycle, nodes []*cache.Node, points []int64) {
	if len(c.WithImage) == 0 {
		return
	}
	images, all := imagesOf(&c.Pod.Spec), float64(len(c.List()))
	most := int64(largeImage * len(images))
	for i, n := range nodes {
		var there int64
		for _, name := range images {
			if size, ok := n.Images[name]; ok {
				there += int64(float64(size) * (float64(c.WithImage[name]) / all))
			}
		}
		there = min(max(there, smallImage), most)
		points[i] = 100 * (there - smallImage) / (most - smallImage)
	}
}

func imagesOf(spec *corev1.PodSpec) (names []string) {
	for i := range spec.InitContainers {
		names = append(names, tagged(spec.InitContainers[i].Image))
	}
	for i := range spec.Containers {
		names = append(names, tagged(spec.Containers[i].Image))
	}
	for i := range spec.Volumes {
		if image := spec.Volumes[i].Image; image != nil {
			names = append(names, tagged(image.Reference))
		}
	}
	return names
}

// tagged returns an image's name as a node says it.
func tagged(image string) string {
	if strings.LastIndex(image, ":") <= strings.LastIndex(image, "/") {
		return image + ":latest"
	}
	return image
}
