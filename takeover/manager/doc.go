// Package manager runs the book's controllers on a cluster that is somewhere else,
// in the place of Kubernetes' own, as kube-controller-manager runs those.
//
// It promises:
//
//   - Of several copies one works: the one that holds a Lease. It gives the lease
//     back when its last controller has ended, and not before.
//   - A copy that was stopped and wakes writes nothing once its claim to the lease is
//     older than renewDeadline. What it had sent before then may still arrive.
//   - No controller begins beside another of its kind: the cluster is asked first.
//   - A dry run writes nothing at all. Behind a fence nothing is written outside
//     of one namespace.
//   - A controller of which Kubernetes says so waits until its cache has heard of the
//     status that it wrote last.
//
// In reading order: manager.go (what is asked for; Run), reach.go (whether the server
// has what is needed), elect.go (the election), lease.go (the lease, and for how long
// it allows to write), ask.go (who is at work), atwork.go (what is said then), again.go
// (what fails by itself), client.go (what stands between the controllers and the
// cluster), consistency.go (whether a cache is new enough), events.go, metrics.go,
// depth.go and health.go (what is told), needs.go (what each controller may do),
// manifest.go (the same for a cluster to grant).
package manager
