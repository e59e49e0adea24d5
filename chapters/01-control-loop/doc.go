// Package controlloop is a control loop as Kubernetes' controllers have it: a
// store of objects that can be watched, a cache that follows it, a queue of
// what needs a look, and reconcilers that look, take one step, and look again.
//
// What it promises:
//
//   - A write made from an old version is refused; no other write is lost.
//   - A watch delivers every change once and in order, or says that it cannot.
//   - Nobody who reads holds up who writes.
//   - A key is with one worker at a time, and comes back until all is well.
//   - Whatever notice is lost, and wherever a controller stops, the same state
//     is reached in the end; once it is reached, nothing more is written.
//
// Its files, in reading order: naive.go; object.go, client.go, select.go,
// store.go, identity.go, write.go, delete.go; watch.go; reflector.go,
// deltafifo.go, indexer.go, informer.go; queue.go, delay.go, backoff.go;
// controller.go, replication.go, system.go, trace.go; runtime.go, firstcome.go,
// kubelet.go, lifecycle.go, restarts.go, status.go, probe.go, record.go,
// notes.go; simulated.go, process.go, network.go, nginx.go; kinds.go,
// decode.go, decode_misfit.go, defaults.go, validate.go, validate_probe.go,
// validate_update.go, place.go.
package controlloop
