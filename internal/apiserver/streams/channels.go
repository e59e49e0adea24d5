package streams

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/remotecommand"
)

const (
	// chunk is how much goes into one message, and out of one.
	chunk = 32 << 10
	// farewell is how long the last words may take, each way.
	farewell = 5 * time.Second
	// lastWords is how long they may take when the server stops.
	lastWords = time.Second
	// welcome is how long nothing is sent at first. A kubectl before 1.34 throws
	// away what comes before it has made its streams, which takes it a moment
	// (kubernetes/kubernetes#131203). In real clusters the network is as slow.
	welcome = 50 * time.Millisecond
)

// none is the protocol of a client that does not ask for one.
const none = ""

// errAnswered says that the client has been told what was wrong.
var errAnswered = errors.New("answered")

// channels are streams over one WebSocket. The first byte of a message names the
// stream.
type channels struct {
	ws *websocket.Conn

	// turn holds a token, which the writer takes. No mutex: a write may
	// last, and a goroutine that waits for a mutex keeps the time of a
	// test's bubble from passing.
	turn     chan struct{}
	finished bool // guarded by turn
}

// open makes a WebSocket of a request, for one of these subprotocols. A request
// that cannot be one is answered.
func open(w http.ResponseWriter, r *http.Request, protocols ...string) (*channels, error) {
	ws, err := upgrade(w, r, protocols...)
	if err != nil {
		if !errors.Is(err, errAnswered) {
			refuse(w, err)
		}
		return nil, err
	}
	c := &channels{ws: ws, turn: make(chan struct{}, 1)}
	if _, real := ws.RemoteAddr().(*net.TCPAddr); real {
		time.AfterFunc(welcome, func() { c.turn <- struct{}{} })
	} else { // in memory, where a client that connects is ready
		c.turn <- struct{}{}
	}
	return c, nil
}

// upgrade makes a WebSocket of a request for one of these subprotocols.
func upgrade(
	w http.ResponseWriter, r *http.Request, protocols ...string,
) (*websocket.Conn, error) {
	if !websocket.IsWebSocketUpgrade(r) {
		return nil, notWebSocket(r)
	}
	asked := websocket.Subprotocols(r)
	isSilent := len(asked) == 0 && slices.Contains(protocols, none)
	if !isSilent && !slices.ContainsFunc(asked, func(p string) bool {
		return slices.Contains(protocols, p)
	}) {
		return nil, apierrors.NewBadRequest(fmt.Sprintf(
			"requested protocol(s) are not supported: %v; supports %v",
			asked, protocols))
	}
	upgrader := websocket.Upgrader{
		Subprotocols:    protocols,
		ReadBufferSize:  chunk + 1024,
		WriteBufferSize: chunk + 1024,
		CheckOrigin:     isOurs,
		Error: func(w http.ResponseWriter, _ *http.Request, _ int, err error) {
			refuse(w, apierrors.NewBadRequest(err.Error()))
		},
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return nil, errAnswered
	}
	return ws, nil
}

// isOurs keeps out the pages of other sites, as the server does with all else
// that writes: of a WebSocket a browser says where the page comes from. Clients
// that are no browsers say nothing, or, as those of golang.org/x/net do, that
// they are on this machine.
func isOurs(r *http.Request) bool {
	from := r.Header.Get("Origin")
	site, err := url.Parse(from)
	return from == "" || from == "http://localhost" ||
		err == nil && strings.EqualFold(site.Host, r.Host)
}

// notWebSocket says what is wrong with a request that asks for no WebSocket.
func notWebSocket(r *http.Request) error {
	if r.Header.Get("Upgrade") == "" {
		return apierrors.NewBadRequest("Upgrade request required")
	}
	return apierrors.NewBadRequest(fmt.Sprintf(
		"%s is not served: streams are, over WebSocket (kubectl 1.30 or newer)",
		r.Header.Get("Upgrade")))
}

// converse has messages received while run runs, whose answer the client is then
// told. It returns when both have ended, and nothing reads or writes any more.
func (c *channels) converse(
	r *http.Request, receive func(context.Context),
	run func(context.Context) *metav1.Status,
) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer cancel()
		receive(ctx)
	}()
	// The server stops: every client is told how it ended, but none is waited for
	// long.
	stop := context.AfterFunc(r.Context(), func() { time.AfterFunc(lastWords, c.hangUp) })
	defer stop()
	status := run(ctx)
	cancel() // the rest of the input is not read
	c.finish(status)
	<-gone
	c.hangUp()
}

// next returns the next message, and the number of its stream. Its error is that
// of a connection that has ended.
func (c *channels) next() (byte, io.Reader, error) {
	for {
		_, message, err := c.ws.NextReader()
		if err != nil {
			return 0, nil, err
		}
		var id [1]byte
		if _, err := io.ReadFull(message, id[:]); err != nil {
			continue
		}
		if isText(c.ws) {
			return id[0] - '0', base64.NewDecoder(base64.StdEncoding, message), nil
		}
		return id[0], message, nil
	}
}

// finish tells the client how it has ended, and that this was all. Nothing is
// written after it. Messages that the client still sends have to be read to
// their end: a side that closes a connection with unread data may take back
// what it has said.
func (c *channels) finish(status *metav1.Status) {
	until := time.Now().Add(farewell)
	c.ws.NetConn().SetWriteDeadline(until) // for writes that are under way
	<-c.turn
	defer func() { c.turn <- struct{}{} }()
	c.finished = true
	c.ws.SetWriteDeadline(until)
	if words := c.words(status); len(words) > 0 {
		c.send(remotecommand.StreamErr, words)
	}
	goodbye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	c.ws.WriteControl(websocket.CloseMessage, goodbye, until)
	c.ws.SetReadDeadline(until)
}

// words returns how the client is told of a status: before version 4 it is told
// only what went wrong. Without one it is told nothing.
func (c *channels) words(status *metav1.Status) []byte {
	if status == nil {
		return nil
	}
	if !strings.HasPrefix(c.ws.Subprotocol(), "v") {
		return []byte(status.Message)
	}
	data, err := json.Marshal(status)
	if err != nil {
		return nil
	}
	return data
}

// hangUp ends all reads and writes.
func (c *channels) hangUp() { c.ws.Close() }

// send sends one message, when it is its turn.
func (c *channels) send(id byte, p []byte) error {
	if isText(c.ws) {
		text := append([]byte{'0' + id}, base64.StdEncoding.EncodeToString(p)...)
		return c.ws.WriteMessage(websocket.TextMessage, text)
	}
	message, err := c.ws.NextWriter(websocket.BinaryMessage)
	if err != nil {
		return err
	}
	if _, err := message.Write([]byte{id}); err != nil {
		return err
	}
	if _, err := message.Write(p); err != nil {
		return err
	}
	return message.Close()
}

// isText reports whether messages are text, in which bytes are base64.
func isText(ws *websocket.Conn) bool {
	return strings.Contains(ws.Subprotocol(), "base64.")
}

// channel is one stream to the client.
type channel struct {
	*channels
	id byte
}

// Write implements io.Writer.
func (c channel) Write(p []byte) (int, error) {
	<-c.turn
	defer func() { c.turn <- struct{}{} }()
	if c.finished {
		return 0, io.ErrClosedPipe
	}
	if err := c.send(c.id, p); err != nil {
		return 0, err
	}
	return len(p), nil
}
