package streams_test

import (
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hearAll returns what comes on each channel until the server says goodbye.
func hearAll(t *testing.T, ws *websocket.Conn, isText bool) map[byte]string {
	t.Helper()
	heard := map[byte]string{}
	for {
		_, message, err := ws.ReadMessage()
		if err != nil {
			require.True(t, websocket.IsCloseError(err, websocket.CloseNormalClosure), err)
			return heard
		}
		id, content := message[0], message[1:]
		if isText {
			id -= '0'
			content, err = base64.StdEncoding.DecodeString(string(content))
			require.NoError(t, err)
		}
		heard[id] += string(content)
	}
}

func TestPortsAreForwardedToClientsWithoutSPDY(t *testing.T) {
	for _, protocol := range []string{"", "v4.channel.k8s.io", "v4.base64.channel.k8s.io"} {
		for _, query := range []string{"ports=80&ports=81", "ports=80,81"} {
			t.Run(protocol+" "+query, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ws := connect(t, "portforward?"+query, protocol, serving(t, 80, http.HandlerFunc(
						func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hi") })))
					isText := strings.Contains(protocol, "base64")
					const asked = "GET / HTTP/1.0\r\n\r\n"
					if isText {
						say(t, ws, "0"+base64.StdEncoding.EncodeToString([]byte(asked)))
					} else {
						say(t, ws, "\x00"+asked)
					}
					heard := hearAll(t, ws, isText)
					assert.Regexp(t, `(?s)^P\x00HTTP/1.0 200 OK\r\n.*\r\n\r\nhi$`, heard[0])
					assert.Equal(t, "P\x00", heard[1])
					assert.Equal(t, "Q\x00", heard[2])
					assert.Equal(t, "Q\x00error forwarding port 81 to pod web, uid uid-of-web: "+
						"dial tcp 10.244.1.1:81: connect: connection refused", heard[3])
				})
			})
		}
	}
}

func TestAClientWithoutSPDYThatGoesEndsItsConnectionsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := make(chan struct{})
		ws := connect(t, "portforward?ports=80", "v4.channel.k8s.io", serving(t, 80, http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				close(hung)
			})))
		assert.Equal(t, "\x00P\x00\x01P\x00", hear(t, ws)+hear(t, ws))
		say(t, ws, "\x00GET / HTTP/1.1\r\nHost: web\r\n\r\n")
		synctest.Wait()
		before := time.Now()
		ws.Close()
		<-hung
		assert.Less(t, time.Since(before), time.Second)
	})
}

func TestWhatIsSentToNoPortIsIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		ws := connect(t, "portforward?ports=80", "v4.channel.k8s.io", containers{
			dial: func(context.Context, int32) (net.Conn, error) { return server, nil }})
		assert.Equal(t, "\x00P\x00\x01P\x00", hear(t, ws)+hear(t, ws))
		for _, message := range []string{"", "\x01error", "\x02data", "\xffend", "\x00hi"} {
			say(t, ws, message)
		}
		var heard [2]byte
		_, err := io.ReadFull(client, heard[:])
		require.NoError(t, err)
		assert.Equal(t, "hi", string(heard[:]))
		client.Close()
		assert.Empty(t, hearAll(t, ws, false))
	})
}

func portsAsked(query string) *http.Request {
	r := httptest.NewRequest("GET", "/api/v1/namespaces/default/pods/web/portforward?"+query, nil)
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	r.Header.Set("Sec-Websocket-Protocol", "v4.channel.k8s.io")
	return r
}

func TestPortsThatAreNoneAreRefused(t *testing.T) {
	status := refusal(t, web(), portsAsked("ports=http"))
	assert.EqualValues(t, http.StatusBadRequest, status.Code)
	assert.Equal(t, `cannot convert to []int32: strconv.ParseUint: parsing "http": invalid syntax`,
		status.Message)
	for query, message := range map[string]string{
		"":           `query parameter "port" is required`,
		"ports=80,0": `port "80,0" must be > 0`,
	} {
		w := httptest.NewRecorder()
		handler(web(), containers{}).ServeHTTP(w, portsAsked(query))
		assert.Equal(t, http.StatusBadRequest, w.Code)
		assert.Equal(t, "text/plain", w.Header().Get("Content-Type"))
		assert.Equal(t, message, w.Body.String())
	}
}
