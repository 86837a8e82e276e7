# Settings are declared in settings.lua and stored in a file across runs. Replays and checks do not write the file.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf data
file=$XDG_DATA_HOME/shoal/saves/player/game.settings.json
mkdir -p "${file%/*}" # a filter may select a test that writes the file before a game does

# game: creates a game that increases the best score and lowers the music volume in tick 5.
game() {
  rm -rf game
  mkdir -p game/systems
  cat >game/game.lua <<'END'
return { title = "player", id = "player", history = 16, start = function()
  print("start", settings.best, settings.music, settings.language, settings.name)
end }
END
  cat >game/settings.lua <<'END'
local t = shoal.types
return { music = t.f32(1, { min = 0, max = 1 }), best = t.i32(0), language = t.enum { "en", "de" }, name = "nobody", colour = { 1, 1, 1 } }
END
  cat >game/systems/plays.lua <<'END'
return { update = function()
  if world.tick == 5 then
    settings.best, settings.music, settings.language = settings.best + 10, 0.1, "de"
    settings.colour = "#ff8000"
  end
end }
END
}
written() { # written TEXT: fails unless the file contains it
  grep -qF -- "$1" "$file" || fail "'$1' is not in $(cat "$file")"
}
plays() { # plays [options]
  run_for 60 "$release" run game --headless --no-watch --ticks 10 "$@"
}

# Accessibility settings change what a machine draws and plays, but not the world. The game reads them in phase render.
access_hash() { # access_hash SETTINGS
  rm -f "$file"
  [ -z "$1" ] || echo "{\"format\":1,\"settings\":{$1}}" >"$file"
  plays --hash every=10
  exits 0
  grep '^tick 10 hash' out
}
access() {
  game
  echo 'return { phase = "render", update = function() assert(settings.flashes <= 1) end }' >game/systems/draws.lua
  default=$(access_hash '')
  changed=$(access_hash '"reduced_motion":true,"flashes":0,"shake":0.5,"text_size":"large","colours":"tritanopia","mono":true,"press_to_hold":true')
  [ "$default" = "$changed" ] || fail "$default and $changed"
  for setting in '"flashes":0' '"text_size":"large"' '"colours":"tritanopia"' '"mono":true' '"press_to_hold":true' '"reduced_motion":true'; do
    written "$setting"
  done
}
it "accessibility settings are stored, and do not change the hash" access

access_in_simulation() {
  game
  echo 'return { update = function() print(settings.shake) end }' >game/systems/reads.lua
  plays
  says err "settings.shake differs between machines, so the simulation cannot read it"
}
it "the simulation cannot read accessibility settings" access_in_simulation

own_shake() {
  game
  rm -f "$file"
  echo 'return { shake = 7, best = 0, music = 1.0, language = "", name = "" }' >game/settings.lua
  echo 'return { update = function() print("shake", settings.shake) end }' >game/systems/reads.lua
  plays
  says out "shake	7"
}
it "a setting of the game replaces the accessibility setting of the same name" own_shake

stored() {
  game
  rm -f "$file"
  plays
  exits 0 out "start	0	1	en	nobody"
  plays
  exits 0 out "start	10	0.1" "	de	nobody"
  [ "$(cat "$file")" = '{"format":1,"settings":{"best":20,"colour":[1,0.5019608,0],"fullscreen":false,"language":"de","music":0.1,"name":"nobody","scale":"fit","vsync":true}}' ] ||
    fail "$(cat "$file")"
}
it "changed settings are restored in the next run" stored

false_stored() {
  game
  rm -f "$file"
  sed -i 's/name = "nobody"/name = "nobody", shake = true/' game/settings.lua
  sed -i 's/  if world.tick == 5 then/  if world.tick == 4 then settings.shake = not settings.shake end\n&/' \
    game/systems/plays.lua
  plays
  exits 0
  written '"shake":false'
  plays
  written '"shake":true'
}
it "a boolean setting that is false is stored and restored" false_stored

