package daemonset

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// rateTaints prefers nodes with few taints that say to rather stay away.
// (Kubernetes: plugins/tainttoleration.)
func rateTaints(c *Cycle, nodes []*Node, points []int64) {
	for i, n := range nodes {
		for j := range n.taints {
			taint := &n.taints[j]
			if taint.Effect == corev1.TaintEffectPreferNoSchedule &&
				!isTolerated(taint, c.pod.Spec.Tolerations) {
				points[i]++
			}
		}
	}
	reversed(points)
}

// rateAffinity prefers nodes of which much is true that the Pod would rather
// have. (Kubernetes: plugins/nodeaffinity.)
func rateAffinity(c *Cycle, nodes []*Node, points []int64) {
	affinity := c.pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil {
		return
	}
	terms := affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	for i, n := range nodes {
		for j := range terms {
			if matches(&terms[j].Preference, n.Node) {
				points[i] += int64(terms[j].Weight)
			}
		}
	}
	scaled(points)
}

// Images smaller than the first are not worth while; a container's image counts
// up to the second.
const (
	smallImage = 23 << 20
	largeImage = 1000 << 20
)

// rateImages prefers nodes that have the Pod's images. One that few nodes have
// counts for little: else all Pods of a kind would end on them. (Kubernetes:
// plugins/imagelocality.)
func rateImages(c *Cycle, nodes []*Node, points []int64) {
	if len(c.images) == 0 {
		return
	}
	images, all := imagesOf(&c.pod.Spec), float64(len(c.List()))
	most := int64(largeImage * len(images))
	for i, n := range nodes {
		var there int64
		for _, name := range images {
			if size, ok := n.images[name]; ok {
				there += int64(float64(size) * (float64(c.images[name]) / all))
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

// tagged is an image's name as a node says it.
func tagged(image string) string {
	if strings.LastIndex(image, ":") <= strings.LastIndex(image, "/") {
		return image + ":latest"
	}
	return image
}

// countImages counts a node among those that have its images, or no longer.
func (all *Nodes) countImages(n *Node, by int) {
	for name := range n.images {
		if all.images[name] += by; all.images[name] == 0 {
			delete(all.images, name)
		}
	}
}
