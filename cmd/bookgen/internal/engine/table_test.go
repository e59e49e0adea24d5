package engine

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAModuleIsWithoutTheTableOfItsFunctions(t *testing.T) {
	const header, code, names = "\x00asm\x01\x00\x00\x00", "\x0a\x82\x00xy", "\x00\x01z"
	module := func(data []byte) []byte {
		size := []byte{dataSection, byte(len(data)) | 0x80, byte(len(data)>>7) | 0x80, 0} // as long as Go's linker has it
		return slices.Concat([]byte(header+code), size, data, []byte(names))
	}
	above, below := []byte("above"), []byte("below\x00\x00all")
	table := slices.Concat(counters(0), counters(1), counters(2), counters(3))
	memory := slices.Concat(make([]byte, 70), above, table, below)
	data := segments(memory)
	require.Equal(t, memory, filled(data), "what a module fills is what it was made of")

	small, err := withoutTable(module(data))
	require.NoError(t, err)
	_, begins, end := dataOf(small)
	assert.Equal(t, slices.Concat(make([]byte, 70), above, make([]byte, len(table)), below), filled(small[begins:end]))
	assert.Less(t, end-begins, 50)
	assert.Equal(t, header+code, string(small[:len(header+code)]))
	assert.Equal(t, names, string(small[end:]))

	for _, wrong := range [][]byte{module(segments(above)), []byte(header + code)} {
		_, err = withoutTable(wrong)
		assert.ErrorContains(t, err, "without a table of its functions as Go 1.26 has it")
	}
}

func TestAModulesDataStandBehindIt(t *testing.T) {
	const header, code, names = "\x00asm\x01\x00\x00\x00", "\x0a\x82\x00xy", "\x00\x01z"
	module := func(memory []byte) []byte {
		data := segments(memory)
		size := []byte{dataSection, byte(len(data)) | 0x80, byte(len(data)>>7) | 0x80, byte(len(data) >> 14)}
		return slices.Concat([]byte(header+code), size, data, []byte(names))
	}
	functions := func(names ...string) []byte {
		text := strings.Join(names, "\x00") + "\x00"
		table := []byte("\xf1\xff\xff\xff\x00\x00\x01\x08")
		for _, offset := range []int{len(names), 1, 0, 64, 64 + len(text), 0, 0} {
			table = binary.LittleEndian.AppendUint64(table, uint64(offset))
		}
		return append(table, text...)
	}
	far := make([]byte, 1<<17)
	below := functions("runtime.main", "runtimes.x", "k8s.io/api.Pod", "reconcile/chapters/02.next", "reflect.makeFuncStub")
	all, code1, data, err := apart(module(slices.Concat(make([]byte, 70), []byte("above"), far, below)))
	require.NoError(t, err)
	at := 75 + len(far)
	kept := bytes.ReplaceAll(below, []byte("runtimes.x\x00k8s.io/api.Pod"), make([]byte, 10+1+14))
	assert.Equal(t, []span{{70, 5}, {at, len(below)}}, data)
	assert.Equal(t, header+code+names, string(all[:code1]))
	assert.Equal(t, "above"+string(kept), string(all[code1:]))

	_, _, _, err = apart(module([]byte("above")))
	assert.ErrorContains(t, err, "without a table of its functions' names as Go 1.26 has it")
}
