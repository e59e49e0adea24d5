package xbstream

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path"
)

// An xbstream is many files, one behind the other or in turns, as chunks. Each
// has its own head, so that what is written can be sent before it is known how
// long it will be (Percona: storage/innobase/xtrabackup/src/xbstream.h):
//
//	8 bytes  XBSTCK01
//	1 byte   flags: 1 if the chunk may be ignored
//	1 byte   P: a part of a file; E: the file's end
//	4 bytes  length of the path, and the path
//	         of a part: 8 bytes length, 8 bytes offset, 4 bytes checksum (that of
//	         zip), and the part
//
// All numbers are little endian. Nothing says where the stream itself ends.
const (
	chunkMagic   = "XBSTCK01"
	chunkIgnore  = 1
	chunkPart    = 'P'
	chunkEnd     = 'E'
	chunkLargest = 1 << 20 // of the parts that we write
	longestPath  = 512     // MySQL's FN_REFLEN
)

// Write writes a file to a stream, up to its end.
func Write(out io.Writer, name string, file io.Reader) error {
	part := make([]byte, chunkLargest)
	for offset := uint64(0); ; {
		n, err := io.ReadFull(file, part)
		if n > 0 {
			if err := writePart(out, name, offset, part[:n]); err != nil {
				return err
			}
			offset += uint64(n)
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			_, err := out.Write(chunkHead(chunkEnd, name))
			return err
		default:
			return err
		}
	}
}

func writePart(out io.Writer, name string, offset uint64, part []byte) error {
	b := chunkHead(chunkPart, name)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(part)))
	b = binary.LittleEndian.AppendUint64(b, offset)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(part))
	_, err := out.Write(append(b, part...))
	return err
}

func chunkHead(kind byte, name string) []byte {
	b := append([]byte(chunkMagic), 0, kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(name)))
	return append(b, name...)
}

// chunk is one that was read.
type chunk struct {
	kind   byte
	path   string
	offset uint64
	part   []byte // valid until the next is read
}

// reader reads chunks.
type reader struct {
	in     *bufio.Reader
	offset uint64
	buffer []byte
}

func newReader(in io.Reader) *reader {
	return &reader{in: bufio.NewReader(in)}
}

// next returns the next chunk. The error is io.EOF where one could begin and
// none does: a sender that died between two chunks is not told from one that
// had no more to say.
func (r *reader) next() (*chunk, error) {
	for {
		c, flags, err := r.head()
		if err != nil {
			return nil, err
		}
		switch {
		case c.kind == chunkPart:
			return c, r.part(c)
		case c.kind == chunkEnd:
			return c, nil
		case flags&chunkIgnore == 0:
			return nil, wrong("unknown chunk type 0x%x at offset 0x%x.",
				c.kind, r.offset)
		}
	}
}

// head reads a chunk up to its path.
func (r *reader) head() (c *chunk, flags byte, err error) {
	magic := make([]byte, len(chunkMagic))
	n, err := io.ReadFull(r.in, magic)
	switch {
	case err == io.EOF:
		return nil, 0, io.EOF
	case err != nil:
		return nil, 0, wrong(
			"unexpected end of stream at offset 0x%x.", r.offset)
	case string(magic) != chunkMagic:
		return nil, 0, wrong("wrong chunk magic at offset 0x%x.", r.offset)
	}
	r.offset += uint64(n)
	b, err := r.read(6)
	if err != nil {
		return nil, 0, err
	}
	c, flags = &chunk{kind: b[1]}, b[0]
	long := binary.LittleEndian.Uint32(b[2:])
	if long >= longestPath {
		return nil, 0, wrong("path length (%d) is too large", long)
	}
	name, err := r.read(uint64(long))
	c.path = string(name)
	return c, flags, err
}

// part reads the rest of a chunk that is a part of a file.
func (r *reader) part(c *chunk) error {
	b, err := r.read(20)
	if err != nil {
		return err
	}
	sum, at := binary.LittleEndian.Uint32(b[16:]), r.offset-4
	c.offset = binary.LittleEndian.Uint64(b[8:])
	if c.part, err = r.read(binary.LittleEndian.Uint64(b)); err != nil {
		return err
	}
	if found := crc32.ChecksumIEEE(c.part); found != sum {
		return wrong(
			"invalid checksum at offset 0x%x: expected 0x%x, read 0x%x.",
			at, sum, found)
	}
	return nil
}

// read returns the next n bytes, which are good until it is called again. It
// takes no more memory than bytes have come, whatever n says.
func (r *reader) read(n uint64) ([]byte, error) {
	r.buffer = r.buffer[:0]
	for uint64(len(r.buffer)) < n {
		begin := len(r.buffer)
		step := min(n-uint64(begin), chunkLargest)
		r.buffer = append(r.buffer, make([]byte, step)...)
		if _, err := io.ReadFull(r.in, r.buffer[begin:]); err != nil {
			return nil, wrong("my_read() failed.")
		}
	}
	r.offset += n
	return r.buffer, nil
}

func wrong(format string, args ...any) error {
	return fmt.Errorf("xb_stream_read_chunk(): "+format, args...)
}

// errFileName is a path in a stream that leads out of where it is unpacked, or
// could.
var errFileName = errors.New("invalid filename")

// nameOf returns the name of a streamed file below a folder.
func nameOf(name string) (string, error) {
	clean := path.Clean(name)
	if path.IsAbs(clean) || clean == "." || clean == ".." ||
		len(clean) > 2 && clean[:3] == "../" {
		return "", fmt.Errorf("%w %s", errFileName, name)
	}
	return clean, nil
}
