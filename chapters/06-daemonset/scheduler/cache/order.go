package cache

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// interleaved takes one node of each zone, then the next of each: a search that
// looks at some of them only has looked at all zones. (Kubernetes:
// pkg/scheduler/backend/cache/node_tree.go.)
func interleaved(nodes []*Node) []*Node {
	zones := map[string][]*Node{}
	for _, n := range nodes {
		if n.Node != nil {
			zone := zoneOf(n.Node)
			zones[zone] = append(zones[zone], n)
		}
	}
	for _, zone := range zones {
		slices.SortFunc(zone, func(a, b *Node) int {
			return cmp.Compare(a.Name, b.Name)
		})
	}
	names := slices.Sorted(maps.Keys(zones))
	order := make([]*Node, 0, len(nodes))
	for i := 0; ; i++ {
		before := len(order)
		for _, name := range names {
			if i < len(zones[name]) {
				order = append(order, zones[name][i])
			}
		}
		if len(order) == before {
			return order
		}
	}
}

func zoneOf(node *corev1.Node) string {
	return node.Labels[corev1.LabelTopologyRegion] + "/" +
		node.Labels[corev1.LabelTopologyZone]
}
