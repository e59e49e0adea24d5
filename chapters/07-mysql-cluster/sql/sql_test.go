package sql_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/internal/sqltest"
)

func TestSelectAnswersAsMySQLDoes(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT 1":                                                                            "1",
		"SELECT 1 + 2 * 3 - -4, 7 % 4, 1 % 0":                                                 "11,3,NULL",
		"SELECT 'it''s', \"a\\tb\", 'a\\%'":                                                   "it's,a\tb,a\\%",
		"SELECT NULL AND 0, NULL AND 1, NULL OR 1, 0 OR 0":                                    "0,NULL,1,0",
		"SELECT 1 IN (2, NULL), 1 IN (1, NULL), 1 NOT IN (2)":                                 "NULL,1,1",
		"SELECT 2 BETWEEN 1 AND 3, NULL BETWEEN 1 AND 2":                                      "1,NULL",
		"SELECT 'A' = 'a ', 'b' > 'A', '2x' = 2, NOT 0":                                       "1,1,1,1",
		"SELECT 'abc' LIKE 'A_c', 'abc' LIKE '%d%'":                                           "1,0",
		"SELECT @@server_id, @@global.server_id AS id":                                        "100,100",
		"SELECT 1 <> 2, 1 <> 1, 1 != 2, 1 != 1":                                               "1,0,1,0",
		"SELECT 2 >= 2, 1 >= 2, 2 <= 1, 2 <= 2, 1 < 1, 2 > 1, 2 > 2":                          "1,0,0,1,0,1,0",
		"SELECT -7 % 3, 5 % -3, 5 % 0":                                                        "-1,2,NULL",
		"SELECT 0 BETWEEN 1 AND 3, 1 BETWEEN 1 AND 3, 3 BETWEEN 1 AND 3":                      "0,1,1",
		"SELECT 4 BETWEEN 1 AND 3, 2 NOT BETWEEN 1 AND 3":                                     "0,0",
		"SELECT 0 BETWEEN 1 AND NULL, 4 BETWEEN NULL AND 3":                                   "0,0",
		"SELECT 2 BETWEEN 1 AND NULL, 2 BETWEEN NULL AND 3":                                   "NULL,NULL",
		"SELECT '' = 0, ' -3x' = -3, '+4' = 4, 'x' = 0, '12x' + 1":                            "1,1,1,1,13",
		"SELECT '*', '(', ','":                                                                "*,(,,",
		"SELECT messages.* FROM messages WHERE test.messages.id = 1":                          "1,hello,1",
		"CREATE TABLE u (a INT) CHARSET=utf8mb4; SHOW CREATE TABLE u":                         "u,CREATE TABLE `u` (\n  `a` int(11) DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
		"CREATE DATABASE u COLLATE utf8_bin; CREATE TABLE u.u (a INT); SHOW CREATE TABLE u.u": "u,CREATE TABLE `u` (\n  `a` int(11) DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8 COLLATE=utf8_bin",
		"SELECT 'a' 'b'":      "ab",
		"DESC messages 'i%'":  "id,int(11),NO,PRI,NULL,auto_increment",
		"DESCRIBE messages n": "n,bigint(20),YES,,7,",
		"SELECT m.id, m.* FROM messages AS m WHERE m.id = 2":                             "2,2,World,NULL",
		"UPDATE messages m SET m.n = 2 WHERE m.id = 1; SELECT n FROM messages m LIMIT 1": "2",
		"COMMIT":             "0",
		"ROLLBACK WORK":      "0",
		"SET autocommit = 1": "0",
		"SELECT 1 FROM DUAL": "1",
		"SELECT 1 IS NOT NULL, NULL IS NOT NULL, 1 IS NULL":                                                  "1,0,0",
		"SELECT +5, - -5, -+5, -(2), - - -1":                                                                 "5,5,-5,-2,-1",
		"SELECT TRUE, FALSE, NOT TRUE":                                                                       "1,0,0",
		"SET @a = 3, @b := 'x'; SELECT @a, @b, @c":                                                           "3,x,NULL",
		"SELECT 'a' LIKE '%', '' LIKE '%', '' LIKE '_', 'ab' LIKE 'a%b%'":                                    "1,1,0,1",
		"DROP DATABASE IF EXISTS nope":                                                                       "0",
		"DROP DATABASE IF EXISTS nope; SHOW DATABASES LIKE 'nope'":                                           "",
		"SHOW COLUMNS FROM messages LIKE 'id'":                                                               "id,int(11),NO,PRI,NULL,auto_increment",
		"SHOW FIELDS IN messages IN test LIKE 'n'":                                                           "n,bigint(20),YES,,7,",
		"CREATE TABLE w (a CHAR(255), b DATETIME DEFAULT NULL, c TIMESTAMP NULL); SHOW COLUMNS FROM w":       "a,char(255),YES,,NULL,;b,datetime,YES,,NULL,;c,timestamp,YES,,NULL,",
		"INSERT INTO messages (message) VALUES ('y'); SELECT id FROM messages ORDER BY n DESC, message DESC": "4;3;1;2",
		"CREATE TABLE c (a INT, b INT, PRIMARY KEY (a, b)); INSERT INTO c VALUES (1, 2), (1, 1), (2, 1); SELECT a, b FROM c WHERE a = 1; SELECT b FROM c WHERE a = 1": "1;2",
		// The row is found by its key: no other is looked at, and fails.
		"SELECT id FROM messages WHERE n + 9223372036854775807 > 0 AND id = 2": "",
		"CREATE TABLE k (a INT, b INT, UNIQUE (a), UNIQUE (a), UNIQUE (a, b), UNIQUE KEY x (b, a)); SHOW CREATE TABLE k": "k,CREATE TABLE `k` (\n" +
			"  `a` int(11) DEFAULT NULL,\n  `b` int(11) DEFAULT NULL,\n" +
			"  UNIQUE KEY `a` (`a`),\n  UNIQUE KEY `a_2` (`a`),\n  UNIQUE KEY `a_3` (`a`,`b`),\n  UNIQUE KEY `x` (`b`,`a`)\n" +
			") ENGINE=InnoDB DEFAULT CHARSET=latin1",
		"SELECT VERSION(), DATABASE(), USER(), NOW()":                      "5.7.44,test,root@10.0.0.1,2000-01-01 00:00:00",
		"SELECT CONCAT('a', 1, NULL), CONCAT('a', 1)":                      "NULL,a1",
		"SELECT * FROM messages":                                           "1,hello,1;2,World,NULL;3,x,7",
		"SELECT message, id FROM messages WHERE id = 2":                    "World,2",
		"SELECT id FROM messages WHERE id = '2'":                           "2",
		"SELECT id FROM messages WHERE message = 'HELLO'":                  "1",
		"SELECT id FROM messages WHERE n IS NULL OR n > 5":                 "2;3",
		"SELECT id FROM messages ORDER BY n DESC, id":                      "3;1;2",
		"SELECT id AS i FROM messages ORDER BY i DESC":                     "3;2;1",
		"SELECT n, id FROM messages ORDER BY 2 DESC LIMIT 1":               "7,3",
		"SELECT id FROM messages LIMIT 1, 5":                               "2;3",
		"SELECT id FROM messages LIMIT 1 OFFSET 2":                         "3",
		"SELECT COUNT(*), COUNT(n), MAX(n), MIN(id), SUM(n) FROM messages": "3,2,7,1,8",
		"SELECT COUNT(*), MAX(id) FROM messages WHERE id > 9":              "0,NULL",
		"SELECT COUNT(*) + 1 FROM test.messages":                           "4",
		"SELECT id /* hm */ FROM messages -- all\nWHERE id<2":              "1",
		"SELECT 1 /*!40101 + 1 */":                                         "2",
		"SHOW DATABASES":                                                   "information_schema;mysql;performance_schema;sys;test",
		"SHOW DATABASES LIKE 't%'":                                         "test",
		"SHOW TABLES":                                                      "messages",
		"CREATE TABLE b (n INT); CREATE TABLE a (n INT); SHOW TABLES":      "a;b;messages",
		"SHOW FULL TABLES FROM test":                                       "messages,BASE TABLE",
		"CREATE TABLE c (s CHAR(20)); DESCRIBE c":                          "s,char(20),YES,,NULL,",
		"DESCRIBE messages": "id,int(11),NO,PRI,NULL,auto_increment;" +
			"message,varchar(10),NO,UNI,NULL,;n,bigint(20),YES,,7,",
		"SHOW CREATE TABLE messages": "messages,CREATE TABLE `messages` (\n" +
			"  `id` int(11) NOT NULL AUTO_INCREMENT,\n" +
			"  `message` varchar(10) NOT NULL,\n" +
			"  `n` bigint(20) DEFAULT '7',\n" +
			"  PRIMARY KEY (`id`),\n" +
			"  UNIQUE KEY `message` (`message`)\n" +
			") ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=latin1",
		"SELECT LAST_INSERT_ID()":                                                                             "0",
		"DELETE FROM messages WHERE id > 1; SELECT id FROM messages":                                          "1",
		"DELETE FROM messages ORDER BY id DESC LIMIT 1; SELECT id FROM messages":                              "1;2",
		"UPDATE messages SET n = id + 10, id = id + n WHERE n > 5; SELECT * FROM messages":                    "1,hello,1;2,World,NULL;16,x,13",
		"TRUNCATE messages; INSERT INTO messages VALUES (0, 'a', 1); SELECT * FROM messages":                  "1,a,1",
		"DROP TABLE IF EXISTS nope, messages; SHOW TABLES":                                                    "",
		"CREATE TABLE h (a CHAR(3)); INSERT INTO h VALUES ('b'), ('a'); SELECT * FROM h":                      "b;a",
		"CREATE TABLE d (d DATETIME DEFAULT NOW()); INSERT INTO d VALUES (), ('2020-02-29'); SELECT * FROM d": "2000-01-01 00:00:00;2020-02-29 00:00:00",
	} {
		t.Run(query, func(t *testing.T) {
			assert.Equal(t, want, last(t, sqltest.Messages+query))
		})
	}
}