recorded_settings() {
  game
  rm -f "$file"
  plays
  plays --record a.replay --hash every=1
  exits 0
  grep '^tick' out >live
  echo '{"format":1,"settings":{"best":500}}' >"$file"
  run_for 60 "$release" run game --headless --no-watch --replay a.replay --hash every=1
  exits 0 out "start	10	0.1"
  grep '^tick' out | cmp -s - live || fail "hashes differ: $(cat out)"
  [ "$(cat "$file")" = '{"format":1,"settings":{"best":500}}' ] || fail "the replay wrote: $(cat "$file")"
}
it "a replay starts with the recorded settings and does not write the settings file" recorded_settings

unwritten_by_check() {
  game
  echo '{"format":1,"settings":{"best":500}}' >"$file"
  plays --check-rollback 3
  exits 0
  [ "$(cat "$file")" = '{"format":1,"settings":{"best":500}}' ] || fail "--check-rollback wrote: $(cat "$file")"
}
it "--check-rollback does not write the settings file" unwritten_by_check

# A load restores the settings in the world that the next tick starts with.
loads_in_replayed_ticks() {
  game
  sed -i 's/best = t.i32(0)/&, loads = t.i32(0)/' game/settings.lua
  cat >game/systems/plays.lua <<'END2'
return { update = function()
  if settings.loads > 0 then return end
  if world.tick == 20 then settings.best = 5 world.save("one") end
  if world.tick == 30 then settings.best = 7 end
  if world.tick == 40 then settings.loads = 1 world.load("one") end
  if world.tick > 40 then log.error("not loaded") end
end }
END2
  plays --ticks 60 --check-rollback 3
  exits 0 err "loaded one"
}
it "--check-rollback finds no difference after a save has been loaded" loads_in_replayed_ticks

unwritten_by_sql() {
  game
  mkdir -p "$(dirname "$file")"
  echo '{"format":1,"settings":{"best":500}}' >"$file"
  run_for 60 "$release" sql game/ "SELECT best FROM settings" --ticks 10
  exits 0 out 510
  [ "$(cat "$file")" = '{"format":1,"settings":{"best":500}}' ] || fail "./shoal sql wrote: $(cat "$file")"
}
it "./shoal sql does not write the settings file" unwritten_by_sql

ghosts() {
  game
  rm -f "$file"
  cat >game/systems/sees.lua <<'END'
return { start = function() world.spawn(nil, { name = "it", transform = {} }) end, update = function()
  if world.tick == 1 then world.ghosts("it", 30) end
  settings.name = "tick " .. world.tick
end }
END
  run_for 60 "$release" run game --headless --no-watch --ticks 4
  exits 0
  written '"name":"tick 3"'
  written '"best":0'
}
it "world.ghosts does not write the settings file" ghosts

silent_ghosts() {
  game
  cat >game/systems/talks.lua <<'END'
return { start = function() world.spawn(nil, { name = "it", transform = {} }) end, update = function()
  if world.tick == 1 then world.ghosts("it", 30) end
  print("tick " .. world.tick)
  log.info("log %d", world.tick)
end }
END
  SDL_VIDEODRIVER=offscreen run_for 60 "$release" run game --no-watch --ticks 10 --every-tick
  exits 0
  [ "$(grep -c "^tick" out)" = 10 ] || fail "printed $(grep -c "^tick" out) lines: $(cat out)"
  [ "$(grep -c "log " err)" = 10 ] || fail "logged: $(cat err)"
}
it "scripts print nothing while world.ghosts runs them ahead" silent_ghosts

rewound() {
  game
  allow_kept_locals game
  rm -f "$file"
  cat >game/systems/back.lua <<'END'
local been
return { update = function()
  if world.tick == 8 and not been then
    been = true
    world.restore(3)
  elseif been then
    print("then", world.tick, settings.best)
    settings.name = "rewound"
    if world.tick == 4 then world.quit() end
  end
end }
END
  plays --history 64
  exits 0 out "then	3	0"
  written '"best":0'
  written '"name":"rewound"'
}
it "a rewind restores earlier settings, in the world and in the settings file" rewound

