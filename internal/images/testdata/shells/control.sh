=== for-in
for i in 1 2 3; do echo -n "$i "; done; echo
=== for-c-style
for ((i = 0; i < 3; i++)); do echo $i; done
=== for-no-list
set -- a b; for x; do echo $x; done
=== for-seq
for i in $(seq 1 3); do echo server-$i; done
=== while-counter
i=0; while [ $i -lt 3 ]; do echo $i; i=$((i + 1)); done
=== until
i=0; until [ $i -ge 2 ]; do i=$((i + 1)); done; echo $i
=== break-and-continue
for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done
=== break-two
for i in 1 2; do for j in a b; do [ $j = b ] && break 2; echo $i$j; done; done
=== while-read-pipe
printf 'a\nb\n' | while read v; do n=$((n + 1)); done; echo "[$n]"
=== while-read-redirect
printf 'a\nb\n' > /tmp/f; while read -r v; do n=$((n + 1)); done < /tmp/f; echo $n; rm /tmp/f
=== read-at-the-end-of-a-pipe
echo one | read x; echo "[$x]"
=== pipe-into-block
echo 'a b' | { read x y; echo "$y $x"; }
=== set-in-last-part
x=1; true | x=2; echo $x
=== exit-in-last-part
true | exit 3; echo $?
=== cd-in-last-part
cd /; true | cd /tmp; pwd
=== exit-in-while-of-a-pipe
echo a | while read x; do exit 4; done; echo "after $?"
=== pipe-status
false | true; echo $?
=== pipefail
set -o pipefail; false | true; echo $?
=== pipestatus
false | true; echo ${PIPESTATUS[0]}
=== pipe-negated
! true | false; echo $?
=== pipe-both
{ echo out; echo err >&2; } 2>&1 | sort
=== pipe-and-both
sh -c 'echo err >&2' |& cat
=== three-pipes
printf 'b\na\nb\n' | sort | uniq -c | sed 's/^ *//'
=== pipe-early-end
seq 1 100000 | head -n 2
=== yes-into-head
while :; do echo y; done | head -n 3
=== subshell-variables
x=1; (x=2; echo $x); echo $x
=== subshell-exit
(exit 5); echo $?
=== subshell-cd
cd /; (cd /tmp; pwd); pwd
=== group
{ echo a; echo b; } > /tmp/f; cat /tmp/f; rm /tmp/f
=== function
greet() { echo "hello $1"; return 3; }; greet you; echo $?
=== function-keyword
function f { echo f; }; f
=== function-local
x=outer; f() { local x=inner; echo $x; }; f; echo $x
=== function-global
f() { y=set; }; f; echo $y
=== function-recursive
f() { [ $1 -le 1 ] && echo 1 && return; echo $(( $1 * $(f $(( $1 - 1 ))) )); }; f 5
=== function-args
f() { echo $# "$@"; }; set -- x; f a 'b c'; echo $#
=== function-unset
f() { echo f; }; unset -f f; f; echo $?
=== return-outside
return 3; echo $?
=== recursion-in-a-pipe
f() { echo a | cat; }; f | cat
=== errexit
set -e; false; echo never
=== errexit-in-if
set -e; if false; then :; fi; false || true; ! true; echo reached
=== errexit-in-function
set -e; f() { false; echo in f; }; f || echo handled
=== errexit-in-substitution
set -e; x=$(false; echo more); echo "$x"
=== errexit-assignment
set -e; x=$(false); echo never
=== errexit-pipe
set -e; false | true; echo reached
=== errexit-subshell
set -e; (false; echo never); echo never
=== errexit-and-list
set -e; false && true; echo reached
=== errexit-off
set -e; set +e; false; echo reached
=== nounset-and-errexit
set -eu; echo ${x:-ok}; [ -z "${y:-}" ] && echo empty
=== exit-trap
trap 'echo bye' EXIT; echo work
=== exit-trap-status
trap 'echo "status $?"' EXIT; exit 3
=== exit-trap-in-subshell
trap 'echo outer' EXIT; (trap 'echo inner' EXIT; echo in)
=== exit-trap-after-error
set -e; trap 'echo cleaned' EXIT; false
=== err-trap
trap 'echo failed' ERR; false; echo on
=== trap-print
trap 'echo x' TERM; trap
=== trap-reset
trap 'echo x' EXIT; trap - EXIT; echo done
=== trap-ignore
trap '' TERM; kill -TERM $$; echo alive
=== trap-term-self
trap 'echo caught' TERM; kill -TERM $$; echo on
=== trap-signals-by-number
trap 'echo caught' 15; kill -15 $$; echo on
=== trap-two
trap 'echo term' TERM; trap 'echo int' INT; kill -INT $$; kill -TERM $$; echo on
=== trap-quoted-late
x=1; trap 'echo $x' EXIT; x=2
=== trap-quoted-early
x=1; trap "echo $x" EXIT; x=2
=== trap-exits
trap 'echo bye; exit 7' TERM; kill $$; echo never
=== kill-unknown
kill 99999; echo $?
=== kill-list
kill -l 15
=== background-wait
sleep 1 & wait; echo $?
=== background-pid-is-a-number
sleep 1 & case $! in ''|*[!0-9]*) echo no number;; *) echo number;; esac; wait
=== background-wait-pid
(exit 3) & wait $!; echo $?
=== background-kill
sleep 100 & kill $!; { wait $!; echo $?; } 2>/dev/null
=== background-kill-nine
sleep 100 & kill -9 $!; wait $!; echo $?
=== background-two
(sleep 2; echo b) & (sleep 1; echo a) & wait; echo end
=== background-wait-two
(exit 1) & p=$!; (exit 2) & q=$!; wait $p; echo $?; wait $q; echo $?
=== background-variables
x=1; { x=2; } & wait; echo $x
=== background-no-pid
echo "[$!]"
=== background-not-a-child
wait 1; echo $?
=== background-kill-zero
sleep 5 & kill -0 $! && echo there; kill $!; wait $! 2>/dev/null; kill -0 $! 2>/dev/null || echo gone
=== background-group
{ sleep 50; echo never; } & kill $!; wait $!; echo $?
=== background-function
f() { sleep 1; return 4; }; f & wait $!; echo $?
=== wait-n
(sleep 2; exit 2) & (sleep 1; exit 1) & wait -n; echo $?; wait -n; echo $?
=== jobs-list
sleep 5 & jobs; kill %1; wait 2>/dev/null
=== jobs-two
sleep 5 & sleep 6 & jobs; kill %1 %2; wait 2>/dev/null
=== jobs-p
sleep 5 & [ "$(jobs -p)" = $! ] && echo same; kill $!; wait 2>/dev/null
=== wait-job
(exit 6) & wait %1; echo $?
=== wait-interrupted-by-trap
trap 'echo caught' USR1; (sleep 1; kill -USR1 $$) & sleep 3 & wait $!; echo $?
=== entrypoint-term
sleep 100 & PID=$!; trap "kill $PID" TERM; (sleep 1; kill -TERM $$) & wait $PID; echo "ended $?"
=== entrypoint-term-twice
trap 'kill -TERM $PID' TERM INT; sleep 100 & PID=$!; (sleep 1; kill -TERM $$) & wait $PID; trap - TERM INT; wait $PID; echo $?
=== entrypoint-forward
_term() { echo stopping; kill -TERM "$child" 2>/dev/null; }; trap _term TERM; sleep 100 & child=$!; (sleep 1; kill $$) & wait "$child"; echo done
=== entrypoint-loop
trap 'run=; echo last' TERM; run=1; (sleep 2; kill $$) & while [ $run ]; do sleep 1; done; echo out
=== timeout-ends
timeout 1 sleep 5; echo $?
=== timeout-in-time
timeout 5 true; echo $?
=== coproc-none
type nosuchcommand; echo $?
=== command-not-found
nosuchcommand; echo $?
=== not-executable
echo 'echo x' > /tmp/f; /tmp/f; echo $?; rm /tmp/f
=== directory-as-command
/tmp; echo $?
=== exec-replaces
exec echo replaced; echo never
=== exec-redirects
exec > /tmp/f; echo hidden
=== exec-missing
exec nosuchcommand; echo never
=== exec-descriptor
exec 3> /tmp/f; echo x >&3; exec 3>&-; cat /tmp/f; rm /tmp/f
=== eval
x='echo a; echo b'; eval "$x"
=== eval-syntax-error
eval 'if'; echo "after $?"
=== source
echo 'v=sourced; echo "$0" | grep -c sh' > /tmp/f; . /tmp/f; echo $v; rm /tmp/f
=== source-missing
. /tmp/none; echo after
=== source-null
. /dev/null; echo $?
=== exit-status-of-signal
sh -c 'kill -9 $$'; echo $?
=== exit-large
(exit 256); echo $?; (exit 257); echo $?
=== exit-negative
(exit -1); echo $?
=== syntax-error
if true; then echo a
=== syntax-error-late
echo before
for do
=== unterminated-quote
echo "abc
=== shift-too-many
set -- a; shift 2; echo "after $?"
=== getopts
set -- -a -b val rest; while getopts ab: o; do echo "$o ${OPTARG-}"; done; shift $((OPTIND - 1)); echo $1
=== getopts-unknown
set -- -z; while getopts a o; do echo "got $o"; done
=== getopts-silent
set -- -b; while getopts :b: o; do echo "$o $OPTARG"; done
=== select-none
true; echo $? ; false; echo $?
=== dollar-underscore-zero-args
set --; echo $#
=== ps-dollar-before-pipe
echo $$ | grep -c '^[0-9]'
=== ppid
echo $PPID | grep -c '^[0-9]'
=== bashpid-differs
[ "$(sh -c 'echo $PPID')" -gt 0 ] && echo positive
=== times-of-seconds
sleep 1; [ "$SECONDS" -ge 1 ] && echo counted
=== random
[ "$RANDOM" ] && echo number || echo none
=== umask
umask 077; touch /tmp/f; ls -l /tmp/f | cut -c1-10
=== ulimit
ulimit -c
=== alias-in-script
alias hi='echo hi'
hi; echo $?
=== hash-bang
printf '#!/bin/sh\necho "run $1"\n' > /tmp/f; chmod +x /tmp/f; /tmp/f x; rm /tmp/f
=== process-substitution
cat <(echo a) <(echo b)
=== process-substitution-diff
while read l; do n=$((n + 1)); done < <(printf 'a\nb\n'); echo $n
=== sleep-huge
sleep 2000000000000 & kill $!; wait $! 2>/dev/null; echo $?
=== sleep-fraction
sleep 0.2; echo $?
=== sleep-wrong
sleep abc; echo $?
=== sleep-units
sleep 1s; echo $?
=== sleep-none
sleep; echo $?
=== sleep-infinity
sleep infinity & kill $!; wait $! 2>/dev/null; echo $?
=== eval-quotes
eval 'for x in "it'"'"'s" b; do echo "$x"; done; sleep 0.1 & echo "it'"'"'s" & wait; case "a b" in "a b") echo yes;; esac'
=== source-quotes
printf "%s\n" "echo \"it's\" &" 'wait' "set -x; for x in 'a b' \"c\"; do echo \"\$x\"; done" > /tmp/s.sh; . /tmp/s.sh; set +x; rm /tmp/s.sh
=== jobs-after-wait
sleep 0.1 & wait; jobs; echo none
=== wait-empty
wait "" 2>/dev/null; echo "still here"
=== shift-negative
set -- a b; shift -1 2>/dev/null; echo "still here"
=== fatal-in-subshell
(: ${N:?no}; echo never) 2>/dev/null || echo caught; echo on
=== fatal-in-substitution
x=$(set -u; echo $UNSETVAR; echo never); echo "[$x]"
=== return-bare
f() { [ a = b ] || return; echo never; }; f; echo $?
=== return-in-subshell
f() { (return 4); echo "sub $?"; seq 2 | while read v; do return 7; done; echo "pipe $?"; }; f
=== set-errtrace
set -Eeuo pipefail; false | true; echo never
=== exit-trap-and-exec
trap 'echo bye' EXIT; exec echo replaced
=== exec-traced
set -x; exec echo a