// orders is a script that makes a table whose rows are partly alike.
const orders = `
	CREATE DATABASE shop; USE shop;
	CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, who CHAR(9), n INT);
	INSERT INTO orders (who, n) VALUES ('Ada', 3), ('bob', 1), ('ADA', NULL),
		(NULL, 4), ('Bob', 1), (NULL, 5);
`

func TestRowsThatAreAlikeAreOne(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT who, COUNT(*), COUNT(n), SUM(n), MIN(n), MAX(n) FROM orders GROUP BY who": "NULL,2,2,9,4,5;Ada,2,1,3,3,3;bob,2,2,2,1,1",
		"SELECT who, SUM(n) s FROM orders GROUP BY who ORDER BY s DESC LIMIT 2":           "NULL,9;Ada,3",
		"SELECT who FROM orders GROUP BY who ORDER BY COUNT(n), who DESC":                 "Ada;bob;NULL",
		"SELECT COUNT(*), n % 2 FROM orders GROUP BY n % 2 ORDER BY 1, 2":                 "1,NULL;1,0;4,1",
		"SELECT n % 2 odd, COUNT(*) FROM orders GROUP BY odd":                             "NULL,1;0,1;1,4",
		"SELECT who, COUNT(*) FROM orders WHERE n > 9 GROUP BY who":                       "",
		"SELECT who, n, COUNT(*) FROM orders GROUP BY 1, 2 LIMIT 2, 2":                    "ADA,NULL,1;Ada,3,1",
		"SELECT who, id FROM orders GROUP BY id ORDER BY n, id LIMIT 3":                   "ADA,3;bob,2;Bob,5",
		"SELECT DISTINCT who FROM orders":                                                 "Ada;bob;NULL",
		"SELECT DISTINCT who, n FROM orders ORDER BY n DESC LIMIT 1, 3":                   "NULL,4;Ada,3;bob,1",
		"SELECT DISTINCT who FROM orders ORDER BY who LIMIT 2":                            "NULL;Ada",
		"SELECT COUNT(DISTINCT who), COUNT(who), SUM(DISTINCT n) FROM orders":             "2,4,13",
		"SELECT ALL n FROM orders WHERE id < 3":                                           "3;1",
	} {
		assert.Equal(t, want, last(t, orders+query), query)
	}
}

