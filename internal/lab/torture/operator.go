package torture

import (
	"context"
	"errors"
	"net"
	"regexp"
	"sync"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/promote"
)

// operator is chapter 7's, which can be killed at any of the writes and statements
// by which it changes something. Another begins at once, and knows nothing.
type operator struct {
	controlloop.Client
	dial promote.Dial

	mu     sync.Mutex
	doomed []blow
	killed int
	die    context.CancelFunc // of the one that runs
}

// blow kills an operator: when it has made so many steps, before the next or after it.
type blow struct {
	steps int
	after bool
}

var errKilled = errors.New("the operator was killed")

// run runs one operator after the other until ctx ends.
func (o *operator) run(ctx context.Context) {
	for ctx.Err() == nil {
		life, die := context.WithCancel(ctx)
		o.mu.Lock()
		o.die = die
		o.mu.Unlock()
		s := &controlloop.System{Client: mortal{o, life}}
		promote.New(s, mortal{o, life}.connect, waits)
		s.Run(life)
		die()
	}
}

// doom has the operators from now on killed, one with each blow.
func (o *operator) doom(blows ...blow) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.doomed, o.killed = blows, 0
}

// deaths returns how many have been killed since the last doom.
func (o *operator) deaths() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.killed
}

// step makes a change, unless the operator is killed before it. It returns errKilled if
// it is killed; then whoever asked for the change hears nothing more.
func (o *operator) step(do func(last bool) error) error {
	o.mu.Lock()
	var now blow
	strikes := len(o.doomed) > 0 && o.doomed[0].steps == 0
	switch {
	case strikes:
		now, o.doomed = o.doomed[0], o.doomed[1:]
		o.killed++
	case len(o.doomed) > 0:
		o.doomed[0].steps--
	}
	die := o.die
	o.mu.Unlock()
	if !strikes {
		return do(false)
	}
	defer die()
	if now.after {
		_ = do(true) // nobody is there to hear of it
	}
	return errKilled
}

// mortal is what one operator works with, for as long as it lives.
type mortal struct {
	*operator
	life context.Context
}

// Update implements controlloop.Client.
func (m mortal) Update(
	ctx context.Context, obj controlloop.Object,
) (updated controlloop.Object, err error) {
	if m.life.Err() != nil {
		return nil, errKilled
	}
	err = m.step(func(bool) error {
		updated, err = m.Client.Update(ctx, obj)
		return err
	})
	return updated, err
}

// connect is a promote.Dial.
func (m mortal) connect(ctx context.Context, pod *corev1.Pod, port int32) (net.Conn, error) {
	if m.life.Err() != nil {
		return nil, errKilled
	}
	conn, err := m.dial(ctx, pod, port)
	if err != nil {
		return nil, err
	}
	return &tapped{Conn: conn, operator: m.operator}, nil
}

// changes are the statements that change something.
var changes = regexp.MustCompile(`^(STOP|START|RESET|CHANGE|SET) `)

// tapped is a connection on which statements are counted.
type tapped struct {
	net.Conn
	operator *operator
}

// Write implements net.Conn. A statement is written whole: its length, its number, the
// command COM_QUERY, its text.
func (t *tapped) Write(packet []byte) (n int, err error) {
	if len(packet) < 5 || packet[4] != 3 || !changes.Match(packet[5:]) {
		return t.Conn.Write(packet)
	}
	err = t.operator.step(func(last bool) error {
		n, err = t.Conn.Write(packet)
		if last && err == nil {
			_, err = t.Conn.Read(make([]byte, 1)) // the server has executed it
		}
		return err
	})
	return n, err
}
