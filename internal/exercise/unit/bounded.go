package unit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// memory is how much the tests may take in a page, in pages of 64 kB: one gigabyte.
const memory = 1 << 14

// bounded returns a module of WebAssembly whose memory has a bound. Go sets none; at
// this one it says that it is out of memory, and where.
func bounded(module []byte) ([]byte, error) {
	const header, memorySection, noBound, withBound = 8, 5, 0, 1
	for at := min(header, len(module)); at < len(module); {
		size, n := binary.Uvarint(module[at+1:])
		body := at + 1 + n
		end := body + int(size)
		if n <= 0 || end > len(module) {
			break
		}
		if module[at] != memorySection {
			at = end
			continue
		}
		least, isGos := bytes.CutPrefix(module[body:end], []byte{1, noBound}) // one memory
		if !isGos {
			break
		}
		section := binary.AppendUvarint(slices.Concat([]byte{1, withBound}, least), memory)
		return slices.Concat(module[:at+1], binary.AppendUvarint(nil, uint64(len(section))), section, module[end:]), nil
	}
	return nil, errors.New("the module has another memory than Go's")
}
