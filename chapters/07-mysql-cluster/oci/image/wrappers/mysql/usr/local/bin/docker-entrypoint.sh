#!/bin/bash
# As the official image, gives a server with an empty directory its tables and
# users. .first is there until that is done: after a kill it begins again.
set -e
[[ $1 ]] && [[ ${1:0:1} != - ]] || set -- mysqld "$@"
data=/var/lib/mysql cnf=--defaults-file=/etc/mysql/image.cnf
[[ $1 == mysqld && ( ! -d $data/mysql || -e $data/.first ) ]] || exec "$@"
[[ $MYSQL_ALLOW_EMPTY_PASSWORD ]] || { echo "[ERROR] [Entrypoint]: Database is" \
  "uninitialized and MYSQL_ALLOW_EMPTY_PASSWORD is not set" >&2; exit 1; }
[[ ! -e $data/.first ]] || rm -rf $data/*
touch $data/.first
mariadb-install-db $cnf --force --auth-root-authentication-method=normal \
  --skip-test-db >&2
mariadbd $cnf --bootstrap < /etc/mysql/first.sql
rm $data/.first && exec "$@"
