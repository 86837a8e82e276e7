# How many of the systems over rows in games, examples and templates are native. The table of the others, with what
# keeps each in LuaJIT, is in natives_coverage/table of the suite's folder, and is printed when the share has fallen.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

export XDG_CACHE_HOME="$tmp/cache"
MIN=84 # percent

# explained FOLDER TICKS [options]
explained() {
  folder=$1 ticks=$2
  shift 2
  timeout -k 2 600 "$release" run "$folder" --headless --no-watch --seed 1 --budget 0 --ticks "$ticks" --native now \
    --explain all --log none "$@" 2>&1 </dev/null | sed -n "s|^explain: |${folder#scripts/} explain: |p"
}

# Some systems run only when nobody plays, others only when somebody does: games are run twice.
twice() {
  explained "$1" "$2"
  title=$(sed -n 's/.*title = "\([^"]*\)".*/\1/p' "$1/game.lua" | head -n 1)
  luajit tests/scenarios/lib/keys.lua "$tmp/keys$3" "$2" 3 "$title"
  explained "$1" "$2" --replay "$tmp/keys$3"
}

some() { # of two halves
  n=0
  for folder in scripts/games/*/ scripts/examples/*/ scripts/templates/*/; do
    n=$((n + 1))
    [ $((n % 2)) = "$1" ] && [ -e "$folder/game.lua" ] || continue
    case $folder in
      *asteroids/) twice "${folder%/}" 1500 "$1" ;;
      scripts/games/*) twice "${folder%/}" 900 "$1" ;;
      *arcade*) twice "${folder%/}" 120 "$1" ;;
      *) explained "${folder%/}" 30 ;;
    esac
  done >"$tmp/half$1"
}

coverage() {
  some 0 &
  some 1
  wait $!
  cat "$tmp/half0" "$tmp/half1" | sort >"$tmp/explained"
  ! grep -o -m 1 'nothing is compiled.*\|LLVM is not installed.*' "$tmp/explained" || exit 77
  luajit tests/scenarios/lib/coverage.lua "$tmp/explained" "$MIN" >"$tmp/table" || fail "$(cat "$tmp/table")"
}
it "most systems over rows are native" coverage
