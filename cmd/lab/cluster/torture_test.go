package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTortureRefusesWhatItCannotKill(t *testing.T) {
	said := runLab(t, 1, "torture", "--kill", "mysqld,node")
	assert.Contains(t, said, "--kill node: there are mysqld, container, pod")
	said = runLab(t, 1, "torture", "--rounds", "0")
	assert.Contains(t, said, "nothing to kill, or no round to do it in")
}
