=== default-values
unset x; echo ${x:-none} ${x-none} ${HOME:+set} ${x:+set}.; echo ${x:=given} $x
=== required-value
unset MYSQL_HOST; echo ${MYSQL_HOST:?is not set}; echo never
=== cut-ends
f=/var/lib/mysql/ibdata1.gz; echo ${f##*/} ${f%/*} ${f%.gz} ${f#/var}
=== longest-and-shortest
v=a.b.c; echo ${v%.*} ${v%%.*} ${v#*.} ${v##*.}
=== length
s=kubernetes; echo ${#s}
=== substring
s=kubernetes; echo ${s:0:4} ${s:4}
=== substring-negative
s=kubernetes; echo ${s: -4}
=== replace
s=a-b-c; echo ${s/-/_} ${s//-/_}
=== replace-quoted
x="it's"; echo "${x//\'/\'\'}"
=== replace-anchored
s=www.www; echo ${s/#www/x} ${s/%www/x}
=== upper-and-lower
s=Pod; echo ${s^^} ${s,,} ${s^}
=== indirect
a=b; b=found; echo ${!a}
=== names-by-prefix
MYSQL_A=1; MYSQL_B=2; echo ${!MYSQL_*}
=== array
a=(one two three); echo ${a[1]} ${#a[@]} "${a[@]}"
=== array-append
a=(); a+=(x); a+=("y z"); for i in "${a[@]}"; do echo "<$i>"; done
=== array-associative
declare -A m; m[web]=80; m[db]=3306; echo ${m[db]} ${#m[@]}
=== array-slice
a=(a b c d); echo ${a[@]:1:2} ${!a[@]}
=== mapfile
mapfile -t lines < <(printf 'a\nb\n'); echo ${#lines[@]} ${lines[1]}
=== brace-range
echo {1..4} {a..c}
=== brace-list
echo file.{txt,md}
=== brace-mkdir
mkdir -p /tmp/x/{a,b}; ls /tmp/x; rm -r /tmp/x
=== ansi-quotes
echo $'a\tb\nc'
=== word-splitting
v='a  b   c'; echo $v; echo "$v"; set -- $v; echo $#
=== ifs
IFS=,; v=a,b,c; set -- $v; echo $1 $3
=== ifs-join
set -- a b c; IFS=-; echo "$*"
=== read-with-ifs
echo root:x:0 | { IFS=: read -r user pass uid; echo $user $uid; }
=== positional
set -- a b c; shift; echo $1 $#; echo "$@"
=== at-and-star
set -- 'a b' c; for x in "$@"; do echo "<$x>"; done; for x in "$*"; do echo "<$x>"; done; for x in $@; do echo "<$x>"; done
=== command-substitution-nested
echo $(echo $(echo deep))
=== backticks
echo `echo \`echo deep\``
=== substitution-newlines
x=$(printf 'a\n\n\n'); echo "[$x]"
=== substitution-status
x=$(exit 3); echo $?
=== substitution-status-local
f() { local x=$(exit 3); echo $?; }; f
=== file-into-variable
echo content > /tmp/f; x=$(< /tmp/f); echo $x
=== file-missing-into-variable
x=$(< /tmp/none); echo "[$x] $?"
=== arithmetic
echo $((2 + 3 * 4)) $((7 / 2)) $((7 % 3)) $(( (1 + 1) << 3 ))
=== arithmetic-octal
echo $((010)) $((0x1f))
=== arithmetic-assign
i=1; : $((i += 2)); echo $i; i=$((i + 1)); echo $i
=== arithmetic-increment
i=1; echo $((i++)) $i $((++i))
=== arithmetic-power
echo $((2 ** 10))
=== arithmetic-ternary
echo $((1 > 2 ? 10 : 20)) $((3 > 2 && 1)) $((!1))
=== arithmetic-divide-by-zero
echo $((1 / 0)); echo after
=== arithmetic-unset
unset n; echo $((n + 1))
=== arithmetic-leading-zero
m=08; echo $((m + 1)); echo after
=== let
let x=2+3; echo $x
=== expr
expr 2 + 3; expr length hello; expr 5 \> 3
=== tilde
echo ~ ~/x
=== glob
cd /tmp; touch a.cnf b.cnf c.txt; echo *.cnf; echo *.none; rm *.cnf; ls
=== glob-hidden
cd /tmp; touch .h v; echo *; echo .h*
=== glob-quoted
cd /tmp; touch a; echo "*" '*' \*
=== noglob
cd /tmp; touch a; set -f; echo *
=== globstar-off
cd /tmp; mkdir -p d/e; touch d/e/f; echo d/*/f; rm -r d
=== nullglob
shopt -s nullglob; echo /tmp/*.none x
=== extglob
shopt -s extglob; cd /tmp; touch a.txt b.log
echo !(*.txt)
=== quotes-in-quotes
echo "it's" 'say "hi"' "a \"quoted\" word" 'a'\''b'
=== dollar-in-quotes
x=1; echo "$x" '$x' "\$x" "${x}y"
=== backslashes
echo a\\b "a\\b" 'a\\b'
=== line-continuation
echo one \
  two
=== unset-with-u
set -u; echo $nothing; echo never
=== unset-with-u-default
set -u; echo ${nothing:-fine}
=== env-prefix
X=1 sh -c 'echo $X'; echo "[$X]"
=== export
A=1; export B=2; sh -c 'echo "[$A] [$B]"'
=== unset
x=1; unset x; echo "[${x-gone}]"
=== readonly
readonly R=1; R=2; echo after $R
=== readonly-unset
readonly R=1; unset R; echo $R
=== assignment-many
a=1 b=2 c=$((1+2)); echo $a$b$c
=== parameter-zero
echo ${0##*/} | grep -c sh
=== substring-of-at
set -- a b c d; echo "${@:2:2}"
=== transform-quote
x="a b"; echo ${x@Q}
=== plus-equals
s=a; s+=b; echo $s
