// Package controlloop is a control loop as Kubernetes' controllers have it: a
// store of objects that can be watched, a cache that follows it, a queue of
// keys that need work, and reconcilers that compare, take one step, and compare
// again.
//
// It promises:
//
//   - A write made from an old version is refused; no other write is lost.
//   - A watch delivers every change once and in order, or says that it cannot.
//   - A watcher that is slow holds up no writer.
//   - A key is with one worker at a time, and comes back until all is well.
//   - Whatever notice is lost, and wherever a controller stops, the same state
//     is reached in the end; once it is reached, nothing more is written.
//
// Its files, in reading order: naive.go, plan.go; object.go, client.go,
// store_select.go, store.go, store_options.go, store_read.go, store_write.go,
// store_fill.go, store_update.go, store_identity.go, store_delete.go,
// store_allot.go; log.go, follower.go, store_watch.go, store_topics.go;
// reflector.go, deltafifo.go, deltafifo_sync.go, indexer.go, informer.go;
// queue.go, queue_get.go, queue_delay.go, queue_backoff.go, queue_retry.go;
// controller.go, controller_run.go, sidebyside.go, replication.go,
// replication_status.go, pod.go, binding.go, system.go, trace.go, recorder.go;
// kind.go and its files.
//
// Below it, kubelet runs Pods on a node, simulated is a runtime for it, and
// unsupported lists what a Pod asks for and no runtime of the book gives it.
// None is imported here. The command copies is a controller in one file.
package controlloop
