package main

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStreamsEndForRealAsTheTableSays(t *testing.T) {
	t.Parallel()
	realNeeds(t, "busybox", "nginx")
	h := newHome(t)
	lab := h.up("--runtime", "runc", "--nodes", "1")
	measure(h, "runc:")
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}
