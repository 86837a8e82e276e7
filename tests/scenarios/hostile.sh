# Malicious SQL statements, saves, scenes and recordings, listed in tests/hostile with one table per kind.
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

tables "$(bin release hostile)"
if [ -n "$LONG" ]; then
  tables "$(bin sanitize hostile)" --in-process
else
  tables "$(bin sanitize hostile)" --in-process --every 10
fi