func TestATableGetsAnotherColumn(t *testing.T) {
	for query, want := range map[string]string{
		"ALTER TABLE messages ADD COLUMN c INT":                                      "1,hello,1,NULL;2,World,NULL,NULL;3,x,7,NULL",
		"ALTER TABLE messages ADD c VARCHAR(9) NOT NULL DEFAULT 'a' FIRST":           "a,1,hello,1;a,2,World,NULL;a,3,x,7",
		"ALTER TABLE messages ADD c INT NOT NULL AFTER id, ADD d CHAR(3) NOT NULL":   "1,0,hello,1,;2,0,World,NULL,;3,0,x,7,",
		"ALTER TABLE messages ADD c DATETIME DEFAULT NOW()":                          "1,hello,1,2000-01-01 00:00:00;2,World,NULL,2000-01-01 00:00:00;3,x,7,2000-01-01 00:00:00",
		"ALTER TABLE messages ADD c INT; INSERT INTO messages VALUES (NULL,'y',1,2)": "1,hello,1,NULL;2,World,NULL,NULL;3,x,7,NULL;4,y,1,2",
	} {
		assert.Equal(t, want, last(t, sqltest.Messages+query+"; SELECT * FROM messages"), query)
	}
	assert.Equal(t, "ERROR 1062 (23000): Duplicate entry 'HELLO' for key 'message'",
		last(t, sqltest.Messages+"ALTER TABLE messages ADD c INT; INSERT INTO messages VALUES (9, 'HELLO', 1, 2)"))
	assert.Equal(t, "b;a", last(t, "CREATE DATABASE d; USE d; CREATE TABLE t (a CHAR(3)); INSERT INTO t VALUES ('b'), ('a');"+
		"ALTER TABLE t ADD b INT; SELECT a FROM t"), "without a key they stay in their order")
	s, err := sql.Parse("ALTER TABLE t ADD c INT")
	require.NoError(t, err)
	assert.True(t, sql.Writes(s))
}

