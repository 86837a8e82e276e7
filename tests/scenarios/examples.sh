# Every kernel of every game, example and benchmark agrees with the loop that it stands for.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

kernels() {
  run_for 100 "$release" run "$1" --headless --no-watch --seed 1 --strict --check-kernels --budget 0 --ticks "$2"
  exits 0
}

for folder in scripts/games/*/ scripts/examples/*/ tests/bench/*/; do
  folder=${folder%/}
  ticks=$((LONG ? 240 : 60))
  case $folder in */boids | tests/bench/*) ticks=$((LONG ? 30 : 2)) ;; esac
  if [ -e "$folder/game.lua" ] && grep -q 'kernel = function' "$folder"/systems/*.lua; then
    it "the kernels of $folder agree with their loops" kernels "$folder" "$ticks"
  fi
done
