// Package upstream plays stories over Kubernetes' own controllers and writes
// down what they do; the book's are compared with that.
//
//	stories_test.go       chapter 3's stories, which are files of that chapter
//	statefulset_test.go   chapter 4's, played over both; apart_test.go is where
//	                      they part, and why
//	volumes_test.go       chapter 5's, likewise: of claims and volumes
//	disks_test.go         and of StatefulSets that keep them
//	rollout_test.go       chapter 6's: of revisions, and of sets that are updated
//	daemonset_test.go     of DaemonSets, with what they make in every field
//	revisions_test.go     what a revision remembers, byte for byte
//	play_test.go          how a story is played, and what is written down
//	cluster_test.go       the API server, and controllers at it
//	bench_test.go         what a rollout costs, ours beside Kubernetes'
//
// It is a module of its own, for it builds most of Kubernetes, and is no part of
// the book's. To write down anew what Kubernetes does:
//
//	cd internal/upstream && go test -update
package upstream