func TestErrorsAreMySQLs(t *testing.T) {
	syntax := "ERROR 1064 (42000): You have an error in your SQL syntax; check " +
		"the manual that corresponds to your MySQL server version for the " +
		"right syntax to use near "
	for query, want := range map[string]string{
		"SELEC 1":                           syntax + "'SELEC 1' at line 1",
		"SELECT 1 FRM t":                    syntax + "'t' at line 1",
		"SELECT *\nFROM\nWHERE id = 1":      syntax + "'WHERE id = 1' at line 3",
		"SELECT 'a":                         syntax + "''a' at line 1",
		"INSERT INTO messages VALUES (1":    syntax + "'' at line 1",
		"SHOW NONSENSE":                     syntax + "'NONSENSE' at line 1",
		"CHANGE MASTER TO MASTER_HOST=1":    syntax + "'1' at line 1",
		"CHANGE MASTER TO MASTER_X=1":       syntax + "'MASTER_X=1' at line 1",
		"SELECT 1; ;":                       "1",
		"USE nope":                          "ERROR 1049 (42000): Unknown database 'nope'",
		"CREATE DATABASE test":              "ERROR 1007 (HY000): Can't create database 'test'; database exists",
		"DROP DATABASE nope":                "ERROR 1008 (HY000): Can't drop database 'nope'; database doesn't exist",
		"DROP DATABASE mysql":               "ERROR 1044 (42000): Access denied for user 'root'@'%' to database 'mysql'",
		"DROP TABLE nope, messages, x.y":    "ERROR 1051 (42S02): Unknown table 'test.nope,x.y'",
		"CREATE TABLE messages (id INT)":    "ERROR 1050 (42S01): Table 'messages' already exists",
		"SELECT * FROM nope":                "ERROR 1146 (42S02): Table 'test.nope' doesn't exist",
		"SELECT * FROM x.nope":              "ERROR 1049 (42000): Unknown database 'x'",
		"SELECT *":                          "ERROR 1096 (HY000): No tables used",
		"SELECT nope FROM messages":         "ERROR 1054 (42S22): Unknown column 'nope' in 'field list'",
		"SELECT 1 FROM messages WHERE a=1":  "ERROR 1054 (42S22): Unknown column 'a' in 'where clause'",
		"SELECT 1 FROM messages ORDER BY a": "ERROR 1054 (42S22): Unknown column 'a' in 'order clause'",
		"SELECT nope.id FROM messages":      "ERROR 1054 (42S22): Unknown column 'nope.id' in 'field list'",
		"SELECT nope.* FROM messages":       "ERROR 1051 (42S02): Unknown table 'nope'",
		"SELECT @@nope":                     "ERROR 1193 (HY000): Unknown system variable 'nope'",
		"SELECT @@sort_buffer_size":         "ERROR 1235 (42000): This version of MySQL doesn't yet support '@@sort_buffer_size'",
		"SELECT id, COUNT(*) FROM messages": "ERROR 1140 (42000): In aggregated query without GROUP BY, " +
			"expression #1 of SELECT list contains nonaggregated column 'test.messages.id'; " +
			"this is incompatible with sql_mode=only_full_group_by",
		"SELECT 1 FROM messages WHERE COUNT(*)":  "ERROR 1111 (HY000): Invalid use of group function",
		"SELECT MAX(COUNT(*)) FROM messages":     "ERROR 1111 (HY000): Invalid use of group function",
		"SELECT 9223372036854775807 + 1 IN (1)":  "ERROR 1690 (22003): BIGINT value is out of range in '(9223372036854775807 + 1)'",
		"SELECT 1 IN (-9223372036854775807 - 2)": "ERROR 1690 (22003): BIGINT value is out of range in '(-9223372036854775807 - 2)'",
		"SELECT 9223372036854775807 * 2":         "ERROR 1690 (22003): BIGINT value is out of range in '(9223372036854775807 * 2)'",
		"SELECT id FROM messages ORDER BY 0":     "ERROR 1054 (42S22): Unknown column '0' in 'order clause'",
		"SELECT id FROM messages ORDER BY 2":     "ERROR 1054 (42S22): Unknown column '2' in 'order clause'",
		"SELECT 2 * (id + 1), COUNT(*) FROM messages": "ERROR 1140 (42000): In aggregated query without GROUP BY, " +
			"expression #1 of SELECT list contains nonaggregated column 'test.messages.id'; this is incompatible with sql_mode=only_full_group_by",
		"CREATE TABLE t (a TEXT, UNIQUE (a))":                     "ERROR 1170 (42000): BLOB/TEXT column 'a' used in key specification without a key length",
		"SELECT 1 FROM messages GROUP n":                          syntax + "'GROUP n' at line 1",
		"SELECT 1 AS select":                                      syntax + "'select' at line 1",
		"SHOW MASTERS":                                            syntax + "'MASTERS' at line 1",
		"CREATE TABLE t (a INT) CHARSET=nope":                     "ERROR 1115 (42000): Unknown character set: 'nope'",
		"CREATE TABLE t (a INT) COLLATE 'x y'":                    "ERROR 1273 (HY000): Unknown collation: 'x y'",
		"CREATE TABLE t (a INT) CHARSET=latin1 COLLATE=utf8_bin":  "ERROR 1253 (42000): COLLATION 'utf8_bin' is not valid for CHARACTER SET 'latin1'",
		"SELECT COUNT() FROM messages":                            syntax + "') FROM messages' at line 1",
		"SELECT id, n FROM messages GROUP BY n":                   "ERROR 1055 (42000): Expression #1 of SELECT list is not in GROUP BY clause and contains nonaggregated column 'test.messages.id' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by",
		"SELECT n FROM messages GROUP BY n ORDER BY id":           "ERROR 1055 (42000): Expression #1 of ORDER BY clause is not in GROUP BY clause and contains nonaggregated column 'test.messages.id' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by",
		"SELECT n FROM messages GROUP BY nope":                    "ERROR 1054 (42S22): Unknown column 'nope' in 'group statement'",
		"SELECT n FROM messages GROUP BY 2":                       "ERROR 1054 (42S22): Unknown column '2' in 'group statement'",
		"SELECT COUNT(*) FROM messages ORDER BY nope":             "ERROR 1054 (42S22): Unknown column 'nope' in 'order clause'",
		"SELECT COUNT(*) c FROM messages GROUP BY c":              "ERROR 1056 (42000): Can't group on 'c'",
		"SELECT DISTINCT n FROM messages ORDER BY id":             "ERROR 3065 (HY000): Expression #1 of ORDER BY clause is not in SELECT list, references column 'test.messages.id' which is not in SELECT list; this is incompatible with DISTINCT",
		"ALTER TABLE messages ADD n INT":                          "ERROR 1060 (42S21): Duplicate column name 'n'",
		"ALTER TABLE messages ADD c INT AFTER nope":               "ERROR 1054 (42S22): Unknown column 'nope' in 'messages'",
		"ALTER TABLE nope ADD c INT":                              "ERROR 1146 (42S02): Table 'test.nope' doesn't exist",
		"ALTER TABLE mysql.user ADD c INT":                        "ERROR 1044 (42000): Access denied for user 'root'@'%' to database 'mysql'",
		"ALTER TABLE messages ADD c DATETIME NOT NULL":            "ERROR 1292 (22007): Incorrect datetime value: '0000-00-00 00:00:00' for column 'c' at row 1",
		"ALTER TABLE messages ADD":                                syntax + "'' at line 1",
		"ALTER TABLE messages":                                    syntax + "'' at line 1",
		"ALTER TABLE messages, b":                                 syntax + "', b' at line 1",
		"DELETE FORM messages":                                    syntax + "'FORM messages' at line 1",
		"SELECT * FROM messages WERE id = 1":                      syntax + "'id = 1' at line 1",
		"SELECT messages.id FROM messages m":                      "ERROR 1054 (42S22): Unknown column 'messages.id' in 'field list'",
		"SELECT 1 NOT":                                            syntax + "'' at line 1",
		"SELECT 1 NOT 2":                                          syntax + "'2' at line 1",
		"CREATE TABLE t (a CHAR(256))":                            "ERROR 1074 (42000): Column length too big for column 'a' (max = 255); use BLOB or TEXT instead",
		"CREATE TABLE t (a VARCHAR)":                              syntax + "')' at line 1",
		"INSERT INTO messages (nope) VALUES (1)":                  "ERROR 1054 (42S22): Unknown column 'nope' in 'field list'",
		"INSERT INTO messages (id, id) VALUES (1, 2)":             "ERROR 1110 (42000): Column 'id' specified twice",
		"INSERT INTO messages VALUES (9, 'a', 1), (1)":            "ERROR 1136 (21S01): Column count doesn't match value count at row 2",
		"INSERT INTO messages VALUES (1, 'a', 1)":                 "ERROR 1062 (23000): Duplicate entry '1' for key 'PRIMARY'",
		"INSERT INTO messages VALUES (9, 'HELLO', 1)":             "ERROR 1062 (23000): Duplicate entry 'HELLO' for key 'message'",
		"INSERT INTO messages VALUES (9, NULL, 1)":                "ERROR 1048 (23000): Column 'message' cannot be null",
		"INSERT INTO messages (n) VALUES (1)":                     "ERROR 1364 (HY000): Field 'message' doesn't have a default value",
		"INSERT INTO messages VALUES (9,'a',1),('b','b',1)":       "ERROR 1366 (HY000): Incorrect integer value: 'b' for column 'id' at row 2",
		"INSERT INTO messages VALUES ('9x', 'a', 1)":              "ERROR 1265 (01000): Data truncated for column 'id' at row 1",
		"INSERT INTO messages VALUES (2147483648,'a', 1)":         "ERROR 1264 (22003): Out of range value for column 'id' at row 1",
		"INSERT INTO messages VALUES (9, '12345678901',1)":        "ERROR 1406 (22001): Data too long for column 'message' at row 1",
		"UPDATE messages SET id = 1 WHERE id = 2":                 "ERROR 1062 (23000): Duplicate entry '1' for key 'PRIMARY'",
		"UPDATE messages SET id = id + 1":                         "ERROR 1062 (23000): Duplicate entry '2' for key 'PRIMARY'",
		"CREATE TABLE t (a INT, A INT)":                           "ERROR 1060 (42S21): Duplicate column name 'A'",
		"CREATE TABLE t (a INT, PRIMARY KEY (b))":                 "ERROR 1072 (42000): Key column 'b' doesn't exist in table",
		"CREATE TABLE t (a INT KEY, PRIMARY KEY (a))":             "ERROR 1068 (42000): Multiple primary key defined",
		"CREATE TABLE t (a INT AUTO_INCREMENT)":                   "ERROR 1075 (42000): Incorrect table definition; there can be only one auto column and it must be defined as a key",
		"CREATE TABLE t (a INT DEFAULT 'x')":                      "ERROR 1067 (42000): Invalid default value for 'a'",
		"CREATE TABLE t (d DATETIME); INSERT INTO t VALUES ('x')": "ERROR 1292 (22007): Incorrect datetime value: 'x' for column 'd' at row 1",
		"SELECT 9223372036854775807 + 1":                          "ERROR 1690 (22003): BIGINT value is out of range in '(9223372036854775807 + 1)'",
		"DROP DATABASE test; SELECT 1 FROM messages":              "ERROR 1049 (42000): Unknown database 'test'",
	} {
		t.Run(query, func(t *testing.T) {
			assert.Equal(t, want, last(t, sqltest.Messages+query))
		})
	}
	t.Run("no database", func(t *testing.T) {
		assert.Equal(t, "ERROR 1046 (3D000): No database selected", last(t, "SHOW TABLES"))
	})
	t.Run("nothing", func(t *testing.T) {
		_, err := sql.Parse(" ; -- nothing")
		assert.EqualError(t, err, "ERROR 1065 (42000): Query was empty")
	})
}

