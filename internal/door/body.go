package door

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// bodyWait is how long the body of a request may take to arrive.
const bodyWait = 30 * time.Second

// timed lets a body arrive in time or fail. A request without one, such as a watch
// or a stream, may last for as long as it likes.
func timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			connection := http.NewResponseController(w)
			connection.SetReadDeadline(time.Now().Add(bodyWait))
			r.Body = body{r.Body, connection}
		}
		next.ServeHTTP(w, r)
	})
}

// body is one that has a deadline.
type body struct {
	io.ReadCloser
	connection *http.ResponseController
}

// Read implements io.Reader.
func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.connection.SetReadDeadline(time.Time{}) // else a long answer would be cut off
	}
	return n, err
}

// IsLate reports whether a body did not arrive in time: that is 408.
func IsLate(err error) bool {
	var slow net.Error
	return errors.As(err, &slow) && slow.Timeout()
}

// IsLarge reports whether a body is larger than http.MaxBytesReader lets it be: that
// is 413.
func IsLarge(err error) bool {
	var large *http.MaxBytesError
	return errors.As(err, &large)
}
