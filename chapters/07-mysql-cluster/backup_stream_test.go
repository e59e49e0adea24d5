package mysqlcluster_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/xbstream"
	"reconcile/internal/kubetest"
)

// backupFiles are a few that a stream could get wrong.
func backupFiles(t *testing.T) (dir string, names []string) {
	dir = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "mysql"), 0o755))
	for name, content := range map[string]string{
		"a": "hello\n", "mysql/b": strings.Repeat("\x00", 100), "none": "",
		"large": strings.Repeat("0123456789abcdef", 3<<16), // more than one part
	} {
		require.NoError(t, os.WriteFile(
			filepath.Join(dir, name), []byte(content), 0o644))
	}
	return dir, []string{"a", "large", "mysql/b", "none"}
}

func backupSameFiles(t *testing.T, want, found string, names []string) {
	t.Helper()
	for _, name := range names {
		a, err := os.ReadFile(filepath.Join(want, name))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(found, name))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(a, b), "%s: %d bytes, %d came out", name, len(a), len(b))
	}
}

// backupReal is MariaDB's xbstream, which has another name there.
func backupReal(t *testing.T) string {
	t.Helper()
	found, err := exec.LookPath("mbstream")
	if err != nil {
		kubetest.Lacks(t, "mbstream is not installed (Debian: mariadb-backup)")
	}
	return found
}

func TestTheRealToolReadsOurStream(t *testing.T) {
	real := backupReal(t)
	from, names := backupFiles(t)
	backupInBubble(t, func(r *backupRig) {
		p := r.pod("a", from, "", backupContainer("tools", backupTools, "sleep", "1000"))
		r.ok(p, "tools", "cd /var/lib/mysql; xbstream -c "+strings.Join(names, " ")+" > s.xb")
	})
	stream, err := os.ReadFile(filepath.Join(from, "s.xb"))
	require.NoError(t, err)
	to := t.TempDir()
	command := exec.Command(real, "-x", "-C", to)
	command.Stdin = bytes.NewReader(stream)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	backupSameFiles(t, from, to, names)
}

func TestWeReadTheRealToolsStream(t *testing.T) {
	real := backupReal(t)
	from, names := backupFiles(t)
	command := exec.Command(real, append([]string{"-c"}, names...)...)
	command.Dir = from
	stream, err := command.Output()
	require.NoError(t, err)
	to := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(to, "s.xb"), stream, 0o644))
	backupInBubble(t, func(r *backupRig) {
		p := r.pod("a", to, "", backupContainer("tools", backupTools, "sleep", "1000"))
		r.ok(p, "tools", "cat /var/lib/mysql/s.xb | xbstream -x -C /var/lib/mysql")
	})
	backupSameFiles(t, from, to, names)
}

// backupPart is a part of a file as a stream has it, right or wrong.
func backupPart(path, content string, sum uint32) string {
	b := binary.LittleEndian.AppendUint32([]byte("XBSTCK01\x00P"), uint32(len(path)))
	b = binary.LittleEndian.AppendUint64(append(b, path...), uint64(len(content)))
	b = binary.LittleEndian.AppendUint64(b, 0)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(content))+sum)
	return string(b) + content
}

