# The share of native systems among all systems over rows in games, examples and templates. The file
# native_coverage/table in the suite's folder lists the remaining systems with the reasons why they are not native; the
# file is printed if the share is too low.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

export XDG_CACHE_HOME="$tmp/cache"
MIN=84 # percent

# explained FOLDER TICKS [options]: prints the lines of --explain, each preceded by the game's name.
explained() {
  folder=$1 ticks=$2
  shift 2
  timeout -k 2 $((6 * SLOW)) "$release" run "$folder" --headless --no-watch --seed 1 --budget 0 --ticks "$ticks" --native now \
    --explain all --log none "$@" 2>&1 </dev/null | sed -n "/ not compiled: /d; s|^explain: |${folder#scripts/} explain: |p"
}

# Some systems run only without input and some only with input, so each game runs twice.
explain_twice() {
  explained "$1" "$2"
  title=$(sed -n 's/.*title = "\([^"]*\)".*/\1/p' "$1/game.lua" | head -n 1)
  luajit tests/scenarios/lib/random_input.lua "$tmp/keys$3" "$2" 3 "$title"
  explained "$1" "$2" --replay "$tmp/keys$3"
}

explain_half() { # explain_half HALF: explains every second game; HALF selects which
  n=0
  for folder in scripts/games/*/ scripts/examples/*/ scripts/templates/*/; do
    n=$((n + 1))
    [ $((n % 2)) = "$1" ] && [ -e "$folder/game.lua" ] || continue
    case $folder in
      *asteroids/) explain_twice "${folder%/}" 2600 "$1" ;;
      *lantern/ | *rectangle_eater/) explain_twice "${folder%/}" 1400 "$1" ;;
      scripts/games/*) explain_twice "${folder%/}" 400 "$1" ;;
      *arcade*) explain_twice "${folder%/}" 120 "$1" ;;
      *) explained "${folder%/}" 30 ;;
    esac
  done >"$tmp/half$1"
}

coverage() {
  explain_half 0 &
  explain_half 1
  wait $!
  cat "$tmp/half0" "$tmp/half1" | sort >"$tmp/explained"
  ! grep -o -m 1 'nothing is compiled.*\|LLVM is not installed.*' "$tmp/explained" || exit 77
  luajit tests/scenarios/lib/coverage.lua "$tmp/explained" "$MIN" >"$tmp/table" || fail "$(cat "$tmp/table")"
}
it "at least 84 % of the systems over rows in games, examples and templates run natively" coverage