// A valid statement is never called wrong: an error names what is left out.
func TestWhatOnlyMySQLHasIsNamed(t *testing.T) {
	for query, what := range map[string]string{
		"BEGIN":                        "BEGIN",
		"START TRANSACTION READ ONLY":  "START TRANSACTION",
		"ROLLBACK TO SAVEPOINT a":      "ROLLBACK TO SAVEPOINT",
		"COMMIT AND CHAIN":             "COMMIT AND CHAIN",
		"SET autocommit=0":             "autocommit=0",
		"SET @@session.autocommit=OFF": "autocommit=0",
		"SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE": "SET SESSION TRANSACTION",
		"SET PASSWORD = 'x'":                                            "SET PASSWORD",
		"CREATE USER 'repl'@'%' IDENTIFIED BY 'p'":                      "CREATE USER",
		"GRANT ALL ON *.* TO 'a'@'%'":                                   "GRANT",
		"SHOW GRANTS":                                                   "SHOW GRANTS",
		"SHOW CREATE DATABASE test":                                     "SHOW CREATE DATABASE",
		"SHOW TABLE STATUS":                                             "SHOW TABLE STATUS",
		"SHOW FULL COLUMNS FROM messages":                               "SHOW FULL COLUMNS",
		"SET @a = ((SELECT 1))":                                         "SELECT",
		"CREATE TABLE t (a INT) SELECT 1":                               "SELECT",
		"SHOW TABLES WHERE 1":                                           "WHERE",
		"SHOW SLAVE STATUS FOR CHANNEL 'x'":                             "FOR CHANNEL",
		"ALTER TABLE messages DROP COLUMN n":                            "ALTER TABLE DROP",
		"ALTER TABLE messages ADD INDEX (n)":                            "ALTER TABLE ADD INDEX",
		"ALTER TABLE messages ADD COLUMN c INT UNIQUE":                  "ALTER TABLE ADD COLUMN with a key",
		"ALTER TABLE messages ADD c FLOAT":                              "FLOAT",
		"ALTER DATABASE test CHARACTER SET utf8":                        "ALTER DATABASE",
		"create index i ON messages (n)":                                "CREATE INDEX",
		"CREATE UNIQUE INDEX i ON messages (n)":                         "CREATE UNIQUE INDEX",
		"CREATE OR REPLACE VIEW v AS SELECT 1":                          "CREATE OR REPLACE",
		"SELECT n, COUNT(*) c FROM messages GROUP BY n HAVING c > 1":    "HAVING",
		"SELECT n FROM messages GROUP BY n WITH ROLLUP":                 "WITH ROLLUP",
		"SELECT n FROM messages GROUP BY n DESC":                        "GROUP BY DESC",
		"SELECT AVG(n) FROM messages":                                   "AVG()",
		"SELECT n, AVG(n) FROM messages":                                "AVG()",
		"SELECT DISTINCTROW n FROM messages":                            "SELECT DISTINCTROW",
		"SELECT COUNT(DISTINCT n, id) FROM messages":                    "COUNT(DISTINCT) of several columns",
		"SELECT SQL_NO_CACHE n FROM messages":                           "SELECT SQL_NO_CACHE",
		"SELECT * FROM messages LEFT JOIN b ON 1":                       "LEFT JOIN",
		"SELECT * FROM messages, b":                                     "several tables",
		"UPDATE messages, b SET n = 1":                                  "several tables",
		"DELETE messages FROM messages JOIN b":                          "several tables",
		"DELETE m.* FROM messages m":                                    "several tables",
		"KILL QUERY 1":                                                  "KILL QUERY",
		"SELECT * FROM messages m JOIN b ON m.id = b.id":                "JOIN",
		"SELECT * FROM messages USE INDEX (x)":                          "USE INDEX",
		"SELECT * FROM messages FORCE INDEX (x)":                        "FORCE INDEX",
		"SELECT * FROM messages WHERE id IN (SELECT 1)":                 "SELECT",
		"SELECT * FROM (SELECT 1) t":                                    "SELECT",
		"SELECT * FROM messages WHERE (id, n) = (1, 1)":                 "a row of values",
		"SELECT * FROM messages FOR UPDATE":                             "FOR UPDATE",
		"(SELECT 1) UNION (SELECT 2)":                                   "SELECT",
		"SELECT 1 UNION SELECT 2":                                       "UNION",
		"SELECT 7 / 2":                                                  "/",
		"SELECT 7 DIV 2":                                                "DIV",
		"SELECT 1 << 2":                                                 "<<",
		"SELECT 1 || 2":                                                 "||",
		"SELECT 1 IS TRUE":                                              "IS TRUE",
		"SELECT 'a' RLIKE 'b'":                                          "RLIKE",
		"SELECT 'a' SOUNDS LIKE 'b'":                                    "SOUNDS LIKE",
		"SELECT 'a' LIKE 'b' ESCAPE '|'":                                "ESCAPE",
		"SELECT 1.5":                                                    "1.5",
		"SELECT 1e3":                                                    "1e3",
		"SELECT .5":                                                     ".5",
		"SELECT 0x1f":                                                   "0x1f",
		"SELECT 9223372036854775808":                                    "9223372036854775808",
		"SELECT X'1F'":                                                  "X'1F'",
		"SELECT DATE '2020-02-29'":                                      "DATE '2020-02-29'",
		"SELECT NOW() + INTERVAL 1 DAY":                                 "INTERVAL",
		"SELECT CURRENT_DATE":                                           "CURRENT_DATE",
		"SELECT CASE WHEN 1 THEN 2 END":                                 "CASE",
		"SELECT UPPER('a')":                                             "UPPER()",
		"SELECT CAST('1' AS SIGNED)":                                    "CAST()",
		"SELECT IF(1, 2, 3)":                                            "IF()",
		"SELECT VALUES(1)":                                              "VALUES()",
		"SELECT @a := 1":                                                ":=",
		"SELECT user FROM mysql.user":                                   "mysql.user",
		"SELECT * FROM information_schema.tables":                       "information_schema.tables",
		"EXPLAIN SELECT 1":                                              "EXPLAIN SELECT",
		"INSERT INTO messages SELECT 1":                                 "SELECT",
		"INSERT IGNORE INTO messages VALUES (1)":                        "INSERT IGNORE",
		"INSERT INTO messages VALUES (1) ON DUPLICATE KEY UPDATE n = 1": "ON DUPLICATE KEY UPDATE",
		"REPLACE INTO messages VALUES (1)":                              "REPLACE",
		"CREATE TABLE t LIKE messages":                                  "LIKE",
		"CREATE TABLE t AS SELECT 1":                                    "AS",
		"CREATE TABLE t (a FLOAT)":                                      "FLOAT",
		"CREATE TABLE t (a SET('x'))":                                   "SET",
		"CREATE TABLE t (a DATETIME(3))":                                "DATETIME(3)",
		"CREATE TABLE t (a TIMESTAMP(6))":                               "TIMESTAMP(6)",
		"CREATE TABLE t (a INT, KEY (a))":                               "KEY",
		"CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES b (id))":     "FOREIGN KEY",
		"CREATE TABLE t (a CHAR(9), UNIQUE (a(3)))":                     "a key of a column's prefix",
		"CREATE TABLE t (a INT) ENGINE=MyISAM":                          "ENGINE=MyISAM",
		"CREATE TABLE t (a INT) COMMENT 'x'":                            "COMMENT",
		"DROP TABLE messages CASCADE":                                   "CASCADE",
		"LOCK TABLES messages READ":                                     "LOCK TABLES",
		"FLUSH TABLES messages WITH READ LOCK":                          "FLUSH TABLES of some tables",
		"START SLAVE UNTIL MASTER_LOG_POS=4":                            "UNTIL",
		"CHANGE MASTER TO MASTER_SSL_CA='x'":                            "MASTER_SSL_CA",
	} {
		assert.Equal(t, "ERROR 1235 (42000): This version of MySQL doesn't yet support '"+what+"'",
			last(t, sqltest.Messages+query), query)
	}
}

