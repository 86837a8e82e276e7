# Add-ons: folders of components, systems, assets and other parts that several games can use (engine/docs/addons.md).
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$tmp/mygame
score=$game/addons/score
foes=$tmp/my/foes

# Creates a game with the add-on `score` in the game's folder, and the add-on `foes` in a folder next to the game. The
# game uses the name `enemies` for `foes`.
make_game() {
  rm -rf "$game" "$tmp/my"
  mkdir -p "$game/systems" "$score/systems" "$score/assets" "$score/behaviours" "$score/scenes" "$score/strings" \
    "$foes/assets"
  cat >"$game/game.lua" <<'END'
return { title = "Game", addons = { "score", { "../my/foes", as = "enemies" } }, layers = { "hero" },
  start = function()
    world.spawn("score.board", { transform = { x = 5 } })
    world.spawn("mine")
    world.open("score.shop")
    log.info("double %d, %s", require("score").double(4), tr "score.title")
  end }
END
  echo 'return { points = { n = 100 }, hero = {} }' >"$game/components.lua"
  echo 'return { mine = { is = "score.board", components = { points = {}, hero = {}, ["score.points"] = { n = 7 } } } }' \
    >"$game/assemblages.lua"
  cat >"$game/systems/add.lua" <<'END'
return { query = { "score.points", "points" }, update = function(q)
  for i = 1, q.count do q.points.n[i] = q.points.n[i] + q["score.points"].n[i] end
  for e in world.each("hero") do log.info("game %d %d", e.points.n, e["score.points"].n) end
end, on = { ["score.gained"] = function(ev) log.info("game: gained %d", ev.n[1]) end } }
END
  cat >"$score/addon.lua" <<'END'
return { name = "score", version = "1.0.0", licence = "MIT", requires = { foes = ">=1.0" } }
END
  echo 'return { double = function(n) world.spawn("board") return n * 2 end }' >"$score/init.lua"
  echo 'return { points = { n = 1 }, total = shoal.types.single { n = 0 } }' >"$score/components.lua"
  echo 'return { gained = { n = 1 } }' >"$score/events.lua"
  echo 'return { up = { "key:up" } }' >"$score/input.lua"
  echo 'return { title = "Score title" }' >"$score/strings/en.lua"
  echo '[1, 2, 3]' >"$score/assets/numbers.json"
  echo 'return { entities = { { assemblage = "board", components = { points = { n = 9 } } } } }' >"$score/scenes/shop.lua"
  cat >"$score/assemblages.lua" <<'END'
return { board = { components = { transform = {}, points = { n = 3 }, glow = {} } } }
END
  cat >"$score/behaviours/glow.lua" <<'END'
return { fields = { t = 0 }, update = function(self, dt) self.t = self.t + dt end,
  shout = function(self) return self.entity.points.n end }
END
  cat >"$score/systems/add.lua" <<'END'
local numbers = assets.json "numbers.json"
return { query = { "points" }, on = { gained = function(ev) log.info("add-on: gained %d", ev.count) end },
  update = function(q)
    for i = 1, q.count do q.points.n[i] = q.points.n[i] + 1 end
    world.single.total.n = world.single.total.n + #numbers
    if world.tick ~= 2 then return end
    local sum, shouts = 0, 0
    for e in world.each("points") do sum, shouts = sum + e.points.n, shouts + e.glow:shout() end
    log.info("boards %d, foes %d, sum %d, shouts %d", world.count("board"), world.count("foes.foe"), sum, shouts)
    log.info("text %s, key %s", tr "title", tostring(input.down("up")))
    world.emit("gained", { n = 4 })
    world.spawn("foes.foe")
  end }
END
  echo 'return { compile = "required", query = { "points", "transform" }, update = function(q, dt)
    for i = 1, q.count do q.transform.x[i] = q.transform.x[i] + q.points.n[i] * dt end end }' >"$score/systems/move.lua"
  echo 'return { name = "foes", version = "1.2.0" }' >"$foes/addon.lua"
  echo 'return { foe = { components = { transform = {}, bite = {} } } }' >"$foes/assemblages.lua"
  echo 'return { bite = { n = 0 } }' >"$foes/components.lua"
}

