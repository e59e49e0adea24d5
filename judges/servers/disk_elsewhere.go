//go:build !linux

package servers

import "errors"

func mount(string, string) error { return errors.ErrUnsupported }

func unmount(string) error { return nil }

func full(error) bool { return false }
