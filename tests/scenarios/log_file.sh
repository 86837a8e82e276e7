# Log files (--log-file): the level and origin of each line, based on Tobias Stein, "Entity-Component-System", Logging.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf said full full.log*
mkdir -p said/systems said/behaviours full/systems
echo 'return { start = function() log.info("begun") world.spawn("ox") end }' >said/game.lua
echo 'return { ox = { components = { transform = {}, lows = {} } } }' >said/assemblages.lua
echo 'return { update = function(self, dt) if world.tick == 2 then log.warn("moo %d", 2) end end }' >said/behaviours/lows.lua
cat >said/systems/hunger.lua <<'END'
return { query = { "transform" }, each = function(e)
  if world.tick == 1 then log.debug("hungry %s", "ox") log.error("starved") end
end }
END

run_with_log() { # run_with_log LEVEL: runs the game with a new log file of this level
  rm -f said.log
  run_for 20 "$release" run said --headless --ticks 4 --log-file said.log --log "$1"
  exits 0
}
levels() {
  run_with_log debug
  says said.log "info  tick 0: begun"
  says said.log "debug tick 1, system hunger, entity(1:0 ox): hungry ox"
  says said.log "error tick 1, system hunger, entity(1:0 ox): starved"
  says said.log "warn  tick 2, behaviour lows, entity(1:0 ox): moo 2"
  says err "error: starved"
  ! grep -q "tick 1" "$tmp/err" || fail "stderr must not contain the origin of a line"
}
it "lines of a log file contain the level, tick, system or behaviour, and entity" levels

below_level() {
  run_with_log warn
  ! grep -qE '^(info|debug)' said.log || fail "$(cat said.log)"
  says said.log "warn  tick 2"
  run_with_log info
  ! grep -q '^debug' said.log || fail "$(cat said.log)"
}
it "a log file contains only lines of its level and above" below_level

appended() {
  run_with_log info
  run_for 20 "$release" run said --headless --ticks 1 --log-file said.log
  [ "$(grep -c begun said.log)" = 2 ] || fail "$(cat said.log)"
}
it "a later run appends to the log file" appended

rotated() {
  echo 'return { title = "full" }' >full/game.lua
  echo 'return { update = function() for i = 1, 3000 do log.info("%d %s", i, ("x"):rep(500)) end end }' >full/systems/a.lua
  run_for 60 "$release" run full --headless --ticks 3 --log-file full.log
  exits 0
  [ -s full.log.1 ] && [ -s full.log.2 ] && [ ! -e full.log.3 ] || fail "$(ls -l)"
  for file in full.log full.log.1 full.log.2; do
    [ "$(wc -c <"$file")" -lt 1100000 ] || fail "$file: $(wc -c <"$file")"
  done
  tail -n 1 full.log | grep -q ': 3000 x' || fail "$(tail -n 1 full.log | head -c 80)"
}
it "a log file is rotated at about 1 MB, and the two previous files are kept" rotated

not_writable() {
  run_for 20 "$release" run said --headless --ticks 1 --log-file no/such/folder.log
  [ "$status" != 0 ] || fail "expected an error, got exit status 0"
  says err "--log-file: cannot open no/such/folder.log: No such file or directory"
}
it "a log file that cannot be written is an error" not_writable

same_hashes() {
  run_for 20 "$release" run said --headless --ticks 4 --hash
  grep '^tick' "$tmp/out" >one
  [ -s one ] || fail "no hash"
  run_for 20 "$release" run said --headless --ticks 4 --hash --log-file said.log --log debug
  [ "$(grep '^tick' "$tmp/out")" = "$(cat one)" ] || fail "the hashes differ"
}
it "a log file with the level debug does not change the hash of the world" same_hashes

# The cockpit's link contains a token with which anyone can control the game.
token_is_hidden() {
  rm -f said.log
  run_for 20 "$release" run said --headless --ticks 4 --cockpit --log-file said.log
  exits 0
  token=$(sed -n 's|^cockpit: http://127.0.0.1:[0-9]*/\([0-9a-f]*\)/.*|\1|p' "$tmp/err")
  [ ${#token} = 32 ] || fail "no token in: $(cat "$tmp/err")"
  says said.log "cockpit: http://127.0.0.1:"
  ! grep -qF "$token" said.log || fail "$(grep -F "$token" said.log)"
}
it "a log file does not contain the token of the cockpit's link" token_is_hidden
