=== and-stops-early
[[ -f /nosuch && $(touch /tmp/made) ]]; ls /tmp
=== or-stops-early
[[ -f /etc/hosts || $(touch /tmp/made) ]] && echo yes; ls /tmp
=== and-in-words
if [[ -n "$HOME" && -d /tmp ]]; then echo there; fi
=== not-and-group
[[ ! ( -f /nosuch && -d /tmp ) && x = x ]] && echo yes
=== or-then-and
[[ a = b || c = c && d = e ]]; echo $?
=== errexit-and-conditions
set -e; [[ a = b && c = c ]]; echo not reached
=== errexit-or
set -e; [[ a = b || c = c ]]; echo reached
=== test-and
[ -d /tmp -a -f /etc/hosts ] && echo both
=== test-or
[ -f /nosuch -o -d /tmp ] && echo one
=== test-missing-bracket
[ a = a ; echo $?
=== test-unset-unquoted
[ $nothing = x ]; echo $?
=== test-number
[ abc -eq 1 ]; echo $?
=== test-lengths
s=hello; [ -n "$s" ] && [ ! -z "$s" ] && echo full
=== pattern-in-double-brackets
f=mysql-bin.000003; [[ $f == mysql-bin.* ]] && echo log
=== pattern-quoted
f='a*'; [[ abc == "$f" ]]; echo $?
=== regex-groups
[[ $(echo mysql-12) =~ -([0-9]+)$ ]] && echo ${BASH_REMATCH[1]}
=== regex-no-match
[[ web-x =~ -([0-9]+)$ ]] || echo none
=== regex-exit
[[ `echo web-0` =~ -([0-9]+)$ ]] || exit 1; ordinal=${BASH_REMATCH[1]}; echo server-id=$((100 + $ordinal))
=== hostname-by-expansion
name=mysql-2; ordinal=${name##*-}; echo $((100 + ordinal))
=== if-elif
x=2; if [ $x -eq 1 ]; then echo one; elif [ $x -eq 2 ]; then echo two; else echo many; fi
=== case-patterns
for a in start stop restart x; do case $a in start|restart) echo up;; stop) echo down;; *) echo "usage: $0" | sed 's/: .*//';; esac; done
=== case-classes
for c in a 5 _; do case $c in [a-z]) echo letter;; [0-9]) echo digit;; [!a-z0-9]) echo other;; esac; done
=== case-falls-through
case a in a) echo a;& b) echo b;; esac
=== files-newer
touch /tmp/a; sleep 1; touch /tmp/b; [ /tmp/b -nt /tmp/a ] && echo newer
=== file-tests
mkdir /tmp/d; touch /tmp/e; echo x > /tmp/f; for t in -d -f -s -e; do for f in d e f; do [ $t /tmp/$f ] && echo "$t $f"; done; done; rm -r /tmp/d
=== link-tests
ln -s /nosuch /tmp/l; [ -L /tmp/l ] && echo link; [ -e /tmp/l ] || echo dangles
=== compare-strings
[[ a < b ]] && echo less; [ b \> a ] && echo greater
=== arithmetic-condition
x=5; if (( x > 3 )); then echo big; fi
=== arithmetic-false
(( 0 )); echo $?
=== and-or-lists
false && echo a || echo b; true && echo c || echo d
=== negation
! false; echo $?; ! true; echo $?
=== set-variable-test
[[ -v HOME ]] && echo set; unset x; [[ -v x ]] || echo unset
=== test-w-and-x
touch /tmp/f; chmod 755 /tmp/f; [ -x /tmp/f ] && [ -w /tmp/f ] && [ -r /tmp/f ] && echo all
=== double-equals
[ a == a ]; echo $?
=== empty-test
[ ]; echo $?; [ "" ]; echo $?
=== double-bracket-unquoted
v='two words'; [[ $v = 'two words' ]] && echo same
