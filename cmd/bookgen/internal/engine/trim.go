package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// trim returns a program of Go's, compiled for a page, without what only a reader of
// traces would miss: which file and line a place in the code is from. Functions keep
// their names. And it has its memory in some large pieces, with zeros between what is
// no zero, instead of a hundred thousand: an address is harder to pack than zeros are.
// Both together are an eighth of a packed module.
func trim(wasm []byte) ([]byte, error) {
	const data = 11 // the section that says what is in memory when the program begins
	for at := len("\x00asm\x01\x00\x00\x00"); at < len(wasm); {
		id := wasm[at]
		size, n := binary.Uvarint(wasm[at+1:])
		body := at + 1 + n
		end := body + int(size)
		if n <= 0 || end > len(wasm) {
			break
		}
		if id != data {
			at = end
			continue
		}
		m, err := memoryOf(wasm[body:end])
		if err == nil {
			err = m.dropLines()
		}
		if err != nil {
			return nil, err
		}
		section := m.section()
		head := binary.AppendUvarint([]byte{data}, uint64(len(section)))
		return slices.Concat(wasm[:at], head, section, wasm[end:]), nil
	}
	return nil, errors.New("this is no module of WebAssembly with data")
}

// An image is what is in a program's memory when it begins, from an address on.
type image struct {
	from  int
	bytes []byte
}

// What a Go may write that is newer than this package.
var (
	errOtherData   = errors.New("this Go writes its data otherwise")
	errOtherTables = errors.New("this Go writes its line tables otherwise")
)

// memoryOf reads a data section: pieces, each with its address as a constant.
func memoryOf(section []byte) (*image, error) {
	m := &image{from: -1}
	number := func() int {
		value, n := binary.Uvarint(section)
		section = section[max(n, 0):]
		return int(value)
	}
	for range number() {
		if len(section) < 2 || section[0] != 0 || section[1] != 0x41 { // in memory 0, at an i32.const
			return nil, errOtherData
		}
		section = section[2:]
		at := number() // signed, but no address is negative
		if m.from < 0 {
			m.from = at
		}
		if len(section) == 0 || section[0] != 0x0b { // the end of the expression
			return nil, errOtherData
		}
		section = section[1:]
		size := number()
		if at -= m.from; at < 0 || at > 1<<32 || size < 0 || size > len(section) {
			return nil, errOtherData
		}
		if more := at + size - len(m.bytes); more > 0 {
			m.bytes = append(m.bytes, make([]byte, more)...)
		}
		copy(m.bytes[at:], section[:size]) // a later piece is right where two overlap
		section = section[size:]
	}
	return m, nil
}

// section writes it as a data section, in pieces between which there are at least a
// thousand zeros.
func (m *image) section() []byte {
	var pieces []byte
	count := 0
	for at := 0; at < len(m.bytes); {
		rest := m.bytes[at:]
		size := bytes.Index(rest, gap)
		if size < 0 {
			size = len(bytes.TrimRight(rest, "\x00"))
		}
		if size > 0 {
			pieces = append(pieces, 0, 0x41)
			pieces = appendSigned(pieces, m.from+at)
			pieces = append(pieces, 0x0b)
			pieces = binary.AppendUvarint(pieces, uint64(size))
			pieces = append(pieces, rest[:size]...)
			count++
		}
		rest = rest[size:]
		at = len(m.bytes) - len(bytes.TrimLeft(rest, "\x00"))
	}
	return append(binary.AppendUvarint(nil, uint64(count)), pieces...)
}

var gap = make([]byte, 1000)

// appendSigned appends a number that is not negative as a signed one is written: the
// last byte's highest bit is its sign.
func appendSigned(to []byte, n int) []byte {
	to = binary.AppendUvarint(to, uint64(n))
	if last := len(to) - 1; to[last]&0x40 != 0 {
		to[last] |= 0x80
		to = append(to, 0)
	}
	return to
}

// dropLines clears the tables that lead from places in the code to files and lines.
// They are parts of what Go's runtime knows of functions (runtime/symtab.go, pcHeader
// and moduledata; runtime/runtime2.go, _func).
func (m *image) dropLines() error {
	known, t, err := m.lineTable()
	if err != nil {
		return err
	}
	const (
		pcsp, pcfile, pcln = 16, 20, 24 // fields of a _func: tables
		npcdata            = 28         // how many more there are
		cuOffset, start    = 32, 36     // where its file's names begin; its first line
		pcdata             = 44         // behind its fields
	)
	kept, lines := map[uint32]bool{}, map[uint32]bool{}
	functions := known[t.functions:]
	for i := range t.count {
		f := functions[le.Uint32(functions[8*i+4:]):]
		lines[le.Uint32(f[pcfile:])], lines[le.Uint32(f[pcln:])] = true, true
		kept[le.Uint32(f[pcsp:])] = true
		for i := range le.Uint32(f[npcdata:]) {
			kept[le.Uint32(f[pcdata+4*i:])] = true
		}
		for _, field := range []int{pcfile, pcln, cuOffset, start} {
			clear(f[field : field+4])
		}
	}
	// A table ends in a zero, and where the next one begins. None is at 0.
	tables := known[t.tables:t.functions]
	begins := slices.Concat(slices.Collect(maps.Keys(kept)), slices.Collect(maps.Keys(lines)), []uint32{uint32(len(tables))})
	slices.Sort(begins)
	for _, at := range begins {
		if int(at) > len(tables) || at > 0 && tables[at-1] != 0 {
			return errOtherTables
		}
	}
	for at := range lines {
		if at > 0 && !kept[at] {
			next, _ := slices.BinarySearch(begins, at+1)
			clear(tables[at:begins[next]])
		}
	}
	clear(known[t.files:t.tables])
	return nil
}

// lineTable is what stands at the head of runtime.pclntab: how many functions there
// are, and where in it is what.
type lineTable struct {
	count                    int
	files, tables, functions uint64
}

var le = binary.LittleEndian

// lineTable returns runtime.pclntab, and what is where in it.
func (m *image) lineTable() ([]byte, lineTable, error) {
	// The version that Go 1.20 to 1.26 write, and the sizes of instructions and pointers.
	head := []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}
	for rest := m.bytes; ; rest = rest[1:] {
		at := bytes.Index(rest, head)
		if at < 0 || len(rest[at:]) < 72 {
			return nil, lineTable{}, errOtherTables
		}
		rest = rest[at:]
		field := func(i int) uint64 { return le.Uint64(rest[8*i:]) }
		t := lineTable{int(field(1)), field(5), field(7), field(8)}
		// Names of functions begin right behind the head; other texts that look like one don't.
		if field(4) == 72 && t.files < t.tables && t.tables < t.functions && t.functions < uint64(len(rest)) {
			return rest, t, nil
		}
	}
}
