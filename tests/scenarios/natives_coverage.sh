# How many of the systems over rows in games, examples and templates are native. The table of the others, with what
# keeps each in LuaJIT, is in natives_coverage/table of the suite's folder, and is printed when the share has fallen.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

export XDG_CACHE_HOME="$tmp/cache"
LEAST=70 # percent

# explained FOLDER TICKS
explained() {
  timeout -k 2 600 "$release" run "$1" --headless --no-watch --seed 1 --budget 0 --ticks "$2" --native now --explain all \
    --log none 2>&1 </dev/null | sed -n "s|^explain: |${1#scripts/} explain: |p"
}

# Some systems of games run only when there is somebody to play.
some() { # of two halves
  n=0
  for folder in scripts/games/*/ scripts/examples/*/ scripts/templates/*/; do
    n=$((n + 1))
    [ $((n % 2)) = "$1" ] && [ -e "$folder/game.lua" ] || continue
    case $folder in
      scripts/games/*) explained "${folder%/}" 900 ;;
      *) explained "${folder%/}" 4 ;;
    esac
  done >"$tmp/half$1"
}

coverage() {
  some 0 &
  some 1
  wait $!
  cat "$tmp/half0" "$tmp/half1" | sort >"$tmp/explained"
  grep -q 'nothing is compiled\|not installed' "$tmp/explained" && return 0
  luajit tests/scenarios/lib/coverage.lua "$tmp/explained" "$LEAST" >"$tmp/table" || fail "$(cat "$tmp/table")"
}
it "most systems over rows are native" coverage