plain_names() {
  make_game
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 6 --save "$tmp/addons.sqlite"
  exits 0 err "double 8, Score title" "boards 3, foes 0, sum 34, shouts 34"
  says err "text Score title, key false" "add-on: gained 1" "game: gained 4" "game 115 8"
  run_for 20 "$release" sql "$tmp/addons.sqlite" "SELECT (SELECT count(*) FROM \"score.points\") ||
    ', ' || (SELECT n FROM \"score.total\") || ', ' || (SELECT count(*) FROM \"enemies.bite\") AS counts"
  exits 0 out "4, 18.0, 1"
}
it "an add-on's code refers to its declarations by plain names, and the game's code by prefixed names" plain_names

any_order() {
  make_game
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 20 --hash
  exits 0
  grep hash "$tmp/out" >"$tmp/first"
  sed -i 's|{ "score", \({.*enemies" }\) }|{ \1, "score" }|' "$game/game.lua"
  grep -q 'addons = { { "../my/foes", as = "enemies" }, "score" }' "$game/game.lua" || fail "$(cat "$game/game.lua")"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 20 --hash
  exits 0
  [ "$(grep hash "$tmp/out")" = "$(cat "$tmp/first")" ] || fail "$(cat "$tmp/first" "$tmp/out")"
}
it "the order of add-ons in game.lua does not change the hash" any_order

replays() {
  make_game
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 30 --record "$tmp/addons.replay"
  exits 0
  run_for 20 "$release" run "$game" --headless --no-watch --replay "$tmp/addons.replay"
  exits 0
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 10 --save "$tmp/ten.sqlite"
  exits 0
  run_for 20 "$release" run "$game" --headless --no-watch --load "$tmp/ten.sqlite" --ticks 30 --hash
  exits 0
  grep hash "$tmp/out" >"$tmp/loaded"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 30 --hash
  exits 0
  [ "$(grep hash "$tmp/out")" = "$(cat "$tmp/loaded")" ] || fail "$(cat "$tmp/loaded")"
}
it "a game with add-ons gives the same hashes in a replay and after a save is loaded" replays

replaced_by_the_game() {
  make_game
  mkdir -p "$game/strings" "$game/assets/score"
  echo 'return { score = { title = "Points" } }' >"$game/strings/en.lua"
  echo 'return { ["score.up"] = "key:o" }' >"$game/input.lua"
  echo '[1]' >"$game/assets/score/numbers.json"
  echo 'return { update = function()
    if world.tick == 3 then log.info("%s %d", input.bindings("score.up")[1], world.single["score.total"].n) end
  end }' >"$game/systems/report.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 5
  exits 0 err "text Points, key false"
  says err "key:o 3" # the game's asset has one number, the add-on's asset has three
}
it "a game can replace strings, actions and assets of an add-on" replaced_by_the_game

fails_in_addon() {
  make_game
  echo 'return { fail = function() error("no", 0) end, double = function(n) return n * 2 end }' >"$score/init.lua"
  echo 'return { update = function()
    local _, problem = pcall(require("score").fail)
    log.info("%s, %d", problem, world.count("points"))
  end }' >"$game/systems/catch.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 5
  exits 0
  says err "no, 1" # the number of entities with the game's points, not with the add-on's points
}
it "after an error in an add-on's function, names in the game's code refer to the game's declarations" fails_in_addon

# refused "MESSAGE": expects that the game does not start and prints the message.
refused() {
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 1
  exits 1 err "$1"
}
addons() { sed -i "s|addons = {.*}, layers|addons = { $1 }, layers|" "$game/game.lua"; }

errors() {
  make_game
  addons '"score"'
  refused 'addons/score/addon.lua:1: score requires foes >=1.0, which the game does not use: add it to addons in game.lua'
  make_game
  sed -i 's/1.2.0/0.9.0/' "$foes/addon.lua"
  refused "score requires foes >=1.0, but the game has version 0.9.0"
  sed -i 's/version = "0.9.0"/version = "1.0", requires = { score = ">=1.0" }/' "$foes/addon.lua"
  refused "cyclic requirements: foes → score → foes"
  make_game
  addons '"scroe"'
  refused "game.lua:1: unknown add-on scroe: did you mean score?"
  addons '"../nowhere/foes"'
  refused "cannot find the add-on foes: folder ../nowhere/foes not found"
  addons "\"$foes\""
  refused "the path of an add-on must be relative to the game's folder"
  make_game
  rm "$foes/addon.lua"
  refused "the folder ../my/foes of an add-on has no addon.lua"
  make_game
  addons '"score", { "../my/foes", as = "score" }'
  refused "two add-ons are named score"
  make_game
  echo 'return { score = { n = 1 } }' >"$game/components.lua"
  refused "components.lua:1: the component score has the name of an add-on"
  make_game
  echo 'return { points = { n = 1 }, destroy = {} }' >"$score/components.lua"
  refused "addons/score/components.lua:1: a component cannot be named destroy"
  make_game
  echo 'return { ["score.points"] = {} }' >"$game/components.lua"
  refused "the component score.points is already declared by addons/score/components.lua"
  make_game
  echo 'return { name = "score", version = "1" }' >"$score/addon.lua"
  refused 'version must consist of two or three numbers, such as "1.2.0", got text "1"'
}
it "a missing, outdated, cyclic or conflicting add-on is an error when the game starts" errors

