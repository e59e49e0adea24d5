package mysqlcluster

import "fmt"

// serverErrors are the errors that are about the server, as errorTexts has
// those about tables.
var serverErrors = map[uint16][2]string{
	1053: {"08S01", "Server shutdown in progress"},
	1094: {"HY000", "Unknown thread id: %d"},
	1186: {"HY000", "Binlog closed, cannot RESET MASTER"},
	1200: {"HY000", "The server is not configured as slave; fix in config file " +
		"or with CHANGE MASTER TO"},
	1223: {"HY000", "Can't execute the query because you have a conflicting " +
		"read lock"},
	1229: {"HY000", "Variable '%s' is a GLOBAL variable and should be set with " +
		"SET GLOBAL"},
	1231: {"42000", "Variable '%s' can't be set to the value of '%s'"},
	1238: {"HY000", "Variable '%s' is a read only variable"},
	1381: {"HY000", "You are not using binary logging"},
	1593: {"HY000", "Fatal error: The slave I/O thread stops because master and " +
		"slave have equal MySQL server ids; these ids must be different for " +
		"replication to work (or the --replicate-same-server-id option must be " +
		"used on slave but this does not always make sense; please check the " +
		"manual before using it)."},
	1777: {"HY000", "CHANGE MASTER TO MASTER_AUTO_POSITION = 1 cannot be " +
		"executed because @@GLOBAL.GTID_MODE = OFF."},
	1794: {"HY000", "Slave is not configured or failed to initialize properly. " +
		"You must at least set --server-id to enable either a master or a " +
		"slave. Additional error messages can be found in the MySQL error log."},
	3021: {"HY000", "This operation cannot be performed with a running slave io " +
		"thread; run STOP SLAVE IO_THREAD FOR CHANNEL '' first."},
	3081: {"HY000", "This operation cannot be performed with running " +
		"replication threads; run STOP SLAVE FOR CHANNEL '' first"},
}

// serverError is one of these, with what its words have to name.
func serverError(code uint16, args ...any) *Error {
	e := serverErrors[code]
	return &Error{code, e[0], fmt.Sprintf(e[1], args...)}
}
