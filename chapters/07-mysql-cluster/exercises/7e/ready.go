// Package ready is a readiness probe for the container mysql that asks whether
// its server replicates.
package ready

// ReadyScript returns what the probe runs, in bash. A server that takes writes
// is a master, whatever it is called. One that does not is asked if it hears its
// master and executes what that told, or would if it could: what stops it with an
// error stops every slave at once, and then readers had better not all go to the
// master.
//
//book:exercise 7e
func ReadyScript() string {
	return `set -e
if [[ $(mysql -h 127.0.0.1 -N -e "SELECT @@read_only") = 0 ]]; then
  exit 0
fi
status=$(mysql -h 127.0.0.1 -e "SHOW SLAVE STATUS\G")
[[ $status = *"Slave_SQL_Running: Yes"* ||
  $status = *"Last_SQL_Errno: "[1-9]* ]] || exit 1
[[ $status != *"Slave_IO_Running: No"* ||
  $status = *"Last_IO_Errno: "[1-9]* ]]
`
}