more_errors() {
  make_game
  addons '"score", { "../my/foes", as = "enemies" }, { "../my/foes", as = "others" }'
  refused "addons/others/addon.lua:1: the add-on foes is used twice, as enemies and as others: remove one of the entries"
  addons '"score", 5'
  refused 'game.lua:1: addons must be a list of names and paths, got 5: use { "pause_menu", "../my/enemies" }'
  addons '"score", { "../my/foes", name = "enemies" }'
  refused 'an entry of addons can have only the field `as`'
  addons "$(i=0 && while [ $i -lt 33 ]; do printf '"a%d", ' $i && i=$((i + 1)); done)"
  refused "game.lua:1: too many add-ons: 33 (at most 32)"
  make_game
  echo 'return { name = "score", version = "1.0.0", requires = { foes = "new" } }' >"$score/addon.lua"
  refused 'addons/score/addon.lua:1: requires must map add-on names to versions, such as requires = { menu = ">=1.0" }'
  echo 'return { name = "score", version = "1.0.0", layer = {} }' >"$score/addon.lua"
  refused 'addons/score/addon.lua:1: addon.lua has no field layer (did you mean layers?); available: doc, layers'
  echo 'return { name = "score", version = "1.0.0", plugins = { "../x" } }' >"$score/addon.lua"
  refused 'addons/score/addon.lua:1: plugins must be a list of plugin names, got ../x'
  make_game
  printf 'return {\n  score = { components = {} },\n}\n' >"$game/components.lua"
  refused "components.lua:2: the component score has the name of an add-on: rename it"
}
it "an invalid list of add-ons or an invalid field of addon.lua is an error when the game starts" more_errors

same_names() {
  make_game
  echo 'return { points = { n = 0 }, bite = { n = 5 } }' >"$foes/components.lua"
  echo 'return { foe = { components = { transform = {}, bite = {}, points = { n = 9 } } } }' >"$foes/assemblages.lua"
  echo 'return { update = function()
    if world.tick < 4 then return end
    log.info("%d %d %d", world.count "points", world.count "score.points", world.count "enemies.points")
  end }' >"$game/systems/count.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 5
  exits 0 err "1 4 1"
}
it "two add-ons and the game can declare components of the same name" same_names

links() {
  make_game
  echo 'return {}' >"$game/secret.lua"
  ln -s ../../../secret.lua "$score/systems/leak.lua"
  refused "addons/score/systems/leak.lua"
  says err "link"
}
it "a link from an add-on to a file of the game outside the add-on is an error" links

single_links() {
  for file in events input settings music shaders theme components; do
    make_game
    rm -f "$game/$file.lua"
    echo 'return {}' >"$tmp/outside.lua"
    ln -s ../outside.lua "$game/$file.lua"
    refused "$file.lua"
    says err "link"
  done
  make_game
  rm -f "$score/events.lua"
  ln -s ../../../outside.lua "$score/events.lua"
  refused "addons/score/events.lua"
}
it "a Lua file of a game or add-on that is a link to a file outside the game's folder is an error" single_links

many_names() {
  many=$tmp/many
  rm -rf "$many"
  mkdir -p "$many/systems" "$many/addons/many"
  echo 'return { addons = { "many" } }' >"$many/game.lua"
  cat >"$many/systems/call.lua" <<'END'
local step = require("many").step
return { update = function()
  local sum = 0
  for i = 1, 10000 do sum = sum + step(i) end
  world.single["many.c1"].n = sum
end }
END
  echo 'return { name = "many", version = "1.0" }' >"$many/addons/many/addon.lua"
  echo 'return { step = function(i) return world.single.c2.n + i end }' >"$many/addons/many/init.lua"
  cat >"$many/addons/many/components.lua" <<'END'
local out = { c1 = shoal.types.single { n = 0 }, c2 = shoal.types.single { n = 1 } }
for i = 3, 200 do out["c" .. i] = { n = 0 } end
return out
END
  run_for 60 "$release" run "$many" --headless --no-watch --ticks 60 --stats
  exits 0
  # The calls took 850 ms per tick when each call switched all names to the names of the add-on.
  us=$(sed -n 's/.*system update call .* 50% \([0-9]*\).*/\1/p' "$tmp/out" "$tmp/err" | head -1)
  [ "${us:-99999999}" -lt $((500 * SLOW)) ] || fail "$us us per tick"
}
it "10,000 calls per tick of a function of an add-on with 200 components take less than 50 ms" many_names

edited_addon() {
  make_game
  launch "$release" run "$game" --headless --watch
  expect_log "double 8"
  mark_log
  echo 'return { gained = { n = 1 }, lost = { n = 2 } }' >"$score/events.lua"
  expect_log "reloaded addons/score/events.lua"
  mark_log
  echo 'return { bite = { n = 0, m = 3 } }' >"$foes/components.lua"
  expect_log "reloaded addons/enemies/components.lua"
  stop_program
}
it "a file of an add-on that is saved while the game runs is reloaded" edited_addon

packed() {
  make_game
  "$release" pack "$game" "$tmp/copy.data" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  mkdir -p "$tmp/packed"
  mv "$tmp/copy.data" "$tmp/packed/mygame.data"
  cp "$release" "$tmp/packed/mygame"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 20 --hash
  grep hash "$tmp/out" >"$tmp/first"
  rm -rf "$tmp/my"
  run_for 20 "$tmp/packed/mygame" --headless --ticks 20 --hash
  exits 0
  [ "$(grep hash "$tmp/out")" = "$(cat "$tmp/first")" ] || fail "$(cat "$tmp/first" "$tmp/out")"
}
it "a package with add-ons runs without their folders and gives the same hash" packed

