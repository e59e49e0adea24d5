// Package streams serves what a client asks of one Pod's containers while they
// run: commands in them, their standard streams, their ports, and their logs.
// It speaks what kubectl and client-go speak: WebSocket, with the subprotocols
// v5.channel.k8s.io for streams and SPDY/3.1+portforward.k8s.io for ports; and what
// clients in other languages do: for streams the four older subprotocols, or none,
// for ports v4.channel.k8s.io and its form in base64. SPDY without WebSocket carries
// ports too; for streams it is refused. (k8s.io/cri-streaming would need a translator to
// SPDY, in which a client that reads slowly stops the time of a test's bubble for ever.)
//
// A failure is told as a metav1.Status, in Kubernetes' words: by the answer if
// nothing has begun, on the error channel if it has. A client that goes away
// ends what it began, and leaves nothing behind.
//
// In reading order: containers.go (the runtime), target.go (which container is
// meant), command.go (exec and attach), channels.go (streams over one WebSocket),
// session.go (the five of a command), input.go (what comes in on one), status.go
// (how it ended), log.go, query.go (the options of a log), source.go (which attempt
// of a container it is of), portforward.go (the connection), pair.go (each
// connection through it), ports.go (ports over channels), proxy.go (HTTP to a port).
package streams
