# Assemblages defined at run time by world.define are part of the world: re-simulation, a rewind to a tick before the
# definition, a save, a replay and a reload give the same hashes. Invalid definitions are errors.
# needs: release
. "$(dirname "$0")/../lib.sh"
world=defined_assemblages
. "$(dirname "$0")/lib/reproducible.sh"

game_is_busy() { # checks that the game uses these features, so that the tests below compare something
  run_for 20 "$release" sql "$tmp/game" --ticks "$ticks" \
    "SELECT count(*) >= 5 AS kinds FROM assemblages WHERE name IN ('first', 'second') OR name LIKE 'kind%';
     SELECT defined >= 12 AND heard > 0 AS alive FROM tally;
     SELECT count(DISTINCT assemblage) > 4 AS several FROM entities;
     SELECT count(*) > 3 AS armed FROM gun;
     SELECT count(*) > 1 AS parts FROM assemblage_components WHERE assemblage = 'second'"
  exits 0
  [ "$(grep -c '^ *1$' out)" = 5 ] || fail "$(cat out)"
}
it "the test game defines assemblages, spawns entities from them and lists their components in SQL" game_is_busy

it "assemblages defined at run time give the same hashes when ticks are re-simulated" again

it "assemblages defined at run time give the same hashes in a replay" replayed

it "assemblages defined at run time give the same hashes when continued from a save" saved 5 48 101 147

it "assemblages defined at run time give the same hashes after a rewind and a reload of unchanged files" rewound

watched_run() {
  plays watched --watch
  same straight watched
}
it "assemblages defined at run time give the same hashes with --watch, which tracks writes" watched_run

# --- edited files

variant() { # variant N: copies the game's files for the N-th reload and edits the copy with the shell commands on stdin
  mkdir -p "$tmp/variants/$1"
  cp "$tmp/edited/components.lua" "$tmp/edited/assemblages.lua" "$tmp/variants/$1/"
  (cd "$tmp/variants/$1" && cat | sh)
}
edited() {
  rm -rf "$tmp/edited" "$tmp/variants"
  mkdir -p "$tmp/edited/systems"
  cd "$tmp/edited" || exit 1
  echo 'return { native = true, tests = true, title = "Edited" }' >game.lua
  echo 'return { place = { x = 0 }, gun = { heat = 1, pace = 4 }, hat = { size = 1 } }' >components.lua
  printf 'return {\n  rock = { components = { place = { x = 1 } } },\n}\n' >assemblages.lua
  echo "sed -i 's/gun = { heat = 1, pace = 4 }, //' components.lua" | variant 1
  : | variant 2
  echo "sed -i 's/x = 1/x = 7/' assemblages.lua" | variant 3
  echo "sed -i 's/^}/  crab = { components = { place = { x = 50 } } } }/' assemblages.lua" | variant 4
  echo "sed -i 's/rock/pebble/' assemblages.lua" | variant 5
  echo "sed -i 's/, pace = 4//' components.lua" | variant 6
  echo "sed -i 's/pace = 4/tempo = 4, renamed_from = { tempo = \"pace\" }/' components.lua" | variant 7
  cat >systems/steps.lua <<END
local os = require "ffi"
os.cdef "int system(const char *);"
return { update = function()
  if world.tick == 2 then
    world.define("crab", { is = "rock", components = { gun = { heat = 2, pace = 9 } }, doc = "has a gun" })
    world.spawn("crab")
    world.spawn("crab", { place = { x = 3 } })
    world.define("king", { is = "crab", components = { hat = { size = 5 } } })
    world.spawn("king")
  elseif world.tick == 30 then
    world.spawn("king")
  elseif world.tick > 2 and world.tick % 4 == 0 then
    local n = world.tick / 4
    for e in world.each("place") do
      local parts = e:describe()
      local tempo = parts.gun and parts.gun.tempo
      print(n, e:assemblage(), e.place.x, parts.gun and parts.gun.heat .. (tempo and " at " .. tempo or "") or "no",
        parts.hat and parts.hat.size or "bare")
    end
    if n < 8 then
      os.C.system("cp $tmp/variants/" .. n .. "/*.lua $tmp/edited/")
      reload()
    end
  end
end }
END
  run_for 60 "$release" run . --headless --trust --ticks 36
  exits 0
  cat >expected <<'END'
1 crab 1 2 bare
1 crab 3 2 bare
1 king 1 2 5
2 crab 1 no bare
2 crab 3 no bare
2 king 1 no 5
3 crab 1 2 bare
3 crab 3 2 bare
3 king 1 2 5
4 crab 7 2 bare
4 crab 3 2 bare
4 king 7 2 5
5 crab 50 no bare
5 crab 3 no bare
5 king 50 no 5
6 crab 50 no bare
6 crab 3 no bare
6 king 50 no 5
7 crab 50 no bare
7 crab 3 no bare
7 king 50 no 5
8 crab 50 no bare
8 crab 3 no bare
8 king 50 no 5
8 king 1 2 at 9 5
END
  tr '\t' ' ' <"$tmp/out" >"$tmp/got"
  cmp -s "$tmp/got" expected || fail "$(cat "$tmp/got" "$tmp/err")"
  says err "warn: dropped gun from crab (world.define): unknown component"
  says err "warn: assemblages.lua:3: crab (from world.define) is now declared in a file, which takes precedence"
  says err "warn: dropped crab (world.define): \`is\` of crab: unknown assemblage rock"
  says err "reload: assemblage king was removed: its only entity is unchanged"
  says err "warn: dropped gun.pace from crab (world.define): gun has no field pace"
}
it "saved files update assemblages defined at run time, and parts that have become invalid are dropped" edited

