=== echo-escapes
echo 'a\tb'
=== echo-e
echo -e 'a\tb'
=== echo-n
echo -n a; echo b
=== echo-dash
echo - -x --
=== printf-formats
printf '%s-%d-%05.2f-%x\n' a 7 3.14159 255
=== printf-repeats
printf '%s\n' a b c
=== printf-escapes
printf 'a\tb\n%b\n' 'c\td'
=== printf-missing
printf '%s %s.\n' one
=== printf-width
printf '%-5s|%5s|\n' ab cd
=== printf-number-wrong
printf '%d\n' abc; echo $?
=== printf-quote
printf '%q\n' 'a b'
=== printf-variable
printf -v x '%03d' 7; echo $x
=== printf-percent
printf '100%%\n'
=== heredoc
x=1; cat <<END
value $x $(echo sub)
END
=== heredoc-quoted
x=1; cat <<'END'
value $x `echo sub`
END
=== heredoc-dash
cat <<-END
	tabbed
	END
=== heredoc-into-file
cat > /tmp/my.cnf <<EOF
[mysqld]
server-id=100
EOF
cat /tmp/my.cnf; rm /tmp/my.cnf
=== heredoc-two
cat <<A; cat <<B
first
A
second
B
=== here-string
cat <<< "here $HOME"
=== here-string-read
read a b <<< "1 2"; echo $b
=== redirect-append
echo a > /tmp/f; echo b >> /tmp/f; cat /tmp/f; rm /tmp/f
=== redirect-stderr
ls /nosuch 2> /tmp/e; grep -c nosuch /tmp/e; rm /tmp/e
=== redirect-both
{ echo o; echo e >&2; } > /tmp/f 2>&1; cat /tmp/f; rm /tmp/f
=== redirect-ampersand
{ echo o; echo e >&2; } &> /tmp/f; wait; sort /tmp/f; rm /tmp/f
=== redirect-order
{ echo o; echo e >&2; } 2>&1 > /tmp/f | cat; cat /tmp/f; rm /tmp/f
=== redirect-input-missing
cat < /nosuch; echo $?
=== redirect-into-missing-folder
echo x > /nosuch/f; echo $?
=== redirect-into-folder
echo x > /tmp; echo $?
=== redirect-null
echo x > /dev/null; echo y 2>/dev/null
=== redirect-clobber
set -C; echo a > /tmp/f; echo b > /tmp/f; cat /tmp/f; rm -f /tmp/f
=== redirect-close
echo x >&-; echo $?
=== redirect-bad-descriptor
echo x >&9; echo $?
=== swap-descriptors
{ echo out; echo err >&2; } 3>&1 1>&2 2>&3 3>&- | sed 's/^/piped /'
=== read-r
printf 'a\\b\n' | { read -r x; echo "$x"; }
=== read-backslash
printf 'a\\b\n' | { read x; echo "$x"; }
=== read-rest
echo a b c | { read x y; echo "$y"; }
=== read-end
printf 'last' | { read x; echo "$? $x"; }
=== read-empty
read x < /dev/null; echo "$? [$x]"
=== read-reply
echo text | { read; echo "[$REPLY]"; }
=== read-array
echo 'a b c' | { read -a l; echo ${l[2]}; }
=== read-delimiter
printf 'a:b' | { read -d : x; echo $x; }
=== read-n
printf 'abc' | { read -n 2 x; echo $x; }
=== read-timeout
sleep 3 | { read -t 1 x; [ $? -gt 0 ] && echo late; }
=== read-spaces
printf '  a b  \n' | { IFS= read -r x; echo "[$x]"; }
=== head
seq 1 5 | head -n 2; seq 1 5 | head -2
=== head-minus
seq 1 5 | head -n -1
=== head-c
printf abcdef | head -c 3; echo
=== tail
seq 1 5 | tail -n 2; seq 1 5 | tail -n +4; seq 1 5 | tail -1
=== tail-c
printf abcdef | tail -c 3; echo
=== tail-missing
tail /nosuch; echo $?
=== cut-fields
echo a:b:c | cut -d: -f2; echo a:b:c | cut -d: -f1,3; echo abcdef | cut -c2-4
=== tr
echo hello | tr a-z A-Z; echo a-b | tr -d -; echo 'a  b' | tr -s ' '
=== sort
printf '10\n9\n2\n' | sort; printf '10\n9\n2\n' | sort -n; printf 'a\nb\na\n' | sort -u; printf 'a\nb\n' | sort -r
=== sort-key
printf 'b 1\na 2\n' | sort -k2
=== uniq
printf 'a\na\nb\n' | uniq; printf 'a\na\nb\n' | uniq -d
=== wc
printf 'a b\nc\n' | wc -l; printf 'a b\nc\n' | wc -w; printf 'abc' | wc -c
=== grep
printf 'one\ntwo\n' | grep o; printf 'one\ntwo\n' | grep -v one; printf 'one\n' | grep -c x; echo $?
=== grep-q
echo ready | grep -q ready && echo found
=== grep-e
printf 'a1\nb2\n' | grep -E '^[a-b][0-9]$'; printf 'a.b\naxb\n' | grep -F a.b; echo abc | grep -o b
=== grep-i-n
printf 'Aa\nbb\n' | grep -in A
=== grep-missing-file
grep x /nosuch; echo $?
=== sed-substitute
echo aXbX | sed 's/X/-/'; echo aXbX | sed 's/X/-/g'; echo /a/b | sed 's#/#.#g'
=== sed-lines
seq 1 5 | sed -n 2p; seq 1 5 | sed -n '2,3p'; seq 1 3 | sed 2d; seq 1 3 | sed '$d'
=== sed-groups
echo mysql-2 | sed -E 's/.*-([0-9]+)$/\1/'; echo mysql-2 | sed 's/\(.*\)-\(.*\)/\2 \1/'
=== sed-in-place
echo 'bind 127.0.0.1' > /tmp/f; sed -i 's/127.0.0.1/0.0.0.0/' /tmp/f; cat /tmp/f; rm /tmp/f
=== sed-pattern
printf 'a\nb\nc\n' | sed '/b/d'; printf 'a\nb\n' | sed -n '/a/p'
=== awk-print
echo 'a b c' | awk '{print $2}'; echo 'a b c' | awk '{print $1, $3}'
=== awk-separator
echo a:b:c | awk -F: '{print $2}'
=== awk-last
echo 'a b c' | awk '{print $NF}'
=== seq
seq 3; seq 2 4; seq 1 2 5
=== basename
basename /a/b.txt; basename /a/b.txt .txt; dirname /a/b.txt
=== date-epoch
TZ=UTC date -d @0 +%Y-%m-%d
=== date-format-length
date +%s | grep -c '^[0-9]*$'; date -u +%H:%M:%S | grep -c ':'
=== base64
printf secret | base64; echo c2VjcmV0 | base64 -d; echo
=== base64-long
printf '%080d' 0 | base64; printf '%080d' 0 | base64 -w 0; echo
=== base64-wrong
echo '!!' | base64 -d; echo $?
=== md5sum
printf abc | md5sum; echo abc > /tmp/f; md5sum /tmp/f; rm /tmp/f
=== sha256sum
printf abc | sha256sum | cut -c1-16
=== md5sum-check
cd /tmp; echo abc > f; md5sum f > f.md5; md5sum -c f.md5; rm f f.md5
=== mktemp
f=$(mktemp); [ -f "$f" ] && echo made; rm "$f"; d=$(mktemp -d); [ -d "$d" ] && echo folder; rmdir "$d" 2>/dev/null || rm -r "$d"
=== mktemp-template
f=$(mktemp /tmp/x.XXXXXX); echo ${#f}; rm $f
=== expr-match
expr mysql-2 : '.*-\([0-9]*\)'; expr a = a; expr 1 / 0; echo $?
=== tee
echo x | tee /tmp/f; cat /tmp/f; rm /tmp/f
=== cat-n
printf 'a\nb\n' | cat -n | sed 's/^ *//'
=== cat-missing
cat /nosuch; echo $?
=== cat-dash
echo in | cat - /etc/hosts | head -n 1
=== ls-missing
ls /nosuch > /dev/null; echo $?
=== rm-missing
rm /tmp/none; echo $?; rm -f /tmp/none; echo $?
=== rm-folder
mkdir /tmp/d; rm /tmp/d; echo $?; rm -r /tmp/d
=== mkdir-exists
mkdir /tmp; echo $?; mkdir -p /tmp; echo $?
=== mkdir-deep
mkdir /tmp/a/b; echo $?
=== cp-and-mv
echo a > /tmp/a; cp /tmp/a /tmp/b; mv /tmp/b /tmp/c; cat /tmp/c; rm /tmp/a /tmp/c
=== cp-missing
cp /nosuch /tmp/x; echo $?
=== cp-folder
mkdir /tmp/d; cp /tmp/d /tmp/e; echo $?; rm -r /tmp/d
=== touch-and-ls
cd /tmp; touch b a; ls; ls -1 | wc -l
=== ln-s
echo x > /tmp/f; ln -s f /tmp/l; cat /tmp/l; readlink /tmp/l; rm /tmp/l /tmp/f
=== chmod-ls
touch /tmp/f; chmod 640 /tmp/f; ls -l /tmp/f | cut -c1-10
=== find-name
mkdir -p /tmp/d/e; touch /tmp/d/e/x.log /tmp/d/y.txt; find /tmp/d -name '*.log'; find /tmp/d -type f | sort; rm -r /tmp/d
=== env
env -i A=1 sh -c 'echo $A'
=== env-var
A=1 env | grep '^A='
=== id
id -u
=== test-command
/bin/test 1 = 1; echo $?
=== true-and-false
/bin/true; echo $?; /bin/false; echo $?
=== pwd
cd /tmp; pwd; cd ..; pwd; cd -
=== cd-missing
cd /nosuch; echo $?
=== cd-home
cd; pwd
=== type
type cd; type cat | grep -c cat
=== command-v
command -v cat > /dev/null && echo there; command -v nosuch || echo not there
=== which-builtin
command -v cd
=== declare-p
x=1; declare -p x
=== set-prints
zz=1; set | grep '^zz='
=== seq-wrong
seq; echo $?
=== hostname-substitution
h=web-0; [[ $h =~ ^web-([0-9]+)$ ]] && echo "ordinal ${BASH_REMATCH[1]}"
=== xtrace
set -x; echo a; x=1; [ $x = 1 ]
=== xtrace-quotes
set -x; echo 'a b' "c"; x='d e'
=== xtrace-condition
set -x; x=a; [[ $x == a ]] && echo yes
=== xtrace-loop
set -x; for i in 1 2; do echo $i; done
=== xtrace-function
f() { echo in $1; }; set -x; f 1
=== xtrace-ps4
PS4='> '; set -x; echo a
=== verbose
set -v
echo a
=== xtrace-empty
set -x; from=; x='a' y=; [ -z "$from" ]; echo "$x$y"
=== xtrace-entry
set -ex
cd /tmp
printf 'mysql-bin.000002\t154\n' > x
if [[ -f other ]]; then
  from=$(cat other)
elif [[ -f x ]]; then
  [[ $(<x) =~ ^([^[:space:]]+)[[:space:]]+([0-9]+) ]] || exit 1
  from="${BASH_REMATCH[1]}, ${BASH_REMATCH[2]}"
fi
if [[ -n $from ]]; then echo "$from"; fi
rm x
=== xtrace-nested
set -x; x=$(echo a); echo $(echo $(echo d)); (echo c); echo "$x"
=== xtrace-nested-condition
set -x; if [ "$(echo a)" = x ]; then echo never; fi; case $(echo b) in b) echo is b;; esac
=== status-in-substitution
false; x=$(echo $?); echo "$x"; false; x=$(echo $?; echo b); echo $x
=== heredoc-braces
cat <<'X'
server { listen 80; location /{a,b} { return 200; } }
X
n=web; cat <<X
{"name": "$n", "set": {"a": 1}}
X
=== braces-in-values
x={a}; Y={b,c}; Z={e} sh -c 'echo $Z'; echo "$x $Y ${W:-{}}"
=== tail-bytes-from
printf 'abcdef' > /tmp/f; tail -c+0 /tmp/f; echo; tail -c +3 /tmp/f; echo; tail -c+99 /tmp/f | wc -c; rm /tmp/f
=== expr-compares
expr 2 '<=' 2; expr 2 '<' 2; expr 10 '>=' 9; expr 10 '>' 9; expr b '>' a; expr a '!=' b; expr a = a; expr '' '|' x; expr 0 '&' x; expr y '&' x
