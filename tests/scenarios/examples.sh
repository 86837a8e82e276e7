# Every kernel of every game, example and benchmark agrees with the loop that it stands for; and examples are played by
# name, as the pages say.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

kernels() {
  run_for 100 "$release" run "$1" --headless --no-watch --seed 1 --strict --check-kernels --budget 0 --native now --ticks "$2"
  exits 0
}

by_name() {
  for page in engine/docs/*.md README.md; do
    for name in $(sed -n 's/.*`\.\/shoal play \([a-z_]*\)`.*/\1/p' "$page"); do
      run_for 60 "$release" play "$name" --headless --no-watch --ticks 1
      exits 0
    done
  done
  run_for 60 "$release" play sprits --headless --no-watch --ticks 1
  says err "There is no game called “sprits”: did you mean sprites?"
}
it "a game or an example that a page names is played by its name" by_name

for folder in scripts/games/*/ scripts/examples/*/ tests/bench/*/; do
  folder=${folder%/}
  ticks=$((LONG ? 240 : 60))
  case $folder in */boids | */kernel | tests/bench/*) ticks=$((LONG ? 30 : 2)) ;; esac # of many thousand rows
  if [ -e "$folder/game.lua" ] && grep -q 'kernel = function' "$folder"/systems/*.lua; then
    it "the kernels of $folder agree with their loops" kernels "$folder" "$ticks"
  fi
done
