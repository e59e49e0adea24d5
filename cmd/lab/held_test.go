package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatIsSaidFirstStandsAboveWhatWasHeld(t *testing.T) {
	for released, want := range map[bool]string{false: "first\n\ntests\nmore\n", true: "tests\n\nfirst\nmore\n"} {
		var out bytes.Buffer
		h := &held{to: &out}
		_, err := h.Write([]byte("tests\n"))
		require.NoError(t, err)
		assert.Empty(t, out.String(), "it waits")
		if released {
			h.release()
		}
		h.apart([]byte("first\n"))
		_, err = h.Write([]byte("more\n"))
		require.NoError(t, err)
		assert.Equal(t, want, out.String())
	}
}
