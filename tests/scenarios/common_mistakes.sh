# Errors for common mistakes: each names the file and line, the cause, and the fix or the nearest name. For each mistake
# listed in lib/common_mistakes.txt, one file of a valid game is replaced.
# needs: release
. "$(dirname "$0")/../lib.sh"
table=$root/tests/scenarios/lib/common_mistakes.txt
rm -rf "$tmp/games"
mkdir -p "$tmp/games"
cd "$tmp/games" || exit 1

create_game() { # create_game FOLDER
  mkdir -p "$1/systems" "$1/behaviours" "$1/scenes" "$1/assets" "$1/lib"
  echo 'return { title = "right", start = function() world.spawn("thing") end }' >"$1/game.lua"
  echo 'local t = shoal.types
return { motion = { vx = 0, vy = 0 }, health = { hp = 10, mood = t.enum { "calm", "angry" } }, gun = t.many { heat = 0 } }' \
    >"$1/components.lua"
  echo 'return { thing = { components = { transform = {}, motion = {}, health = {}, gun = { left = {} }, guard = {} },
  states = { initial = "alive", alive = {}, dying = {} } } }' >"$1/assemblages.lua"
  echo 'return { bang = { power = 1 }, hit = { entity = shoal.types.entity, power = 1 } }' >"$1/events.lua"
  echo 'return { fire = { "key:space", "pad:a" } }' >"$1/input.lua"
  echo 'return { query = { "motion" }, update = function(q, dt) end }' >"$1/systems/mover.lua"
  echo 'return { start = function() end }' >"$1/scenes/first.lua"
  echo 'return {}' >"$1/lib/move.lua"
  echo 'return { update = function(self) end, land = function(self) end }' >"$1/behaviours/guard.lua"
  mkdir "$1/behaviours/a"
  echo 'return { fields = { hits = 0 }, update = function(self) end }' >"$1/behaviours/a/wisp.lua"
  : >"$1/assets/hero.png"
}

# An entry is "## FILE: title", the file's contents, and lines "> TEXT" that must occur in the output, first the
# location. Creates for each entry N: N/title, N/file, N/text and N/words (the expected texts).
split() {
  awk '
    /^## / { n++; folder = sprintf("%03d", n); system("mkdir -p " folder); file = $2; sub(/:$/, "", file)
             print file >(folder "/file"); title = $0; sub(/^## [^ ]+ /, "", title); print title >(folder "/title"); next }
    n == 0 { next }
    /^> / { print substr($0, 3) >(folder "/words"); next }
    { print >(folder "/text") }
  ' "$table"
}

# Runs the games in the folders named on stdin, one per core in parallel.
play() {
  export release
  xargs -P "$(nproc)" -n 1 sh -c '
    file=$(cat "$1/file")
    cp -r right "$1/game"
    mkdir -p "$(dirname "$1/game/$file")"
    cp "$1/text" "$1/game/$file"
    status=0
    timeout -k 2 $((2 * SLOW)) "$release" run "$1/game" --headless --ticks 3 >"$1/out" 2>&1 </dev/null || status=$?
    echo "$status" >"$1/status"' sh
}

is_reported() { # is_reported FOLDER
  [ "$(cat "$1/status")" -le 1 ] || fail "exit status $(cat "$1/status"): $(cat "$1/out")"
  while read -r words; do
    grep -qF -- "$words" "$1/out" || fail "expected '$words', got: $(tail -n 4 "$1/out")"
  done <"$1/words"
  ! grep -E '([a-z_/]+\.lua):[0-9]+: \1:[0-9]+:' "$1/out" || fail "the location is printed twice"
}

create_game right
no_warnings() {
  run_for 20 "$release" run right --headless --strict --ticks 3
  exits 0
  ! grep -q "^warn" "$tmp/err" || fail "$(cat "$tmp/err")"
}
it "the unmodified test game runs without warnings" no_warnings

split
for folder in [0-9]*; do
  ! is_selected "a mistake in $(cat "$folder/file") is reported: $(cat "$folder/title")" || echo "$folder"
done | play
for folder in [0-9]*; do
  it "a mistake in $(cat "$folder/file") is reported: $(cat "$folder/title")" is_reported "$folder"
done

table_size() {
  [ "$(grep -c '^## ' "$table")" -ge 140 ] || fail "the table has $(grep -c '^## ' "$table") entries"
}
it "lib/common_mistakes.txt lists at least 140 mistakes" table_size
