package kubetest

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"time"

	"reconcile/chapters/01-control-loop/simulated"
)

// Nginx is an image that every node has.
const Nginx = "nginx:1.27"

// images is a registry whose images can be changed while nodes pull from it.
type images struct {
	mu  sync.Mutex
	all simulated.Images
}

func newImages(more simulated.Images) *images {
	all := simulated.Images{Nginx: simulated.Nginx}
	maps.Copy(all, more)
	return &images{all: all}
}

// Pull implements simulated.Registry.
func (i *images) Pull(
	ctx context.Context, p *simulated.Process,
) (simulated.Program, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.all.Pull(ctx, p)
}

// SetImage makes image run program on every node, from its next start on; nil:
// it cannot be pulled any more.
func (c *Cluster) SetImage(image string, program simulated.Program) {
	c.images.mu.Lock()
	defer c.images.mu.Unlock()
	c.images.all[image] = program
}

// SlowNginx runs an nginx that takes five seconds until it answers, and two to
// end.
func SlowNginx(ctx context.Context, p *simulated.Process) int {
	select {
	case <-time.After(4500 * time.Millisecond):
	case <-ctx.Done():
		return 0
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	context.AfterFunc(ctx, func() { time.AfterFunc(2*time.Second, stop) })
	return simulated.Nginx(serving, p)
}

// Exits returns a program that ends by itself, with a code.
func Exits(after time.Duration, code int) simulated.Program {
	return func(ctx context.Context, p *simulated.Process) int {
		select {
		case <-time.After(after):
			return code
		case <-ctx.Done():
			return 143 // 128 + SIGTERM
		}
	}
}

// Sleeps returns a program that does nothing until it is asked to end, which
// takes it a while.
func Sleeps(last time.Duration) simulated.Program {
	return func(ctx context.Context, p *simulated.Process) int {
		<-ctx.Done()
		select {
		case <-time.After(last):
			return 0
		case <-p.Killed():
			return 0
		}
	}
}

// Stubborn does nothing until it is killed.
func Stubborn(_ context.Context, p *simulated.Process) int {
	<-p.Killed()
	return 0
}

// Serves returns a program that answers requests on a port.
func Serves(port int32, handler http.HandlerFunc) simulated.Program {
	return func(ctx context.Context, p *simulated.Process) int {
		l, err := p.Listen(port)
		if err != nil {
			return 1
		}
		server := &http.Server{Handler: handler}
		go func() {
			<-ctx.Done()
			server.Close()
		}()
		server.Serve(l)
		return 0
	}
}

// Answers returns a program that runs until it is asked to end, and has answer
// called with every command that is run in its container.
func Answers(
	answer func(ctx context.Context, command []string) int,
) simulated.Program {
	return func(ctx context.Context, p *simulated.Process) int {
		p.HandleExec(func(ctx context.Context, p *simulated.Process) int {
			return answer(ctx, p.Args)
		})
		<-ctx.Done()
		return 0
	}
}
