-- At the first start of a master. No log-bin is set then: no slave repeats it.
-- MariaDB has made more roots than MySQL, of 127.0.0.1 for one.
DELETE FROM mysql.global_priv WHERE User = 'root' AND Host <> 'localhost';
DELETE FROM mysql.proxies_priv WHERE Host <> 'localhost';
FLUSH PRIVILEGES;
CREATE USER root@'%';
GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;
-- Who runs an operator: it leads slaves, and says which server takes writes.
CREATE USER operator@'%';
GRANT READ ONLY ADMIN, REPLICATION SLAVE ADMIN, SLAVE MONITOR, BINLOG MONITOR,
  RELOAD ON *.* TO operator@'%';
-- As strict as super-read-only: whoever has this may write nevertheless.
REVOKE READ ONLY ADMIN ON *.* FROM root@'%';
REVOKE READ ONLY ADMIN ON *.* FROM root@localhost;
