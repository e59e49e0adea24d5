package streams

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/websocket"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/portforward"
	"k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/streaming/pkg/httpstream/wsstream"
)

// portProtocols are those of clients without SPDY.
var portProtocols = []string{
	remotecommand.StreamProtocolV4Name,
	"v4." + wsstream.Base64ChannelWebSocketProtocol,
	none,
}

// wantsChannels reports whether a client asks for ports over a WebSocket alone.
func wantsChannels(r *http.Request) bool {
	return websocket.IsWebSocketUpgrade(r) && !slices.Contains(
		websocket.Subprotocols(r), portforward.WebsocketsSPDYTunnelingPortForwardV1)
}

// servePorts connects a client to the ports that its query names, each once. A port
// has two channels of a WebSocket, for data and for an error, and in both the port's
// number comes first. So clients in other languages ask for ports. (Kubernetes:
// handleWebSocketStreams in k8s.io/cri-streaming.)
func (f *forwarder) servePorts(w http.ResponseWriter, r *http.Request) {
	ports, err := portsOf(r.URL.Query())
	if err != nil {
		refuse(w, err)
		return
	}
	if why := unforwardable(ports); why != "" {
		asKubelet(w, http.StatusBadRequest, why)
		return
	}
	c, err := open(w, r, portProtocols...)
	if err != nil {
		return // it has been told
	}
	all := portChannelsOf(c, len(ports))
	c.converse(r, all.receive, func(ctx context.Context) *metav1.Status {
		f.ctx = ctx
		for i, port := range ports {
			p := &pair{port, all[2*i], all[2*i+1]}
			p.announce()
			f.running.Go(func() { f.connect(p) })
		}
		f.running.Wait()
		return nil
	})
}

// portsOf returns the ports that a query names: ports=80&ports=81, or ports=80,81.
func portsOf(query url.Values) (ports []int32, err error) {
	values := query["ports"]
	if err := metav1.Convert_Slice_string_To_Slice_int32(&values, &ports, nil); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return ports, nil
}

// unforwardable returns a kubelet's refusal of ports, or "". A kubelet gets all
// ports in one parameter, and so names them all. (NewV4Options in
// k8s.io/cri-streaming.)
func unforwardable(ports []int32) string {
	if len(ports) == 0 {
		return fmt.Sprintf("query parameter %q is required", corev1.PortHeader)
	}
	if slices.Contains(ports, 0) {
		return fmt.Sprintf("port %q must be > 0",
			strings.Trim(strings.ReplaceAll(fmt.Sprint(ports), " ", ","), "[]"))
	}
	return ""
}

// announce writes the port on both streams.
func (p *pair) announce() {
	number := binary.LittleEndian.AppendUint16(nil, uint16(p.port))
	p.data.Write(number) // of a client that has gone, all else ends, too
	p.problem.Write(number)
}

// portChannel is a channel of a port. A WebSocket has no end of one channel: what
// Close ends is what its client may still send.
type portChannel struct {
	channel
	*input
}

// Close implements stream.
func (p portChannel) Close() error {
	p.end()
	return nil
}

// Reset implements stream.
func (p portChannel) Reset() error { return p.Close() }

// portChannels are two for each port.
type portChannels []portChannel

func portChannelsOf(c *channels, ports int) (all portChannels) {
	for id := range 2 * ports {
		all = append(all, portChannel{channel{c, byte(id)}, newInput()})
	}
	return all
}

// receive takes messages until the connection ends. Once ctx has ended, it throws
// them away, as it does always with those to the channel of an error.
func (all portChannels) receive(ctx context.Context) {
	for {
		id, message, err := all[0].channels.next()
		if err != nil {
			break
		}
		if id%2 == 0 && int(id) < len(all) {
			all[id].fill(ctx, message)
		}
	}
	for _, p := range all {
		p.end()
	}
}
