// Package deployment is two control loops, one on top of the other, and a third
// that clears up after both: ReplicaSets keep Pods, Deployments keep
// ReplicaSets, and the garbage collector removes objects whose owners are gone.
//
// It promises:
//
//   - A controller touches only what it owns, and takes only orphans.
//   - A cache that is late never makes a second Pod where one was wanted.
//   - One template has one ReplicaSet, and its name can be computed.
//   - Of too many Pods, those of least use are deleted.
//   - An object is deleted with its last owner, and not before.
//
// Its files, in reading order: kinds.go; active.go, judge.go, claim.go,
// expectations.go, slowstart.go, rank.go, rank_pod.go, replicaset.go,
// replicaset_pods.go, replicaset_wiring.go, replicaset_status.go,
// replication.go; hash.go, deployment.go, deployment_wiring.go, rollout.go,
// rollout_sets.go, recreate.go, status.go, conditions.go; owners.go,
// owners_index.go, collector.go, collect.go, collector_wiring.go; defaults.go,
// validate.go.
package deployment
