# New kinds made in the cockpit: components, assemblages, behaviours and systems that are written to the game's files.
# The first tests use the protocol (lib/cockpit.lua), the last tests use the page in a headless Chromium
# (lib/browser.lua) and are skipped if Chromium is not installed. The pictures of engine/docs/cockpit.md are made by
# PICTURES=$PWD/assets/pictures ./shoal test "cockpit_kinds: a new enemy" "cockpit_rename: the page"
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib/browser.sh"
cd "$tmp" || exit 1

make_bees() {
  rm -rf bees
  mkdir -p bees/systems
  echo 'return { title = "bees", start = function() world.spawn("bee") end }' >bees/game.lua
  printf '%s\n' 'local t = shoal.types' 'return {' '  health = { hp = t.i32(1, { max = 1000000000 }) },' \
    '  tags = { text = "" },' '}' >bees/components.lua
  echo 'return { bee = { components = { health = {}, transform = {}, tags = {} } } }' >bees/assemblages.lua
  echo 'return { query = { "health" }, each = function(e) e.health.hp = e.health.hp - 1 end }' >bees/systems/hunger.lua
}
start_game() { launch_cockpit "$release" run "$1" --headless --no-watch; } # start_game FOLDER: sets $port
check() { # check NAME: runs a check of lib/cockpit.lua
  make_bees
  start_game bees
  check_cockpit "$1"
  wait_for 20 has_exited "$program" || fail "the game does not exit"
  stop_program
}
it "invalid members of a new kind are reported with their position and the nearest name" check kind_problems
it "a component whose creation was undone keeps its rows, and can be declared again" check kept_components
it "write-back keeps the line endings of a file with CR LF, and can replace a long string" check crlf_writes
it "a file that changed since its diff was shown is not written, and undo is refused if a written file has changed" \
  check kind_conflicts
it "a folder created by changes is removed when all these changes are undone, in any order" check undone_folder
it "write-back of a value is refused with a reason if no file declares the entity's assemblage" check missing_assemblage
it "edits of computed tables are refused with their line, and accepted edits keep the file's layout" check kind_sources

it "after a refused reload, write-back is refused for literals that the game has not loaded" check refused_reload

# page STEPS…: opens the cockpit of the game in the folder `played` and performs the steps.
page() {
  skip_without "${browser:-chromium}"
  start_game played
  browse "document.body.dataset.ready != null" "size=1500x860" \
    "do:[...document.querySelectorAll('#tabs button')].find((x) => x.textContent == 'Kinds').click()" \
    "document.querySelectorAll('.field-row').length == 2" "$@"
}
kind() { echo "do:document.querySelector('.kinds [data-kind=$1]').click()"; }
into() { echo "do:{ const x = document.querySelector('[aria-label=\"$1\"]'); x.focus(); x.select?.(); }"; }
shows() { echo \
  "document.querySelector('.kinds .proposal .file-diff')?.textContent.includes('$1') && !document.querySelector('.kinds .write-change').disabled"; }
write="do:document.querySelector('.kinds .write-change').click()"
# While the diff is shown, a reload loads the game's schema again, and a click on Write must not be lost.
stays_enabled="import('./world.js').then((x) => { x.changes.dispatchEvent(new Event('loaded'));
  return !document.querySelector('.kinds .write-change').disabled; })"
written() { echo \
  "document.querySelectorAll('.kinds .written-row').length == $1 && document.querySelector('.kinds .proposal .diffs .empty') != null"; }
knows() { echo "import('./world.js').then((x) => x.world.byName.has('$1'))"; }
add() { # add PART: presses the first button that adds this kind of part
  echo "do:[...document.querySelectorAll('button.add')].filter((x) => x.textContent == '+ $1')[0].click()"
}

