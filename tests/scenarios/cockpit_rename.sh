# Renames in the cockpit: components, fields, assemblages, states, behaviours and events in all files of a game, while
# it runs. The first tests use the protocol (lib/cockpit.lua), the last test uses the page in a headless Chromium and
# is skipped if Chromium is not installed. cockpit_kinds.sh shows how the pictures of the docs are made.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib/browser.sh"
cd "$tmp" || exit 1

make_den() {
  rm -rf den
  mkdir -p den/systems den/behaviours den/scenes den/lib den/sequences den/addons/kit
  cat >den/game.lua <<'END'
return { title = "den", id = "den", addons = { "kit" }, start = function()
  world.spawn("wolf", { name = "rex", bite = { power = 3 } })
  world.spawn("sheep")
  world.after(3600, "howl", { loud = 2 })
end }
END
  cat >den/components.lua <<'END'
local t = shoal.types
return {
  bite = { power = 1, reach = 2, look = { r = 0, g = 0 } }, -- how a wolf bites
  tail = { length = 3, requires = { "bite" } },
  seen = t.single { bites = t.i32(0), phase = t.enum { "night", "day" } },
}
END
  cat >den/assemblages.lua <<'END'
return {
  wolf = {
    components = {
      name = {}, transform = {}, bite = { power = 2, look = { r = 0.25 } }, prowl = {},
    },
    children = { rear = { tail = { length = 4 }, bite = {} } },
    states = { initial = "calm", calm = {}, angry = { bite = { power = 9 } } },
  },
  pup = { is = "wolf", without = { "bite", "prowl" } },
  sheep = { components = { transform = {} } },
}
END
  echo 'return { howl = { loud = 1 }, fed = { entity = shoal.types.entity } }' >den/events.lua
  cat >den/systems/hunt.lua <<'END'
local looks = require "lib.looks"
return {
  query = { "bite", "transform", without = { "tail" }, optional = { "prowl" } },
  when = { seen = { phase = "night" } },
  after = { "prowl" },
  update = function(q)
    local power, bite = q.bite.power, q.bite
    for i = 1, q.count do
      power[i] = power[i] + 0 * bite.reach[i] + q.bite.look.r[i] * 0
    end
    looks.use()
  end,
  on = { howl = function(ev)
    for i = 1, ev.count do world.single.seen.bites = world.single.seen.bites + ev.loud[i] end
  end },
}
END
  cat >den/systems/report.lua <<'END'
return { enabled = false, update = function()
  for e in world.each("bite") do
    log.info("%g: %d", e.bite.power, #world.sql("SELECT entity FROM " .. "bite"))
  end
end }
END
  cat >den/behaviours/prowl.lua <<'END'
return {
  fields = { steps = 0 },
  requires = { "bite" },
  update = function(self, dt)
    self.steps = self.steps + 1
    if self.entity.bite.power > 100 then self.entity:enter("angry") end
  end,
}
END
  cat >den/lib/looks.lua <<'END'
local M = {}
function M.use() end
function M.feed(e)
  if e:has("bite") and e:state() == "angry" then e:set("bite", { power = 1 }) end
  world.tween(e, "bite.power", 4, 1)
  world.emit("howl", { loud = 3 })
  e:add("bite", { power = 3, look = { r = 1 } })
end
return M
END
  cat >den/lib/tools.lua <<'END'
local M = {}
function M.list(e)
  local found = {}
  for _, name in ipairs { "tail", "bite" } do found[#found + 1] = e:has(name) and name or nil end
  return found
end
-- bites are counted: local names and comments are not names of components
M.words = { en = "a strong bite", de = "ein Biss" }
function M.make(kind)
  if kind == "none" then return nil end
  if kind == "alpha" then return world.spawn("wolf") end
  return world.spawn("wol" .. "f"), { wolf = 3 }
end
return M
END
  echo 'return { { tween = "bite.power", to = 8, seconds = 3600 },
  { when = function(e) return e.bite.power > 1 end, wait = 1 } }' >den/sequences/yawn.lua
  cat >den/scenes/yard.json <<'END'
{ "format": 1, "entities": [
  { "assemblage": "wolf", "state": "angry",
    "components": { "bite": { "power": 5, "look": { "r": 1 } }, "prowl": { "steps": 2 } } }
] }
END
  cat >den/scenes/barn.lua <<'END'
return { entities = { { assemblage = "wolf", state = "angry", components = { bite = { power = 6 } } } } }
END
  echo 'return { name = "kit", version = "1.0.0" }' >den/addons/kit/addon.lua
  echo 'return { tool = { bite = 1 } }' >den/addons/kit/components.lua
}
start_game() { launch_cockpit "$release" run "$1" --headless --no-watch; } # start_game FOLDER: sets $port
check() { # check NAME: runs a check of lib/cockpit.lua
  start_game den
  check_cockpit "$1"
  wait_for 20 has_exited "$program" || fail "the game does not exit"
  stop_program
}
renames() {
  make_den
  rm -rf before renamed
  cp -r den before
  check renames
  diff -r den before || fail "the undone files differ"
  (LC_ALL=C diff -ruN before renamed || true) | sed '/^diff /d; /^[-+][-+][-+] /s/\t.*//' >rename.diff
  cmp -s "$root/tests/scenarios/lib/rename.diff" rename.diff ||
    fail "unexpected diff: $(diff "$root/tests/scenarios/lib/rename.diff" rename.diff)"
}
it "a name of each kind is renamed in all files while the game runs, and undo restores the files byte for byte" renames

old_save() {
  requires renames
  run_for 20 "$release" run before --headless --ticks 5 --save old.sqlite --exec 'world.find("rex").bite.power = 42'
  exits 0
  run_for 20 "$release" run renamed --headless --ticks 2 --strict --load old.sqlite --exec 'local e = world.find("rex")
    return e.tooth.might > 40, e:assemblage(), e:state(), e.stalk.steps'
  exits 0 out "true	hound	calm	5"
}
it "a save made before renames can be loaded after the renames" old_save

undoes_values() {
  make_den
  check undo_across_renames
}
it "an edit of a value can be undone after its component or field was renamed" undoes_values

problems() {
  make_den
  check rename_problems
}
it "an invalid rename is reported with the invalid member, and a changed file is not written" problems

restored() { # restored CHECK: runs a check that undoes its changes
  make_den
  rm -rf before
  cp -r den before
  check "$1"
  diff -r den before || fail "the undone files differ"
}
it "a former name can be used again only by the declaration that had this name" restored former_names
it "a name cannot be renamed again while an error prevents the load of its rename" restored refused_renames

click() { echo "do:document.querySelector('$1').click()"; }
shows() { echo \
  "document.querySelector('.kinds .proposal .diffs')?.textContent.includes('$1') && !document.querySelector('.kinds .write-change').disabled"; }
into() { echo "do:{ const x = document.querySelector('[aria-label=\"$1\"]'); x.focus(); x.select?.(); }"; }
written() { echo \
  "document.querySelectorAll('.kinds .written-row').length == $1 && document.querySelector('.kinds .proposal .diffs .empty') != null"; }
marked() { echo \
  "document.querySelector('#kind-name').closest('.kind-field').querySelector('.problem').textContent.includes('$1') && document.querySelector('.kinds .write-change').disabled"; }
choose() { # choose TEXT: searches for a name to rename, and chooses the first match
  printf '%s\n' "$(into 'what to rename')" "type=$1" \
    "document.querySelector('.matches .chosen b')?.textContent.startsWith('$1')" key=Enter \
    "document.querySelector('#kind-name') == document.activeElement"
}

# Prints a step that changes a field of the selected entity.
type_in() { echo "do:{ const x = document.querySelector('#inspector input[aria-label=$1]'); x.focus(); x.value = '$2'; x.onchange(); x.blur(); }"; }
# Renames a component and an assemblage on the page, after the form has reported mistakes, and undoes the last rename.
form() {
  skip_without "${browser:-chromium}"
  make_den
  start_game den
  set --
  while IFS= read -r step; do set -- "$@" "$step"; done <<END
document.body.dataset.ready != null
size=1500x860
do:[...document.querySelectorAll('#tabs button')].find((x) => x.textContent == 'Kinds').click()
document.querySelectorAll('.field-row').length == 2
$(click '.kinds [data-kind=rename]')
document.querySelector('[aria-label="what to rename"]') != null
$(into 'what to rename')
type=bite
[...document.querySelectorAll('.matches li')].map((x) => x.textContent).join('|').startsWith('bitecomponent|bite.lookfield|bite.look.gfield|bite.look.rfield|bite.powerfield')
shot=rename_search.png
key=Enter
document.querySelector('#kind-name') == document.activeElement
$(into 'new name')
type=tail
$(marked 'component tail already exists (components.lua:4)')
shot=rename_problem.png
$(into 'new name')
type=two words
$(marked 'letters, digits and _')
do:[...document.querySelectorAll('#entity-list .row')].find((x) => x.textContent.includes('rex')).click()
document.querySelector('#inspector input[aria-label=power]') != null
$(for field in power reach x y z angle scale_x; do type_in $field 8; done)
document.querySelectorAll('.tuned .value-row').length == 7
[...document.querySelectorAll('.tuned .expression')].some((x) => x.textContent == 'bite.power')
$(into 'new name')
type=fang
$(shows 'renamed_from = "bite"')
document.querySelector('.unsure').textContent.includes('3 places are not changed')
document.querySelector('.unsure').textContent.includes('systems/report.lua:3')
document.querySelector('.kinds .write-change').textContent == 'Write 10 files'
shot=cockpit_rename.jpg
$(click '.kinds .write-change')
$(written 1)
import('./world.js').then((x) => x.world.byName.has('fang') && !x.world.byName.has('bite'))
[...document.querySelectorAll('.tuned .expression')].some((x) => x.textContent == 'fang.power')
![...document.querySelectorAll('.tuned .expression')].some((x) => x.textContent.startsWith('bite'))
document.querySelectorAll('.tuned .value-row').length == 7
do:[...document.querySelectorAll('.tuned h3 button')][0].click()
document.querySelectorAll('.tuned .value-row').length == 0
$(choose wolf)
$(into 'new name')
type=hound
$(shows 'renamed_from = "wolf"')
sh=echo '-- edited' >>den/scenes/barn.lua
$(click '.kinds .write-change')
document.querySelector('.kinds .proposal .error').textContent == 'scenes/barn.lua has changed since its diff was shown: check the new diff'
$(shows 'renamed_from = "wolf"')
document.querySelector('#kind-name').value == 'hound'
shot=rename_conflict.png
$(click '.kinds .write-change')
$(written 2)
[...document.querySelectorAll('#entity-list .row')].some((x) => x.textContent.includes('hound'))
sh=grep -q 'assemblage = "hound"' den/scenes/barn.lua
$(click '.kinds .written-row button')
document.querySelector('.kinds .written-row .badge').textContent == 'undone'
[...document.querySelectorAll('#entity-list .row')].some((x) => x.textContent.includes('wolf'))
import('./world.js').then((x) => x.world.schema.assemblages.some((y) => y.name == 'wolf'))
$(choose angry)
do:document.documentElement.dataset.theme = 'dark'
size=1024x768
document.querySelector('.kind-chip').textContent.startsWith('angrystate')
shot=rename_dark.png
END
  browse "$@"
  [ -z "${PICTURES-}" ] || cp cockpit_rename.jpg "$PICTURES"
  grep -q 'fang = {.*renamed_from = "bite"' den/components.lua || fail "unexpected: $(cat den/components.lua)"
  grep -q 'assemblage = "wolf".*fang' den/scenes/barn.lua || fail "unexpected: $(cat den/scenes/barn.lua)"
}
it "the page finds the mentions of a name, reports invalid names, lists mentions that it does not rename, and undoes a rename in one step" form
