// Package sidecar is the container xtrabackup with a script of one's own: one
// that can be killed anywhere, and makes a slave of its server exactly once.
package sidecar

// SidecarScript returns what the container xtrabackup runs, in bash. The note
// is read where it lies and burnt at the very end, so it is found again after a
// kill. The server is asked what was done already, and knows: a master that it
// was told of is kept in one file.
//
//book:exercise 7d
func SidecarScript() string {
	return `set -ex
cd /var/lib/mysql
from=
if [[ -f xtrabackup_slave_info ]]; then
  from=$(<xtrabackup_slave_info)
elif [[ -f xtrabackup_binlog_info ]]; then
  [[ $(<xtrabackup_binlog_info) =~ ^([^[:space:]]+)[[:space:]]+([0-9]+) ]] || exit 1
  from="CHANGE MASTER TO MASTER_LOG_FILE='${BASH_REMATCH[1]}',
    MASTER_LOG_POS=${BASH_REMATCH[2]}"
fi
if [[ -n $from ]]; then
  until mysql -h 127.0.0.1 -e "SELECT 1"; do sleep 1; done
  status=$(mysql -h 127.0.0.1 -e "SHOW SLAVE STATUS")
  if [[ -z $status ]]; then
    mysql -h 127.0.0.1 -e "$from, MASTER_HOST='mysql-0.mysql',
      MASTER_USER='root', MASTER_PASSWORD='', MASTER_CONNECT_RETRY=10"
  fi
  mysql -h 127.0.0.1 -e "START SLAVE"
  rm -f xtrabackup_binlog_info
  rm -f xtrabackup_slave_info
fi
exec ncat --listen --keep-open --send-only --max-conns=1 3307 -c \
  "xtrabackup --backup --slave-info --stream=xbstream --host=127.0.0.1 --user=root"
`
}
