# The same seed gives the same world: twice, in every configuration, drawn or not.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# hashes CONFIG SEED TICKS FILE [options]
hashes() {
  config=$1 seed=$2 ticks=$3 file=$4
  shift 4
  run_for 300 "build/$config/bin/shoal" run scripts/games/asteroids --ticks "$ticks" --seed "$seed" \
    --hash every=600 --no-watch "$@"
  exits 0
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/$file"
  [ "$(wc -l <"$tmp/$file")" = $((ticks / 600)) ] || fail "not $((ticks / 600)) hashes: $(cat "$tmp/out")"
}

same_as_release() { # same_as_release TICKS CONFIG [options]
  ticks=$1 config=$2
  shift 2
  hashes release 1 "$ticks" once --headless
  hashes "$config" 1 "$ticks" again "$@"
  cmp -s "$tmp/once" "$tmp/again" || fail "$(diff "$tmp/once" "$tmp/again" | head -n 4)"
  [ "$(sort -u -k 4 "$tmp/once" | wc -l)" -gt 1 ] || [ "$ticks" -le 600 ] || fail "nothing ever changes"
}
it "asteroids gives the same hashes twice" same_as_release 3600 release --headless
it "asteroids gives the same hashes in Debug and Release" same_as_release 3600 debug --headless
it "asteroids gives the same hashes with the sanitizers" same_as_release 1200 sanitize --headless

# Graphics drivers are unloaded before leaks are counted, so that theirs cannot be told from ours.
drawn() { (export ASAN_OPTIONS=detect_leaks=0 SDL_VIDEODRIVER=offscreen; same_as_release 600 sanitize); }
it "asteroids gives the same hashes when it is drawn, and drawing it is clean" drawn

other_seed() {
  hashes release 1 600 one --headless
  hashes release 2 600 two --headless
  ! cmp -s "$tmp/one" "$tmp/two" || fail "seeds 1 and 2 give the same world"
}
it "another seed gives another world" other_seed

examples() {
  run_for 60 build/sanitize/bin/shoal run "$1" --headless --ticks 120
  exits 0
}
for folder in scripts/examples/*/; do
  [ -e "$folder/game.lua" ] && it "$folder runs" examples "$folder"
done

menu() {
  run_for 60 build/sanitize/bin/shoal play --headless --ticks 60
  exits 0
}
it "the menu of games runs" menu
