package sql

import (
	"errors"
	"fmt"
)

// Errors by their number: SQLSTATE and words, as in MySQL 5.7's
// sql/share/errmsg-utf8.txt.
var errorTexts = map[uint16][2]string{
	1007: {"HY000", "Can't create database '%s'; database exists"},
	1008: {"HY000", "Can't drop database '%s'; database doesn't exist"},
	1044: {"42000", "Access denied for user '%s'@'%%' to database '%s'"},
	1045: {"28000", "Access denied for user '%s'@'%s' (using password: %s)"},
	1046: {"3D000", "No database selected"},
	1047: {"08S01", "Unknown command"},
	1048: {"23000", "Column '%s' cannot be null"},
	1049: {"42000", "Unknown database '%s'"},
	1050: {"42S01", "Table '%s' already exists"},
	1051: {"42S02", "Unknown table '%s'"},
	1053: {"08S01", "Server shutdown in progress"},
	1054: {"42S22", "Unknown column '%s' in '%s'"},
	1055: {"42000", "Expression #%d of %s is not in GROUP BY clause and contains " +
		"nonaggregated column '%s' which is not functionally dependent on columns " +
		"in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by"},
	1056: {"42000", "Can't group on '%s'"},
	1060: {"42S21", "Duplicate column name '%s'"},
	1062: {"23000", "Duplicate entry '%s' for key '%s'"},
	1063: {"42000", "Incorrect column specifier for column '%s'"},
	1064: {"42000", "You have an error in your SQL syntax; check the manual " +
		"that corresponds to your MySQL server version for the right syntax " +
		"to use near '%s' at line %d"},
	1065: {"42000", "Query was empty"},
	1067: {"42000", "Invalid default value for '%s'"},
	1068: {"42000", "Multiple primary key defined"},
	1072: {"42000", "Key column '%s' doesn't exist in table"},
	1074: {"42000", "Column length too big for column '%s' (max = %d); " +
		"use BLOB or TEXT instead"},
	1075: {"42000", "Incorrect table definition; there can be only one auto " +
		"column and it must be defined as a key"},
	1094: {"HY000", "Unknown thread id: %d"},
	1096: {"HY000", "No tables used"},
	1101: {"42000", "BLOB, TEXT, GEOMETRY or JSON column '%s' can't have a " +
		"default value"},
	1110: {"42000", "Column '%s' specified twice"},
	1111: {"HY000", "Invalid use of group function"},
	1113: {"42000", "A table must have at least 1 column"},
	1115: {"42000", "Unknown character set: '%s'"},
	1136: {"21S01", "Column count doesn't match value count at row %d"},
	1140: {"42000", "In aggregated query without GROUP BY, expression #%d of " +
		"SELECT list contains nonaggregated column '%s'; this is " +
		"incompatible with sql_mode=only_full_group_by"},
	1146: {"42S02", "Table '%s.%s' doesn't exist"},
	1170: {"42000", "BLOB/TEXT column '%s' used in key specification without " +
		"a key length"},
	1186: {"HY000", "Binlog closed, cannot RESET MASTER"},
	1193: {"HY000", "Unknown system variable '%s'"},
	1200: {"HY000", "The server is not configured as slave; fix in config file " +
		"or with CHANGE MASTER TO"},
	1223: {"HY000", "Can't execute the query because you have a conflicting " +
		"read lock"},
	1229: {"HY000", "Variable '%s' is a GLOBAL variable and should be set with " +
		"SET GLOBAL"},
	1231: {"42000", "Variable '%s' can't be set to the value of '%s'"},
	1232: {"42000", "Incorrect argument type to variable '%s'"},
	1235: {"42000", "This version of MySQL doesn't yet support '%s'"},
	1238: {"HY000", "Variable '%s' is a read only variable"},
	1253: {"42000", "COLLATION '%s' is not valid for CHARACTER SET '%s'"},
	1264: {"22003", "Out of range value for column '%s' at row %d"},
	1265: {"01000", "Data truncated for column '%s' at row %d"},
	1273: {"HY000", "Unknown collation: '%s'"},
	1290: {"HY000", "The MySQL server is running with the %s option so it " +
		"cannot execute this statement"},
	1292: {"22007", "Incorrect %s value: '%s' for column '%s' at row %d"},
	1295: {"HY000", "This command is not supported in the prepared statement " +
		"protocol yet"},
	1364: {"HY000", "Field '%s' doesn't have a default value"},
	1366: {"HY000", "Incorrect %s value: '%s' for column '%s' at row %d"},
	1381: {"HY000", "You are not using binary logging"},
	1406: {"22001", "Data too long for column '%s' at row %d"},
	1582: {"42000", "Incorrect parameter count in the call to native " +
		"function '%s'"},
	1593: {"HY000", "Fatal error: The slave I/O thread stops because master and " +
		"slave have equal MySQL server ids; these ids must be different for " +
		"replication to work (or the --replicate-same-server-id option must be " +
		"used on slave but this does not always make sense; please check the " +
		"manual before using it)."},
	1690: {"22003", "BIGINT value is out of range in '%s'"},
	1777: {"HY000", "CHANGE MASTER TO MASTER_AUTO_POSITION = 1 cannot be " +
		"executed because @@GLOBAL.GTID_MODE = OFF."},
	1794: {"HY000", "Slave is not configured or failed to initialize properly. " +
		"You must at least set --server-id to enable either a master or a " +
		"slave. Additional error messages can be found in the MySQL error log."},
	3021: {"HY000", "This operation cannot be performed with a running slave io " +
		"thread; run STOP SLAVE IO_THREAD FOR CHANNEL '' first."},
	3065: {"HY000", "Expression #%d of ORDER BY clause is not in SELECT list, " +
		"references column '%s' which is not in SELECT list; this is incompatible " +
		"with DISTINCT"},
	3081: {"HY000", "This operation cannot be performed with running " +
		"replication threads; run STOP SLAVE FOR CHANNEL '' first"},
}

// NewError returns one of MySQL's errors, with what its words have to name.
func NewError(code uint16, args ...any) *Error {
	e := errorTexts[code]
	return &Error{code, e[0], fmt.Sprintf(e[1], args...)}
}

// Errorf returns an error whose words are the caller's own, of no SQLSTATE in
// particular.
func Errorf(code uint16, format string, args ...any) *Error {
	return &Error{code, "HY000", fmt.Sprintf(format, args...)}
}

// note returns one of MySQL's errors as a warning that is none: what IF NOT
// EXISTS turns it into.
func note(err *Error) Warning { return Warning{"Note", err.Code, err.Message} }

// AsError returns an error as one of MySQL's: itself, or 1105, unknown.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{1105, "HY000", err.Error()}
}