# --- errors

reports_error() { # reports_error MESSAGE LUA [PHASE]: the Lua code is line 3 of the system wrong.lua
  printf 'return {\n  phase = "%s", update = function()\n    %s\n  end,\n}\n' "${3-update}" "$2" >wrong/systems/wrong.lua
  run_for 20 "$release" run wrong --headless --ticks 3
  exits 1 err "systems/wrong.lua:3: $1"
}
invalid_definitions() {
  cd "$tmp" || exit 1
  rm -rf wrong
  cp -r "$root/tests/scenarios/games/$world" wrong
  rm wrong/systems/*
  reports_error 'world.define: wrong: unknown component lok: did you mean look?' \
    'world.define("wrong", { components = { lok = {} } })'
  reports_error 'world.define: look has no field sise (did you mean size?); available: mood, name, size' \
    'world.define("wrong", { components = { look = { sise = 3 } } })'
  reports_error 'world.define: cyclic assemblages: a → b → a' \
    'world.define("a", {}) world.define("b", { is = "a" }) world.define("a", { is = "b" })'
  reports_error 'world.define: wrong must be a table like an assemblage in a file, got text "body": use { components = { … } }' \
    'world.define("wrong", "body")'
  reports_error 'world.define: wrong.components.look is a function: a definition is saved with the world' \
    'world.define("wrong", { components = { look = function() end } })'
  reports_error 'world.define: body is declared in assemblages.lua:2, which takes precedence' \
    'world.define("body", {})'
  reports_error 'world.define: wrong is too long: 65554 bytes as JSON (at most 65536)' \
    'world.define("wrong", { doc = ("x"):rep(65544) })'
  reports_error 'world.define: too many definitions (at most 256)' \
    'for i = 1, 300 do world.define("kind" .. i, { is = "body" }) end'
  reports_error 'world.define is not allowed in a render system: drawing must not change the world' 'world.define("wrong", {})' render
  printf '\n\nworld.define("wrong", {})\nreturn {}' >wrong/systems/wrong.lua
  run_for 20 "$release" run wrong --headless --ticks 3
  exits 1 err 'systems/wrong.lua:3: world.define: there is no world while files are loaded'
}
it "an invalid call to world.define is reported with its line" invalid_definitions
