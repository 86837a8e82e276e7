# The phases in which the functions of scripts may be called: calls every function in every phase and compares with the
# table in scripts/shoal/base/phases.lua.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf phases
cp -r "$root/tests/scenarios/games/phases" .
table() { luajit "$root/tests/scenarios/lib/phases.lua" "$root" "$@"; }
table rows >phases/lib/rows.lua

select_phase() { echo "return \"$1\"" >phases/lib/phase.lua; }
press='shoal.cockpit("Probe", "Press")'

# The save lacks a field that components.lua declares, so that loading it migrates rows.
old_save() {
  select_phase none
  cp phases/components.lua unknown_components.lua
  echo 'return { marker = { value = 1 }, poise = { balance = 0 } }' >phases/components.lua
  run_for 20 "$release" run phases --headless --seed 1 --ticks 1 --save old.sqlite
  exits 0
  cp unknown_components.lua phases/components.lua
}
it_always "a save of an older version of the game is written" old_save

# Objects whose methods cannot be called in a phase, because nothing can create them earlier.
missing_in() {
  case $1 in
    load | migrate | cache | state) echo 'q|tiles|panel' ;;
    start) echo 'panel' ;;
    *) echo 'none' ;;
  esac
}

checks_phase() {
  select_phase "$1"
  load=
  [ "$1" != migrate ] || load="--load old.sqlite"
  # shellcheck disable=SC2086
  run_for 60 "$release" run phases --headless --seed 1 --ticks 2 $load --exec "$press" \
    --exec 'require("lib.probe")("console")'
  says out "$1 ends"
  sed "/^$1 ends/q" out | grep "^$1 .* \(allowed\|refused\|skipped\)\$" | sort >calls
  grep ' skipped$' calls | sed 's/ skipped$//' >skipped
  ! grep -vE "^$1 (($(missing_in "$1")):|(menu|lobby)\.)" skipped || fail "these functions were not called"
  grep -v ' skipped$' calls >called
  table expect "$1" | awk -v skipped=skipped 'BEGIN { while ((getline line < skipped) > 0) gone[line] = 1 }
    !(($1 " " $2) in gone)' | sort >expected
  diff expected called || fail "the phase $1 allows other functions than its table"
}

for phase in $(table phases); do
  it "in the phase $phase, every function is allowed or refused as listed in base/phases.lua" checks_phase "$phase"
done

without_row() {
  mkdir -p copy
  cp -r "$root/scripts" "$root/assets" copy/
  sed -i 's/ tween watch" }/ tween" }/' copy/scripts/shoal/base/phases.lua
  select_phase none
  run_for 20 env SHOAL_ROOT="$PWD/copy" "$release" run phases --headless --ticks 1
  [ "$status" != 0 ] || fail "a function without a row was accepted"
  says err "base/phases.lua: world.watch has no row: add it to ROWS"
  sed -i 's/ tween" }/ tween watch" }/; s/ reverse sub upper/ reverse sub/' copy/scripts/shoal/base/phases.lua
  run_for 20 env SHOAL_ROOT="$PWD/copy" "$release" run phases --headless --ticks 1
  [ "$status" != 0 ] || fail "a library function without a row was accepted"
  says err "base/phases.lua: string.upper has no row: add it to ROWS"
}
it "a function without a row in base/phases.lua stops every game from loading" without_row

# The render phase and panels must not change the world, so functions with side effects are errors there.
reading_phases() {
  for call in 'world.pause()' 'world.save("x")' 'world.export("x")' 'world.watch("SELECT 1")' 'world.ghosts("probed")' \
    'world.focus(world.find("probed"))' 'world.quit()' 'reload()'; do
    select_phase none
    echo "return { phase = \"render\", update = function() $call end }" >phases/systems/acts.lua
    run_for 20 "$release" run phases --headless --seed 1 --ticks 3
    exits 1 err "is not allowed in a render system: drawing must not change the world"
    says err "systems/acts.lua:1"
    rm phases/systems/acts.lua
    echo "shoal.cockpit { title = \"Acts\", draw = function(panel) $call panel:button(\"x\", function() end) end }" \
      >phases/cockpit/acts.lua
    run_for 20 "$release" run phases --headless --seed 1 --ticks 3 --exec 'shoal.cockpit("Acts", "x")'
    says err "is not allowed in a panel: drawing must not change the world"
    rm phases/cockpit/acts.lua
  done
}
mkdir -p phases/cockpit
it "functions with side effects are refused in panels, and in the render phase with file and line" reading_phases
