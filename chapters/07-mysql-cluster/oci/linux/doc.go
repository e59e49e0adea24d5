// Package linux is what a program expects of any Linux: /proc, /dev, /sys and /tmp,
// and the part of root's power that containers keep. They are tables, and the same
// that Docker and containerd have.
package linux
