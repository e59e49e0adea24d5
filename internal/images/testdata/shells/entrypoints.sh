=== docker-first-argument
set -- -c x; if [ "${1:0:1}" = '-' ]; then set -- mysqld "$@"; fi; echo "$@"
=== docker-first-argument-posix
set -- -c x; if [ "${1#-}" != "$1" ]; then set -- redis-server "$@"; fi; echo "$@"
=== docker-file-env
file_env() { local var="$1"; local def="${2:-}"; local val="$def"; if [ "${!var:-}" ]; then val="${!var}"; fi; export "$var"="$val"; }; PASS=secret; file_env PASS; file_env OTHER none; echo $PASS $OTHER
=== require-variables
for v in DB_HOST DB_USER; do eval "value=\${$v:-}"; [ "$value" ] || echo "$v is not set" >&2; done; echo checked
=== require-with-question
: "${DB_HOST:?must be set}"; echo never
=== wait-for-service
tries=0; until [ -f /tmp/up ]; do tries=$((tries + 1)); [ $tries -ge 3 ] && break; sleep 1; done; echo "after $tries"
=== retry-with-limit
n=0; until [ "$n" -ge 3 ]; do false && break; n=$((n + 1)); sleep 1; done; echo $n
=== retry-function
retry() { local n=0; until "$@"; do n=$((n + 1)); [ $n -lt 3 ] || return 1; done; }; retry false || echo gave up
=== template-by-sed
printf 'host=@HOST@\n' > /tmp/t; HOST=db; sed "s/@HOST@/$HOST/" /tmp/t > /tmp/c; cat /tmp/c; rm /tmp/t /tmp/c
=== template-by-heredoc
PORT=80; cat > /tmp/nginx.conf <<EOF
listen $PORT;
root \$document_root;
EOF
cat /tmp/nginx.conf; rm /tmp/nginx.conf
=== ordinal-from-hostname
HOSTNAME=mysql-1; [[ $HOSTNAME =~ -([0-9]+)$ ]] || exit 1; ordinal=${BASH_REMATCH[1]}; echo [mysqld] > /tmp/s; echo server-id=$((100 + $ordinal)) >> /tmp/s; cat /tmp/s; rm /tmp/s
=== ordinal-posix
HOSTNAME=web-12; echo "${HOSTNAME##*-}"
=== master-or-slave
ordinal=0; if [[ $ordinal -eq 0 ]]; then echo primary; else echo replica; fi
=== skip-if-there
mkdir -p /tmp/data/mysql; [[ -d /tmp/data/mysql ]] && exit 0; echo clone; 
=== skip-first
ordinal=0; [[ $ordinal -eq 0 ]] && exit 0; echo clone
=== position-file
cd /tmp; echo 'mysql-bin.000002	481' > xtrabackup_binlog_info; [[ $(cat xtrabackup_binlog_info) =~ ^(.*?)[[:space:]]+(.*?)$ ]] || exit 1; echo "${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"; rm xtrabackup_binlog_info
=== slave-info-and-content
cd /tmp; if [[ -f slave_info && "x$(<slave_info)" != "x" ]]; then echo from a slave; elif [[ -f binlog_info ]]; then echo from a master; fi; echo $?
=== cat-and-cut-semicolon
cd /tmp; echo 'CHANGE MASTER TO X;' > i; cat i | sed -E 's/;$//g' > o; cat o; rm i o
=== loop-over-files
cd /tmp; touch a.sql b.sh; for f in *; do case "$f" in *.sh) echo "run $f";; *.sql) echo "load $f";; *) echo "skip $f";; esac; done; rm a.sql b.sh
=== parse-key-values
printf 'a=1\nb=2\n' > /tmp/env; while IFS='=' read -r k v; do echo "$k is $v"; done < /tmp/env; rm /tmp/env
=== export-from-file
printf 'A=1\nB=two\n' > /tmp/env; set -a; . /tmp/env; set +a; sh -c 'echo $A $B'; rm /tmp/env
=== health-check
check() { [ -f /tmp/ready ]; }; check || echo not yet; touch /tmp/ready; check && echo ready; rm /tmp/ready
=== lock-by-mkdir
cd /tmp; if mkdir lock 2>/dev/null; then echo mine; fi; if mkdir lock 2>/dev/null; then echo mine; else echo taken; fi; rm -r lock
=== log-function
log() { printf '%s %s\n' "[$1]" "$2" >&2; }; log INFO started; log WARN "two words"
=== log-with-name
log() { echo "$(basename "$0"): $*" >&2; }; log x 2>&1 | grep -c ': x'
=== usage-and-exit
usage() { echo "usage: run COMMAND" >&2; exit 64; }; [ $# -gt 0 ] || usage; echo never
=== parse-long-options
set -- --name web --port=80 x; while [ $# -gt 0 ]; do case $1 in --name) name=$2; shift;; --port=*) port=${1#*=};; *) rest=$1;; esac; shift; done; echo $name $port $rest
=== count-replicas
list='web-0 web-1 web-2'; set -- $list; echo $#; for p in $list; do echo -n "${p#web-}"; done; echo
=== join-with-comma
out=; for i in 0 1 2; do out="$out${out:+,}mysql-$i.mysql"; done; echo $out
=== default-config
: ${PORT:=8080}; : ${NAME:=web}; echo $NAME:$PORT
=== json-by-printf
printf '{"name":"%s","replicas":%d}\n' web 3
=== strip-quotes
v='"quoted"'; v=${v%\"}; v=${v#\"}; echo $v
=== compare-versions
v=5.7.44; major=${v%%.*}; rest=${v#*.}; minor=${rest%%.*}; [ $major -eq 5 ] && [ $minor -ge 7 ] && echo new enough
=== trap-cleans-up
f=/tmp/pid; echo 1 > $f; trap 'rm -f /tmp/pid; echo cleaned' EXIT; [ -f $f ] && echo running
=== fail-with-message
die() { echo "fatal: $*" >&2; exit 1; }; [ -d /nosuch ] || die no folder; echo never
=== background-server-then-exec
(while [ ! -f /tmp/stop ]; do sleep 1; done; echo stopped) & touch /tmp/stop; wait; rm /tmp/stop; exec echo serving
=== two-servers-first-ends
(sleep 1; exit 3) & (sleep 50) & wait -n; echo "one ended: $?"; kill $! 2>/dev/null
=== crash-after-a-while
i=0; while true; do i=$((i + 1)); echo tick $i; [ $i -eq 3 ] && exit 1; sleep 1; done
=== date-in-loop
for i in 1 2; do echo "$(date +%Y | wc -c) $i"; sleep 1; done
=== write-and-count
for i in 1 2 3; do echo "line $i" >> /tmp/log; done; wc -l < /tmp/log; tail -n 1 /tmp/log; rm /tmp/log
=== while-true-with-cat
i=0; while read -r line; do i=$((i + 1)); echo "$i: $line"; done <<END
first
second
END
=== nested-functions-exit
a() { b; echo never; }; b() { exit 5; }; a
=== hidden-status
f() { false; }; f; if [ $? -ne 0 ]; then echo failed; fi
=== pipe-to-while-with-exit-code
printf '1\n2\n' | (while read n; do [ $n = 2 ] && exit 9; done); echo $?
=== unquoted-empty
x=; [ -n $x ] && echo surprise
=== quoted-empty
x=; [ -n "$x" ] || echo empty
=== test-with-and-without
x='a b'; [ $x = a ] ; echo $?
=== sum-of-lines
total=0; for n in $(printf '1\n2\n3\n'); do total=$((total + n)); done; echo $total
=== secret-from-file
echo s3cret > /tmp/p; PASS="$(cat /tmp/p)"; echo "${#PASS}"; rm /tmp/p
=== secret-encoded
printf 'admin' | base64 | tr -d '\n'; echo
=== check-arguments
set -- start; case "${1:-}" in start) shift; echo starting $#;; *) exit 2;; esac
=== exec-with-arguments
set -- echo run "two words"; exec "$@"
=== dot-sh-with-posix
set -o errexit; set -o nounset; echo strict
=== strict-mode
set -euo pipefail; IFS=$'\n\t'; echo strict
=== strict-fails
set -euo pipefail; false | cat; echo never
=== drop-extension-loop
for f in a.tar.gz b.zip; do echo "${f%%.*}"; done
