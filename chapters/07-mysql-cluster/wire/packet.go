package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
)

// packets are what both sides of a connection send each other: a length of
// three bytes, a number that counts on from the question to the end of its
// answer, and bytes.
type packets struct {
	conn net.Conn
	in   *bufio.Reader
	out  *bufio.Writer
	next byte
}

func newPackets(conn net.Conn) *packets {
	return &packets{
		conn: conn, in: bufio.NewReader(conn), out: bufio.NewWriter(conn)}
}

const (
	fullPacket = 1<<24 - 1 // what is longer goes on in the next
	largest    = 64 << 20
)

var errTooLarge = errors.New("packet is too large")

// read returns the next packet, and one that came in pieces as a whole.
func (p *packets) read() ([]byte, error) {
	var whole []byte
	for {
		var head [4]byte
		if _, err := io.ReadFull(p.in, head[:]); err != nil {
			return nil, err
		}
		p.next = head[3] + 1
		n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
		if len(whole)+n > largest {
			return nil, errTooLarge
		}
		whole = append(whole, make([]byte, n)...)
		if _, err := io.ReadFull(p.in, whole[len(whole)-n:]); err != nil {
			return nil, err
		}
		if n < fullPacket {
			return whole, nil
		}
	}
}

// write sends a packet, once there is a flush.
func (p *packets) write(whole []byte) error {
	for {
		n := min(len(whole), fullPacket)
		p.out.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), p.next})
		p.next++
		if _, err := p.out.Write(whole[:n]); err != nil || n < fullPacket {
			return err
		}
		whole = whole[n:]
	}
}

// send writes a packet, and has it go.
func (p *packets) send(packet []byte) error {
	if err := p.write(packet); err != nil {
		return err
	}
	return p.out.Flush()
}

// appendInt adds a number whose first byte says how long it is.
func appendInt(b []byte, n uint64) []byte {
	switch {
	case n < 251:
		return append(b, byte(n))
	case n < 1<<16:
		return binary.LittleEndian.AppendUint16(append(b, 0xfc), uint16(n))
	case n < 1<<24:
		return append(b, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
	return binary.LittleEndian.AppendUint64(append(b, 0xfe), n)
}

// appendString adds a string and, before it, its length.
func appendString(b []byte, s string) []byte {
	return append(appendInt(b, uint64(len(s))), s...)
}

// fields takes a packet apart. A field for which a packet is too short is
// empty, and bad says so.
type fields struct {
	rest []byte
	bad  bool
}

func (f *fields) bytes(n uint64) []byte {
	if n > uint64(len(f.rest)) {
		f.rest, f.bad = nil, true
		return nil
	}
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

// fixed returns a number of n bytes.
func (f *fields) fixed(n uint64) uint64 {
	var b [8]byte
	copy(b[:], f.bytes(n))
	return binary.LittleEndian.Uint64(b[:])
}

// int returns a number whose first byte says how long it is.
func (f *fields) int() uint64 {
	switch n := f.fixed(1); n {
	case 0xfc, 0xfd:
		return f.fixed(n - 0xfa)
	case 0xfe:
		return f.fixed(8)
	default:
		return n
	}
}

func (f *fields) string() string { return string(f.bytes(f.int())) }

// zero returns a string up to a zero byte, or the end.
func (f *fields) zero() string {
	for i, c := range f.rest {
		if c == 0 {
			s := string(f.rest[:i])
			f.rest = f.rest[i+1:]
			return s
		}
	}
	s := string(f.rest)
	f.rest = nil
	return s
}

// isNull takes a byte that stands for NULL, if it comes next.
func (f *fields) isNull() bool {
	if len(f.rest) == 0 || f.rest[0] != 0xfb {
		return false
	}
	f.rest = f.rest[1:]
	return true
}