renamed() {
  make_game
  cat >"$foes/components.lua" <<'END'
return { bite = { n = 0, depth = 0 }, spin = { speed = 0, n = 0 }, claw = { n = 0, mood = { fear = 0 } } }
END
  cat >"$game/systems/change.lua" <<'END'
return { query = { "enemies.bite" }, enter = function(e)
  e:set("enemies.bite", { n = 3, depth = 4 })
  e:set("enemies.spin", { speed = 5, n = 6 })
  e:set("enemies.claw", { n = 8, mood = { fear = 9 } })
end }
END
  echo 'return { foe = { components = { transform = {}, bite = {}, spin = {}, claw = {} } } }' >"$foes/assemblages.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 6 --save "$tmp/old.sqlite"
  exits 0
  rm "$game/systems/change.lua"
  cat >"$foes/components.lua" <<'END'
return {
  teeth = { n = 0, depth = 0, renamed_from = "bite" },
  whirl = { n = 0, pace = 0, renamed_from = { "spin", pace = "spin.speed" } },
  claw = { m = 0, mood = { fright = 0, renamed_from = { fright = "fear" } }, renamed_from = { m = "claw.n" } },
}
END
  echo 'return { foe = { components = { transform = {}, teeth = {}, whirl = {}, claw = {} } } }' >"$foes/assemblages.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --load "$tmp/old.sqlite" --ticks 7 --save "$tmp/new.sqlite"
  exits 0
  run_for 20 "$release" sql "$tmp/new.sqlite" "SELECT t.n || ', ' || depth || ', ' || w.n || ', ' || pace || ', ' || m ||
    ', ' || mood_fright AS fields FROM \"enemies.teeth\" t, \"enemies.whirl\" w, \"enemies.claw\" c"
  exits 0 out "3.0, 4.0, 6.0, 5.0, 8.0, 9.0"
  mkdir "$foes/systems"
  echo 'return { update = function() for e in world.each("spin") do log.info("%d", e.spin.n) end end }' \
    >"$foes/systems/turn.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 3
  exits 1 err "enemies.spin is now enemies.whirl, enemies.spin.speed is now enemies.whirl.pace"
  sed -i 's/"spin", pace = "spin.speed"/"spin", pace = "gone.speed", [3] = "x"/' "$foes/components.lua"
  refused "addons/enemies/components.lua:3: renamed_from of enemies.whirl: unknown field 3"
}
it "renamed_from in an add-on takes plain names" renamed

settings_file=$XDG_DATA_HOME/shoal/saves/mygame/game.settings.json

with_settings() {
  make_game
  rm -f "$settings_file"
  cat >"$score/settings.lua" <<'END'
local t = shoal.types
return { volume = t.f32(0.5, { min = 0, max = 1 }), mood = t.enum { "calm", "angry" }, best = 3 }
END
  echo 'return { settings = { volume = "Loudness" }, title = "Score title" }' >"$score/strings/en.lua"
  cat >"$score/systems/set.lua" <<'END'
return { update = function()
  if world.tick == 2 then
    log.info("add-on: %g %s %g %g", settings.volume, settings.mood, settings.best, settings["score.best"])
    settings.volume, settings.best = 0.25, 4
  end
end }
END
  cat >"$game/systems/set.lua" <<'END'
return { update = function()
  if world.tick == 4 then
    log.info("game: %g %s %g", settings["score.volume"], settings["score.mood"], world.single.settings.score.best)
    settings["score.mood"] = "angry"
  end
end }
END
}

settings() {
  with_settings
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 6
  exits 0 err "add-on: 0.5 calm 3 3" "game: 0.25 calm 4"
  for words in '"score.best":4' '"score.mood":"angry"' '"score.volume":0.25'; do
    tr -d ' \n' <"$settings_file" | grep -qF "$words" || fail "$(cat "$settings_file")"
  done
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 3
  says err "add-on: 0.25 angry 4 4"
}
it "settings that an add-on declares are stored under names with the add-on's prefix" settings

settings_defaults() {
  with_settings
  echo 'return { best = 1, ["score.volume"] = 0.75, ["score.mood"] = "angry" }' >"$game/settings.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 6
  exits 0 err "add-on: 0.75 angry 3 3"
  echo '{"format":1,"settings":{"score.volume":7,"score.best":9,"best":2}}' >"$settings_file"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 3
  says err "settings.score.volume must be from 0 to 1, got 7: using the default"
  says err "add-on: 0.75 angry 9 9"
  echo 'return { ["score.volum"] = 1 }' >"$game/settings.lua"
  refused "settings.lua:1: unknown setting score.volum: did you mean score.volume?"
  echo 'return { ["score.mood"] = "cross" }' >"$game/settings.lua"
  refused "settings.lua:1: settings.score.mood: the default must be one of calm, angry, got"
  echo 'return { ["score.volume"] = "loud" }' >"$game/settings.lua"
  refused "settings.lua:1: settings.score.volume: the default of f32 must be a number, got text \"loud\""
  echo 'return { score = 1 }' >"$game/settings.lua"
  refused "settings.lua:1: the setting score has the name of an add-on with settings: rename it"
  rm "$game/settings.lua"
  printf 'return {\n  best = shoal.types.entity,\n}\n' >"$score/settings.lua"
  refused "addons/score/settings.lua:2: settings.score.best: an entity cannot be a setting"
  printf 'return {\n  best = print,\n}\n' >"$score/settings.lua"
  refused "addons/score/settings.lua:2: the field score.best of settings has no type"
  echo 'return {}' >"$score/settings.lua"
  refused "addons/score/settings.lua:1: the file must return a table of values"
}
it "a game can replace the defaults of an add-on's settings" settings_defaults

