# Six patterns in which programs save a game's files while the game runs: written in place, truncated and written in
# parts, renamed over the old file, renamed to a backup, unlinked and created, and a swapped folder. No pattern may drop
# rows, stop a system or show an error, although a reload may read the files during a save. 200 saves each with --long.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1
export SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy
times=${LONG:+200}
times=${times:-4}
limit_s=$(((120 + times * 12) * SLOW / 10))

make_game() { # make_game FOLDER
  rm -rf "$1"
  mkdir -p "$1/components" "$1/systems"
  cat >"$1/game.lua" <<'END'
return { title = "Saved", id = "save_patterns", multiplayer = { players = { 1, 4 } }, start = function()
  for i = 1, 10 do world.spawn(nil, { gold = { amount = i * 100 } }) end
  world.spawn(nil, { silver = { amount = 7 } })
end }
END
  echo 'return { gold = { amount = 0 } }' >"$1/components/gold.lua"
  echo 'return { silver = { amount = 0 } }' >"$1/components.lua"
  cat >"$1/systems/count.lua" <<'END'
return { update = function()
  for e in world.each "silver" do e.silver.amount = e.silver.amount + world.random() end
end, stop = function() print "a system was stopped" end }
END
  cat >"$1/systems/report.lua" <<'END'
return { update = function()
  if world.tick % 30 ~= 0 then return end
  local count, sum = 0, 0
  for e in world.each "gold" do count, sum = count + 1, sum + e.gold.amount end
  print(count .. " rows, sum " .. sum)
end }
END
}

logs=$log
ignored=0
# shellcheck disable=SC2086
list_faults() { grep -hE 'refused|stopped|dropped|no file declares|error|desync' $logs; }
check_logs() { # check_logs PATTERN: fails if the $logs show more than $ignored effects of unfinished files
  [ "$(list_faults | wc -l)" -le "$ignored" ] || fail "$1: $(list_faults)"
}
# save_with PATTERN: saves files with a pattern. If the machine suspends the program that saves them in the middle of a
# save, the game cannot know that the save continues: the effects are ignored, and the pattern is repeated.
save_with() {
  for _ in 1 2 3 4 5; do
    code=0
    luajit "$root/tests/scenarios/lib/save_patterns.lua" "$saved" "$1" "$times" "$seed" || code=$?
    [ $code = 3 ] || break
    ignored=$(list_faults | wc -l)
  done
  [ $code != 3 ] || skip "$1: the machine has suspended the program in each of five repetitions"
  [ $code = 0 ] || fail "$1 failed"
}
save_files() { # save_files FOLDER SEED [COMMAND…]: saves with all patterns; runs COMMAND after each pattern
  saved=$1 seed=$2
  shift 2
  for pattern in in_place in_parts rename_over backup unlink folder; do
    save_with $pattern
    check_logs $pattern
    "$@" || fail "$* failed after $pattern"
  done
}
# The message lists several files if the reload of the last save has not begun yet.
has_reloaded_last() { log_since_mark | grep -q 'reloaded.*components/last\.lua'; }
end_saves() { # end_saves FOLDER: all rows must exist after a last reload
  mark_log
  echo 'return { last = {} }' >"$1/components/last.lua"
  wait_for 20 has_reloaded_last || fail "last.lua is not reloaded: $(log_since_mark | grep -v 'rows\|hash' | tail -n 8)"
  mark_log
  expect_log "10 rows, sum 5500"
  reloads=$(grep -c 'reloaded' "$log")
  # On a busy machine, one reload applies several saves.
  [ "$reloads" -ge "$times" ] || fail "only $reloads reloads"
}

in_window() {
  make_game game
  trap stop_program EXIT
  launch "$release" run game --watch --no-cockpit --width 160 --height 90 --record recording \
    --hash every=60
  expect_log "10 rows, sum 5500"
  save_files game 1
  end_saves game
  stop_program
  grep '^tick [0-9]* hash' "$log" >hashes
}
it "no pattern of saving files drops rows, stops a system or shows an error in a game with a window" in_window

in_replay() {
  requires in_window
  run_for 600 "$release" run game --headless --no-watch --replay recording --hash every=60
  exits 0
  grep '^tick [0-9]* hash' out >replayed
  [ -s hashes ] && cmp hashes replayed || fail "$(diff hashes replayed | head -n 4)"
  logs=err
  check_logs replay
}
it "a replay of a run whose files were saved with all patterns gives the same hashes" in_replay

rewind() { "$root/shoal" ask "$port" 'world.restore(math.max(world.tick - 100, 1))' >/dev/null; }
after_rewinding() {
  make_game game
  trap stop_program EXIT
  launch_cockpit "$release" run game --watch --every-tick --width 160 --height 90
  expect_log "10 rows, sum 5500"
  save_files game 2 rewind
  end_saves game
  stop_program
}
it "no pattern of saving files drops rows, stops a system or shows an error after a rewind" after_rewinding

in_match() {
  make_game host_game
  make_game game
  forget host peer late
  timeout -k 2 "$limit_s" "$release" run host_game --host --port 0 --players 2 --headless --no-watch --share-code \
    --hash every=10 >host.out 2>host.err &
  host_process=$!
  wait_for 20 has_line host.out '^listening: ' || fail "$(cat host.err)"
  address=127.0.0.1:$(sed -n 's/^listening: .*://p' host.out)
  timeout -k 2 "$limit_s" "$release" run game --join "$address" --net-sim 40ms,10ms,5% --headless --watch --share-code \
    --hash every=10 >peer.out 2>peer.err &
  peer_process=$!
  trap 'kill $host_process $peer_process $late_process 2>/dev/null' EXIT
  wait_for 20 has_line host.err 'player 2 has joined' || fail "$(cat host.err peer.err)"
  logs="host.out host.err peer.out peer.err late.out late.err"
  save_files game 3
  rm -rf late_game
  cp -r host_game late_game
  timeout -k 2 "$limit_s" "$release" run late_game --join "$address" --headless --share-code --hash every=10 \
    >late.out 2>late.err &
  late_process=$!
  wait_for 20 has_line host.err 'player 3 has joined' || fail "$(cat host.err late.err)"
  wait_for 20 has_line late.out '^10 rows, sum 5500' || fail "$(cat late.out late.err)"
  tick=$(($(sed -n 's/^tick \([0-9]*\) hash.*/\1/p' late.out | tail -n 1) + 20))
  for machine in host peer late; do
    wait_for 20 has_line $machine.out "^tick $tick " || fail "$machine: no tick $tick: $(tail -n 3 $machine.err)"
    grep "^tick $tick " $machine.out
  done | sort -u >hashes
  [ "$(wc -l <hashes)" = 1 ] || fail "the machines differ: $(cat hashes)"
  check_logs "late joiner"
  [ "$(grep -c 'reloaded' host.err)" -ge "$times" ] || fail "too few reloads: $(cat host.err)"
}
it "no pattern of saving files drops rows, stops a system or shows an error in a match that a machine joins later" in_match
