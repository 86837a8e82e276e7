# Settings: what settings.lua declares, kept in a file from run to run; written by the run that lives alone.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf data
file=$XDG_DATA_HOME/shoal/saves/player/game.settings.json

# game: at tick 5 the best score grows and the music is turned down
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
written() { # written WORDS: they are in the file
  grep -qF -- "$1" "$file" || fail "'$1' is not in $(cat "$file")"
}
plays() { # plays [options]
  run_for 60 "$release" run game --headless --no-watch --ticks 10 "$@"
}

kept() {
  game
  rm -f "$file"
  plays
  exits 0
  says out "start	0	1	en	nobody"
  plays
  exits 0
  says out "start	10	0.1"
  says out "	de	nobody"
  [ "$(cat "$file")" = '{"format":1,"settings":{"best":20,"colour":[1,0.5019608,0],"fullscreen":false,"language":"de","music":0.1,"name":"nobody","scale":"fit","vsync":true}}' ] ||
    fail "$(cat "$file")"
}
it "what is set is there in the next run" kept

refused() {
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
it "false is kept as well" refused

replayed() {
  game
  rm -f "$file"
  plays
  plays --record a.replay --hash every=1
  exits 0
  grep '^tick' out >live
  echo '{"format":1,"settings":{"best":500}}' >"$file"
  run_for 60 "$release" run game --headless --no-watch --replay a.replay --hash every=1
  exits 0
  says out "start	10	0.1"
  grep '^tick' out | cmp -s - live || fail "another world: $(cat out)"
  [ "$(cat "$file")" = '{"format":1,"settings":{"best":500}}' ] || fail "the replay has written: $(cat "$file")"
}
it "a replay begins with the settings of the run that was recorded, and writes none" replayed

checked() {
  game
  echo '{"format":1,"settings":{"best":500}}' >"$file"
  plays --check-rollback 3
  exits 0
  [ "$(cat "$file")" = '{"format":1,"settings":{"best":500}}' ] || fail "the check has written: $(cat "$file")"
}
it "a check writes no settings" checked

asked() {
  game
  mkdir -p "$(dirname "$file")"
  echo '{"format":1,"settings":{"best":500}}' >"$file"
  run_for 60 "$release" sql game/ "SELECT best FROM settings" --ticks 10
  exits 0
  says out 510
  [ "$(cat "$file")" = '{"format":1,"settings":{"best":500}}' ] || fail "the question has written: $(cat "$file")"
}
it "a question about a game writes no settings of its player" asked

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
it "what is simulated ahead writes no settings" ghosts

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
  exits 0
  says out "then	3	0"
  written '"best":0'
  written '"name":"rewound"'
}
it "settings go back with the world, and the file follows" rewound

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
it "a save that is loaded leaves the settings as they are" loaded

unknown() {
  game
  echo '{"format":1,"settings":{"best":7,"old":{"a":[1,2]},"music":"loud"}}' >"$file"
  plays
  exits 0
  says err 'settings.music must be a number, got "loud": the default stays'
  says out "start	7	1	en	nobody"
  written '"old":{"a":[1,2]}'
}
it "names that the game does not know are kept, and what does not fit is said" unknown

useless() { # useless TEXT "WORDS"
  game
  mkdir -p "$(dirname "$file")"
  printf '%s' "$1" >"$file"
  plays
  exits 0
  says err "$2"
  says out "start	0	1	en	nobody"
  [ "$(cat "${file%.json}.kept.json")" = "$1" ] || fail "it is not kept"
  written '"best":10'
}
it "a file that is damaged is said and kept beside, and the defaults are used" \
  useless '{"format":1,"settings":{"be' "game.settings.json is damaged (line 1, column"
it "a file that holds something else is damaged, too" useless '[1,2]' "game.settings.json is damaged"
it "a file of a later version is said and kept beside" \
  useless '{"format":2,"settings":{"best":7}}' "game.settings.json was written by a later version of Shoal"

