# The number of workers changes how long a run takes and nothing else: the same hashes, the same errors.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
game=tests/scenarios/games/workers
every=40

# hashes WORKERS FOLDER TICKS [options]: into $tmp/hashes_WORKERS
hashes() {
  workers=$1 folder=$2 ticks=$3
  shift 3
  run_for 120 "${binary:-$release}" run "$folder" --headless --workers "$workers" --ticks "$ticks" --hash "every=$every" "$@"
  exits "${expected:-0}"
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/hashes_$workers"
  [ -s "$tmp/hashes_$workers" ] || fail "no hashes: $(cat "$tmp/out" "$tmp/err")"
}

same() { # same FOLDER TICKS [options]
  hashes 1 "$@"
  for others in 2 8; do
    hashes "$others" "$@"
    cmp -s "$tmp/hashes_1" "$tmp/hashes_$others" ||
      fail "$others workers: $(diff "$tmp/hashes_1" "$tmp/hashes_$others" | head -n 4)"
  done
}

it "asteroids gives the same hashes with 1, 2 and 8 workers" same scripts/games/asteroids 1200
it "the Lua tests give the same hashes with 1, 2 and 8 workers" same tests/lua 100000
it "kernels, C managers and parallel systems give the same hashes" same "$game" 120

# copy NAME: a game of its own to change
copy() {
  rm -rf "${tmp:?}/$1"
  cp -r "$game" "$tmp/$1"
}

ordinary() {
  copy ordinary
  sed -i '/parallel = /d' "$tmp/ordinary/systems/pull.lua"
  hashes 2 "$game" 80
  hashes 1 "$tmp/ordinary" 80
  cmp -s "$tmp/hashes_1" "$tmp/hashes_2" || fail "$(diff "$tmp/hashes_1" "$tmp/hashes_2" | head -n 4)"
}
it "a parallel system does what the same system does without parallel" ordinary

chance() {
  copy chance
  sed -i '/enabled = false/d' "$tmp/chance/systems/wander.lua"
  same "$tmp/chance" 80
  mv "$tmp/hashes_1" "$tmp/with_chance"
  hashes 1 "$game" 80
  ! cmp -s "$tmp/hashes_1" "$tmp/with_chance" || fail "world.random changed nothing"
}
it "world.random in a parallel system is the same for any number of workers" chance

reloads() {
  copy reloads
  cat >"$tmp/reloads/systems/again.lua" <<'END'
return { every = 30, update = function() reload() end }
END
  same "$tmp/reloads" 80
  says err reloaded
}
it "parallel systems live through reloads" reloads

twice() {
  copy twice
  cat >"$tmp/twice/systems/wander.lua" <<'END'
return { query = { "transform" }, parallel = true, update = function(q)
  for i = 1, q.count do
    local e = q.entity[i]
    if not (e:alive() and e:destroy()) or e:alive() or world.alive(e) or e:destroy() then
      error("row " .. i .. " is destroyed twice")
    end
  end
end }
END
  same "$tmp/twice" 80
}
it "in a parallel system too an entity is destroyed once (Rectangle Eater, remove immediately)" twice

sanitized() {
  binary=$sanitized
  hashes 3 "$game" 40
}
it "parallel systems run clean under the sanitizers" sanitized

# fails NAME "what it must say" LINE <systems/pull.lua: it fails the same way whatever the number of workers
fails() {
  copy "$1"
  cat >"$tmp/$1/systems/pull.lua"
  expected=1 every=10
  for others in 1 8; do
    hashes "$others" "$tmp/$1" 10
    says err "$2"
    says err "systems/pull.lua:$3"
    cp "$tmp/err" "$tmp/said_$others"
    cmp -s "$tmp/hashes_1" "$tmp/hashes_$others" || fail "$others workers leave another world behind"
    cmp -s "$tmp/said_1" "$tmp/said_$others" || fail "$others workers say something else: $(cat "$tmp/said_$others")"
  done
}