loaded() {
  game
  rm -f "$file"
  plays --save "$tmp/a.sqlite"
  exits 0
  echo '{"format":1,"settings":{"best":500,"music":0.5}}' >"$file"
  rm game/systems/plays.lua
  plays --load "$tmp/a.sqlite" --exec 'return settings.best'
  exits 0
  written '"best":500'
  cat >game/systems/slots.lua <<'END'
return { update = function()
  if world.tick == 2 then
    world.save("slot")
  elseif world.tick == 4 then
    settings.best = 900
    world.load("slot")
    settings.music = 0.25
  end
end }
END
  sed -i 's/world.tick == 4/world.tick == 4 and settings.best < 900/' game/systems/slots.lua
  plays
  exits 0
  written '"best":900'
  written '"music":0.25'
}
it "loading a save leaves the settings unchanged" loaded

unknown_settings() {
  game
  echo '{"format":1,"settings":{"best":7,"old":{"a":[1,2]},"music":"loud"}}' >"$file"
  plays
  exits 0 err 'settings.music must be a number, got text "loud": using the default'
  says out "start	7	1	en	nobody"
  written '"old":{"a":[1,2]}'
}
it "the settings file keeps unknown settings, and an invalid value is reported" unknown_settings

invalid_file() { # invalid_file TEXT "MESSAGE"
  game
  mkdir -p "$(dirname "$file")"
  printf '%s' "$1" >"$file"
  plays
  exits 0 err "$2"
  says out "start	0	1	en	nobody"
  [ "$(cat "${file%.json}.kept.json")" = "$1" ] || fail "no backup was kept"
  written '"best":10'
}
it "a damaged settings file is reported and backed up, and defaults are used" \
  invalid_file '{"format":1,"settings":{"be' "game.settings.json is damaged (line 1, column"
it "a settings file with an unexpected structure is treated as damaged" invalid_file '[1,2]' "game.settings.json is damaged"
it "a settings file of a later version is reported and backed up" \
  invalid_file '{"format":2,"settings":{"best":7}}' "game.settings.json was written by a later version of Shoal"

no_backup() {
  mkdir -p "${file%/*}"
  game
  printf '[1,2]' >"$file"
  rm -f "${file%.json}.kept.json"
  mkdir "${file%.json}.kept.json"
  plays
  exits 1 err "game.settings.kept"
  [ "$(cat "$file")" = "[1,2]" ] || fail "the file was overwritten without a backup"
  rm -r "${file%.json}.kept.json"
}
it "a damaged settings file is not overwritten if it cannot be backed up" no_backup

reloaded() {
  game
  rm -f "$file"
  sed -i 's/return { title/return { native = true, title/' game/game.lua
  cat >game/systems/hand.lua <<END
local ffi = require "ffi"
ffi.cdef "int system(const char *);"
return { update = function()
  if world.tick == 7 then
    ffi.C.system [==[echo 'return { best = 3, speed = 2, music = 1 }' >$tmp/game/settings.lua]==]
    reload()
  elseif world.tick == 9 then
    print("now", settings.best, settings.speed)
  end
end }
END
  plays --trust
  says out "now	10	2"
  written '"speed":2'
}
it "a reload that changes the declared settings keeps the values of the remaining settings" reloaded

# ---- a game with an id and without settings.lua

with_id() { # with_id "LUA": creates a game with an id and input.lua, whose start function runs LUA
  rm -rf game
  mkdir -p game/systems
  cat >game/game.lua <<EOF
return { title = "player", id = "player", history = 16, start = function() $1 end }
EOF
  echo 'return { jump = { "key:space", "pad:a" }, go = { "key:g" } }' >game/input.lua
}

