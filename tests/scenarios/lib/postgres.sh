#!/bin/sh
# A PostgreSQL server for tests, on a Unix socket, without a port. Usage:
#   postgres.sh start FOLDER [PROCESS]   creates the server in FOLDER if it is missing, starts it, and prints its
#                                        address; when the process ends, so does the server, and FOLDER is removed
#   postgres.sh stop FOLDER     ends the server, and removes nothing
#   postgres.sh kill FOLDER     kills the server with SIGKILL, like a crash; its sessions then end
#   postgres.sh cut FOLDER      stops all processes of the server, which then do not answer
#   postgres.sh mend FOLDER     continues these processes
#   postgres.sh sql FOLDER SQL  executes SQL as the superuser, and prints the rows
#   postgres.sh standby FROM FOLDER   creates a standby of the server in FROM, and starts it
#   postgres.sh promote FOLDER  makes a standby the primary
# Without a server on this machine, it prints the reason and exits with status 77. All commits are synchronized
# (fsync = on), unless FOLDER is in memory. Shell tests also source this file, and call the functions.

postgres_find() {
  postgres_programs=
  for folder in "$(dirname "$(command -v initdb || echo /)")" /usr/pgsql-*/bin /usr/lib/postgresql/*/bin; do
    [ ! -x "$folder/initdb" ] || [ ! -x "$folder/postgres" ] || [ ! -x "$folder/psql" ] || postgres_programs=$folder
  done
  [ -n "$postgres_programs" ] || { echo "PostgreSQL is not installed (./shoal deps --test installs it)"; return 77; }
}

# postgres_as_user COMMAND…: the server refuses to run as root.
postgres_as_user() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@"
  else
    "$@"
  fi
}

postgres_address() { # postgres_address FOLDER [DATABASE [USER]]
  echo "postgres://${3-shoal}@/${2-world}?host=$1/socket"
}

postgres_sql() { # postgres_sql FOLDER SQL [DATABASE]
  "$postgres_programs/psql" -X -q -A -t -v ON_ERROR_STOP=1 -h "$1/socket" -U shoal -c "$2" "${3-postgres}"
}

postgres_write_settings() { # postgres_write_settings FOLDER
  cat >>"$1/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$1/socket'
shared_buffers = 16MB
dynamic_shared_memory_type = mmap
max_wal_size = 64MB
max_connections = 60
autovacuum_naptime = 5s
log_min_messages = fatal
END
}

postgres_run() { # postgres_run FOLDER
  # A killed server leaves its lock file. Its sessions hold the shared memory until they end, soon after.
  rm -f "$1/socket"/.s.PGSQL.*
  postgres_as_user "$postgres_programs/pg_ctl" start -s -w -t 60 -D "$1/data" -l "$1/log" >"$1/start" 2>&1 </dev/null ||
    { cat "$1/start" "$1/log" >&2; return 1; }
}

postgres_make_folder() { # postgres_make_folder FOLDER
  mkdir -p "$1/socket"
  [ "$(id -u)" != 0 ] || chown postgres "$1" "$1/socket"
  chmod 755 "$1" "$1/socket"
}

# postgres_watch FOLDER PROCESS: a separate program, because a subshell would keep the caller's pipes open.
postgres_watch() {
  # shellcheck disable=SC2016
  sh -c 'trap "" INT TERM
    tail -s 0.3 --pid="$2" -f /dev/null
    server=$(head -n 1 "$1/data/postmaster.pid")
    kill -QUIT "$server"
    timeout 5 tail -s 0.1 --pid="$server" -f /dev/null
    rm -rf "$1"' watch "$1" "$2" >/dev/null 2>&1 </dev/null &
}

postgres_start() { # postgres_start FOLDER [PROCESS]
  postgres_find || return
  if [ ! -e "$1/data/PG_VERSION" ]; then
    postgres_make_folder "$1"
    postgres_as_user "$postgres_programs/initdb" -D "$1/data" -U shoal -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$1/initdb" 2>&1 ||
      { cat "$1/initdb" >&2; return 1; }
    postgres_write_settings "$1"
  fi
  postgres_run "$1" || return
  [ -n "$(postgres_sql "$1" "SELECT 1 FROM pg_database WHERE datname = 'world'")" ] || postgres_sql "$1" "CREATE DATABASE world"
  [ -z "${2-}" ] || postgres_watch "$1" "$2"
  postgres_address "$1"
}

postgres_stop() { # postgres_stop FOLDER
  postgres_find || return
  postgres_as_user "$postgres_programs/pg_ctl" stop -s -m immediate -D "$1/data" >/dev/null 2>&1 || true
}

postgres_processes() { # postgres_processes FOLDER: the server and its children
  server=$(head -n 1 "$1/data/postmaster.pid")
  echo "$server"
  ps -o pid= --ppid "$server"
}

postgres_kill() { kill -9 "$(head -n 1 "$1/data/postmaster.pid")"; }
# shellcheck disable=SC2046
postgres_cut() { kill -STOP $(postgres_processes "$1"); }
# shellcheck disable=SC2046
postgres_mend() { kill -CONT $(postgres_processes "$1"); }

postgres_standby() { # postgres_standby FROM FOLDER
  postgres_find || return
  postgres_make_folder "$2"
  postgres_as_user "$postgres_programs/pg_basebackup" -D "$2/data" -h "$1/socket" -U shoal -R -c fast --no-sync >"$2/start" 2>&1 ||
    { cat "$2/start" >&2; return 1; }
  postgres_write_settings "$2"
  postgres_run "$2" && postgres_address "$2"
}

postgres_promote() { # postgres_promote FOLDER
  postgres_find || return
  postgres_as_user "$postgres_programs/pg_ctl" promote -s -w -D "$1/data"
}

case ${0##*/}:${1-} in
  postgres.sh:start) postgres_start "$2" "${3-}" ;;
  postgres.sh:stop | postgres.sh:promote) "postgres_$1" "$2" ;;
  postgres.sh:kill | postgres.sh:cut | postgres.sh:mend) "postgres_$1" "$2" ;;
  postgres.sh:standby) postgres_standby "$2" "$3" ;;
  postgres.sh:sql) postgres_find && postgres_sql "$2" "$3" world ;;
  postgres.sh:*) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
