package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/lab/program"
)

func TestReadServesTheBookUntilItIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	printed, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- program.Run(ctx, newRoot(), []string{"read"}, out, io.Discard)
		out.Close()
	}()
	line, err := bufio.NewReader(printed).ReadString('\n')
	require.NoError(t, err)
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(line)
	require.NotEmpty(t, address, line)
	assert.Contains(t, body(t, address), "<title>Reconcile")
	assert.Contains(t, body(t, address+"chapters/01-control-loop/naive.go"), "package controlloop", "its pages lead there")
	interrupt()
	assert.Equal(t, 0, <-code)
}

func body(t *testing.T, address string) string {
	t.Helper()
	answer, err := http.Get(address)
	require.NoError(t, err)
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(page)
}
