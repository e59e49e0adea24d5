package streams_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPageOfAnotherSiteGetsNoStream(t *testing.T) {
	config := listen(t, web(), containers{exec: echo})
	host := strings.TrimPrefix(config.Host, "http://")
	for origin, is := range map[string]int{
		"": 101, "http://localhost": 101, "http://" + host: 101,
		"http://localhost:8000": 400, "http://example.com": 400, "null": 400,
	} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		dialer := websocket.Dialer{Subprotocols: []string{"channel.k8s.io"}}
		ws, answer, err := dialer.DialContext(t.Context(),
			"ws://"+host+"/exec?command=x&stdin=1&stdout=1", header)
		require.NotNil(t, answer, "%q: %v", origin, err)
		assert.Equal(t, is, answer.StatusCode, origin)
		if ws != nil {
			ws.Close()
		}
	}
}
