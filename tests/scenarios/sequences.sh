# Sequences are part of the world: rollback, rewind, save, replay and reload give the same hashes. Also tests
# sequences whose file changes, disappears or becomes invalid while they run.
# needs: release
. "$(dirname "$0")/../lib.sh"
world=sequences
. "$(dirname "$0")/lib/reproducible.sh"

sequences_run() { # checks that the game runs sequences, so that the tests below compare something
  run_for 20 "$release" sql "$tmp/game" --ticks "$ticks" \
    'SELECT ends > 3 AS ends, calls > 10 AS calls, said > 20 AS said FROM heard;
     SELECT count(DISTINCT doing) > 5 AS kinds, max(count) > 0 AS counts FROM in_sequence;
     SELECT count(*) > 0 AS all_at_once FROM in_sequence WHERE length(parent) > 0'
  exits 0
  [ "$(grep -c '^ *1 *1 *1$' out)" = 1 ] && [ "$(grep -c '^ *1 *1$' out)" = 1 ] && [ "$(grep -c '^ *1$' out)" = 1 ] ||
    fail "$(cat out)"
}
it "sequences finish, call functions and run in parallel" sequences_run

it "sequences give the same hashes when ticks are re-simulated" again

it "sequences give the same hashes in a replay" replayed

it "sequences give the same hashes when continued from a save" saved 37 150

it "sequences give the same hashes after a rewind and a reload of unchanged files" rewound

two_workers() {
  plays two --workers 2
  same straight two
}
it "sequences give the same hashes with two workers" two_workers

# game: creates a game that plays the sequence read from stdin.
game() {
  rm -rf "$tmp/play"
  mkdir -p "$tmp/play/systems" "$tmp/play/sequences"
  echo 'return { title = "play", native = true, start = function()
    local e = world.spawn(nil, { name = "Anna", transform = {} })
    e:sequence("intro")
  end }' >"$tmp/play/game.lua"
  cat >"$tmp/play/sequences/intro.lua"
}

# edit_at TICK COMMAND…: runs the command in sequences/ at that tick and then reloads.
edit_at() {
  {
    printf 'local ffi = require "ffi"\nffi.cdef "int system(const char *);"\nreturn { update = function()\n'
    while [ $# -gt 0 ]; do
      printf 'if world.tick == %s then\nffi.C.system [==[cd %s/play/sequences && %s]==]\nreload()\nend\n' "$1" "$tmp" "$2"
      shift 2
    done
    printf 'end }\n'
  } >"$tmp/play/systems/hand.lua"
}

four_steps() {
  game <<'END'
return {
  { name = "first", wait = 0.1 },
  { name = "second", wait = 0.5 },
  { call = function() print("third at", world.tick) end },
  { wait = 60 },
}
END
}

run_play() { # run_play TICKS: runs the game; the caller checks the exit status
  run_for 60 "$release" run "$tmp/play" --headless --trust --ticks "$1"
}

moved_step() {
  four_steps
  edit_at 20 'sed -i "s/^return {/return { { call = function() print [[nobody]] end }, { wait = 9 },/" intro.lua'
  run_play 90
  exits 0 out "third at	36"
  ! grep -q nobody "$tmp/out" || fail "the sequence restarted: $(cat "$tmp/out")"
}
it "after a reload, a sequence finds its current step by name, even if the step has moved" moved_step

unnamed_step() { # a step is inserted before the running step, which has no name, and is then replaced
  game <<'END'
return {
  { name = "first", wait = 0.1 },
  { wait = 0.2 },
  { wait = 0.5 },
  { call = function() print("last at", world.tick) end },
  { wait = 60 },
}
END
  edit_at 30 'sed -i "s/^return {/return { { call = function() print [[nobody]] end }, { wait = 9 },/" intro.lua'
  run_play 90
  exits 0 out "last at	48"
  ! grep -q nobody "$tmp/out" || fail "the sequence restarted: $(cat "$tmp/out")"
  four_steps
  edit_at 60 'sed -i "s/{ wait = 60 }/{ wait_for = function() return world.tick > 70 end }/" intro.lua'
  run_play 90
  exits 0 err 'the step in progress has changed from wait to step 4: restarting at step 2, "second"'
  [ "$(grep -c 'step in progress' "$tmp/err")" = 1 ] || fail "expected one message: $(cat "$tmp/err")"
}
it "after a reload, a sequence finds a step without a name by its distance from the last named step" unnamed_step

removed_step() {
  four_steps
  edit_at 20 'sed -i "s/second/other/; s/wait = 0.5/wait = 0.2/" intro.lua'
  run_play 90
  exits 0 err 'step "second" no longer exists: continuing with step 2, "other"'
  says out "third at	33" # step 2 restarted in tick 21
}
it "a reload that removes the current step of a sequence is reported, and the sequence continues with the nearest step" removed_step

missing_file() {
  four_steps
  edit_at 20 'mv intro.lua ../intro.txt; echo "return { { wait = 1 } }" >inrto.lua' 40 'mv ../intro.txt intro.lua'
  run_play 90
  exits 0 err 'cannot continue its sequence: sequences/intro.lua not found: did you mean inrto?'
  says out "third at	56"
}
it "a sequence whose file is missing is suspended until the file returns" missing_file

malformed() {
  four_steps
  edit_at 20 'sed -i "s/wait = 60/wiat = 60/" intro.lua'
  run_play 60
  says err "sequences/intro.lua:5: step 4: unknown field wiat: did you mean wait?"
  says out "third at	36"
}
it "an error in a sequence file names the step, and the previous sequence stays in use" malformed

failing() {
  game <<'END'
return {
  { wait = 0.1 },
  { name = "oops", call = function(e)
    e.lifetime.seconds = 3
  end },
}
END
  echo 'return { { wait = 0.2 }, { call = function() print("the other goes on at", world.tick) end } }' \
    >"$tmp/play/sequences/other.lua"
  echo 'return { start = function() world.spawn():sequence("other") end }' >"$tmp/play/systems/other.lua"
  run_play 30
  exits 1 err 'error in sequence intro: sequences/intro.lua:4: entity(1:0 "Anna") has no lifetime'
  says err 'sequences/intro.lua:3: sequence intro, step 2, "oops"'
  says out "the other goes on at	13"
}
it 'an error in a `call` step stops only its sequence and names file, line, step and entity' failing

endless() {
  printf 'return {\n  { label = "here" },\n  { call = function() end },\n  { jump = "here" },\n}\n' | game
  run_play 5
  exits 1 err 'error in sequence intro: sequences/intro.lua:'
  says err '1000 steps in one tick without a wait'
}
it "a sequence with an endless loop of jumps without a wait is stopped with an error" endless

say_without_dialogue() {
  echo 'return { { say = "Hello" } }' | game
  run_play 200
  exits 0
  [ "$(grep -c 'sequences/intro.lua: step 1: the text is not shown' err)" = 1 ] || fail "$(cat err)"
  sed -i 's/local e/world.spawn(nil, { dialogue = {} }) local e/' play/game.lua
  run_play 200
  exits 0
  ! grep -q "is not shown" err || fail "$(cat err)"
}
it 'a `say` step in a game without a dialogue component is reported once' say_without_dialogue
