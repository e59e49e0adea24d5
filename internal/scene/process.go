package scene

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync"

	"reconcile/internal/kubectl"
	"reconcile/internal/script"
)

// process is one kubectl.
type process struct {
	job     int // 0: in the foreground
	text    string
	deletes bool // it is kubectl delete
	client  *client
	cancel  context.CancelFunc
	ended   chan struct{} // closed when it has
	code    int           // from then on
	quiet   bool          // its output is not looked at any more

	mu      sync.Mutex
	printed bytes.Buffer // and not taken yet
}

// Write implements io.Writer: it is the terminal of the process.
func (p *process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.printed.Write(text)
}

// lines takes the output of the process: whole lines, and the rest as well when
// the process has ended.
func (p *process) lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines []string
	for {
		end := bytes.IndexByte(p.printed.Bytes(), '\n')
		switch {
		case end >= 0:
			line := string(p.printed.Next(end))
			p.printed.Next(1)
			lines = append(lines, strings.TrimSuffix(line, "\r"))
		case p.printed.Len() > 0 && p.hasEnded():
			return append(lines, string(p.printed.Next(p.printed.Len())))
		default:
			return lines
		}
	}
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// waitsFor says what keeps a process from its end: what is deleted and stays, or
// else its last request.
func (st *stage) waitsFor(p *process) string {
	asks := p.client.asks.Load()
	switch {
	case p.deletes && st.crashed:
		return "until what it deletes is gone, and nobody is there to see to that: " +
			"all controllers have crashed, the kubelets among them, which end Pods; restart starts them"
	case p.deletes:
		return "until what it deletes is gone, and the kubelet or the controller that sees to that does not"
	case asks != nil:
		return "for " + *asks
	}
	return "for something else than the server"
}

// input returns what a command reads. One in the background has a terminal of its own,
// at which nobody types.
func input(ctx context.Context, c *script.Command) io.Reader {
	if c.Background && c.Input == "" {
		return idle{ctx}
	}
	return strings.NewReader(c.Input)
}

// idle is an input that ends with its command.
type idle struct{ context.Context }

// Read implements io.Reader.
func (i idle) Read([]byte) (int, error) {
	<-i.Done()
	return 0, io.EOF
}

// run starts a command.
func (st *stage) run(c *script.Command, text string) *process {
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{
		job: c.Job, text: text, deletes: c.Does() == "delete",
		client: &client{stage: st, job: c.Job},
		cancel: cancel, ended: make(chan struct{}),
	}
	closeTunnel := p.client.openTunnel()
	var out io.Writer = p
	closeOut := func() error { return nil }
	if c.To != "" {
		file, err := os.Create(c.To)
		if err != nil {
			st.fail("%v", err)
		}
		out, closeOut = file, file.Close
	}
	go func() {
		defer st.wake.Send()
		defer close(p.ended)
		defer closeTunnel()
		defer cancel()
		p.code = kubectl.Run(ctx, kubectl.Command{
			Args: c.Args, Kubeconfig: st.kubeconfig(), CacheDir: st.cache,
			Configure: p.client.configure,
			In:        input(ctx, c), Out: out, Err: p,
		})
		if err := closeOut(); err != nil {
			p.code = 1
		}
	}()
	if c.Background {
		st.processes = append(st.processes, p)
	} else {
		st.processes = append([]*process{p}, st.processes...)
	}
	return p
}
