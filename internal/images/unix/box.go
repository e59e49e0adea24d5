package unix

import (
	"context"
	"net"
	"path"
	"slices"
	"sync"

	"github.com/miekg/dns"
)

// Command is a program. It ends when its work is done, or soon after ctx does;
// what it returns is its exit code.
type Command func(ctx context.Context, p *Process) int

// Network is a network as processes see it.
type Network interface {
	IP() string
	Listen(port int32) (net.Listener, error)
	// Dial connects to a port of a host, which is an address or a name.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// Reaches reports whether there is a machine with an address, as an echo
	// would tell.
	Reaches(ctx context.Context, address string) bool
	// LookupHost and LookupAddr ask for names, as net.Resolver does.
	LookupHost(ctx context.Context, host string) ([]string, error)
	LookupAddr(ctx context.Context, address string) ([]string, error)
	// Exchange puts a question to a server of names.
	Exchange(ctx context.Context, server string, question *dns.Msg) (*dns.Msg, error)
}

// Box is what the processes of one container share.
type Box struct {
	Hostname string
	User     int64 // what its processes say that they are; they may do what root may
	Group    int64
	Groups   []int64 // beside that one
	Files    *Files
	Commands map[string]Command // by path; Files has a file for each
	Network  Network

	seen *processes // by those of this box

	mu        sync.Mutex
	held      int64 // bytes, by all its processes
	memory    int64 // bytes that they may hold
	exhausted bool  // they held more
	forked    int   // how many there are
	ended     chan struct{}
	once      sync.Once
}

// NewBox returns a box in which nothing runs.
func NewBox(hostname string, files *Files, commands map[string]Command) *Box {
	return &Box{
		Hostname: hostname, Files: files, Commands: commands,
		ended: make(chan struct{}), memory: DefaultMemory,
		forked: 1, // the first, whether it runs or not
		seen:   &processes{last: 1},
	}
}

// Join makes the processes of a box, in which none runs yet, and those of
// another see each other.
func (b *Box) Join(other *Box) { b.seen = other.seen }

// End kills all processes. From then on none runs for long.
func (b *Box) End() { b.once.Do(func() { close(b.ended) }) }

// Processes returns the processes that run.
func (b *Box) Processes() []*Process {
	b.seen.mu.Lock()
	defer b.seen.mu.Unlock()
	return slices.Clone(b.seen.all)
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

func (b *Box) leave(p *Process) {
	b.mu.Lock()
	b.held -= p.held
	p.held = 0
	b.mu.Unlock()
	b.seen.leave(p)
}

// processes are the processes that see each other, as in a namespace of Linux.
type processes struct {
	mu   sync.Mutex
	all  []*Process // that run, in the order of their start
	last int        // number given; 1 is the main process's
}

func (ps *processes) enter(p *Process) {
	ps.number(p)
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if !slices.Contains(ps.all, p) { // a job is there before its command begins
		ps.all = append(ps.all, p)
	}
}

// number gives a process its number, if it has none. A shell has it done before
// another of its processes begins: those of a pipe are numbered from the left.
func (ps *processes) number(p *Process) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p.PID == 0 {
		ps.last++
		p.PID = ps.last
	}
}

func (ps *processes) leave(p *Process) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.all = slices.DeleteFunc(ps.all,
		func(other *Process) bool { return other == p })
}

// Abs returns an absolute path for one that may be relative to dir.
func Abs(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join("/", dir, name)
}