# An empty game, made by ./shoal new, gets an enemy that walks to and fro: its component, behaviour and assemblage are
# created on the page, and the changed files are compared with lib/enemy.diff.
enemy() {
  rm -rf played before
  "$root/shoal" new played --template empty >/dev/null
  cp -r played before
  page \
    shot=kinds_empty.jpg "$(into name)" type=bite "$(into description)" "type=how strongly it bites" \
    "$(into 'name of field 1')" type=damage \
    "do:{ const x = document.querySelector('[aria-label=\"type of field 1\"]'); x.value = 'i32'; x.onchange(); }" \
    "$(into 'default of field 1')" type=5 "$(into 'minimum of field 1')" type=0 "$(into 'maximum of field 1')" \
    type=100 \
    "$(add Field)" "type=reach" "$(into 'default of field 2')" type=24 "$(into 'unit of field 2')" type=px \
    "$(shows 'unit = "px"')" shot=kinds_component.jpg "$write" "$(written 1)" "$(knows bite)" \
    "$(kind behaviour)" "$(into name)" type=prowl \
    "do:document.querySelector('[aria-label=\"template patrol\"]').click()" \
    "$(shows 'self.direction = -1')" shot=kinds_behaviour.jpg "$write" "$(written 2)" "$(knows prowl)" \
    "$(kind assemblage)" "$(into name)" type=wolf \
    "$(into 'add a component')" type=transf "document.querySelectorAll('.matches li').length > 0" key=Enter \
    "document.querySelectorAll('.kind-card').length == 1" type=shape key=Enter \
    "document.querySelectorAll('.kind-card').length == 2" type=bite key=Enter \
    "document.querySelectorAll('.kind-card').length == 3" type=prow key=Enter \
    "document.querySelectorAll('.kind-card').length == 4" \
    "$(into 'transform x')" type=640 "$(into 'transform y')" type=200 "$(into 'shape radius')" type=18 \
    "$(into 'shape colour')" "type=#c04040" "$(into 'bite damage')" type=12 "$(into 'prowl speed')" type=90 \
    "$(add Child)" type=tail "$(into 'add a component to child 1')" type=transf key=Enter \
    "document.querySelectorAll('.kind-part .kind-card').length == 1" type=shape key=Enter \
    "document.querySelectorAll('.kind-part .kind-card').length == 2" \
    "do:{ const x = document.querySelectorAll('[aria-label=\"transform x\"]')[1]; x.value = '-22'; x.oninput(); }" \
    "do:{ const x = document.querySelectorAll('[aria-label=\"shape radius\"]')[1]; x.value = '7'; x.oninput(); }" \
    "$(add State)" type=calm "$(add State)" type=angry "$(into 'add a component to state 2')" type=shape key=Enter \
    "document.querySelectorAll('.kind-part .kind-card').length == 3" \
    "do:{ const x = document.querySelectorAll('[aria-label=\"shape colour\"]')[2]; x.value = '#ff2020'; x.oninput(); }" \
    "$(shows 'colour = "#ff2020"')" "do:document.querySelector('.kind-form').scrollTop = 0" \
    shot=cockpit_kinds_assemblage.jpg \
    "$write" "$(written 3)" \
    "import('./world.js').then((x) => x.world.schema.assemblages.some((y) => y.name == 'wolf'))" \
    "do:document.querySelector('.spawn-offer button').click()" \
    "[...document.querySelectorAll('#entity-list .row')].some((x) => x.textContent.includes('wolf'))" \
    "document.querySelector('input[aria-label=direction]') != null" shot=kinds_written.jpg \
    "do:[...document.querySelectorAll('#tabs button')].find((x) => x.textContent == 'Map').click()" \
    "document.querySelector('#map, canvas')?.offsetParent != null" shot=cockpit_kinds_map.jpg \
    "do:[...document.querySelectorAll('#tabs button')].find((x) => x.textContent == 'Kinds').click()" \
    "do:document.documentElement.dataset.theme = 'dark'" "size=1024x768" shot=kinds_dark.png
  (LC_ALL=C diff -ruN before played || true) | sed '/^diff /d; /^[-+][-+][-+] /s/\t.*//' >enemy.diff
  [ -z "${PICTURES-}" ] || cp cockpit_kinds_*.jpg "$PICTURES"
  cmp -s "$root/tests/scenarios/lib/enemy.diff" enemy.diff ||
    fail "unexpected diff: $(diff "$root/tests/scenarios/lib/enemy.diff" enemy.diff)"
  "$release" run played --headless --ticks 30 --strict >out 2>&1 || fail "the game does not run: $(cat out)"
}
it "a new enemy with its own component, behaviour and assemblage can be created on the page with a minimal diff" enemy

