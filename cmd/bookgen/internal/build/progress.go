package build

import (
	"fmt"
	"io"
	"time"
)

// Progress names a step once it has taken over a second, and says how long it
// took when done is called.
func Progress(w io.Writer, step string) (done func()) {
	if w == nil {
		return func() {}
	}
	start := time.Now()
	said := make(chan struct{})
	timer := time.AfterFunc(time.Second, func() {
		fmt.Fprintf(w, "%s …\n", step)
		close(said)
	})
	return func() {
		if timer.Stop() {
			return
		}
		<-said
		fmt.Fprintf(w, "%s took %.1f s\n", step, time.Since(start).Seconds())
	}
}
