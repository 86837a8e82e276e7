# Adaptive music: the state of the playing piece is part of the world, so it is saved, rewound, replayed and reloaded.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf data

# game [COMMAND]: creates a game with beats of 30 ticks and bars of 120 ticks. At tick 20 it runs the shell command in
# its folder and then reloads.
game() {
  rm -rf game
  mkdir -p game/systems
  cat >game/game.lua <<'END'
return { title = "heard", id = "heard", history = 16, native = true, start = function() music.play("night", { fade = 0 }) end }
END
  echo 'return { heat = shoal.types.single { value = 0.5 } }' >game/components.lua
  cat >game/music.lua <<'END'
return {
  day = { tempo = 120, layers = { base = "base.wav" }, stingers = { gong = { file = "gong.wav", at = "bar" } } },
  night = { tempo = 120, layers = { base = "base.wav", drums = { file = "drums.wav", follows = "heat.value" } },
    first = "calm", sections = { calm = { layers = { "base" } }, chase = { layers = { "drums", base = 0.5 } } },
    stingers = { star = "star.wav" } },
}
END
  cat >game/systems/asks.lua <<END
local ffi = require "ffi"
ffi.cdef "int system(const char *);"
return { update = function()
  if world.tick == 5 then music.section("chase") end
  if world.tick == 40 then music.sting("star") end
  if world.tick == 130 then music.play("day", { at = "beat" }) music.sting("gong") end
  if world.tick == 20 then
    ffi.C.system [==[cd $tmp/game && ${1-true}]==]
    reload()
  end
end }
END
  cat >game/systems/tells.lua <<'END'
return { phase = "post_update", update = function()
  local s, beat, bar = world.single.music, music.beat()
  if world.tick % 30 < 2 then
    print("at", world.tick, s.piece, s.section, beat, bar, s.star_due, s.gong_due, s.drums)
  end
end }
END
}
run_game() {
  run_for 60 "$release" run game --headless --trust --ticks 300 "$@"
}

in_tempo() {
  game
  run_game
  exits 0 out "at	30	night	calm	1	1	-1	-1	1" "at	60	night	calm	2	1	60	-1	1"
  says out "at	61	night	calm	2.0333333333333	1	-1	-1	1" "at	120	night	calm	4	2	-1"
  says out "at	121	night	chase	4.0333333333333	2	-1" "at	150	night	chase	5	2	-1	240	1"
  says out "at	151	day		0.033333333333333	1	-1	240	1" "at	241	day		3.0333333333333	1	-1	-1	1"
}
it "a section starts on a bar, a stinger on a beat, and a piece at the requested time" in_tempo

replayed() {
  game
  run_game --record a.replay --hash every=10
  exits 0
  grep '^tick' out >live
  run_for 60 "$release" run game --headless --trust --replay a.replay --hash every=10
  exits 0
  grep '^tick' out | cmp -s - live || fail "the replay gives different hashes: $(cat out)"
  run_game --check-rollback 3
  exits 0
}
it "a replay and re-simulated ticks give the same state of the music" replayed

saved() {
  game
  echo 'return { update = function()
    if world.tick == 60 then world.save("half") end
    if world.tick == 140 and settings.loads == 0 then
      settings.loads = 1
      world.load("half")
    end
    if world.tick == 61 then print("saved", world.single.music.section, world.single.music.due) end
  end }' >game/systems/saves.lua
  echo 'return { loads = 0 }' >game/settings.lua
  run_game
  exits 0
  [ "$(grep -c '^saved	calm	120' out)" = 2 ] || fail "$(cat out err)"
}
it "a loaded save restores the scheduled section" saved

reloaded() {
  game "sed -i 's/chase/hunt/g; s/tempo = 120/tempo = 60/' music.lua systems/asks.lua"
  run_game
  says out "at	61	night	calm	1.0166666666667	1" "at	121	night	calm	2.0166666666667	1"
  game "sed -i 's/  night = /  evening = /' music.lua"
  run_game
  [ "$(grep -c 'the piece night no longer exists' err)" = 1 ] || fail "expected one message, got: $(cat err)"
  says out "at	30			0	0"
  game "sed -i 's/\"base\" }/\"bass\" }/' music.lua"
  run_game
  says err "music.lua:4: night.sections.calm: unknown layer bass: did you mean base?"
  says out "at	121	night	chase"
}
it "a saved music.lua updates the playing piece or stops a removed piece, and an invalid file changes nothing" reloaded

invalid_calls() {
  game
  for line in 'music.play("nigth")|unknown piece nigth: did you mean night?' \
    'music.section("chas")|the piece night has no section chas: did you mean chase?' \
    'music.section("calm", { at = "baar" })|music.section.at must be now, beat or bar, got text "baar" (did you mean bar?)' \
    'music.layer("drum", 1)|unknown layer drum: did you mean drums?' \
    'music.layer("drums", 0 / 0)|the volume of drums must be a number from 0 to 1, got nan' \
    'music.sting("sta")|unknown stinger sta: did you mean star?' \
    'music.stop { fade = -1 }|music.stop.fade must be a number of seconds from 0 to 60, got -1'; do
    echo "return { update = function() ${line%%|*} end }" >game/systems/asks.lua
    run_for 60 "$release" run game --headless --trust --ticks 3
    says err "${line#*|}" "systems/asks.lua:1"
  done
}
it "music calls report unknown names with a suggestion and invalid numbers with the valid range" invalid_calls
