package images_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestCommandsDoWhatTheirManualsSay(t *testing.T) {
	for script, want := range map[string]string{
		// text
		"printf 'a\\nb\\nc\\n' | head -n 2":                             "a\nb\n",
		"printf 'a\\nb\\nc\\n' | head -1":                               "a\n",
		"printf abcdef | head -c 3":                                     "abc",
		"printf 'a\\nb\\nc\\n' | tail -n 1":                             "c\n",
		"printf 'a b\\nc\\n' | wc":                                      "      2        3        6\n",
		"printf 'a\\n' > f; wc -l f":                                    "1 f\n",
		"echo x | cat -n":                                               "     1\tx\n",
		"seq 3 | tr '\\n' ' '":                                          "1 2 3 ",
		"seq 10 -5 0":                                                   "10\n5\n0\n",
		"echo > f; ls -i f; ls -ildh f | cut -c 1-12":                   " 989488 f\n 989488 -rw-\n",
		"dd if=/dev/zero of=f bs=1k count=2 2> /dev/null; wc -c f":      "2048 f\n",
		"echo abcd | dd bs=2 count=1 status=none":                       "ab",
		"dd if=/dev/zero of=f bs=1 count=1 conv=fsync 2>&1 | head -n 2": "1+0 records in\n1+0 records out\n",
		"dd if=nope 2>&1; echo $?":                                      "dd: can't open 'nope': No such file or directory\n1\n",
		"dd bs=0 2>&1; dd count=x 2>&1; dd nonsense 2>&1; echo $?":      "dd: invalid number '0'\ndd: invalid number 'x'\ndd: invalid argument 'nonsense'\n1\n",
		"echo one:two:three | cut -d : -f 2-":                           "two:three\n",
		"echo abcd | cut -c 1,3":                                        "ac\n",
		"printf '10\\n9\\n' | sort -n":                                  "9\n10\n",
		"printf 'a\\nb\\na\\n' | sort -u":                               "a\nb\n",
		"printf 'a\\nb\\n' | sort -r":                                   "b\na\n",
		"printf 'a\\na\\nb\\n' | uniq -c":                               "      2 a\n      1 b\n",
		"echo hello | tr a-z A-Z":                                       "HELLO\n",
		"echo hello | tr -d l":                                          "heo\n",
		"printf 'web-0\\ndb-0\\n' | grep web":                           "web-0\n",
		"printf 'web-0\\ndb-0\\n' | grep -v web":                        "db-0\n",
		"printf 'a\\nb\\n' | grep -n b":                                 "2:b\n",
		"printf 'ab12\\n' | grep -o '[0-9]*$'":                          "12\n",
		"printf 'aab\\n' | grep -c 'a\\{2\\}b'":                         "1\n",
		"printf 'a+b\\n' | grep -E 'a\\+b|x'":                           "a+b\n",
		"printf 'a.b\\naxb\\n' | grep -F a.b":                           "a.b\n",
		"echo x > f; echo y > g; grep -l x f g":                         "f\n",
		"echo mysql-12 | sed 's/.*-\\([0-9]*\\)/[\\1]/'":                "[12]\n",
		"echo a.a | sed 's/a/b/g'":                                      "b.b\n",
		"seq 5 | sed -n '2p;'":                                          "sed: unsupported command p\n",
		"echo a | sed 's/a/b/; s/b/c/'":                                 "sed: unknown option to s command\n",
		"seq 5 | sed -n 2p":                                             "2\n",
		"seq 3 | sed '$d'":                                              "1\n2\n",
		"seq 3 | sed /2/d":                                              "1\n3\n",
		"echo a > f; sed -i s/a/b/ f; cat f":                            "b\n",
		"echo a/b | sed 's#/#&&#'":                                      "a//b\n",
		// files
		"mkdir d; touch d/a d/.b; ls d":    "a\n",
		"mkdir d; touch d/a d/.b; ls -A d": ".b\na\n",
		"mkdir d; mkdir d":                 "mkdir: can't create directory 'd': File exists\n",
		"mkdir -p a/b/c; ls a/b":           "c\n",
		"mkdir a/b":                        "mkdir: can't create directory 'a/b': No such file or directory\n",
		"touch x; mkdir x/y":               "mkdir: can't create directory 'x/y': Not a directory\n",
		"mkdir d; rm d":                    "rm: 'd' is a directory\n",
		"mkdir -p d/e; rm -r d; ls d":      "ls: d: No such file or directory\n",
		"rm nope":                          "rm: can't remove 'nope': No such file or directory\n",
		"rm -f nope":                       "",
		"rm -r /":                          "rm: can't remove '/': Device or resource busy\n",
		"cat /tmp":                         "cat: /tmp: Is a directory\n",
		"echo x > a; cp a b; cat b":        "x\n",
		"mkdir d; echo x > d/a; cp -r d e; cat e/a":   "x\n",
		"mkdir d; echo x > a; mv a d; cat d/a":        "x\n",
		"cp -r / /tmp/x":                              "cp: can't copy '/': it would be copied into itself\n",
		"echo x > a; cp -v a b; mkdir d; mv -v a b d": "'a' -> 'b'\n'a' -> 'd/a'\n'b' -> 'd/b'\n",
		"mv nope x":                     "mv: can't rename 'nope': No such file or directory\n",
		"echo x > /nope/y":              "sh: can't create /nope/y: nonexistent directory\n",
		"touch s; chmod 755 s; ls -l s": "-rwxr-xr-x    1 root     root             0 Jan  1 00:00 s\n",
		"mkdir d; echo x > d/a; tar cf - d | (mkdir e; cd e; tar xf -; cat d/a)": "x\n",
		"touch a; tar cf - nope a | tar xf -; ls": "tar: nope: No such file or directory\n" +
			"tar: error exit delayed from previous errors\na\n",
		"tar cf - nope > /dev/null 2>&1; echo $?": "1\n",
		"tar cf x.tar": "tar: empty archive\n",
		"mkdir -p d/b; touch d/f d/b/g; ls -R d; mkdir e; ls -R e d": "d:\nb\nf\n\nd/b:\ng\n" +
			"e:\n\nd:\nb\nf\n\nd/b:\ng\n",
		"mkdir -p d/b; ls -lR d": "d:\ntotal 4\n" +
			"drwxr-xr-x    1 root     root          4096 Jan  1 00:00 b\n\nd/b:\n",
		// links
		"echo x > f; ln -s f l; cat l; ls -l l": "x\n" +
			"lrwxrwxrwx    1 root     root             1 Jan  1 00:00 l -> f\n",
		"ln -s f l; ln -s f l; ln -sf g l; ls -l l | sed 's/.* //'": "ln: l: File exists\ng\n",
		"ln -s l l; cat l": "cat: l: Too many levels of symbolic links\n",
		"ln -s /nope l; cat l; ls l; rm l; ls": "cat: l: No such file or directory\n" +
			"l\n",
		"ln nope l; touch f; ln f l": "ln: nope: No such file or directory\nln: l: Operation not permitted\n",
		"mkdir -p d/e; ln -s d k; touch k/e/f; ls k; rm k; ls -R d": "e\n" +
			"d:\ne\n\nd/e:\nf\n",
		"mkdir d; ln -s d k; ls -d k; ls -l k/; mkdir d/e; cd k/e; pwd":                                            "k\n/tmp/k/e\n",
		"ln -s ../../../../etc/hostname l; cat l":                                                                  "web\n",
		"ln -s /bin/hostname h; ./h; rm h; hostname":                                                               "web\nweb\n",
		"mkdir d; echo x > d/f; ln -s f d/l; cp -r d e; cp d/l c; mv d/l m; ls -l c e/l m | sed 's/.* //'":         "c\nf\nf\n",
		"mkdir d; ln -s f d/l; tar cf - d | (mkdir e; cd e; tar xf -; ls -l d/l | sed 's/.* //')":                  "f\n",
		"touch f; ln -s f l; test -L l && echo link; test -L f || echo none; ln -s g k; test -e k || echo nowhere": "link\nnone\nnowhere\n",
		"mkdir d; touch d/f; ln -s d k; rm -r k; ls d":                                                             "f\n",
		// the image's own files
		"cd /bin; mv hostname h; h; hostname; mv h hostname; hostname": "web\nsh: hostname: not found\nweb\n",
		"cp /bin/hostname h; ./h; rm /bin/hostname; ./h; ls /bin/hostname": "web\nweb\n" +
			"ls: /bin/hostname: No such file or directory\n",
		"rm -r /usr; ls -d /usr; mkdir /usr; ls /usr; ls /home":                          "ls: /usr: No such file or directory\n",
		"mv /etc e; ls -d /etc; cat e/hostname":                                          "ls: /etc: No such file or directory\nweb\n",
		"mv /bin/hostname /bin/h; ls -l /bin/h | cut -c 1-10; ls -ld /bin | cut -c 1-10": "-rwxr-xr-x\ndrwxr-xr-x\n",
		"echo exit 3 > /bin/hostname; hostname; echo $?; rm /bin/hostname; hostname":     "3\nsh: hostname: not found\n",
		// files below directories
		"mkdir -p d/e; echo x > d/f; echo x > d/e/g; grep -r x d":                                 "d/e/g:x\nd/f:x\n",
		"mkdir -p d/e; echo x > d/e/g; grep -rn x d/e/g; grep -rl x .; grep -rh x d; grep -r y d": "d/e/g:1:x\n./d/e/g\nx\n",
		"mkdir d; ln -s nope d/l; ln -s . d/k; grep -r x d nope": "grep: d/l: No such file or directory\n" +
			"grep: nope: No such file or directory\n",
		"mkdir d; grep -r x d; grep -s x nope": "",
		"gzip f; echo $?":                      "sh: gzip: not found\n127\n",
		// the system
		"date":                           "Sat Jan  1 00:00:00 UTC 2000\n",
		"date +%s":                       "946684800\n",
		"date +%FT%TZ":                   "2000-01-01T00:00:00Z\n",
		"hostname -i":                    "10.244.1.2\n",
		"id -u":                          "0\n",
		"env -i A=1 B=2 /bin/env":        "A=1\nB=2\n",
		"export A=1; printenv A":         "1\n",
		"unset HOME; env | grep -c HOME": "0\n",
		"A=1 sh -c 'echo $A'":            "1\n",
		"sleep 50 & sleep 1; kill $(ps | grep '[s]leep 50$' | awk '{print $1}'); wait; echo done": "done\n",
		"timeout 5 sleep 100; echo $?": "143\n",
		"timeout 5 sleep 1; echo $?":   "0\n",
		"ls -z":                        "ls: unrecognized option: z\n",
		"[ 1 -lt 2 ] && /bin/test a = a && /bin/echo ok":   "ok\n",
		"trap 'echo bye' EXIT; echo hi":                    "hi\nbye\n",
		"type cd; type ls; type nope":                      "cd is a shell builtin\nls is /bin/ls\nnope: not found\n",
		"trap; trap -; echo still":                         "still\n",
		"echo x > /dev/null; cat /dev/null; echo $?":       "0\n",
		"command -v cd; command -v nope":                   "cd\n",
		"echo 'echo read' | sh - ; sh -c 'echo $0 $1' a b": "read\na b\n",
		"echo to the log > /proc/1/fd/1":                   "",
		"tail -f /dev/null & sleep 1; echo still":          "still\n",
	} {
		t.Run(strings.ReplaceAll(script, "/", "|"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", "busybox", "sleep", "3600"))
				synctest.Wait()
				out, _ := r.exec(p, "sh", "-c", "cd /tmp; "+script)
				assert.Equal(t, want, out)
			})
		})
	}
}

func TestTailFollowsAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sh", "-c", "touch /log; tail -f /log"))
		synctest.Wait() // until it looks
		for _, line := range []string{"one", "two"} {
			r.exec(p, "sh", "-c", "echo "+line+" >> /log")
			time.Sleep(2 * time.Second)
		}
		synctest.Wait()
		assert.Equal(t, "one\ntwo\n", r.logs(p, everything))
	})
}
