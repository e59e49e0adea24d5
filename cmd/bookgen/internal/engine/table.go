package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
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
	zeros := make([]byte, 64)
	var all []byte
	count := uint64(0)
	for at := 0; at < len(memory); count++ {
		for memory[at] == 0 {
			at++
		}
		size := bytes.Index(memory[at:], zeros)
		if size < 0 {
			size = len(memory) - at
		}
		all = binary.AppendUvarint(append(all, 0, 0x41), uint64(at))
		if all[len(all)-1]&0x40 != 0 { // it would be less than none: numbers have signs here
			all[len(all)-1] |= 0x80
			all = append(all, 0)
		}
		all = binary.AppendUvarint(append(all, 0x0b), uint64(size))
		all = append(all, memory[at:at+size]...)
		at += size
	}
	return append(binary.AppendUvarint(nil, count), all...)
}