# If the file changes after the diff was shown, a click on Write keeps the input and shows the new diff.
conflict() {
  make_bees
  rm -rf played
  cp -r bees played
  page "$(into name)" type=health \
    "document.querySelector('#kind-name').closest('.kind-field').textContent.includes('already exists (components.lua:3)')" \
    "document.querySelector('.kinds .write-change').disabled" "$(into name)" type=wing "$(shows 'wing = {}')" \
    "sh=sed -i 's/^  tags.*/&\\n  horn = {},/' played/components.lua" "$write" \
    "document.querySelector('.kinds .proposal .error').textContent == 'components.lua has changed since its diff was shown: check the new diff'" \
    "$(shows 'horn = {}')" "document.querySelector('#kind-name').value == 'wing'" shot=kinds_conflict.png "$write" \
    "$(written 1)" \
    "sh=grep -q 'wing = {}' played/components.lua" "sh=echo '-- more' >>played/components.lua" \
    "do:document.querySelector('.kinds .written-row button').click()" \
    "document.querySelector('.kinds .written-row .error').textContent.includes('components.lua has changed since it was written')" \
    "$(knows wing)" "$(into name)" type=tooth "$(shows tooth)" "$stays_enabled" "$write" "$(written 2)" \
    "do:document.querySelector('.kinds .written-row button').click()" \
    "document.querySelector('.kinds .written-row .badge').textContent == 'undone'" \
    "sh=! grep -q tooth played/components.lua" shot=kinds_undone.png
  grep -q "wing = {}" played/components.lua || fail "the first change was lost: $(cat played/components.lua)"
  grep -q "horn = {}" played/components.lua || fail "the editor's change was lost: $(cat played/components.lua)"
}
it "the page shows a new diff if a file has changed, keeps the input, and undoes only unchanged files" conflict

# A system is broken while the page is open: the form shows the error until a reload succeeds. A change can be undone
# only after later changes to the same file.
refused_reload() {
  make_bees
  rm -rf played
  cp -r bees played
  refusal="document.querySelector('.kind-side > .error')"
  page "$refusal.hidden" "sh=cp played/systems/hunger.lua kept; echo 'return {' >played/systems/hunger.lua" \
    "$(into name)" type=wing "$(shows 'wing = {}')" "$write" "$(written 1)" \
    "!$refusal.hidden && $refusal.textContent.includes('systems/hunger.lua:')" "$(into name)" type=tooth \
    "$(shows tooth)" "$write" "$(written 2)" shot=kinds_refused.png \
    "do:document.querySelectorAll('.kinds .written-row button')[1].click()" \
    "document.querySelector('.kinds .written-row .error').textContent.endsWith(': first undo component tooth')" \
    "do:document.querySelectorAll('.kinds .written-row button')[0].click()" \
    "document.querySelectorAll('.kinds .written-row .badge').length == 1" \
    "do:document.querySelector('.kinds .written-row button').click()" \
    "document.querySelectorAll('.kinds .written-row .badge').length == 2" "!$refusal.hidden" \
    "sh=cp kept played/systems/hunger.lua" "do:import('./wire.js').then((x) => x.request('reload'))" "$refusal.hidden"
  cmp bees/components.lua played/components.lua || fail "the changes were not undone: $(cat played/components.lua)"
}
it "after a refused reload, the page shows the error, and changes can be written and undone" refused_reload