func TestASemicolonMayEndAStatement(t *testing.T) {
	one, err := sql.Parse("SELECT 1;")
	require.NoError(t, err)
	other, err := sql.Parse("SELECT 1")
	require.NoError(t, err)
	assert.Equal(t, other, one)
	_, err = sql.Parse("SELECT 1; SELECT 2")
	assert.ErrorContains(t, err, "near 'SELECT 2' at line 1")
}

func TestWhatFailsInARowFailsTheStatement(t *testing.T) {
	const tooLarge = "n + 9223372036854775807"
	for _, query := range []string{
		"SELECT " + tooLarge + " FROM messages",
		"SELECT id FROM messages WHERE " + tooLarge,
		"SELECT id FROM messages WHERE " + tooLarge + " IN (1)",
		"SELECT id FROM messages WHERE 1 IN (2, " + tooLarge + ")",
		"SELECT id FROM messages WHERE " + tooLarge + " IS NULL",
		"SELECT id FROM messages WHERE NOT " + tooLarge,
		"SELECT id FROM messages ORDER BY " + tooLarge,
		"SELECT SUM(" + tooLarge + ") FROM messages",
		"SELECT COUNT(*) FROM messages WHERE " + tooLarge,
		"UPDATE messages SET n = " + tooLarge,
		"UPDATE messages SET n = 1 WHERE " + tooLarge,
		"DELETE FROM messages WHERE " + tooLarge,
		"DELETE FROM messages ORDER BY " + tooLarge,
	} {
		s := sqltest.NewServer()
		sqltest.Run(t, s, sqltest.Messages)
		before := slices.Collect(scriptOf(s.Tables))
		assert.Contains(t, sqltest.Run(t, s, "USE test; "+query)[1], "ERROR 1690 (22003): BIGINT value is out of range in ", query)
		assert.Equal(t, before, slices.Collect(scriptOf(s.Tables)), query)
	}
}

