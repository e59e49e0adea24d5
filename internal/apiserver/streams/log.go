package streams

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// ServeLog sends what a container of a Pod has printed; to a client that
// follows, line by line until the container has ended.
func ServeLog(
	w http.ResponseWriter, r *http.Request, pod *corev1.Pod, c Containers,
) {
	opts, err := logOptions(pod, r.URL.Query())
	if err == nil {
		opts.Container, err = containerOf(pod, opts.Container)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	if onNode(pod) != nil { // then there is nothing to send, and nothing wrong
		w.Header().Set("Content-Type", "text/plain")
		return
	}
	if _, err := SourceOf(pod, opts.Container, opts.Previous); err != nil {
		refuse(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	log, err := c.Logs(ctx, pod, opts)
	if err != nil {
		refuse(w, err)
		return
	}
	defer log.Close()
	if !websocket.IsWebSocketUpgrade(r) {
		w.Header().Set("Content-Type", "text/plain")
		http.NewResponseController(w).Flush() // a client that follows sees that it has begun
		io.Copy(flushing{w}, log)
		return
	}
	sendMessages(w, r, log, cancel)
}

// sendMessages sends a log over a WebSocket, and stops when its client goes.
func sendMessages(w http.ResponseWriter, r *http.Request, log io.Reader, stop func()) {
	ws, err := upgrade(w, r, logProtocols...)
	if err != nil {
		if !errors.Is(err, errAnswered) {
			refuse(w, err)
		}
		return
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer stop()
		for {
			if _, _, err := ws.NextReader(); err != nil {
				return
			}
		}
	}()
	io.Copy(messages{ws}, log)
	goodbye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	ws.WriteControl(websocket.CloseMessage, goodbye, time.Now().Add(farewell))
	ws.Close()
	<-gone
}

// logProtocols are those of logs. (Kubernetes: wsstream.NewDefaultReaderProtocols
// in k8s.io/streaming.)
var logProtocols = []string{"binary.k8s.io", "base64.binary.k8s.io", none}

// messages makes a message of each piece.
type messages struct{ ws *websocket.Conn }

// Write implements io.Writer.
func (m messages) Write(p []byte) (int, error) {
	kind, data := websocket.BinaryMessage, p
	if isText(m.ws) {
		kind, data = websocket.TextMessage, []byte(base64.StdEncoding.EncodeToString(p))
	}
	return len(p), m.ws.WriteMessage(kind, data)
}

// flushing holds nothing back.
type flushing struct{ http.ResponseWriter }

// Write implements io.Writer.
func (f flushing) Write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	if err == nil {
		err = http.NewResponseController(f.ResponseWriter).Flush()
	}
	return n, err
}
