package httpserve

import (
	"errors"
	"net"
	"net/http"
	"time"
)

// bodyWait is how long the body of a request may take to arrive.
const bodyWait = 30 * time.Second

// timed lets a body arrive in time or fail. A request without one, such as a watch
// or a stream, may last for as long as it likes; so may the answer to one whose body
// has come, for net/http takes the deadline away at its end.
func timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyWait))
		}
		next.ServeHTTP(w, r)
	})
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
