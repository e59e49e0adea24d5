// Package rollingupdate replaces all Pods of a Deployment while others use
// them, and measures whether those others noticed.
//
// What it promises:
//
//   - At every write there are no more Pods than replicas and maxSurge allow,
//     and no write makes fewer available than maxUnavailable allows.
//   - What does no work goes before what does.
//   - Every template has a number, and the way back is one more edit.
//   - A rollout that cannot go on stays where it is, and says so.
//   - A request goes to a Pod that is ready, as far as is known.
//
// Its files, in reading order: fenceposts.go, rolling.go; steered.go,
// revision.go, history.go, undo.go, restart.go, pause.go, proportion.go,
// deadline.go, cleanup.go; validate.go, kinds.go; service.go, endpoint.go,
// endpoints.go, pack.go, proxy.go, web.go, load.go.
package rollingupdate
