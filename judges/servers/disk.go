package servers

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// size is how large etcd's disk is: its log takes 128 MB in advance.
const size = "320m"

// disk returns the folder that can be a disk of its own.
func (o Options) disk() string { return filepath.Join(o.Folder, "disk") }

func (c *Cluster) disk() string { return c.opts.disk() }

func (c *Cluster) ballast() string { return filepath.Join(c.disk(), "ballast") }

// SmallDisk gives etcd, before Start, a disk of its own that FillDisk can fill. That
// takes the right to mount one.
func (o Options) SmallDisk() error {
	if err := os.Mkdir(o.disk(), 0o700); err != nil {
		return err
	}
	if err := mount(o.disk(), size); err != nil {
		return errors.Join(err, os.Remove(o.disk()))
	}
	return nil
}

// FillDisk fills etcd's disk to the last byte.
func (c *Cluster) FillDisk() error {
	file, err := os.Create(c.ballast())
	if err != nil {
		return err
	}
	for block := make([]byte, 1<<20); len(block) > 0; {
		n, err := file.Write(block)
		if errors.Is(err, io.ErrShortWrite) || err == nil {
			continue
		}
		if !full(err) {
			return errors.Join(err, file.Close())
		}
		if n == 0 { // then by smaller steps, to the last page
			block = block[:len(block)/2]
		}
	}
	return file.Close()
}

// EmptyDisk undoes FillDisk.
func (c *Cluster) EmptyDisk() error { return os.Remove(c.ballast()) }

// ReleaseDisk undoes SmallDisk. Stop of a cluster does it, too.
func (o Options) ReleaseDisk() error { return unmount(o.disk()) }
