package mysqlcluster

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"reconcile/chapters/07-mysql-cluster/folder"
)

// Both logs are files of records, one behind the other:
//
//	4 bytes  how long the body is
//	4 bytes  checksum of the body (CRC-32C, little endian as all of it)
//	4 bytes  checksum of these eight bytes
//	         the body
//
// The second checksum tells a torn record from a damaged one. A kill while it
// is written leaves the beginning of a record, and it is safe to cut that off.
// A length that was changed could reach behind the end of the file, too, and
// then everything from there on would be taken for torn: with a checksum of its
// own it is found out.
const recordHead = 12

var crc32c = crc32.MakeTable(crc32.Castagnoli)

// errTorn is the beginning of a record, and then the end of the log.
var errTorn = errors.New("torn record")

// damaged is a record that is not what was written.
type damaged struct{ what string }

func (d *damaged) Error() string { return "checksum mismatch in " + d.what }

// beginRecord leaves room for a record's head. Its body is what is appended
// from then on, until endRecord, which is told where the record began.
func beginRecord(log []byte) []byte {
	return append(log, make([]byte, recordHead)...)
}

func endRecord(log []byte, begin int) []byte {
	head, body := log[begin:begin+recordHead], log[begin+recordHead:]
	binary.LittleEndian.PutUint32(head, uint32(len(body)))
	binary.LittleEndian.PutUint32(head[4:], crc32.Checksum(body, crc32c))
	binary.LittleEndian.PutUint32(head[8:], crc32.Checksum(head[:8], crc32c))
	return log
}

// readRecord returns the body of the next record, in the buffer if it is large
// enough. The error is io.EOF where the log ends, errTorn where it ends too
// early, and a *damaged.
//
//book:exercise 7f
func readRecord(log io.Reader, buffer []byte) ([]byte, error) {
	head := append(buffer[:0], make([]byte, recordHead)...)
	switch _, err := io.ReadFull(log, head); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errTorn
	case err != nil:
		return nil, err
	}
	length := binary.LittleEndian.Uint32(head)
	sum := binary.LittleEndian.Uint32(head[4:])
	if crc32.Checksum(head[:8], crc32c) != binary.LittleEndian.Uint32(head[8:]) {
		return nil, &damaged{"the head of a record"}
	}
	body := slices.Grow(head[:0], int(length))[:length]
	switch _, err := io.ReadFull(log, body); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errTorn
	case err != nil:
		return nil, err
	}
	if crc32.Checksum(body, crc32c) != sum {
		return nil, &damaged{"a record"}
	}
	return body, nil
}

// readLog calls f with each record of a log from a position on, and with where
// it ends; the body is good until f returns. It returns where the last whole
// one ends: what is behind that is torn, and no client was told that it is
// kept.
//
//book:exercise 7f
func readLog(
	log folder.File, from int64, f func(body []byte, end int64) error,
) (int64, error) {
	const all = 1<<63 - 1
	in := bufio.NewReaderSize(io.NewSectionReader(log, from, all-from), 1<<16)
	var body []byte
	for at := from; ; {
		var err error
		body, err = readRecord(in, body)
		if errors.Is(err, io.EOF) || errors.Is(err, errTorn) {
			return at, nil
		}
		end := at + recordHead + int64(len(body))
		if err == nil {
			err = f(body, end)
		}
		if err != nil {
			return at, fmt.Errorf("at byte %d: %w", at, err)
		}
		at = end
	}
}
