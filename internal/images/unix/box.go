package unix

import (
	"context"
	"net"
	"path"
	"slices"
	"sync"
)

// Command is a program. It ends when its work is done, or soon after ctx does;
// what it returns is its exit code.
type Command func(ctx context.Context, p *Process) int

// Network is what processes see of one.
type Network interface {
	IP() string
	Listen(port int32) (net.Listener, error)
	// Dial connects to a port of a host, which is an address or a name.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// LookupHost and LookupAddr ask for names, as net.Resolver does.
	LookupHost(ctx context.Context, host string) ([]string, error)
	LookupAddr(ctx context.Context, address string) ([]string, error)
}

// Box is what the processes of one container share.
type Box struct {
	Hostname string
	Files    *Files
	Commands map[string]Command // by path; Files has a file for each
	Network  Network

	mu        sync.Mutex
	processes []*Process // that run, in the order of their start
	last      int        // process number given; 1 is the main process's
	held      int64      // bytes, by all of them
	memory    int64      // bytes that they may hold
	exhausted bool       // they held more
	ended     chan struct{}
	once      sync.Once
}

// NewBox returns a box in which nothing runs.
func NewBox(hostname string, files *Files, commands map[string]Command) *Box {
	return &Box{
		Hostname: hostname, Files: files, Commands: commands,
		ended: make(chan struct{}), last: 1, memory: DefaultMemory,
	}
}

// End kills all that runs. From then on nothing runs for long.
func (b *Box) End() { b.once.Do(func() { close(b.ended) }) }

// Processes returns those that run.
func (b *Box) Processes() []*Process {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.processes)
}

// Main returns the first process, or nil when it has not started or has ended.
func (b *Box) Main() *Process {
	for _, p := range b.Processes() {
		if p.PID == 1 {
			return p
		}
	}
	return nil
}

func (b *Box) enter(p *Process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.PID == 0 {
		b.last++
		p.PID = b.last
	}
	b.processes = append(b.processes, p)
}

func (b *Box) leave(p *Process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= p.held
	p.held = 0
	b.processes = slices.DeleteFunc(b.processes,
		func(other *Process) bool { return other == p })
}

// Abs returns an absolute path for one that may be relative to dir.
func Abs(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join("/", dir, name)
}
