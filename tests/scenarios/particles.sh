# Emitters are part of the world: rollback, rewind, save, replay and reload give the same hashes. Invalid values are
# reported with their file and line.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$root/scripts/examples/particles
. "$(dirname "$0")/lib/reproducible.sh"

emits() { # checks that the example emits particles, so that the tests below compare something
  run_for 20 "$release" sql "$tmp/game" --ticks "$ticks" \
    "SELECT count(*) > 9 AS emitters, sum(living) > 500 AS particles FROM emitter;
     SELECT sum(living) > 100 AS firework FROM emitter WHERE finish = 'destroy'"
  exits 0
  [ "$(grep -c '^ *1\( *1\)*$' out)" = 2 ] || fail "$(cat out)"
}
it "emitters spawn particles, and SQL can count the particles" emits

it "emitters give the same hashes when ticks are re-simulated" again

it "emitters give the same hashes in a replay" replayed

it "emitters give the same hashes when continued from a save" saved 37 150

it "emitters give the same hashes after a rewind and a reload of unchanged files" rewound

workers() {
  run_for 60 "$release" run "$tmp/game" --headless --no-watch --seed 5 --ticks 150 --hash every=50 --workers 1
  exits 0
  grep '^tick ' out >one
  run_for 60 "$release" run "$tmp/game" --headless --no-watch --seed 5 --ticks 150 --hash every=50 --workers 2
  exits 0
  grep '^tick ' out | cmp - one || fail "two workers give different hashes"
}
it "emitters give the same hashes with one and two workers" workers

refused() { # refused EMITTER "MESSAGE"
  mkdir -p "$tmp/bad"
  printf 'return { start = function() world.spawn("torch") end }\n' >"$tmp/bad/game.lua"
  printf 'return {\n  torch = { components = { transform = {}, emitter = {\n    %s,\n  } } },\n}\n' "$1" \
    >"$tmp/bad/assemblages.lua"
  run_for 20 "$release" run "$tmp/bad" --headless --no-watch --ticks 2
  exits 1 err "assemblages.lua:3: " "$2"
}
invalid_values() {
  refused 'preset = "spraks"' 'unknown preset spraks: did you mean sparks?'
  refused 'rate = 1000000' 'emitter.rate must be from 0 to 500000 particles per second, got 1000000'
  refused 'rate = 0 / 0' 'emitter.rate must be finite, got nan'
  refused 'life = 0' 'emitter.life must be from 0.001 to 600 seconds, got 0'
  refused 'speed = math.huge' 'emitter.speed must be finite, got inf'
  refused 'burst = -1' 'emitter.burst must be from 0 to 500000 particles, got -1'
  refused 'sizes = "1 big"' 'emitter.sizes must be a list of up to 8 numbers'
  refused 'sizes = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }' 'emitter.sizes must be a list of up to 8 numbers'
  refused 'colours = { "red" }' 'emitter.colours must be a list of up to 8 colours'
  refused 'colour = 5' 'emitter.colour must be a vec4'
  refused 'shape = "cricle"' 'did you mean circle?'
  refused '}, emitter_forces = { drag = 0 / 0' 'emitter_forces.drag must be finite, got nan'
  refused '}, emitter_forces = { bounce = 2' 'emitter_forces.bounce must be a fraction of the speed from 0 to 1, got 2'
  refused '}, emitter_forces = { walls = "box"' 'emitter_forces.walls: a box must have left < right and top < bottom'
  refused '}, emitter_forces = { walls = "flor"' 'did you mean floor?'
  refused '}, emitter_forces = { preset = "vortx"' 'unknown preset vortx: did you mean vortex?'
  refused 'gravty_y = 1' 'did you mean gravity_y?'
}
it "invalid emitter values are reported with file and line" invalid_values

# The same emitter in games of 720 and of 180 logical pixels height. Values that the game sets are not scaled.
scaled_presets() {
  for height in 720 180; do
    mkdir -p "high_$height"
    echo "return { title = 'High', height = $height, start = function()
      world.spawn(nil, { transform = {}, emitter = { preset = 'sparks', size = 8 } }) end }" >"high_$height/game.lua"
    run_for 20 "$release" sql "$tmp/high_$height" --ticks 1 "SELECT speed, gravity_y, size FROM emitter"
    exits 0
    tail -n 1 out | xargs >"$height"
  done
  [ "$(cat 720)" = "240 500 8" ] && [ "$(cat 180)" = "60 125 8" ] || fail "$(cat 720 180)"
}
it "lengths in emitter presets scale with the game's height" scaled_presets
