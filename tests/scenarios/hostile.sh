# Malicious SQL statements, saves, scenes and recordings, listed in tests/hostile with one table per kind. Runs every
# second case, and every 20th with sanitizers; with --long, all cases.
# needs: release release/hostile sanitize/hostile
. "$(dirname "$0")/../lib.sh"

tables() { # tables PROGRAM [OPTIONS]: runs the program, which prints one result line per case, and reports its crashes
  tester=$1
  shift
  for kind in sql saves scenes replays; do
    rm -rf "$tmp/$kind"
    cp -R "$root/tests/hostile/game" "$tmp/$kind"
    code=0
    "$tester" "$kind" "$root/tests/hostile/$kind.txt" "$tmp/$kind" "$release" ${LONG:+--all} "$@" || code=$?
    [ "$code" -le 1 ] || {
      echo "not ok $kind: the tester exited with status $code:"
      tail -n 12 "$tmp/$kind/said" | sed 's/^/  /'
    }
  done
}

if [ -n "$LONG" ]; then
  tables "$(bin release hostile)"
  tables "$(bin sanitize hostile)" --in-process
else
  tables "$(bin release hostile)" --every 2
  tables "$(bin sanitize hostile)" --in-process --every 20
fi
