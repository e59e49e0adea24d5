package rollingupdate

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"reconcile/chapters/01-control-loop/simulated"
)

// Web is a web server that needs time: to come up, to answer, to go. It says
// which version it is: the tag of its image. The page /ready says nothing, but
// at once.
type Web struct {
	WarmUp time.Duration // after its start, until it opens its port
	Work   time.Duration // for each answer
	// Linger says how long it goes on as if nothing had happened after it was
	// told to end. Then it answers the requests that it has, and ends. If it is
	// 0, it drops everything at once.
	Linger time.Duration
}

// Serve implements simulated.Program.
func (web Web) Serve(ctx context.Context, p *simulated.Process) int {
	select {
	case <-time.After(web.WarmUp):
	case <-ctx.Done():
		return 143 // 128 + SIGTERM
	}
	l, err := p.Listen(80)
	if err != nil {
		return 1
	}
	pages := http.NewServeMux()
	pages.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(web.Work)
		fmt.Fprint(w, tagOf(p.Container.Image))
	})
	pages.HandleFunc("/ready", func(http.ResponseWriter, *http.Request) {})
	server := &http.Server{Handler: pages}
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

// end closes a server. Once it is killed it has no choice any more.
func (web Web) end(server *http.Server, killed <-chan struct{}) {
	if web.Linger == 0 {
		server.Close()
		return
	}
	select {
	case <-time.After(web.Linger):
	case <-killed:
	}
	ctx, giveUp := context.WithCancel(context.Background())
	defer giveUp()
	go func() {
		select {
		case <-killed:
			giveUp()
		case <-ctx.Done():
		}
	}()
	if err := server.Shutdown(ctx); err != nil {
		server.Close()
	}
}

// tagOf returns the part of an image's name behind the colon.
func tagOf(image string) string {
	_, tag, _ := strings.Cut(image, ":")
	return tag
}
