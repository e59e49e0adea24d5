//go:build !linux

package main

import (
	"context"
	"errors"
	"io"
)

func runTorture(context.Context, tortureOptions, io.Writer, io.Writer) error {
	return errors.New("torture wants real containers, and those are Linux's")
}
