package rollingupdate

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
)

// Web is a web server that needs time: to come up, to answer, to go. It says
// which version it is: the tag of its image.
type Web struct {
	WarmUp time.Duration // after its start, until it opens its port
	Work   time.Duration // for each answer
	// Linger is how long it goes on as if nothing had happened after it was
	// told to end. Then it answers what it was asked, and ends. If it is 0, it
	// drops everything at once.
	Linger time.Duration
}

// Serve is a controlloop.Program.
func (web Web) Serve(ctx context.Context, p *controlloop.Process) int {
	select {
	case <-time.After(web.WarmUp):
	case <-ctx.Done():
		return 143 // 128 + SIGTERM
	}
	l, err := p.Listen(80)
	if err != nil {
		return 1
	}
	version := tagOf(p.Container.Image)
	server := &http.Server{Handler: http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(web.Work)
			fmt.Fprint(w, version)
		})}
	over := make(chan struct{})
	go func() {
		defer close(over)
		<-ctx.Done()
		web.end(server, p.Killed())
	}()
	server.Serve(l)
	<-over
	return 0
}

// end closes a server. Killed is when it has no choice any more.
func (web Web) end(server *http.Server, killed <-chan struct{}) {
	if web.Linger == 0 {
		server.Close()
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-killed:
			server.Close()
		case <-ctx.Done():
		}
	}()
	select {
	case <-time.After(web.Linger):
	case <-killed:
	}
	server.Shutdown(ctx)
}

// tagOf returns what is behind the colon in the name of an image.
func tagOf(image string) string {
	_, tag, _ := strings.Cut(image, ":")
	return tag
}