options_screen() {
  with_settings
  cat >"$game/systems/set.lua" <<'END'
return { update = function()
  if world.tick == 1 then world.options() end
  for _, row in ipairs(world.tick == 3 and world.sql [[SELECT entity FROM "shoal.option" WHERE name = 'game']] or {}) do
    row.entity.widget.focused = true
  end
  if world.tick ~= 6 then return end
  for _, row in ipairs(world.sql "SELECT text, bind FROM slider") do log.info("%s %s", row.text, row.bind) end
  for _, row in ipairs(world.sql "SELECT text FROM list") do log.info("list %s", row.text) end
end }
END
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 8
  exits 0 err "@score.settings.volume settings.score.volume" "list Mood"
}
it "the options screen shows the settings of add-ons" options_screen

with_music() {
  make_game
  cat >"$score/music.lua" <<'END'
return { night = { tempo = 120, layers = { base = "base.wav", danger = { file = "danger.wav", follows = "total.n" } },
  sections = { calm = { layers = { "base" } }, wild = { layers = { base = 0.5, danger = 1 } } },
  stingers = { hit = "hit.wav" } } }
END
  echo 'return { night = "night.wav" }' >"$game/music.lua"
  : >"$score/assets/danger.wav" # the file is empty, because no sound is played
  cat >"$score/systems/play.lua" <<'END'
return { update = function()
  if world.tick == 1 then music.play("night", { section = "wild" }) end
  if world.tick == 2 then music.layer("danger", 0.25) music.sting "hit" end
end }
END
  cat >"$game/systems/play.lua" <<'END'
return { update = function()
  local m = world.single.music
  if world.tick == 3 then
    log.info("%s %s %g", m.piece, m.section, m.score.danger)
    music.layer("score.danger", 0.5)
    music.play "night"
  elseif world.tick == 5 then
    log.info("%s %g %g", m.piece, m.score.danger, m.score.base)
  end
end }
END
}

music() {
  with_music
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 8
  exits 0 err "score.night wild 0.25" "night 0.5 1"
  says err "addons/score/music.lua:1: score.night.score.base: base.wav"
  says err "danger.wav: the file is empty (requested by addons/score/music.lua:1: score.night"
  ! grep -E "unknown layer|is not loaded" "$tmp/err" || fail "names and files of the add-on"
  mkdir "$score/system"
  mv "$score/systems/play.lua" "$score/system/play.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 2
  says err "addons/score/system/play.lua:1: the folder system is not loaded: did you mean systems?"
  sed -i 's/total.n/totel.n/' "$score/music.lua"
  refused "addons/score/music.lua:1: night.layers.danger.follows: unknown singleton totel; available: score.total"
}
it "pieces and layers of music that an add-on declares have the add-on's prefix in the game" music

shaders() {
  make_game
  mkdir -p "$score/assets/shaders"
  echo 'return { { name = "grain", uniforms = { strength = 0.5 } } }' >"$score/shaders.lua"
  refused "addons/score/shaders.lua:1: grain: assets/shaders/grain.frag not found"
  echo 'vec4 effect(vec2 at) { return vec4(strength); }' >"$score/assets/shaders/grain.frag"
  echo 'return { update = function() world.single.grain.strength = 0.25 end }' >"$score/systems/grain.lua"
  echo 'return { update = function() log.info("strength %g", world.single["score.grain"].strength) end }' \
    >"$game/systems/grain.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 4 --save "$tmp/shaders.sqlite"
  exits 0 err "strength 0.25"
  run_for 20 "$release" sql "$tmp/shaders.sqlite" 'SELECT * FROM "shoal.passes"'
  says out "world score/shaders/grain.frag"
}
it "the singleton of a render pass that an add-on declares has the add-on's prefix in the game" shaders