uncopied() {
  mkdir -p "${file%/*}"
  game
  printf '[1,2]' >"$file"
  rm -f "${file%.json}.kept.json"
  mkdir "${file%.json}.kept.json"
  plays
  exits 1
  says err "game.settings.kept"
  [ "$(cat "$file")" = "[1,2]" ] || fail "it was written over, and there is no copy of it"
  rm -r "${file%.json}.kept.json"
}
it "a file of which no copy can be kept stays as it is" uncopied

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
it "a reload that changes what there is keeps the values" reloaded

# --- a game with an id and no settings.lua

with_id() { # with_id "LUA of game.lua's start": it has input.lua and an id
  rm -rf game
  mkdir -p game/systems
  cat >game/game.lua <<EOF
return { title = "player", id = "player", history = 16, start = function() $1 end }
EOF
  echo 'return { jump = { "key:space", "pad:a" }, go = { "key:g" } }' >game/input.lua
}

chosen() {
  with_id 'print("keys", table.concat(input.bindings("jump"), " "), settings.music)'
  rm -f "$file"
  plays
  exits 0
  [ ! -e "$file" ] || fail "nothing was chosen, and there is $(cat "$file")"
  cat >game/systems/chooses.lua <<'END2'
return { update = function()
  if world.tick == 3 then input.bind("jump", "key:x") settings.music = 0.25 end
end }
END2
  plays
  exits 0
  says out "keys	key:space pad:a	1"
  written '"jump":["key:x","pad:a"]'
  written '"music":0.25'
  plays
  exits 0
  says out "keys	key:x pad:a	0.25"
}
it "keys and volumes that a player changes are kept by the game's id, without settings.lua" chosen

chosen_elsewhere() {
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
  grep '^tick' out | cmp -s - live || fail "another world: $(cat out)"
  written '"jump":["key:k"]'
}
it "a check and a replay leave the chosen keys in the file as they are" chosen_elsewhere

chosen_wrongly() {
  with_id 'print("keys", table.concat(input.bindings("jump"), " "), settings.master)'
  echo '{"format":1,"settings":{"master":"loud"},"bindings":{"jump":["key:spcae"],"dance":["key:d"]}}' >"$file"
  plays --exec 'settings.effects = 0.5'
  exits 0
  says err 'the keys of jump: key:spcae is no key'
  says err 'settings.master must be a number, got "loud": the default stays'
  says out "keys	key:space pad:a	1"
  written '"dance":["key:d"]'
  echo '{"format":7,"settings":{}}' >"$file"
  plays
  says err "game.settings.json was written by a later version of Shoal"
  grep -q '"format":7' "${file%.json}.kept.json" || fail "it is not kept"
}
it "a key in the file that means nothing is said, and a file of a later version is kept beside" chosen_wrongly

own_stays() {
  with_id 'print("own", world.single.settings.speed)'
  echo 'return { settings = shoal.types.single { speed = 3 } }' >game/components.lua
  plays
  exits 0
  says out "own	3"
}
it "a game with an id and a component of its own called settings keeps that" own_stays

chosen_oddly() {
  with_id 'print("keys", table.concat(input.bindings("jump"), " "), settings.music)'
  echo '{"format":1,"settings":{"music":9},"bindings":{"jump":5}}' >"$file"
  plays
  exits 0
  says err "settings.music is 9, and goes from 0 to 1: the default stays"
  says err "the keys of jump: 5 is no list of keys: those of input.lua stay"
  says out "keys	key:space pad:a	1"
  echo '{"format":1,"settings":{},"bindings":["key:x"]}' >"$file"
  plays
  says err "is a list, and not names with keys: all of them stay"
  printf '{"format":1,"settings":{},"bindings":{"jump":["key:x"' >"$file"
  for i in 1 2 3 4 5 6 7 8; do printf ',"key:x","key:x","key:x","key:x","key:x"' >>"$file"; done
  echo ']}}' >>"$file"
  plays
  says err "the keys of jump: 41 keys are too many, 32 are the most: those of input.lua stay"
  says out "keys	key:space pad:a	1"
}
it "a volume out of its range and keys that are no list are said, and the defaults stay" chosen_oddly
