# Every example runs without an error and gives the same world in Debug and Release; every kernel of every game, example and benchmark
# agrees with the loop that it stands for.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# hashes CONFIG FOLDER TICKS FILE
hashes() {
  run_for 100 "build/$1/bin/shoal" run "$2" --headless --no-watch --seed 1 --strict --ticks "$3" --hash every=30
  exits 0
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/$4"
  [ "$(wc -l <"$tmp/$4")" = $(($3 / 30)) ] || fail "not $(($3 / 30)) hashes: $(cat "$tmp/out")"
}

same() {
  hashes release "$1" "$2" release
  hashes debug "$1" "$2" debug
  cmp -s "$tmp/release" "$tmp/debug" || fail "$(diff "$tmp/release" "$tmp/debug" | head -n 4)"
  [ "$(sort -u -k 4 "$tmp/release" | wc -l)" -gt 1 ] || fail "nothing ever changes"
}

kernels() {
  run_for 100 "$release" run "$1" --headless --no-watch --seed 1 --strict --check-kernels --ticks "$2"
  exits 0
}

for folder in scripts/examples/*/; do
  folder=${folder%/}
  [ -e "$folder/game.lua" ] && it "$folder gives the same world in Debug and Release" same "$folder" 120
done
for folder in scripts/games/*/ scripts/examples/*/ tests/bench/*/; do
  folder=${folder%/}
  ticks=240
  case $folder in */boids | tests/bench/*) ticks=30 ;; esac
  if [ -e "$folder/game.lua" ] && grep -q 'kernel = function' "$folder"/systems/*.lua; then
    it "the kernels of $folder agree with their loops" kernels "$folder" "$ticks"
  fi
done