changed_keys() {
  with_id 'print("keys", table.concat(input.bindings("jump"), " "), settings.music)'
  rm -f "$file"
  plays
  exits 0
  [ ! -e "$file" ] || fail "settings were written without a change: $(cat "$file")"
  cat >game/systems/chooses.lua <<'END2'
return { update = function()
  if world.tick == 3 then input.bind("jump", "key:x") settings.music = 0.25 end
end }
END2
  plays
  exits 0 out "keys	key:space pad:a	1"
  written '"jump":["key:x","pad:a"]'
  written '"music":0.25'
  plays
  exits 0 out "keys	key:x pad:a	0.25"
}
it "changed key bindings and volumes are stored under the game's id, even without settings.lua" changed_keys

keys_in_replay() {
  with_id ''
  echo '{"format":1,"settings":{"music":0.5},"bindings":{"jump":["key:j"]}}' >"$file"
  cat >game/systems/chooses.lua <<'END2'
return { update = function()
  if world.tick == 3 then input.bind("jump", "key:x") settings.effects = 0.25 end
end }
END2
  plays --check-rollback 3
  exits 0
  written '"jump":["key:j"]'
  plays --record b.replay --hash every=1
  exits 0
  written '"jump":["key:x"]'
  grep '^tick' out >live
  echo '{"format":1,"settings":{},"bindings":{"jump":["key:k"]}}' >"$file"
  run_for 60 "$release" run game --headless --no-watch --replay b.replay --hash every=1
  exits 0
  grep '^tick' out | cmp -s - live || fail "hashes differ: $(cat out)"
  written '"jump":["key:k"]'
}
it "--check-rollback and a replay do not store changed key bindings" keys_in_replay

invalid_key() {
  with_id 'print("keys", table.concat(input.bindings("jump"), " "), settings.master)'
  echo '{"format":1,"settings":{"master":"loud"},"bindings":{"jump":["key:spcae"],"dance":["key:d"]}}' >"$file"
  plays --exec 'settings.effects = 0.5'
  exits 0 err 'the bindings of jump: key:spcae is not a key'
  says err 'settings.master must be a number, got text "loud": using the default'
  says out "keys	key:space pad:a	1"
  written '"dance":["key:d"]'
  echo '{"format":7,"settings":{}}' >"$file"
  plays
  says err "game.settings.json was written by a later version of Shoal"
  grep -q '"format":7' "${file%.json}.kept.json" || fail "no backup was kept"
}
it "an invalid key in the settings file is reported, and a file of a later version is backed up" invalid_key

own_component() {
  with_id 'print("own", world.single.settings.speed)'
  echo 'return { settings = shoal.types.single { speed = 3 } }' >game/components.lua
  plays
  exits 0 out "own	3"
}
it "a game's own component called settings is not replaced" own_component

invalid_values() {
  mkdir -p "$(dirname "$file")"
  with_id 'print("keys", table.concat(input.bindings("jump"), " "), settings.music)'
  echo '{"format":1,"settings":{"music":9},"bindings":{"jump":5}}' >"$file"
  plays
  exits 0 err "settings.music must be from 0 to 1, got 9: using the default"
  says err "the bindings of jump must be a list of keys, got 5: using the bindings of input.lua"
  says out "keys	key:space pad:a	1"
  echo '{"format":1,"settings":{},"bindings":["key:x"]}' >"$file"
  plays
  says err "the bindings must be a table with action names as keys, got a list"
  printf '{"format":1,"settings":{},"bindings":{"jump":["key:x"' >"$file"
  for i in 1 2 3 4 5 6 7 8; do printf ',"key:x","key:x","key:x","key:x","key:x"' >>"$file"; done
  echo ']}}' >>"$file"
  plays
  says err "the bindings of jump: too many keys: 41 (at most 32): using the bindings of input.lua"
  says out "keys	key:space pad:a	1"
}
it "an invalid volume or key list in the settings file is reported, and the default stays in use" invalid_values