func TestAStatementThatFailsLeavesNothing(t *testing.T) {
	s := sqltest.NewServer()
	sqltest.Run(t, s, sqltest.Messages)
	before := slices.Collect(scriptOf(s.Tables))
	for _, query := range []string{
		"INSERT INTO messages (message) VALUES ('a'), ('b'), ('hello')",
		"INSERT INTO messages (message) VALUES ('a'), ('b'), (NULL)",
		"UPDATE messages SET message = CONCAT('y', message), id = 4 - id",
		"UPDATE messages SET message = 'w'",
		"UPDATE messages SET id = id - 1, message = NULL WHERE id > 1",
		"DROP TABLE messages, nope",
	} {
		answers := sqltest.Run(t, s, "USE test; "+query)
		require.Contains(t, answers[1], "ERROR", query)
		assert.Equal(t, before, slices.Collect(scriptOf(s.Tables)), query)
	}
	answers := sqltest.Run(t, s, "USE test; INSERT INTO messages (message) VALUES ('a'); SELECT MAX(id) FROM messages; "+
		"INSERT INTO messages (message) VALUES ('X')")
	assert.Equal(t, []string{"0", "1", "4", "ERROR 1062 (23000): Duplicate entry 'X' for key 'message'"}, answers)
}

// scriptOf is a Script's statements, each with its database before it.
func scriptOf(tables *sql.Tables) func(func(string) bool) {
	return func(yield func(string) bool) {
		for db, query := range tables.Script() {
			if !yield(db + ": " + query) {
				return
			}
		}
	}
}

