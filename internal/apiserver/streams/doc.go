// Package streams serves what a client asks of one Pod's containers while they
// run: commands in them, their standard streams, their ports, and their logs.
// It speaks what kubectl and client-go speak: WebSocket, with the subprotocols
// v5.channel.k8s.io for streams and SPDY/3.1+portforward.k8s.io for ports. SPDY
// without WebSocket carries ports too; for streams it is refused.
//
// What cannot be is said as a metav1.Status, in Kubernetes' words: by the
// answer where nothing has begun, on the error channel where it has. A client
// that goes away ends what it began, and nothing is left of it.
//
// In reading order: containers.go (who does the work), target.go (which
// container is meant), command.go (exec and attach), channels.go (five streams
// over one WebSocket), stdin.go (the one that comes in), status.go (how it
// ended), log.go, query.go (what a log is asked for), source.go (which attempt
// of a container it is of), portforward.go (the connection), pair.go (each
// connection through it), proxy.go (HTTP to a port).
package streams
