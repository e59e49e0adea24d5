//go:build !unix

package wholefile

// syncFolder does nothing: folders cannot be synced on Windows, nor in a page.
func syncFolder(string) error { return nil }
