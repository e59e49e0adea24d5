// Package rollingupdate replaces all Pods of a Deployment while clients use
// them, and measures whether those clients noticed.
//
// It promises:
//
//   - No write asks for more Pods than replicas and maxSurge allow, and none
//     takes away an available Pod that maxUnavailable does not spare.
//   - A Pod that does no work goes before one that does.
//   - Every template has a number, and the way back is one more edit.
//   - A rollout that cannot go on stays where it is, and says so.
//   - A request goes to a Pod that is ready, as far as is known.
//
// Its files, in reading order: fenceposts.go, rolling.go; steered.go,
// revision.go, history.go, undo.go, restart.go, pause.go, proportion.go,
// deadline.go, cleanup.go; endpoint.go, pack.go, endpoints.go, proxy.go, web.go,
// load.go; validate.go, service.go, kinds.go.
package rollingupdate
