// Package stories plays stories over Kubernetes' own controllers and writes
// down what they do; the book's are compared with that.
//
//	stories_test.go       chapter 3's stories, which are files of that chapter
//	statefulset_test.go   chapter 4's, played over both; apart_test.go says where
//	                      they part, and why
//	volumes_test.go       chapter 5's, likewise: of claims and volumes
//	attach_test.go        of disks that are attached to nodes
//	disks_test.go         and of StatefulSets that keep them
//	rollout_test.go       chapter 6's: of revisions, and of sets that are updated
//	daemonset_test.go     of DaemonSets, with what they make in every field
//	nodes_test.go         of nodes, taints, lost Pods and budgets, with the seconds
//	scheduler_test.go     its schedulers, before worlds that dice have made:
//	                      scheduler_random_test.go and scheduler_disks_test.go
//	                      throw them, scheduler_book_test.go and
//	                      scheduler_kubernetes_test.go place a Pod in them,
//	                      scheduler_apart_test.go leaves things out, and says why;
//	                      scheduler_long_test.go goes on and on
//	revisions_test.go     what a revision remembers, byte for byte
//	play_test.go          how a story is played, and what is written down
//	describe_test.go      the effect of a write; difference_test.go: of two texts
//	listener_test.go      events where they are logged
//	cluster_test.go       the API server, and controllers at it
//	book_test.go          the book's controllers there
//	direct_test.go        Kubernetes' over the book's store
//	bench_test.go         what a rollout costs, ours beside Kubernetes'
//	machinery_test.go     what a store, a queue and a cache cost, ours beside
//	                      client-go's, over the Pods of machinery_fixture_test.go
//
// How a story of chapter 3 is written: go doc reconcile/internal/kubetest/stories. The
// others are functions here, for they need more than one object. A line of what was
// done is a write (update Pod web-0: metadata.labels.app: web -> mine) or, indented,
// an event; in brackets is what the story has nodes do in between. Kubernetes' side is
// written down anew by
//
//	go -C judges test ./stories -update
package stories
