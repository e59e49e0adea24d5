package streams

import (
	"context"
	"encoding/json"
	"io"
	"net/url"

	"k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/streaming/pkg/httpstream/wsstream"
)

// protocols are those of commands, the best first. A client that asks for none
// speaks the oldest. (Kubernetes: wsstream.NewDefaultChannelProtocols in
// k8s.io/streaming.)
var protocols = []string{
	remotecommand.StreamProtocolV5Name, remotecommand.StreamProtocolV4Name,
	"v4." + wsstream.Base64ChannelWebSocketProtocol,
	wsstream.ChannelWebSocketProtocol, wsstream.Base64ChannelWebSocketProtocol,
	none,
}

// session has the five streams of a command.
type session struct {
	*channels
	stdin  *input
	resize chan Size
}

func newSession(c *channels) *session {
	return &session{c, newInput(), make(chan Size, 1)}
}

// streams returns those that a query asks for.
func (c *session) streams(query url.Values) IO {
	s := IO{TTY: truth(query, "tty"), Resize: c.resize}
	if truth(query, "stdin") {
		s.Stdin = c.stdin
	}
	if truth(query, "stdout") {
		s.Stdout = channel{c.channels, remotecommand.StreamStdOut}
	}
	if truth(query, "stderr") && !s.TTY {
		s.Stderr = channel{c.channels, remotecommand.StreamStdErr}
	}
	return s
}

// receive takes messages until the connection ends. Once ctx has ended, it
// throws them away.
func (c *session) receive(ctx context.Context) {
	defer close(c.resize)
	defer c.stdin.end()
	for {
		id, message, err := c.next()
		if err != nil {
			return
		}
		switch id {
		case remotecommand.StreamStdIn:
			c.stdin.fill(ctx, message)
		case remotecommand.StreamResize:
			c.resized(message)
		case remotecommand.StreamClose:
			if c.closes(message) == remotecommand.StreamStdIn {
				c.stdin.end()
			}
		}
	}
}

// closes returns the stream that a message of version 5 closes, or else none.
func (c *session) closes(message io.Reader) int {
	var id [1]byte
	_, err := io.ReadFull(message, id[:])
	if err != nil || c.ws.Subprotocol() != remotecommand.StreamProtocolV5Name {
		return -1
	}
	return int(id[0])
}

// resized passes a size on. Only the last counts.
func (c *session) resized(message io.Reader) {
	var size Size
	if json.NewDecoder(message).Decode(&size) != nil {
		return
	}
	select {
	case <-c.resize:
	default:
	}
	c.resize <- size
}

// greet sends an empty message, by which a client before version 5 learns that
// all is connected: to the first stream that it hears.
func (c *session) greet(s IO) {
	id := byte(remotecommand.StreamErr)
	switch {
	case c.ws.Subprotocol() == remotecommand.StreamProtocolV5Name:
		return
	case s.Stdout != nil:
		id = remotecommand.StreamStdOut
	case s.Stderr != nil:
		id = remotecommand.StreamStdErr
	}
	channel{c.channels, id}.Write(nil)
}
