// Package mend brings a slave back that has rows of its own, and so cannot do what
// its master did.
package mend

// MendScript returns a script for bash in the container mysql of a slave. As long as
// error 1062 stops the slave, it prints and deletes the row that the error names,
// and those that the master does not have. It compares while the slave stands still:
// then a row that only the slave has cannot be one that has just arrived. Rows that
// differ are no evidence, since the slave is behind.
//
//book:exercise 7j
func MendScript() string {
	return `set -e
slave() { mysql -h 127.0.0.1 -N -e "$1"; }
column() { mysql -h 127.0.0.1 -e 'SHOW SLAVE STATUS\G' | sed -n "s/^ *$1: //p"; }

while [[ $(column Last_SQL_Errno) = 1062 ]]; do
  [[ $(column Last_SQL_Error) =~ Duplicate\ entry\ \'([0-9]+)\' ]]
  theirs=$(mysql -h mysql-0.mysql -N -e "SELECT id FROM shop.orders")
  own="id = ${BASH_REMATCH[1]} OR id NOT IN (${theirs//$'\n'/,})"
  slave "SELECT * FROM shop.orders WHERE $own"
  slave "SET GLOBAL super_read_only = 0;
    DELETE FROM shop.orders WHERE $own;
    SET GLOBAL super_read_only = 1;
    START SLAVE"
  until [[ $(column Seconds_Behind_Master) != [1-9]* ]]; do sleep 1; done
done
[[ $(column Last_SQL_Errno) = 0 ]]
`
}
