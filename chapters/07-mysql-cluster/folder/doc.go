// Package folder is the disk of a server or of a tool: the folder that is mounted in
// its container, or memory where none is. After a kill -9 nothing reaches it any
// more, whatever a goroutine still tries, and that is all that a disk can tell of a
// dead process.
//
// In reading order: folder.go (what it is and how a process opens one), memory.go,
// killed.go, lock_unix.go (which keeps a second server out; lock_js.go in a page).
package folder