// What is wrong with a stream is said in the words of the real tool.
func TestAWrongStreamIsRefused(t *testing.T) {
	whole := backupPart("zz", "A", 0)
	for name, wrong := range map[string]struct{ stream, says string }{
		"leads out":      {backupPart("../zz", "A", 0), "xbstream: invalid filename ../zz\n"},
		"leads far out":  {backupPart("a/../../zz", "A", 0), "xbstream: invalid filename a/../../zz\n"},
		"absolute":       {backupPart("/tmp/zz", "A", 0), "xbstream: invalid filename /tmp/zz\n"},
		"is not there":   {backupPart(".", "A", 0), "xbstream: invalid filename .\n"},
		"another sum":    {backupPart("zz", "A", 1), "xb_stream_read_chunk(): invalid checksum at offset 0x20: expected 0xd3d99e8c, read 0xd3d99e8b.\n"},
		"no stream":      {"garbage garbage", "xb_stream_read_chunk(): wrong chunk magic at offset 0x0.\n"},
		"ends in a head": {whole + whole[:4], "xb_stream_read_chunk(): unexpected end of stream at offset 0x25.\n"},
		"ends in a name": {whole + whole[:15], "xb_stream_read_chunk(): my_read() failed.\n"},
		"ends in a part": {whole[:len(whole)-1], "xb_stream_read_chunk(): my_read() failed.\n"},
		"ends in a sum":  {whole[:len(whole)-3], "xb_stream_read_chunk(): my_read() failed.\n"},
		"promises more than there is": {strings.Replace(whole, "\x01\x00\x00\x00\x00\x00\x00\x00", "\x01\x00\x00\x00\x00\x00\x00\x40", 1),
			"xb_stream_read_chunk(): my_read() failed.\n"},
		"a long name": {backupPart(strings.Repeat("z", 512), "A", 0), "xb_stream_read_chunk(): path length (512) is too large\n"},
		"comes twice": {whole + "XBSTCK01\x00E\x02\x00\x00\x00zz" + whole, "xbstream: Can't create/write to file './zz' (Errcode: 17 - File exists)\nxbstream: failed to create file.\n"},
		"unknown":     {"XBSTCK01\x00Q\x01\x00\x00\x00z", "xb_stream_read_chunk(): unknown chunk type 0x51 at offset 0xf.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(data, "s.xb"), []byte(wrong.stream), 0o644))
			backupInBubble(t, func(r *backupRig) {
				p := r.pod("a", data, "", backupContainer("tools", backupTools, "sleep", "1000"))
				out, code := r.sh(p, "tools", "xbstream -x -C /var/lib/mysql < /var/lib/mysql/s.xb")
				assert.Equal(t, 1, code)
				assert.Equal(t, wrong.says, out)
			})
		})
	}
}

// Each operation on the disks fails once. A copy of which a part is missing is
// never taken for a whole one.
func TestADiskThatFailsOnceIsTheCopysError(t *testing.T) {
	from := folder.NewMemory()
	for _, name := range []string{"mysql", "sys"} {
		require.NoError(t, from.Mkdir(name))
	}
	nodeWrite(t, from, "mysql/user", []byte("root"))
	nodeWrite(t, from, "mysql/db.opt", bytes.Repeat([]byte("x"), 3<<20))
	var whole bytes.Buffer
	require.NoError(t, mysqlcluster.CopyFolders(from, &whole))
	run := func(dir folder.Folder, f func(folder.Folder) error) {
		for fault := 0; ; fault++ {
			faulty := &nodeFaulty{Folder: dir, left: fault}
			err := f(faulty)
			assert.Zero(t, faulty.isOpen(), "operation %d: files that stay open", fault)
			if faulty.left >= 0 {
				assert.NoError(t, err)
				return
			}
			assert.ErrorIs(t, err, errFaulty, "operation %d", fault)
		}
	}
	run(from, func(dir folder.Folder) error {
		return mysqlcluster.CopyFolders(dir, io.Discard)
	})
	var to *folder.Memory
	run(nil, func(dir folder.Folder) error {
		to = folder.NewMemory()
		dir.(*nodeFaulty).Folder = to
		return xbstream.Unpack(bytes.NewReader(whole.Bytes()), dir)
	})
	for _, name := range []string{"mysql/user", "mysql/db.opt"} {
		assert.Equal(t, nodeRead(t, from, name), nodeRead(t, to, name))
	}
	assert.Contains(t, string(nodeRead(t, to, "sys/db.opt")), "default-character-set=")
}

func TestAChunkThatMayBeIgnoredIsIgnored(t *testing.T) {
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, "s.xb"), []byte(
		"XBSTCK01\x01Q\x01\x00\x00\x00q"+backupPart("zz", "A", 0)+"XBSTCK01\x00E\x02\x00\x00\x00zz"), 0o644))
	backupInBubble(t, func(r *backupRig) {
		p := r.pod("a", data, "", backupContainer("tools", backupTools, "sleep", "1000"))
		assert.Equal(t, "A", r.ok(p, "tools", "cd /var/lib/mysql; xbstream -x < s.xb; cat zz"))
	})
}

// A link in the folder is no way out, either.
func TestAStreamIsNotUnpackedThroughALink(t *testing.T) {
	data, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(data, "mysql")))
	require.NoError(t, os.WriteFile(filepath.Join(data, "s.xb"),
		[]byte(backupPart("mysql/zz", "A", 0)), 0o644))
	backupInBubble(t, func(r *backupRig) {
		p := r.pod("a", data, "", backupContainer("tools", backupTools, "sleep", "1000"))
		_, code := r.sh(p, "tools", "xbstream -x -C /var/lib/mysql < /var/lib/mysql/s.xb")
		assert.Equal(t, 1, code)
	})
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, left)
}
