package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"regexp"
	"slices"
)

// withoutTable returns a module without the table by which Go finds the function of a
// program counter. On other machines it's small: 20 bytes for 4096 counters. In a module
// each function has 65,536, however short it is, and so 320 bytes. That's half of the
// engine's data, which a page has twice: in the module, and in the memory.
func withoutTable(wasm []byte) ([]byte, error) {
	at, begins, end := dataOf(wasm)
	memory := filled(wasm[begins:end])
	table := bytes.Index(memory, slices.Concat(counters(0), counters(1), counters(2)))
	if table < 0 {
		return nil, errors.New("a module without a table of its functions as Go 1.26 has it")
	}
	for of := uint32(0); bytes.HasPrefix(memory[table:], counters(of)); of++ {
		table += copy(memory[table:], make([]byte, len(counters(of))))
	}
	data := segments(bytes.TrimRight(memory, "\x00"))
	head := binary.AppendUvarint([]byte{dataSection}, uint64(len(data)))
	return slices.Concat(wasm[:at], head, data, wasm[end:]), nil
}

// apart returns a module with its data behind it, how much of that is the module, and
// where the data go in the memory. V8 keeps a module's bytes as long as it runs: data in
// them would be there twice.
func apart(wasm []byte) (all []byte, code int, data []span, err error) {
	at, begins, end := dataOf(wasm)
	memory := filled(wasm[begins:end])
	all = slices.Concat(wasm[:at], wasm[end:])
	err = forgetNames(memory)
	code, data = len(all), spansOf(memory, 1<<16)
	for _, s := range data {
		all = append(all, s.in(memory)...)
	}
	return all, code, data, err
}

var isNamed = regexp.MustCompile(`^(reconcile/|reflect\.|runtime\.)`)

// forgetNames takes out of a memory the names of all functions but the book's, of which
// pages tell, and those that Go's runtime looks for: a fifth of the data. Where a function
// stands is still known.
func forgetNames(memory []byte) error {
	header := bytes.Index(memory, []byte("\xf1\xff\xff\xff\x00\x00\x01\x08")) // runtime.pcHeader
	if header < 0 {
		return errors.New("a module without a table of its functions' names as Go 1.26 has it")
	}
	offset := func(field int) int {
		return header + int(binary.LittleEndian.Uint64(memory[header+8*field:]))
	}
	for names := memory[offset(4):offset(5)]; len(names) > 0; {
		name, rest, _ := bytes.Cut(names, []byte{0})
		if !isNamed.Match(name) {
			clear(name)
		}
		names = rest
	}
	return nil
}

const dataSection = 11

// dataOf returns where the section with a module's data is, and where that begins and
// ends. In a module without it, all that is the end.
func dataOf(wasm []byte) (at, begins, end int) {
	end = len("\x00asm\x01\x00\x00\x00")
	for end < len(wasm) {
		size, n := binary.Uvarint(wasm[end+1:])
		at, begins, end = end, end+1+n, end+1+n+int(size)
		if wasm[at] == dataSection {
			return at, begins, end
		}
	}
	return end, end, end
}

// counters returns what the table has of a function.
func counters(of uint32) []byte {
	return bytes.Repeat(append(binary.LittleEndian.AppendUint32(nil, of), make([]byte, 16)...), 16)
}

// filled returns the memory as a module's data fills it: segments, each with its place.
func filled(data []byte) (memory []byte) {
	if len(data) == 0 {
		return nil
	}
	next := func() int {
		number, n := binary.Uvarint(data)
		data = data[n:]
		return int(number)
	}
	for left := next(); left > 0; left-- {
		data = data[len("\x00\x41"):] // the one memory, and that a number follows
		place := next()
		data = data[len("\x0b"):] // the number has ended
		size := next()
		memory = append(memory, make([]byte, max(0, place+size-len(memory)))...)
		copy(memory[place:], data[:size])
		data = data[size:]
	}
	return memory
}

// segments returns what fills a memory again, without its longer zeros.
func segments(memory []byte) []byte {
	all := spansOf(memory, 64)
	data := binary.AppendUvarint(nil, uint64(len(all)))
	for _, s := range all {
		data = binary.AppendUvarint(append(data, 0, 0x41), uint64(s.At))
		if data[len(data)-1]&0x40 != 0 { // it would be less than none: numbers have signs here
			data[len(data)-1] |= 0x80
			data = append(data, 0)
		}
		data = binary.AppendUvarint(append(data, 0x0b), uint64(s.Size))
		data = append(data, s.in(memory)...)
	}
	return data
}

// A span is a part of a memory, in bytes.
type span struct {
	At   int `json:"at"`
	Size int `json:"size"`
}

func (s span) in(memory []byte) []byte { return memory[s.At : s.At+s.Size] }

// spansOf returns what isn't zero in a memory, where so many zeros are a gap.
func spansOf(memory []byte, gap int) (all []span) {
	zeros := make([]byte, gap)
	for at := 0; at < len(memory); {
		for memory[at] == 0 {
			at++
		}
		size := bytes.Index(memory[at:], zeros)
		if size < 0 {
			size = len(memory) - at
		}
		all = append(all, span{at, size})
		at += size
	}
	return all
}