func TestAScriptMakesTheSameTables(t *testing.T) {
	s := sqltest.NewServer()
	answers := sqltest.Run(t, s, sqltest.Messages+`
		UPDATE messages SET id = 0 WHERE id = 1;
		UPDATE messages SET message = 'a\\'';\n"\0' WHERE id = 2;
		CREATE TABLE `+"`odd ``name`"+` (a CHAR(2), t TEXT, d TIMESTAMP DEFAULT CURRENT_TIMESTAMP, b BOOL NOT NULL DEFAULT 0);
		INSERT INTO `+"`odd ``name`"+` (t) VALUES ('z'), ('y'), ('日本');
		CREATE DATABASE empty CHARACTER SET utf8mb4`)
	for _, answer := range answers {
		require.NotContains(t, answer, "ERROR")
	}
	for i := range 1200 {
		sqltest.Run(t, s, fmt.Sprintf("INSERT INTO test.messages (message) VALUES ('m%d')", i))
	}
	again := sql.NewTables()
	for db, query := range s.Tables.Script() {
		require.NoError(t, again.Restore(db, query), query)
	}
	assert.Equal(t, slices.Collect(scriptOf(s.Tables)), slices.Collect(scriptOf(again)))
	assert.Equal(t, []string{"0", "0,1203"}, sqltest.Run(t, &sqltest.Server{Tables: again},
		"USE test; SELECT MIN(id), MAX(id) FROM messages"))
}

func TestSplitCutsWhereTheClientDoes(t *testing.T) {
	for script, want := range map[string][]string{
		"":                             nil,
		" ;; -- x\n;":                  nil,
		"a; b":                         {"a", "b"},
		"a ';' \"\\\";\" `;`; b":       {"a ';' \"\\\";\" `;`", "b"},
		"-- x;\na # ;\n+ b /* ; */; c": {"a \n+ b", "c"},
		"/*!40101 SET x = 1 */; b":     {"/*!40101 SET x = 1 */", "b"},
		"a 'never ends; b":             {"a 'never ends; b"},
		"CHANGE MASTER TO\n  A='x',\n B=1;\nSTART SLAVE;\n": {"CHANGE MASTER TO\n  A='x',\n B=1", "START SLAVE"},
	} {
		assert.Equal(t, want, sqltest.Split(script), script)
	}
}

func TestLikeIsNotSlowWhateverThePattern(t *testing.T) {
	assert.True(t, sql.Like("x%y", `x\%_`))
	assert.False(t, sql.Like("xzy", `x\%_`))
	assert.False(t, sql.Like(strings.Repeat("a", 10_000), strings.Repeat("%a", 200)+"b"))
}

func FuzzParse(f *testing.F) {
	for _, query := range sqltest.Split(sqltest.Messages) {
		f.Add(query)
	}
	f.Add("SELECT ((1 + -2) * COUNT(*)) FROM `a`.b WHERE a NOT IN (1) ORDER BY 1 LIMIT 1,2")
	f.Add("/*!1 SET GLOBAL x = ON, @y := 'a''\\'' */;")
	f.Fuzz(func(t *testing.T, query string) {
		if statement, err := sql.Parse(query); err == nil {
			sql.NewTables().Execute("mysql", statement, nil)
		}
		for _, piece := range sqltest.Split(query) {
			require.NotEmpty(t, piece)
		}
	})
}

func BenchmarkInsertOneByOne(b *testing.B) {
	for b.Loop() {
		tables := sql.NewTables()
		do := func(query string) {
			s, err := sql.Parse(query)
			require.NoError(b, err)
			_, err = tables.Execute("test", s, nil)
			require.NoError(b, err)
		}
		do("CREATE DATABASE test")
		do("CREATE TABLE messages (id INT PRIMARY KEY AUTO_INCREMENT, message VARCHAR(250))")
		for i := range 100_000 {
			do(fmt.Sprintf("INSERT INTO messages (message) VALUES ('message %d')", i))
		}
	}
}

func TestEveryErrorHasItsWords(t *testing.T) {
	var files []string
	for _, users := range []string{"*.go", "../wire/*.go", "../*.go"} {
		some, err := filepath.Glob(users)
		require.NoError(t, err)
		files = append(files, some...)
	}
	number := regexp.MustCompile(`NewError\((\d+)`)
	found := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range number.FindAllSubmatch(source, -1) {
			code, err := strconv.ParseUint(string(match[1]), 10, 16)
			require.NoError(t, err)
			assert.True(t, sql.HasWords(uint16(code)), "%s: %d", file, code)
			found[string(match[1])] = true
		}
	}
	assert.True(t, found["1064"] && found["1381"], "of tables, and of the server")
}

func TestTheNamesOfVariablesAreInOrder(t *testing.T) {
	assert.Len(t, sql.Variables, 521)
	assert.True(t, slices.IsSorted(sql.Variables), "they are searched so")
}
