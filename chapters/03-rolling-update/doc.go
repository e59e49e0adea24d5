// Package rollingupdate replaces all Pods of a Deployment while clients use
// them, and measures whether those clients noticed.
//
// It promises:
//
//   - No write asks for more Pods than replicas and maxSurge allow, and none
//     takes away more available Pods than maxUnavailable allows.
//   - A Pod that does no work is deleted before one that does.
//   - Every template has a number, and the way back is one more edit.
//   - A rollout that cannot go on stays where it is, and says so.
//   - A request is sent to a Pod that is ready, as far as is known.
//
// Its files, in reading order: fenceposts.go, rolling.go; endpoint.go,
// endpoints.go, choice.go; steered.go, deadline.go, revision.go, history.go,
// undo.go, restart.go; pause.go, proportion.go, cleanup.go. They lean on
// annotations.go, sizes.go, edit.go; endpoints_events.go, endpoints_slices.go,
// pack.go, proxy.go; web.go, load.go; validate.go, service.go, kinds.go.
package rollingupdate
