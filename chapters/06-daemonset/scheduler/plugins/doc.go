// Package plugins asks and compares all that a scheduler's own package leaves
// out: host ports, volumes, spread over domains, the company of other Pods, and
// images. It registers through scheduler.Filter and scheduler.Score, and makes
// a scheduler of all of them.
//
// It promises:
//
//   - Filters and scores say what Kubernetes' plugins of their names say.
//   - What is counted over all Pods is counted once for a Pod, and the Pods alike
//     are kept up to date.
//
// In reading order: plugins.go (all of them, in their order); ports.go,
// volumes.go and images.go; spread.go, spread_score.go and groups.go (Pods
// alike), with matching.go and sums.go (the books that they keep); affinity.go
// and affinity_score.go (Pods that want others near, or not near); misfit.go (what
// a kubelet asks).
package plugins
