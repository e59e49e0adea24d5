package up

import (
	"errors"
	"net"
	"os"
)

// ports are those at which a lab listens. A lab in a room of its own, which no
// client can reach, has them from the process that began it.
type ports struct {
	api   net.Listener
	names []*names
}

func openPorts(opts Options) (*ports, error) {
	if inRoom() {
		return inherited()
	}
	api, err := listen(opts)
	if err != nil {
		return nil, err
	}
	asked, err := listenForNames(opts)
	if err != nil {
		api.Close()
		return nil, err
	}
	return &ports{api, []*names{asked}}, nil
}

func (p *ports) close() error {
	p.api.Close()
	for _, n := range p.names {
		n.close()
	}
	return nil
}

// firstInherited is the number of the first file that a process is begun with
// beyond its input, its output and its errors.
const firstInherited = 3

// files returns the ports as files that are handed on to a process; inherited
// takes them from there.
func (p *ports) files() (files []*os.File, err error) {
	for _, port := range []any{
		p.api, p.names[0].connections, p.names[0].packets,
	} {
		file, err := port.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func inherited() (*ports, error) {
	file := func(n uintptr) *os.File {
		return os.NewFile(firstInherited+n, "inherited")
	}
	api, err := net.FileListener(file(0))
	connections, err2 := net.FileListener(file(1))
	packets, err3 := net.FilePacketConn(file(2))
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, err
	}
	return &ports{api, []*names{{packets, connections}}}, nil
}
