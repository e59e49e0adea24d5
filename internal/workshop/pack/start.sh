#!/bin/sh
# Work on the book without a network: ./start.sh start 1b, ./start.sh test 1b,
# ./start.sh read. Whatever `lab exercise` understands, and any command of lab. To
# read without it, there are reconcile.pdf and reconcile.epub, if they were packed.
cd "$(dirname "$0")" || exit 1
export GOFLAGS=-mod=vendor GOTOOLCHAIN=local GOPROXY=off RECONCILE_CALLED=./start.sh

os=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) arch=$(uname -m) ;;
esac
lab=bin/$os-$arch/lab
if [ ! -x "$lab" ]; then
	echo "start.sh: there is no $lab here: this folder was packed for $(ls bin | tr '\n' ' ')" >&2
	exit 1
fi
case $1 in
'' | list | start | next | goto | checkpoint | flag | hint | test | watch | reset | solution | report)
	exec "$lab" exercise "$@"
	;;
esac
exec "$lab" "$@"
