package servers

import (
	"net"
	"sync"
)

// Direction is one of those in which a wire carries something.
type Direction int

// The directions.
const (
	Requests Direction = iota // to kube-apiserver
	Answers                   // from it
)

// Wire stands between one client and kube-apiserver, and carries bytes, as the network
// does. It can lose all that flows one way. kube-apiserver knows its client by the
// address from which the wire calls.
type Wire struct {
	address, target string
	from            net.IP

	mu       sync.Mutex
	listener net.Listener // nil: nobody listens
	cut      map[Direction]bool
	calls    map[*call]bool
}

// call is a connection through a wire. One that has lost something is good for nothing.
type call struct {
	ends [2]net.Conn // the client's, and kube-apiserver's
	lost [2]bool     // in which direction
}

// NewWire lays a wire, and points the kubeconfig of a user at it. From is an address of
// this machine: 127.0.0.0/8 is all its own.
func (c *Cluster) NewWire(user, from string) (*Wire, error) {
	address, err := free()
	if err != nil {
		return nil, err
	}
	w := &Wire{
		address: address, target: c.address, from: net.ParseIP(from),
		cut: map[Direction]bool{}, calls: map[*call]bool{},
	}
	if err := w.listen(); err != nil {
		return nil, err
	}
	c.wires = append(c.wires, w)
	return w, c.WriteKubeconfig(user, "https://"+address)
}

// listen takes calls from now on.
func (w *Wire) listen() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listener != nil {
		return nil
	}
	listener, err := net.Listen("tcp", w.address)
	if err != nil {
		return err
	}
	w.listener = listener
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // nobody listens any more
			}
			go w.carry(client)
		}
	}()
	return nil
}

// refuse takes no more calls, as a server whose process has ended.
func (w *Wire) refuse() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listener != nil {
		_ = w.listener.Close() // it is not used any more in either case
		w.listener = nil
	}
}

// Close ends the wire and all calls.
func (w *Wire) Close() error {
	w.refuse()
	w.end(func(*call) bool { return true })
	return nil
}

// Cut loses from now on what flows in a direction.
func (w *Wire) Cut(d Direction) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut[d] = true
}

// Mend loses nothing any more. Calls that have lost something end.
func (w *Wire) Mend() {
	w.mu.Lock()
	clear(w.cut)
	w.mu.Unlock()
	w.end(func(c *call) bool { return c.lost[Requests] || c.lost[Answers] })
}

func (w *Wire) end(which func(*call) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.calls {
		if which(c) {
			c.hangUp()
		}
	}
}

func (c *call) hangUp() {
	for _, end := range c.ends {
		_ = end.Close() // by either side, and twice
	}
}

// carry takes a call.
func (w *Wire) carry(client net.Conn) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: w.from}}
	server, err := dialer.Dial("tcp", w.target)
	if err != nil {
		_ = client.Close() // what else the server would do
		return
	}
	c := &call{ends: [2]net.Conn{client, server}}
	w.mu.Lock()
	w.calls[c] = true
	w.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { w.pass(c, Requests, client, server) })
	both.Go(func() { w.pass(c, Answers, server, client) })
	both.Wait()
	w.mu.Lock()
	delete(w.calls, c)
	w.mu.Unlock()
}

// pass carries what flows in a direction until the call ends.
func (w *Wire) pass(c *call, d Direction, from, to net.Conn) {
	defer c.hangUp()
	for block := make([]byte, 32<<10); ; {
		n, err := from.Read(block)
		w.mu.Lock()
		cut := w.cut[d]
		c.lost[d] = c.lost[d] || cut && n > 0
		gone := c.lost[d] && !cut // mended between two blocks: a stream has no holes
		w.mu.Unlock()
		if gone {
			return
		}
		if !cut && n > 0 {
			if _, err := to.Write(block[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
