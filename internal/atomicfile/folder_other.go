//go:build !unix

package atomicfile

// syncFolder does nothing: folders cannot be synced on Windows, nor in a page.
func syncFolder(string) error { return nil }
