#!/bin/bash
# As the official image, gives a server with an empty directory its tables and
# users. .first is there until that is done: after a kill it begins again.
set -e
[[ $1 ]] && [[ ${1:0:1} != - ]] || set -- mysqld "$@"
data=/var/lib/mysql cnf=--defaults-file=/etc/mysql/image.cnf
[[ $1 == mysqld && ( ! -d $data/mysql || -e $data/.first ) ]] || exec "$@"
[[ $MYSQL_ROOT_PASSWORD$MYSQL_ALLOW_EMPTY_PASSWORD ]] || {
  printf '%s\n' "[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified" \
    "    You need to specify one of the following as an environment variable:" \
    "    - MYSQL_ROOT_PASSWORD" "    - MYSQL_ALLOW_EMPTY_PASSWORD" >&2
  exit 1
}
[[ ! -e $data/.first ]] || rm -rf $data/*
touch $data/.first
mariadb-install-db $cnf --force --auth-root-authentication-method=normal \
  --skip-test-db >&2
password=${MYSQL_ROOT_PASSWORD//\\/\\\\} password=${password//\'/\'\'}
{
  cat /etc/mysql/first.sql
  echo "SET PASSWORD FOR root@localhost = PASSWORD('$password');"
  echo "SET PASSWORD FOR root@'%' = PASSWORD('$password');"
  echo "SET PASSWORD FOR operator@'%' = PASSWORD('$password');"
} | mariadbd $cnf --bootstrap
rm $data/.first && exec "$@"