one_chunk_fails() {
  fails one_chunk "row 7 of a chunk" 8 <<'END'
return {
  parallel = true,
  query = { "charge" },
  update = function(q)
    for i = 1, q.count do
      q.charge.exact[i] = q.charge.exact[i] + 1
      if i == 7 and q.charge.ticks[i] == 3 then
        error("row " .. i .. " of a chunk, at " .. tostring(q.entity[i]))
      end
      world.emit("flash", { who = q.entity[i] })
    end
  end,
}
END
}
it "when chunks fail, the first one is named and the world is the same" one_chunk_fails

refuses_in() { # refuses_in NAME "what it must say" "a statement" [COMPONENT]
  fails "$1" "$2" 6 <<END
return {
  parallel = true,
  query = { ${4:-"\"charge\""} },
  update = function(q)
    local e = q.entity[1]
    $3
  end,
}
END
}
it "spawning is refused there" refuses_in spawn "world.spawn in a parallel system" 'world.spawn("mote")'
it "asking for a query is refused there" refuses_in ask "world.query in a parallel system" 'world.query { "motion" }'
it "changing all rows with one word is refused there" refuses_in bulk "q:destroy_all in a parallel system" 'q:destroy_all()'
it "sounds are refused there" refuses_in sounds "audio.play in a parallel system" 'audio.play("x")'
it "the window is refused there" refuses_in window "window.fullscreen in a parallel system" 'window.fullscreen(true)'
it "waiting for assets is refused there" refuses_in waits "assets.ready in a parallel system" 'assets.ready()'
it "drawing is refused there" refuses_in draws "draw.line in a parallel system" 'draw.line(0, 0, 1, 1)'
it "a state machine is refused there" refuses_in enters "e:enter in a parallel system" 'e:enter("x")'
it "a single cannot be written there" refuses_in single "cannot be written in a parallel system" 'world.single.tally.sparks = 1'
it "another entity cannot be written there" refuses_in other "cannot be written in a parallel system" 'e.motion.vx = 1'
it "a component that q may write cannot be read across entities" refuses_in owned 'reads = { "charge" }' \
  'local x = world.lookup("charge").value'
it "nor through an entity" refuses_in owned_entity 'reads = { "charge" }' 'local x = e.charge.value'
it "what is calculated from rows that q may write is out of reach" refuses_in derived 'reads = { "transform" }' \
  'local m = q.transform.world[1]' '"transform"'
it "a text that the world does not know is refused there" refuses_in words "is new to the world" \
  'e:add("name", { value = "somebody new" })'
it "rows outside the chunk are out of range" refuses_in rows "out of range" 'q.charge.value[q.count + 1] = 0'

frozen_reads() {
  fails frozen_reads "charge.value cannot be written in a parallel system" 4 <<'END'
return {
  parallel = { reads = { "charge" } },
  query = { "charge" },
  update = function(q) q.charge.value[1] = world.lookup("charge").value[q.entity[1]] end,
}
END
}
it "what is only read may be read everywhere and written nowhere" frozen_reads

refused_to_load() { # refused_to_load "what it must say" "a system's parts"
  copy refused
  echo "return { $2 }" >"$tmp/refused/systems/pull.lua"
  run_for 20 "$release" run "$tmp/refused" --headless --ticks 1
  exits 1
  says err "$1"
  says err "systems/pull.lua:1"
}
it "parallel without a query is refused" refused_to_load "parallel goes with an update over one query" \
  'parallel = true, update = function() end'
it "parallel goes with update alone" refused_to_load "parallel goes with an update over one query" \
  'parallel = true, query = { "charge" }, each = function() end'
it "a system that draws cannot be parallel" refused_to_load "drawing has an order" \
  'parallel = true, phase = "render", query = { "charge" }, update = function() end'
it "a component to read must be in the query" refused_to_load "the query has no component motion" \
  'parallel = { reads = { "motion" } }, query = { "charge" }, update = function() end'
it "parallel is true or says what is read" refused_to_load "parallel is true, or { reads" \
  'parallel = "yes", query = { "charge" }, update = function() end'
