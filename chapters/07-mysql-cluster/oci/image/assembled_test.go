package image_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/oci/image"
)

// ociimgUsr is a /usr with programs that do nothing.
func ociimgUsr(t *testing.T, programs ...string) string {
	usr := t.TempDir()
	for _, folder := range []string{"bin", "sbin"} {
		require.NoError(t, os.Mkdir(filepath.Join(usr, folder), 0o755))
	}
	for _, program := range programs {
		require.NoError(t, os.WriteFile(
			filepath.Join(usr, "bin", program), nil, 0o755))
	}
	return usr
}

func TestAnImageWhosePackagesAreMissingSaysWhatInstallsThem(t *testing.T) {
	for name, one := range map[string]struct {
		image     string
		installed []string
		want      string
	}{
		"nothing is there": {"mysql:5.7", nil, "this machine has no mariadbd; " +
			"sudo apt-get install mariadb-server-core mariadb-client-core " +
			"mariadb-client"},
		"all but one": {"gcr.io/google-samples/xtrabackup:1.0",
			[]string{"mariadbd", "mariadb-install-db", "mariadb", "mariadb-admin",
				"mariadb-backup", "mbstream"},
			"this machine has no ncat; sudo apt-get install ncat"},
		"busybox": {"busybox", nil,
			"this machine has no busybox; sudo apt-get install busybox-static"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &image.Assembled{Usr: ociimgUsr(t, one.installed...)}
			_, err := a.Pull(context.Background(), one.image)
			assert.EqualError(t, err,
				`failed to pull image "`+one.image+`": `+one.want)
		})
	}
}

func TestATagThatIsNotThereIsSaidInContainerdsWords(t *testing.T) {
	a := &image.Assembled{Usr: "/usr"}
	for image, want := range map[string]string{
		"mysql:5.7.99": `rpc error: code = NotFound desc = failed to pull and ` +
			`unpack image "docker.io/library/mysql:5.7.99": failed to resolve ` +
			`reference "docker.io/library/mysql:5.7.99": ` +
			`docker.io/library/mysql:5.7.99: not found`,
		"mysql": `rpc error: code = NotFound desc = failed to pull and ` +
			`unpack image "docker.io/library/mysql:latest": failed to resolve ` +
			`reference "docker.io/library/mysql:latest": ` +
			`docker.io/library/mysql:latest: not found`,
		"alpine:3": `rpc error: code = Unknown desc = failed to pull and unpack ` +
			`image "docker.io/library/alpine:3": failed to resolve reference ` +
			`"docker.io/library/alpine:3": pull access denied, repository does ` +
			`not exist or may require authorization: server message: ` +
			`insufficient_scope: authorization failed`,
		"My SQL": `failed to parse image name "My SQL": invalid reference format`,
	} {
		_, err := a.Pull(context.Background(), image)
		assert.EqualError(t, err, `failed to pull image "`+image+`": `+want)
	}
}

func TestTheIDOfAnAssembledImageIsItsContentsAndItsTags(t *testing.T) {
	a := &image.Assembled{Usr: ociimgUsr(t, "busybox")}
	ids := map[string]bool{}
	for _, image := range []string{"busybox:1.36", "busybox:1.35",
		"docker.io/library/busybox:1.36", "debian:12"} {
		pulled, err := a.Pull(context.Background(), image)
		require.NoError(t, err)
		assert.Regexp(t, `^sha256:[0-9a-f]{64}$`, pulled.ID)
		ids[pulled.ID] = true
	}
	assert.Len(t, ids, 3, "two of the four are the same image")
}

// What the tool leaves is put into the form that the manifest's script reads,
// under its names of MariaDB 10 and of MariaDB 11.
func TestAPreparedCloneHasXtraBackupsTwoColumnsAndNoSemicolon(t *testing.T) {
	for _, prefix := range []string{"xtrabackup_", "mariadb_backup_"} {
		t.Run(prefix, func(t *testing.T) {
			data, bin := t.TempDir(), t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(bin, "mariadb-backup"),
				[]byte("#!/bin/sh\ncd "+data+"\n"+
					`printf 'mysql-0-bin.000001\t800\t0-100-7\n' > `+prefix+"binlog_info\n"+
					`echo "CHANGE MASTER TO MASTER_LOG_POS=800;" > `+prefix+"slave_info\n"),
				0o755))
			c := exec.Command("bash", "wrappers/mysql/usr/bin/xtrabackup",
				"--prepare", "--target-dir="+data)
			c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			out, err := c.CombinedOutput()
			require.NoError(t, err, string(out))
			for file, want := range map[string]string{
				"binlog_info": "mysql-0-bin.000001\t800\n",
				"slave_info":  "CHANGE MASTER TO MASTER_LOG_POS=800\n",
			} {
				text, err := os.ReadFile(filepath.Join(data, "xtrabackup_"+file))
				require.NoError(t, err)
				assert.Equal(t, want, string(text))
			}
		})
	}
}