layers() {
  make_game
  echo 'return { name = "score", version = "1.0.0", requires = { foes = ">=1.0" }, layers = { "coin", "hero" } }' \
    >"$score/addon.lua"
  echo 'return { name = "foes", version = "1.2.0", layers = { "foe" } }' >"$foes/addon.lua"
  cat >"$score/assemblages.lua" <<'END'
return { board = { components = { transform = {}, points = { n = 3 }, glow = {},
  body = { radius = 1, category = "coin", mask = { "hero", "foes.foe" } } } } }
END
  cat >"$score/systems/layers.lua" <<'END'
return { query = { "points", "body" }, enter = function(e)
  log.info("%d %d, near %d", e.body.category, e.body.mask, #world.near(0, 0, 9, "coin"))
  e.body.category = { "coin", "hero" }
end }
END
  cat >"$game/systems/layers.lua" <<'END'
return { query = { "body" }, update = function(q)
  if world.tick == 3 then log.info("game: %d", q.body.category[1]) q.body.mask[1] = "score.coin" end
  if world.tick == 4 then log.info("mask: %d", q.body.mask[1]) end
end }
END
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 6
  exits 0
  says err "4 10, near" # the game's hero has bit 1, enemies.foe 2, score.coin 4, score.hero 8
  says err "game: 12" "mask: 4"
  sed -i 's/"coin", "hero"/"coin", "coin"/' "$score/addon.lua"
  refused "addons/score/addon.lua:1: layers contains score.coin twice: remove one of them"
}
it "collision layers of add-ons get the bits after the bits of the game's layers" layers

styles() {
  make_game
  echo 'return { styles = { heading = { size = 31 } } }' >"$score/theme.lua"
  echo 'return { board = { components = { transform = {}, points = {}, glow = {}, label = { text = "A", style = "heading" } } } }' \
    >"$score/assemblages.lua"
  echo 'return { query = { "label" }, enter = function(e) log.info("style %s", e.label.style) end }' \
    >"$game/systems/styles.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 3
  exits 0 err "style score.heading"
  echo 'return { accent = "#fff" }' >"$score/theme.lua"
  refused "addons/score/theme.lua:1: the theme of an add-on can only have styles, got accent"
}
it "a widget style that an add-on declares has the add-on's prefix in the game" styles

names_in_functions() {
  make_game
  : >"$score/assets/coin.png"
  echo 'return { volume = 0.5 }' >"$score/settings.lua"
  echo 'return { styles = { heading = { size = 31 } } }' >"$score/theme.lua"
  cat >"$score/assemblages.lua" <<'END'
return {
  board = { components = { transform = {}, points = { n = 3 }, glow = {} } },
  image = { components = { sprite = {} },
    states = { initial = "one", one = { sprite = function() return { image = "coin.png" } end } } },
}
END
  cat >"$score/systems/names.lua" <<'END'
return { query = { "sprite" }, update = function(q)
  for i = 1, world.tick == 4 and q.count or 0 do q.sprite.image[i] = "coin.png" end
end, start = function()
  local slider = world.spawn(nil, { slider = { bind = "settings.volume", emits = "gained" }, label = { style = "heading" } })
  slider.label.text = "shown"
  world.spawn(nil, { sprite = { image = "coin.png" } })
  world.spawn(nil, { sprite = {} }).sprite.image = "coin.png"
  world.spawn(nil, {}):add("sprite", { image = "coin" })
  world.spawn "image"
  local board = world.spawn("board", {})
  world.tween(board, "points.n", 50, 0)
  world.tween(world.single, "total.n", 1000, 0)
  world.tween(world.single, "settings.volume", 0.75, 0)
end }
END
  cat >"$game/systems/names.lua" <<'END'
return { update = function()
  if world.tick ~= 3 and world.tick ~= 5 then return end
  for _, row in ipairs(world.sql "SELECT count(*) AS n, image FROM sprite GROUP BY image ORDER BY image") do
    log.info("%d × %s", row.n, row.image)
  end
  for _, row in ipairs(world.sql "SELECT bind, emits FROM slider") do log.info("%s %s", row.bind, row.emits) end
  for _, row in ipairs(world.sql "SELECT style FROM label") do log.info("%s", row.style) end
  log.info("best %d, total %d, volume %g", world.sql [[SELECT max(n) AS n FROM "score.points"]][1].n,
    world.single["score.total"].n, settings["score.volume"])
end }
END
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 6
  exits 0 err "3 × score/coin.png" "1 × score/coin"
  says err "4 × score/coin.png" # after names.lua has written the column
  says err "settings.score.volume score.gained" "score.heading" "best 52, total 1006" "volume 0.75"
}
it "functions of an add-on use plain names for assets, events, widget styles and tween paths" names_in_functions

defined() {
  make_game
  cat >"$score/systems/define.lua" <<'END'
return { update = function()
  if world.tick == 1 then
    world.define("crab", { is = "board", components = { points = { n = 40 } }, children = { { is = "board" } } })
  elseif world.tick == 3 or world.tick == 9 then
    local e = world.spawn "crab"
    log.info("%s %d, %d crabs", e:assemblage(), e.points.n, world.count "crab")
  end
end }
END
  cat >"$game/systems/define.lua" <<'END'
return { update = function()
  if world.tick == 4 then log.info("game: %d", world.spawn("score.crab")["score.points"].n) end
  if world.tick == 5 then
    log.info("%s", select(2, pcall(world.spawn, "crab")))
    world.define("crab", { is = "score.crab", components = { ["score.points"] = { n = 5 } } })
    log.info("own: %d", world.spawn("crab")["score.points"].n)
  end
end }
END
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 20 --save "$tmp/defined.sqlite" \
    --record "$tmp/defined.replay" --hash
  exits 0
  grep hash "$tmp/out" >"$tmp/first"
  says err "score.crab 40, 0 crabs" "game: 40" "unknown assemblage crab" "own: 5"
  says err "score.crab 40, 2 crabs"
  run_for 20 "$release" run "$game" --headless --no-watch --replay "$tmp/defined.replay"
  exits 0
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 8 --save "$tmp/eight.sqlite"
  exits 0
  run_for 20 "$release" run "$game" --headless --no-watch --load "$tmp/eight.sqlite" --ticks 20 --hash
  exits 0
  [ "$(grep hash "$tmp/out")" = "$(cat "$tmp/first")" ] || fail "$(cat "$tmp/first" "$tmp/out")"
  run_for 40 "$release" run "$game" --headless --no-watch --ticks 20 --check-rollback 6
  exits 0
}
it "an assemblage that an add-on defines with world.define has the add-on's prefix in the game" defined

native_code() {
  make_game
  mkdir -p "$score/plugins"
  compile_once "$score/plugins/heat.so" "${CC:-cc}" -std=c11 -O0 -ffp-contract=off -fPIC -shared -I"$root/engine/include" \
    "$root/tests/scenarios/plugins/heat.c" || fail "heat.c does not compile"
  head='name = "score", version = "1.0.0", requires = { foes = ">=1.0" }'
  echo "return { $head, native = true, plugins = { \"heat\" } }" >"$score/addon.lua"
  echo 'return { board = { components = { transform = {}, points = { n = 3 }, glow = {}, heat = { rate = 2 } } } }' \
    >"$score/assemblages.lua"
  echo 'local ffi = require "ffi"
    return { query = { "heat" }, update = function(q)
      if world.tick == 3 then log.info("cooler: %s, %d", q.heat.value[1] < 20, ffi.sizeof "int") end
    end }' >"$score/systems/look.lua"
  refused "addons/score/addon.lua:1: the add-on score contains native code, which can access all your files: start the \
game with --trust if you trust its author, or remove it from addons in game.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 5 --trust
  exits 0 err "plugin heat, version" "cooler: true, 4"
  echo 'local ffi = require "ffi"' >"$game/systems/look.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 5 --trust
  says err 'require "ffi": game.lua must set native = true'
  rm "$game/systems/look.lua"
  echo "return { $head, plugins = { \"heat\" } }" >"$score/addon.lua"
  refused "addons/score/addon.lua:1: the add-on score contains the library plugins/heat.so: add native = true"
  echo "return { $head }" >"$score/addon.lua"
  echo 'return { board = { components = { transform = {}, points = {}, glow = {} } } }' >"$score/assemblages.lua"
  refused 'require "ffi": addon.lua must set native = true'
  echo "return { $head, plugins = { \"data\" } }" >"$score/addon.lua"
  rm "$score/systems/look.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 5
  exits 0 err "plugin data, version"
}
it "native code in an add-on runs only with --trust" native_code

definitions() {
  make_game
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 1 --types "$tmp/definitions.lua"
  exits 0
  while IFS= read -r line; do
    grep -qxF -- "$line" "$tmp/definitions.lua" || fail "no line $line in: $(grep score "$tmp/definitions.lua")"
  done <<'END'
---@class shoal.score.Points
---@field ["score.points"] shoal.score.Points
---@field ["score.points"] shoal.score.PointsColumns
---@field ["score.total"] shoal.score.Total
---@field ["score.gained"]? fun(ev: shoal.score.GainedEvents, dt: number)
---| "score.board"
---| "score.shop"
---@field ["enemies.bite"] shoal.enemies.Bite
END
  ! grep -F '"shoal.' "$tmp/definitions.lua" || fail "names of the engine"
}
it "the type definitions of a game contain the prefixed names that its add-ons declare" definitions

# Saves the game with both add-ons, and then removes the add-ons from the game.
save_and_remove_addons() {
  make_game
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 6 --save "$tmp/both.sqlite"
  exits 0
  sed -i 's/addons = {.*} }, layers/addons = {}, layers/; s/world.spawn("score.board".*/-- &/
    s/world.open("score.shop")/-- &/; s/log.info("double.*/-- &/' "$game/game.lua"
  echo 'return { mine = { components = { points = {}, hero = {} } } }' >"$game/assemblages.lua"
  rm "$game/systems/add.lua"
}

removed_addons() {
  save_and_remove_addons
  run_for 20 "$release" run "$game" --headless --no-watch --load "$tmp/both.sqlite" --ticks 7
  exits 2
  says err "contains parts of add-ons that this game does not use: enemies 1.2.0 (1 entity; components: enemies.bite), \
score 1.0.0 (3 entities; components: score.glow, score.points; singletons: score.total): add them to addons in \
game.lua, or pass --drop-addon enemies --drop-addon score to load the save without these parts"
  run_for 20 "$release" run "$game" --headless --no-watch --load "$tmp/both.sqlite" --drop-addon enemies --ticks 7
  exits 2 err "contains parts of an add-on that this game does not use: score 1.0.0"
  run_for 20 "$release" run "$game" --headless --no-watch --load "$tmp/both.sqlite" --drop-addon enemies \
    --drop-addon=score --ticks 7 --save "$tmp/without.sqlite" --record "$tmp/without.replay"
  exits 0 err "dropped the add-on enemies 1.2.0"
  run_for 20 "$release" sql "$tmp/without.sqlite" "SELECT (SELECT count(*) FROM entities) || ', ' || (SELECT n FROM points)
    || ', ' || (SELECT count(*) FROM components WHERE name LIKE 'score.%') || ', ' ||
    (SELECT value = '' FROM meta WHERE key = 'addons') AS counts"
  exits 0 out "1, 157.0, 0, 1"
  run_for 20 "$release" run "$game" --headless --no-watch --replay "$tmp/without.replay"
  exits 0
}
it "a save that uses a removed add-on is loaded only with --drop-addon" removed_addons

removed_at_runtime() {
  save_and_remove_addons
  mkdir -p "$XDG_DATA_HOME/shoal/saves/mygame"
  cp "$tmp/both.sqlite" "$XDG_DATA_HOME/shoal/saves/mygame/slot.sqlite"
  echo 'return { update = function() if world.tick == 2 then world.load("slot") end end }' >"$game/systems/load.lua"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 10
  exits 1 err "not loaded: " "score 1.0.0 (3 entities"
  run_for 20 "$release" run "$game" --headless --no-watch --ticks 10 --drop-addon enemies --drop-addon score
  exits 0 err "loaded slot"
}
it "world.load refuses a save with parts of a removed add-on unless --drop-addon names the add-on" removed_at_runtime

# The first row moves before its search, so the counts depend on whether a search uses positions before or after moves.
searching_addon() {
  cd "$tmp" || exit 1
  rm -rf outside inside && mkdir -p outside/game inside/addons outside/finder/systems outside/finder/lib
  cat >outside/game/game.lua <<'LUA'
return { title = "Search", addons = { "../finder" }, start = function()
  for i = 1, 20 do world.spawn("unit", { transform = { x = i * 7, y = 0 } }) end
end }
LUA
  echo 'return { seen = { n = 0 } }' >outside/game/components.lua
  echo 'return { unit = { components = { transform = {}, body = { radius = 5 }, seen = {} } } }' \
    >outside/game/assemblages.lua
  echo 'return { name = "finder", version = "1.0.0", licence = "MIT" }' >outside/finder/addon.lua
  echo 'return { count = function(x) return #world.near(x, 0, 12) end }' >outside/finder/lib/find.lua
  cat >outside/finder/systems/look.lua <<'LUA'
local find = require "lib.find"
return { query = { "transform", "seen" }, update = function(q)
  for i = 1, q.count do
    if i == 1 then q.transform.x[i] = q.transform.x[i] + 5 end
    q.seen.n[i] = find.count(q.transform.x[i])
  end
end }
LUA
  cp -r outside/game/* inside && cp -r outside/finder inside/addons
  sed 's|"../finder"|"finder"|' outside/game/game.lua >inside/game.lua
  for place in outside/game inside; do
    run_for 20 "$release" run "$place" --headless --no-watch --ticks 9 --seed 1 --hash every=3
    exits 0
    grep '^tick ' out >"hashes_${place%/*}" || fail "no hashes: $(cat err)"
  done
  "$release" pack outside/game search.data >out 2>err || fail "$(cat err)"
  cp "$release" search
  SHOAL_ROOT=$root run_for 20 ./search --headless --ticks 9 --seed 1 --hash every=3
  exits 0
  grep '^tick ' out >hashes_packed || fail "no hashes: $(cat err)"
  cmp hashes_outside hashes_inside || fail "an add-on outside the game's folder gives other hashes than one inside"
  cmp hashes_outside hashes_packed || fail "the package gives other hashes"
}
it "an add-on's spatial queries give the same results inside and outside the game's folder, and in a package" \
  searching_addon

# shows_strip HEIGHT TOP: draws a caption on a white picture of that height; the strip must begin at y = TOP
shows_strip() {
  skip_without convert
  cd "$tmp" || exit 1
  rm -rf captioned
  mkdir -p captioned/systems
  cat >captioned/game.lua <<LUA
return { title = "Captioned", width = 1280, height = $1, addons = { "caption" }, start = function() world.spawn("eye") end }
LUA
  echo 'return { eye = { components = { transform = {}, camera = { background = "#ffffff" } } } }' >captioned/assemblages.lua
  cat >captioned/systems/caption.lua <<LUA
return { phase = "render", update = function() require("caption").draw("Hello", { height = $1, left = "a" }) end }
LUA
  run_for 60 env SDL_VIDEODRIVER=offscreen "$release" run captioned --no-watch --strict --screenshot strip.png --at 4
  exits 0
  for at in "$(($2 - 2)) light" "$(($2 + 2)) dark" "$(($1 - 2)) dark"; do
    grey=$(convert strip.png -crop "1x1+640+${at% *}" -colorspace Gray -format '%[fx:int(100*u)]' info:)
    case ${at#* } in light) [ "$grey" -gt 80 ] ;; dark) [ "$grey" -lt 40 ] ;; esac || fail "y = ${at% *}: grey $grey %, not ${at#* }"
  done
}
it "a caption is drawn on a dark strip at the lower edge of the picture" shows_strip 720 680
it "in a picture 540 pixels high, a caption's strip is 32 pixels high to fit 16-pixel text" shows_strip 540 508
