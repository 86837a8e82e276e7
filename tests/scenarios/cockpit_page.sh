# User actions on the cockpit's page in a headless Chromium, and their effects. Skipped if Chromium is not installed.
# With PICTURES=FOLDER, the pictures of README.md and engine/docs/cockpit.md are kept there.
# only with --long
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib/browser.sh"
cd "$tmp" || exit 1
if [ -z "$browser" ]; then
  echo "skipped all tests: chromium is not installed (./shoal deps --test installs it)"
  exit 0
fi

# page STEPS…: launches a copy of Asteroids (or of $game), opens its cockpit and performs the steps (lib/browser.lua).
# Screenshots are kept in $tmp.
page() {
  rm -rf played
  cp -r "${folder:-$root/scripts/games/${game:-asteroids}}" played
  [ -z "${panel-}" ] || echo "$panel" >>played/cockpit.lua
  [ -z "${script-}" ] || echo "$script" | tee played/assets/hostile.js >played/assets/hostile.html
  launch_cockpit "$release" run played --headless --history 64 --seed 3 --no-watch
  browse "document.querySelectorAll('#entity-list .row').length > 2 && document.body.dataset.ready != null" "$@"
}
find() { # find TEXT: prints the step that types TEXT into the search field
  echo "do:document.querySelector('#search').value = '$1'; document.querySelector('#search').oninput()"
}
pause="do:document.querySelector('#toggle').click()"
paused="document.querySelector('#state').textContent == 'paused'"
early="do:import('./wire.js').then((x) => x.request('time', { action: 'seek', tick: 60 }))" # tick at which the demo's entities are at known positions
is_early="document.querySelector('#tick').textContent == '60'"
select="do:document.querySelector('#entity-list .row').click()"
selected="document.querySelectorAll('.component').length > 1"
no_toast="document.querySelector('#toast').hidden"
field() { echo "document.querySelector('input[aria-label=$1]')"; }
type_in() { # type_in FIELD VALUE
  echo "do:{ const x = $(field "$1"); x.focus(); x.value = '$2'; x.onchange(); x.blur(); }"
}

# settled FIELD: prints a condition that holds once the field has been unchanged for half a second. By then the page
# shows the tick at which the game was paused.
settled() {
  echo "(globalThis.seen = globalThis.seen?.value === $(field "$1").value ? { value: seen.value, times: seen.times + 1 }
    : { value: $(field "$1").value, times: 0 }).times > 9"
}

it "the search finds entities by name, component and condition" page \
  "$(find 'rock :collider')" "document.querySelectorAll('#entity-list .row').length == 0 ||
    [...document.querySelectorAll('#entity-list .row')].every((x) => x.textContent.includes('rock'))" \
  "$(find 'transform.x > 100000')" "document.querySelector('#entity-count').textContent == '0 results'" \
  "$(find ':nothing')" "document.querySelector('#search-error').textContent.includes('no such table: nothing')" \
  "$(find ship)" "document.querySelectorAll('#entity-list .row').length > 0" shot=entities.png

tab() { echo "do:[...document.querySelectorAll('#tabs button')].find((x) => x.textContent == '$1').click()"; }
folded="[...document.querySelectorAll('#entity-list .row.fold')].find((x) => x.textContent.includes('star'))"
it "the page opens with the map and a selected entity, and groups entities by assemblage" page size=1280x800 \
  "document.querySelector('#tabs [aria-selected=true]').textContent == 'Map'" \
  "document.querySelectorAll('.component').length > 1 && document.querySelector('#entity-list .picked, #entity-list .fold') != null" \
  "document.querySelector('#inspector h2').textContent.startsWith('demo_ship')" \
  "document.querySelector('#entity-count').hidden" \
  shot=opened.png "$folded.textContent.includes('× 15') && document.querySelectorAll('#entity-list .row').length < 60" \
  "do:$folded.click()" "document.querySelectorAll('#entity-list .row').length > 150" "do:$folded.click()" \
  "document.querySelectorAll('#entity-list .row').length < 60"
it "the tab Tables shows tables in groups that can be unfolded" page size=1280x800 "$(tab Tables)" \
  "document.querySelectorAll('#table-rows tr.group').length == 4" \
  "[...document.querySelectorAll('#table-rows tr.group td')].every((x) => getComputedStyle(x).overflowX == 'visible')" \
  "do:globalThis.rows = document.querySelectorAll('#table-rows tr').length" \
  "do:document.querySelector('#table-rows tr.group:last-of-type button').click()" \
  "document.querySelectorAll('#table-rows tr').length > rows" \
  "(globalThis.box = document.querySelector('#table-rows').closest('.scroll')).scrollWidth <= box.clientWidth" \
  shot=tables.png
it "the tab Kinds fits a window 1,280 pixels wide, and an empty tab Levels explains where files belong" page \
  size=1280x800 \
  "$(tab Kinds)" "document.querySelector('.kind-form') != null" \
  "[...document.querySelectorAll('.kind-side, .kind-side .scroll, .field-row input')].every((x) => x.scrollWidth <= x.clientWidth + 1)" \
  "document.querySelector('.field-row').getBoundingClientRect().right <= document.querySelector('.kind-side').getBoundingClientRect().right" \
  shot=kinds_1280.png "$(tab Levels)" "document.querySelector('.level-side').textContent.includes('assets/NAME.tmj')" \
  shot=no_levels.png

it "the empty tabs Time, Console and Files explain their use, and the console's examples run" page size=1280x800 \
  "$(tab Time)" "document.querySelector('#compare-out').textContent.includes('bookmark one')" shot=empty_time.png \
  "$(tab Files)" \
  "document.querySelector('#file-view').textContent.includes('is reloaded while the game runs')" shot=empty_files.png \
  "$(tab Console)" \
  "document.querySelectorAll('#console-out .empty button').length == 4" shot=empty_console.png \
  "do:document.querySelectorAll('#console-out .empty button')[1].click()" \
  "document.querySelectorAll('.entry td').length > 4" \
  "document.querySelector('#console-out .empty') == null" shot=console_example.png

it "an edit of a field in the inspector changes the game, and Ctrl+Z undoes the edit" page \
  "$pause" "$paused" "$select" "$selected" "$(settled x)" "do:globalThis.before = $(field x).value" \
  "$(type_in x 123.5)" \
  "$(field x).value == '123.5' && document.activeElement != $(field x)" "key=Ctrl+z" "$(field x).value == before" \
  shot=inspector.png

list_values="[...document.querySelectorAll('.list input.number')].map((x) => x.value).join()"
edit_list() {
  rm -rf played
  mkdir played
  echo 'local t = shoal.types return { bag = { items = t.list(t.u32, 4) } }' >played/components.lua
  echo 'return { sack = { components = { transform = {}, bag = { items = { 3, 4 } } } } }' >played/assemblages.lua
  echo 'return { title = "Sacks", start = function() for _ = 1, 6 do world.spawn("sack") end end }' >played/game.lua
  launch_cockpit "$release" run played --headless --no-watch
  browse "document.querySelectorAll('#entity-list .row').length > 5 && document.body.dataset.ready != null" \
    "$select" "$selected && $list_values == '3,4'" "do:document.querySelector('.list .add').click()" \
    "$list_values == '3,4,0'" "$(type_in '"items[2]"' 9)" "$list_values == '3,9,0'" \
    "do:document.querySelector('.list .remove').click()" "$list_values == '9,0'" shot=list.png \
    "document.querySelector('.field.differs label').textContent == 'items'" "key=Ctrl+z" "$list_values == '3,9,0'" \
    "do:[...document.querySelectorAll('.field.differs .back')].forEach((x) => x.click())" "$list_values == '3,4'"
}
it "values of a list can be changed, appended, removed and reset in the inspector, and Ctrl+Z undoes a change" edit_list

# A sack is destroyed when its fuse has run out.
inspector_text="document.querySelector('#inspector .empty')?.textContent"
burns_down() { # burns_down STEPS…: selects a sack, opens a different tab, sets the fuse, and performs the steps
  rm -rf played
  mkdir -p played/systems
  echo 'local t = shoal.types return { fuse = { left = t.i32(0) } }' >played/components.lua
  echo 'return { sack = { components = { transform = {}, fuse = {}, shape = { kind = "circle" } } } }' \
    >played/assemblages.lua
  echo 'return { title = "Sacks", start = function() for i = 1, 6 do
    world.spawn("sack", { transform = { x = 100 * i, y = 200 } }) end end }' >played/game.lua
  echo 'return { query = { "fuse" }, each = function(e)
    e.fuse.left = e.fuse.left - 1
    if e.fuse.left == 0 then e:destroy() end
  end }' >played/systems/burn.lua
  launch_cockpit "$release" run played --headless --history 64 --no-watch
  browse "document.querySelectorAll('#entity-list .row').length > 5 && document.body.dataset.ready != null" \
    size=1280x800 "do:import('./wire.js').then((x) => (globalThis.wire = x))" "$(tab Systems)" "$pause" "$paused" \
    "$select" "$selected" \
    "do:import('./world.js').then((x) => (globalThis.sack = x.world.picked))" "wire != null && sack > 0" \
    "do:wire.request('set', { entity: sack, component: 'fuse', instance: '', field: 'left', value: 5 })" \
    "$(field left).value == '5'" \
    "do:globalThis.start = Number(document.querySelector('#tick').textContent)" shot=fuse.png \
    "do:wire.request('time', { action: 'step', ticks: 20 })" "$@"
}
it "the inspector shows the tick in which the selected entity was destroyed, also while the map is hidden" burns_down \
  "document.querySelector('#tick').textContent == String(start + 20)" \
  "$inspector_text === '#' + sack + ' was destroyed at tick ' + (start + 5) + '. Select another entity, or go back in time.'" \
  shot=destroyed.png
it "the inspector shows a destroyed entity again after a rewind to a tick in which it was alive" burns_down \
  "$inspector_text?.includes('destroyed at tick')" "do:wire.request('time', { action: 'seek', tick: start + 3 })" \
  "$selected && $inspector_text == null && $(field left).value == '2'"

panels="do:[...document.querySelectorAll('#tabs button')].find((x) => x.textContent == 'Panels').click()"
it "the tab Panels shows the game's panels, and the game's sliders, buttons and commands change the game" page \
  "$panels" "document.querySelectorAll('.game-panel[data-title=Wave] .widget').length > 4" \
  "document.querySelectorAll('.game-panel[data-title=\"Flying objects\"] td').length > 3" "$pause" "$paused" \
  "do:{ const x = document.querySelector('.game-panel input[aria-label=lives]'); x.value = 7; x.oninput(); x.onchange(); }" \
  "document.querySelectorAll('.value-row').length == 1" \
  "[...document.querySelectorAll('.game-panel .slider')].some((x) => x.textContent == 'lives7')" shot=panels.png \
  "do:document.querySelector('.game-panel[data-title=Wave] button:not(.game-panel-title)').click()" "key=Ctrl+k" \
  "do:document.querySelector('#palette-input').value = 'clear rocks'; document.querySelector('#palette-input').oninput()" \
  "document.querySelectorAll('#palette-list li').length == 1" "key=Enter" \
  "[...document.querySelectorAll('.game-panel[data-title=\"Flying objects\"] td')].every((x) => !x.textContent.includes('rock'))" \
  "do:document.querySelector('.game-panel[data-title=Wave] .game-panel-title').click()" \
  "document.querySelector('.game-panel[data-title=Wave] .inside').hidden" \
  "do:document.documentElement.dataset.theme = 'dark'" shot=panels_dark.png

invalid_query() {
  panel='shoal.cockpit { title = "Wrong", sql = "SELECT pirce FROM transform" }'
  page "$panels" \
    "document.querySelector('.game-panel[data-title=Wrong] .error')?.textContent.match(/cockpit.lua:\d+: no such column: pirce/) != null" \
    "document.querySelectorAll('.game-panel[data-title=\"Flying objects\"] td').length > 0" shot=wrong.png
}
it "a panel with an invalid query shows an error instead of its contents, and the remaining panels are drawn" \
  invalid_query

hostile_script() {
  script='globalThis.ran = location.href'
  page "do:import('./assets/hostile.js').then(() => (globalThis.result = 'imported'), () => (globalThis.result = 'refused'))" \
    "globalThis.result == 'refused'" \
    "do:{ const x = document.createElement('script'); x.src = 'assets/hostile.js'; x.onload = () => (globalThis.tag = 'ran');
      x.onerror = () => (globalThis.tag = 'refused'); document.head.append(x); }" "globalThis.tag == 'refused'" \
    "do:fetch('assets/hostile.html').then((x) => (globalThis.kind = x.headers.get('content-type')))" \
    "globalThis.kind == 'application/octet-stream'" "globalThis.ran == null"
}
it "a script among the assets of a game does not run on the cockpit page" hostile_script

it "an invalid value entered for a field causes an error message" page \
  "$pause" "$paused" "$select" "$selected" "$(type_in x much)" \
  "document.querySelector('#toast').textContent.includes('a number')"

it "the page can pause, rewind and resume the game" page \
  "$pause" "$paused" "do:globalThis.tick = Number(document.querySelector('#tick').textContent)" "key=ArrowLeft" \
  "Number(document.querySelector('#tick').textContent) == tick - 1" \
  "do:{ const x = document.querySelector('#scrub'); x.value = tick - 30; x.oninput(); }" \
  "Number(document.querySelector('#tick').textContent) == tick - 30" "$pause" \
  "document.querySelector('#state').textContent == 'running'" shot=time.png

console() { # console TEXT
  echo "do:{ const x = document.querySelector('#console-in'); x.value = $1; x.onkeydown({ target: x, key: 'Enter',
    preventDefault() {} }); }"
}
it "the console evaluates Lua and SQL" page \
  "$pause" "$paused" "$select" "$selected" "$(console "'SELECT entity, x FROM transform LIMIT 3'")" \
  "document.querySelectorAll('.entry td').length == 6" "$(console "'e.transform.z = 7'")" \
  "document.querySelectorAll('.entry').length == 2" "$(console "'e.transform.z'")" \
  "document.querySelector('.entry:nth-child(3) pre')?.textContent == '7'" "$(console "'SELECT nme FROM entities'")" \
  "document.querySelector('.entry .error')?.textContent.includes('no such column')" shot=console.png

it "the console runs commands by name, completes their names, and lists all commands for the input help" page \
  "$pause" "$paused" "$(find rock)" "document.querySelectorAll('#entity-list .row').length > 0" \
  "$(console "'clear ROCKS'")" \
  "document.querySelector('.entry .dim')?.textContent == 'done'" \
  "document.querySelectorAll('#entity-list .row').length == 0" "$(console "'clear rcks'")" \
  "document.querySelector('.entry .error')?.textContent.includes('did you mean Clear rocks')" \
  "$(console "'open console'")" "document.querySelector('#tabs [aria-selected=true]').textContent == 'Console'" \
  "$(console "'help'")" "document.querySelectorAll('.entry .commands tr').length > 40" \
  "$(console "'help theme'")" "document.querySelectorAll('.entry:last-child .commands tr').length == 1" shot=help.png \
  "do:{ const x = document.querySelector('#console-in'); x.focus(); x.value = 'spawn sau'; x.oninput(); }" \
  "[...document.querySelectorAll('#completion li b')].some((x) => x.textContent == 'Spawn saucer_big')" \
  shot=command.png \
  "key=Tab" "document.querySelector('#console-in').value == 'Spawn saucer/belt'"

cores() { echo \
  "[...document.querySelectorAll('#system-rows tr')].find((x) => x.children[1].textContent == '$1').querySelector('.cores')"; }
it "the tab Systems can disable a system, and shows why a system does not run in parallel" page "key=1" \
  "document.querySelectorAll('#system-rows tr').length > 20" \
  "$(cores twinkle).textContent.length > 0 && $(cores twinkle).title.startsWith('runs alone: systems/')" \
  "$(cores twinkle).querySelector('a').textContent.match(/^[a-z_]+\\.lua:[0-9]+ $/) != null" \
  "do:document.querySelector('#system-rows input[aria-label^=twinkle]').click()" \
  "document.querySelector('#system-rows input[aria-label^=twinkle]').checked == false" shot=systems.png

names_slow_handler() {
  rm -rf played
  mkdir -p played/systems
  echo 'return { value = { n = 0 } }' >played/components.lua
  echo 'return { dot = { components = { value = {} } } }' >played/assemblages.lua
  echo 'return { rang = { n = 0 } }' >played/events.lua
  echo 'return { title = "Dots", start = function() world.spawn_many("dot", 5000) end }' >played/game.lua
  echo 'return { phase = "input", update = function() world.emit("rang", { n = 1 }) end }' >played/systems/ring.lua
  echo 'return { on = { rang = function()
    for e in world.each("value") do e.value.n = (e.value.n + 1) % 100 end
  end } }' >played/systems/hears.lua
  launch_cockpit "$release" run played --headless --no-watch
  browse "document.body.dataset.ready != null" size=1280x800 \
    "Number(document.querySelector('#tick').textContent) > 200" "key=1" \
    "document.querySelectorAll('#system-rows tr').length > 5" \
    "document.querySelector('#system-rows').innerHTML.includes('on.rang: in LuaJIT: ')"
}
it "the tab Systems shows the reason why a slow event handler runs in LuaJIT" names_slow_handler

it "a double click on a field plots its value" page \
  "$(find star)" "$select" "$selected" "do:document.querySelector('.field label').ondblclick()" \
  "document.querySelectorAll('.plot .value').length == 1 && document.querySelector('.plot .value').textContent != ''" \
  shot=watch.png

it "the command palette finds and runs a command" page \
  "key=Ctrl+k" "document.querySelector('#palette').open" \
  "do:{ const x = document.querySelector('#palette-input'); x.value = 'open log'; x.oninput(); }" \
  "document.querySelectorAll('#palette-list li').length == 1" shot=palette.png "key=Enter" \
  "document.querySelector('#tabs button[aria-selected=true]').textContent == 'Log'"

# Steps the game until the demo's ship exists, and selects the ship.
flies="(() => {
  if ([...document.querySelectorAll('.component h3')].some((x) => x.textContent.startsWith('engine'))) return true;
  const row = document.querySelector('#entity-list .row');
  if (row && !row.classList.contains('picked')) row.click();
  else document.querySelector('#transport').children[3].click();
  return false;
})()"
ship() { # ship STEPS…: pauses the game with the ship selected, then performs the steps
  page "$(find ':ship')" "document.querySelector('#entity-count').textContent == '1 result'" "$pause" "$paused" \
    "$flies" "$@"
}
write_back() {
  ship "$(type_in turn_rate 6.4)" "document.querySelectorAll('.value-row').length == 1" shot=tuned.png \
    "do:document.querySelector('.value-row .write').click()" "document.querySelector('#write-back').open" \
    shot=write.png \
    "do:document.querySelector('#write-now').click()" \
    "!document.querySelector('#write-back').open && document.querySelectorAll('.value-row').length == 0" \
    "[...document.querySelectorAll('.field.differs label')].every((x) => x.textContent != 'turn_rate')"
  diff "$root/scripts/games/asteroids/components.lua" played/components.lua >out && fail "the file was not written"
  [ "$(grep -c "^[<>]" out)" = 2 ] && grep -q "^> .*turn_rate = 6.4," out || fail "unexpected change: $(cat out)"
}
it "an edited value is listed and can be written back to its literal in the source file" write_back

layer() { echo "document.querySelector('input[aria-label=\"mask $1\"]')"; }
write_layers() {
  page "$pause" "$paused" "$(console "'spawn saucer_big'")" "$(layer ship)?.checked && !$(layer shell).checked" \
    "do:$(layer shell).click()" "$(layer shell).checked && document.querySelectorAll('.value-row').length == 1" \
    shot=layers.png "do:document.querySelector('.value-row .write').click()" \
    "document.querySelector('#write-back').open" \
    "document.querySelector('#write-back .added').textContent.includes('\"shell\"')" \
    "document.querySelector('#write-back h2').textContent.endsWith('mask = ship, bullet, rock, shell')" \
    "document.querySelector('.value-row .change').textContent == 'ship, bullet, rock ship, bullet, rock, shell'" \
    shot=write_layers.png \
    "do:document.querySelector('#write-now').click()" "!document.querySelector('#write-back').open"
  grep -q 'mask = { "ship", "bullet", "rock", "shell" }' played/assemblages.lua ||
    fail "no list of names: $(diff "$root/scripts/games/asteroids/assemblages.lua" played/assemblages.lua)"
}
it "a layer's check box changes the mask, and the mask is written back as a list of names" write_layers

nested_records() {
  rm -rf nested
  mkdir nested
  cat >nested/game.lua <<'END'
return { title = "nested", start = function() for i = 1, 6 do world.spawn(nil, { transform = {}, look = {} }) end end }
END
  echo 'return { look = { size = 1, colors = { r = 0.5, outline = { width = 2, r = 1 } }, edge = { r = 3 } } }' \
    >nested/components.lua
  rows="[...document.querySelectorAll('.component')].find((x) => x.querySelector('h3').textContent.startsWith('look'))
    ?.querySelectorAll('.record, .field > label') ?? []"
  folder=nested
  page "$pause" "$paused" "$select" "$selected" \
    "[...$rows].map((x) => x.textContent).join() == 'colors,outline,r,width,r,edge,r,size'" \
    "[...$rows].map((x) => x.className == 'record').join() == 'true,true,false,false,false,true,false,false'" \
    shot=records.png \
    "do:{ const x = document.querySelector('#field-filter'); x.value = 'width'; x.oninput(); }" \
    "[...$rows].filter((x) => x.offsetHeight > 0).map((x) => x.textContent).join() == 'colors,outline,width'"
}
it "the inspector shows a title for each nested record, unless the filter hides all of its fields" nested_records

labels="[...document.querySelectorAll('#write-back .targets label')]"
it "write-back lists each place in the source that sets a value, and the changed line of a selected place" page \
  "$pause" "$paused" "$(console "'spawn saucer_small'")" "$(field speed)?.value == '185'" "$(type_in speed 200)" \
  "document.querySelectorAll('.value-row').length == 1" "do:document.querySelector('.value-row .write').click()" \
  "$labels.length == 2" \
  "document.querySelector('#write-back .added').textContent.includes('small = true, speed = 200')" \
  shot=choices.png "size=1024x768" \
  "$labels.every((x) => x.scrollWidth <= x.clientWidth && x.offsetHeight < 40 && x.offsetHeight > 14)" \
  "$labels.map((x) => x.textContent.trim()).join() == 'assemblages.lua: this assemblage,components.lua: default for all entities'" \
  "do:$labels[1].querySelector('input').click()" \
  "document.querySelector('#write-back .added').textContent.includes('small = false, speed = 200')" \
  "do:document.documentElement.dataset.theme = 'dark'" shot=choices_dark.png

it "a field can be reset to its assemblage's value, and pinned fields and entities stay at the top" ship \
  "$(type_in push 100)" "document.querySelectorAll('.field.differs').length > 0" \
  "do:[...document.querySelectorAll('.field')].find((x) => x.textContent.startsWith('push')).querySelector('.pin').click()" \
  "document.querySelectorAll('.component.above .field').length == 1" \
  "do:document.querySelector('.component.above .back').click()" "$(field push).value == '420'" \
  "do:document.querySelector('.entity-head h2 .pin').click()" "document.querySelectorAll('#pins .chip').length == 1" \
  shot=pins.png

it "the entity tree lists children below their parents" ship "$(find '')" "do:document.querySelector('#tree').click()" \
  "[...document.querySelectorAll('#entity-list .below')].length > 0" \
  "do:document.querySelector('#entity-list .row:has(.below) .arrow').click()" \
  "[...document.querySelectorAll('#entity-list .row')].some((x) => x.style.getPropertyValue('--depth') == '1')" \
  shot=tree.png

map="do:[...document.querySelectorAll('#tabs button')].find((x) => x.textContent == 'Map').click()"
build_level() {
  page "$map" "document.querySelectorAll('#map-palette .item').length > 10" \
    "Number(document.querySelector('#tick').textContent) > 60" "$pause" "$paused" "$early" "$is_early" \
    "do:document.querySelector('#map-palette [data-name=saucer_big]').click()" \
    "click=620,300" "document.querySelector('#scene-count').textContent == '1 in scene'" \
    "click=760,420" "document.querySelector('#scene-count').textContent == '2 in scene'" \
    "do:document.querySelector('#map-palette .chosen').click()" "do:globalThis.before = $(field x).value" \
    "drag=760,420,700,480" "$(field x).value != before && Number($(field x).value) % 16 == 0" "$no_toast" \
    shot=cockpit_map.jpg \
    "key=Ctrl+z" "$(field x).value == before" "drag=590,236,800,520" \
    "document.querySelector('#map-chosen').textContent != ''" "key=Delete" \
    "document.querySelector('#scene-count').textContent == ''" "key=Ctrl+z" \
    "document.querySelector('#scene-count').textContent == '2 in scene'" \
    "do:document.querySelector('#scene-save').click()" \
    "document.querySelector('#toast').textContent.includes('level1.json: 2')" \
    "size=1024x768" "do:document.documentElement.dataset.theme = 'dark'" shot=map_dark.png "size=800x1100" "true" \
    shot=map_tablet.png
  [ "$(grep -c saucer_big played/scenes/level1.json)" = 2 ] || fail "unexpected scene: $(cat played/scenes/level1.json)"
  [ -z "${PICTURES-}" ] || cp cockpit_map.jpg "$PICTURES"
}
it "a level can be built on the map and saved as a scene" build_level

turn_and_move() {
  page "$map" "$pause" "$paused" "do:document.querySelector('#map-palette [data-name=saucer_big]').click()" \
    "click=620,300" \
    "document.querySelector('#scene-count').textContent == '1 in scene'" \
    "do:document.querySelector('#map-palette .chosen').click()" \
    "do:document.querySelector('.map > canvas').focus()" "key=r" \
    "Math.abs($(field angle).value - Math.PI / 12) < 0.01" \
    "key=Ctrl+z" "Math.abs($(field angle).value) < 0.01" "do:globalThis.before = Number($(field x).value)" \
    "do:document.querySelector('.map > canvas').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', shiftKey: true, bubbles: true }))" \
    "Number($(field x).value) == before + 16" shot=turned.png
}
it "keys rotate and move the selected entity on the map" turn_and_move

predicted_path() { # edits turn_rate at tick 1240, when the demo's ship turns, or at the current tick if it is later
  ship "$(find '')" "document.querySelectorAll('#entity-list .row').length > 2" \
    "do:document.documentElement.dataset.theme = 'dark'" "$map" "key=g" \
    "import('./map_ghosts.js').then((x) => x.count() == 1)" \
    "document.querySelector('#toast').textContent.includes('Predicted movement of 1 entity')" \
    "do:import('./wire.js').then((x) => x.request('time', { action: 'step',
      ticks: Math.max(1, 1240 - Number(document.querySelector('#tick').textContent)) }))" \
    "Number(document.querySelector('#tick').textContent) >= 1240" \
    "import('./map_ghosts.js').then((x) => x.count() == 1)" \
    "$(type_in turn_rate 8.65)" "document.querySelectorAll('.value-row').length == 1" "$no_toast" \
    "do:$(field turn_rate).closest('.component').scrollIntoView()" "do:globalThis.later = Date.now() + 2000" \
    "Date.now() > later" "import('./map_ghosts.js').then((x) => x.count() == 1)" shot=cockpit_ghost_tuned.jpg \
    "do:document.querySelector('.value-row .write').click()" "document.querySelector('#write-back').open" \
    shot=cockpit_write.jpg \
    "do:[...document.querySelectorAll('#write-back button')].find((x) => x.textContent == 'Cancel').click()" \
    "!document.querySelector('#write-back').open" \
    "do:document.activeElement.blur()" \
    "key=g" "import('./map_ghosts.js').then((x) => x.count() == 0)"
  [ -z "${PICTURES-}" ] || cp cockpit_ghost_tuned.jpg cockpit_write.jpg "$PICTURES"
}
it "the map shows the ship's predicted path, also after an edit of turn_rate, until G hides it" predicted_path

# The path begins after the tick of the page's state, and this state may arrive after the path.
redraws_path() {
  ship "$map" "key=g" "import('./map_ghosts.js').then((x) => x.count() == 1)" "do:(async () => {
      const { world, changes } = await import('./world.js'), { state } = world,
        canvas = document.querySelector('.map > canvas'),
        picture = () => new Promise((done) =>
          requestAnimationFrame(() => requestAnimationFrame(() => done(canvas.toDataURL()))));
      world.state = { ...state, tick: state.tick - 1 };
      canvas.dispatchEvent(new Event('focus'));
      const hidden = await picture();
      world.state = state;
      changes.dispatchEvent(new Event('state'));
      globalThis.isShown = (await picture()) != hidden;
    })()" "globalThis.isShown"
}
it "the map draws a predicted path when the page's tick reaches the tick before the path" redraws_path

tile_map() {
  game=../examples/levels
  page "$map" "$pause" "$paused" "import('./map_tiles.js').then((x) => [...x.entities()].length == 1)" \
    "import('./map_tiles.js').then((x) => { const y = x.counts([...x.entities()][0]); return y.objects > 3 && y.far == 1; })" shot=island.png \
    "$(find :sprite)" "document.querySelector('#entity-count').textContent == '10 results'" "$select" \
    "$(field image) != null" \
    "do:document.querySelector('[aria-label=\"choose image\"]').click()" \
    "document.querySelectorAll('.chooser .choice img').length == 4" shot=chooser.png \
    "do:{ const x = document.querySelector('.chooser input'); x.value = 'slime'; x.oninput(); }" \
    "document.querySelectorAll('.chooser .choice').length == 1" "key=Enter" "$(field image).value == 'slime.png'" \
    "do:document.querySelector('[aria-label=\"choose parent\"]').click()" \
    "document.querySelectorAll('.chooser .row').length > 5" shot=entities_to_choose.png "key=Escape" \
    "document.querySelector('.chooser') == null"
}
it "the map shows a tile map, and the image or parent of an entity can be chosen from a list" tile_map

# The hint is on the canvas, not in the bar of the map, where other texts would shorten it.
hint="document.querySelector('#map-hint')"
shows_hint="(() => { const x = $hint.getBoundingClientRect();
  const y = document.querySelector('.map > canvas').getBoundingClientRect();
  return $hint.textContent.includes('press Space') && $hint.scrollWidth <= $hint.clientWidth && x.height < 30 &&
    x.left >= y.left && x.right <= y.right && x.top >= y.top; })()"
it "the map of a running game shows the complete hint to pause the game in windows 1,280 and 700 pixels wide" page \
  size=1280x800 "$map" "$shows_hint" shot=hint.png size=700x900 "$shows_hint" shot=hint_700.png "$pause" "$paused" \
  "$hint.textContent == '' && $hint.offsetParent == null"

no_entities() {
  rm -rf played
  mkdir played
  echo 'return { title = "Nothing" }' >played/game.lua
  launch_cockpit "$release" run played --headless --no-watch
  list_text="getComputedStyle(document.querySelector('#entity-list'), '::after').content"
  browse "document.body.dataset.ready != null" "$list_text.includes('world.spawn')" \
    "getComputedStyle(document.querySelector('#map-palette'), '::after').content.includes('assemblages.lua')" \
    "$(find ':nothing')" "$list_text == 'none'" "$(find '')" size=700x900 "$panels" \
    "document.querySelector('#no-panels').textContent.includes('cockpit.lua')" shot=no_entities.png
}
it "in a game without entities, the lists of entities and assemblages explain how to fill them" no_entities

open_scene() {
  game=../examples/scenes
  page "$map" "document.querySelector('#scene-name').value == 'shore'" \
    "do:{ const x = document.querySelector('#scene-name'); x.value = 'level1'; x.oninput(); }" \
    "document.querySelector('#scene-count').textContent.startsWith('not open; open scenes: shore')" shot=open_scene.png
}
it "the map selects the open scene, and reports an entered name of a scene that is not open" open_scene

# drawn NAME: prints an expression for the number of opaque pixels in an assemblage's thumbnail in the palette.
drawn() { echo \
  "((x) => x && x.getContext('2d').getImageData(0, 0, x.width, x.height).data.filter((a, i) => i % 4 == 3 && a > 99).length)(
  document.querySelector('#map-palette [data-name=$1] canvas'))"; }
it "the palette shows the shape of an assemblage, or of its first child with a shape" page \
  "$map" "document.querySelectorAll('#map-palette .item').length > 10" \
  "$(drawn ship) > 20 && $(drawn saucer_big) > 20" \
  "$(drawn camera) === 0" shot=palette_shapes.png

lantern() {
  game=lantern
  page "$map" "document.querySelectorAll('#map-palette .item').length > 3" "$(drawn hero) > 60" \
    "import('./map.js').then((x) => x.scale() > 1)" "$pause" "$paused" "$(find :sprite)" "$select" "$selected" \
    shot=lantern.png
}
it "the palette shows the sprite of an assemblage, and the map fits a game of 320 × 180 pixels" lantern


# In both themes and four window sizes, no part of any tab extends beyond the window, and all tab buttons are visible.
all_tabs() {
  set --
  for size in 1280x720 1024x768 820x1180 700x900; do
    for theme in light dark; do
      set -- "$@" "size=$size" "do:document.documentElement.dataset.theme = '$theme'"
      for name in Systems Map Frames Time Console Watch Events Tables Files Log Panels Match; do
        set -- "$@" "$(tab $name)" \
          "document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll('#tabs button, header > *')].every((x) =>
          !x.offsetParent || (x.getBoundingClientRect().right <= innerWidth + 1 && x.getBoundingClientRect().left >= 0))" "shot=walk_${name}_${size}_$theme.png"
      done
    done
  done
  page "$pause" "$paused" "$select" "$selected" "$@"
}
it "every tab fits four window sizes in the light and the dark theme" all_tabs

# With the keyboard alone: in each tab the Tab key reaches every control, and the focused control is highlighted.
tab_focus() {
  set --
  for name in Systems Map Frames Time Watch Events Tables Files Log Panels Match; do
    set -- "$@" "key=Ctrl+k" "do:document.querySelector('#palette-input').value = ''" "type=open $name" \
      "document.querySelectorAll('#palette-list li').length == 1" "key=Enter" \
      "document.querySelector('#tabs [aria-selected=true]').textContent == '$name'" \
      "do:globalThis.later = Date.now() + 300" \
      "Date.now() > later" "walk=#panels"
  done
  page "$pause" "$paused" "$select" "$selected" "$(tab Console)" "document.activeElement.id == 'console-in'" \
    "key=Escape" \
    "do:document.querySelectorAll('#system-table th')[1].click()" "walk=header" "walk=#entities" "walk=#inspector" \
    "walk=#tabs" "$@" shot=tabbed.png
}
it "the Tab key reaches every control of every tab, and the focused control is highlighted" tab_focus

label_of() { echo \
  "[...document.querySelectorAll('#system-rows input')].find((x) => x.ariaLabel.startsWith('twinkle'))"; }
it "a user can search, select, edit, undo, disable systems and place entities with the keyboard alone" page \
  "key=Ctrl+k" "document.querySelectorAll('#palette-list li').length > 20" "key=Escape" \
  "!document.querySelector('#palette').open" \
  "key=Space" "$paused" "key=/" "type=star" "document.querySelectorAll('#entity-list .row').length > 20 &&
    [...document.querySelectorAll('#entity-list .row')].every((x) => x.textContent.includes('star'))" \
  "key=ArrowDown" "$selected" "key=ArrowDown" \
  "document.querySelector('#entity-list .picked') == document.querySelectorAll('#entity-list .row')[1]" \
  "document.querySelector('#inspector .entity-head .id')?.textContent == '#' + document.querySelector('#entity-list .picked .id').textContent && Number($(field x).value) != 0" \
  "key=Escape" "key=f" "document.activeElement.closest('#inspector .scroll') != null" "$(settled x)" \
  "do:$(field x).focus(); globalThis.before = Number($(field x).value)" "key=ArrowUp" \
  "Number($(field x).value) != before" \
  "key=Escape" "key=Ctrl+z" "Number($(field x).value) == before" \
  "key=1" "document.querySelectorAll('#system-rows tr').length > 20" "do:$(label_of).focus()" "key=Space" \
  "!$(label_of).checked" \
  "key=Space" "$(label_of).checked" "$paused" "do:document.querySelector('#tabs button').focus()" "key=ArrowRight" \
  "document.querySelector('#tabs [aria-selected=true]').textContent == 'Map' && document.activeElement.textContent == 'Map'" \
  "do:document.querySelector('#map-palette [data-name=saucer_big]').focus()" "key=Enter" \
  "do:document.querySelector('.map > canvas').focus()" \
  "key=Enter" "document.querySelector('#scene-count').textContent == '1 in scene'" shot=keys.png

it "a pinch gesture zooms the map" page \
  "$map" "document.querySelectorAll('#map-palette .item').length > 10" \
  "import('./map.js').then((x) => (globalThis.before = x.scale()) > 0)" \
  "pinch=660,400,3" "import('./map.js').then((x) => x.scale() > before * 2)"

it "the console completes input and shows results as trees and plots" page \
  "$pause" "$paused" "$select" "$selected" "$(tab Console)" "$(console "'{ list = { 1, 2 }, e }'")" \
  "document.querySelectorAll('.entry details').length == 2 && document.querySelectorAll('.entry a.link').length == 1" \
  "$(console "'SELECT entity, x, y FROM transform LIMIT 9'")" "document.querySelectorAll('.entry td').length == 27" \
  "do:document.querySelector('.entry:last-child button').click()" \
  "document.querySelector('canvas.plotted').width > 100" \
  "do:{ const x = document.querySelector('#console-in'); x.focus(); x.value = 'world.spaw'; x.oninput(); }" \
  "[...document.querySelectorAll('#completion li b')].some((x) => x.textContent == 'spawn')" shot=trees.png

it "the frame profile lists the game's systems and can be exported as a trace" page \
  "$(tab Frames)" "document.querySelectorAll('#frame-rows tr').length > 10" \
  "do:document.querySelector('#frame-pause').click()" \
  "document.querySelector('#frame-sum').textContent.startsWith('tick')" \
  "import('./frames.js').then((x) => x.trace().traceEvents.some((e) => e.name == 'motion' && e.ph == 'X'))" \
  shot=frames.png

it "after a reload that adds a system, every frame of the profile names the systems that ran in the frame" page \
  "$(tab Frames)" "document.querySelectorAll('#frame-rows tr').length > 10" \
  "sh=echo 'return { before = \"motion\", query = { \"star\" }, update = function() end }' >played/systems/aaa.lua" \
  "do:import('./wire.js').then((x) => x.request('reload'))" \
  "import('./frames.js').then((x) => (globalThis.found = x.trace().traceEvents).some((e) => e.name == 'aaa'))" \
  "do:globalThis.times = (name) => found.filter((x) => x.name == name).length" \
  "times('motion') == found.filter((x) => x.cat == 'frame').length && times('aaa') < times('motion')" \
  "found.filter((x) => x.name == 'motion').every((x) => x.args.file.endsWith('motion.lua'))" shot=reloaded_frames.png

it "the Time tab can compare two ticks and return the game to a bookmark" page \
  "Number(document.querySelector('#tick').textContent) > 60" "$pause" "$paused" "$(tab Time)" "key=b" \
  "document.querySelectorAll('.flag').length == 1" "key=ArrowLeft" "key=ArrowLeft" \
  "document.querySelector('.now') && Number(document.querySelector('#tick').textContent) < Number(document.querySelector('.mark a').textContent)" \
  "do:document.querySelector('.mark a').click()" \
  "document.querySelector('#tick').textContent == document.querySelector('.mark a').textContent" \
  "key=c" "document.querySelectorAll('#compare-out td.is').length > 10" shot=compare.png

watched="document.querySelector('input[aria-label=\"expression to watch\"]')"
it "a plot shows past and predicted values, and a data breakpoint shows the rows that triggered it" page \
  "Number(document.querySelector('#tick').textContent) > 60" "$pause" "$paused" "$(tab Watch)" \
  "do:{ const x = $watched; x.value = 'SELECT count(*) FROM transform'; x.onkeydown({ key: 'Enter' }); }" \
  "document.querySelector('.plot canvas').dataset.future > 100 && document.querySelector('.plot canvas').dataset.past > 20" \
  "do:{ const x = $watched; x.value = 'SELECT * FROM star LIMIT 2'; x.parentElement.lastChild.click(); }" \
  "document.querySelectorAll('.breakpoint').length == 1" "$pause" \
  "document.querySelectorAll('.breakpoint.tripped tbody tr').length == 2 && document.querySelector('#state').textContent == 'paused by the game'" \
  shot=future.png "do:document.querySelector('.breakpoint button').click()" \
  "document.querySelector('#state').textContent == 'running'"

it "the event log can be filtered by event and field value" page \
  "$(tab Events)" \
  "do:{ const x = document.querySelector('#event-filter'); x.value = 'scored points=7'; x.oninput(); }" \
  "do:import('./wire.js').then((x) => x.request('lua', { text: 'world.emit(\"scored\", { points = 7 }) world.emit(\"scored\", { points = 8 })' }))" \
  "document.querySelectorAll('#event-lines .event-kind').length == 1" shot=events.png

addon_files() {
  game=tron
  page "$(tab Files)" "document.querySelector('.addon').textContent == 'menu 1.0.0'" shot=addons.png \
    "do:document.querySelector('.addon').click()" "document.querySelectorAll('.file').length == 5" \
    "[...document.querySelectorAll('.file')].every((x) => x.textContent.includes('addons/menu'))" \
    "do:[...document.querySelectorAll('.file')].find((x) => x.textContent.includes('buttons.lua')).click()" \
    "document.querySelector('.source').textContent.includes('world.options()')"
}
it "the tab Files lists add-ons and their files" addon_files

it "the tabs Tables and Files list the game's queries, textures, source files and images" page \
  "$(tab Tables)" "document.querySelectorAll('#query-rows tr').length > 5" \
  "document.querySelectorAll('#texture-rows tr').length > 0" shot=tables.png "$(tab Files)" \
  "document.querySelectorAll('.file').length > 40" \
  "do:[...document.querySelectorAll('.file')].find((x) => x.textContent.includes('motion.lua')).click()" \
  "document.querySelectorAll('.source div').length > 10" \
  "do:[...document.querySelectorAll('.file')].find((x) => /png|jpg/.test(x.textContent))?.click()" shot=files.png

# --- the tab Match

# match OPTIONS STEPS…: launches a copy of Tron with these options, opens the tab Match and performs the steps. In
# matches over a simulated network, both players turn all the time, so that predictions are wrong.
match() {
  options=$1
  shift
  rm -rf played
  cp -r "$root/scripts/games/tron" played
  turns=$(seq 20 40 6000 | awk '{ print $1 "-" $1 + 9 ":26 " $1 + 4 "-" $1 + 12 ":82 " $1 + 20 "-" $1 + 29 ":7 " $1 + 24 "-" $1 + 32 ":79" }')
  luajit "$root/tests/scenarios/lib/random_input.lua" keys 6000 1 Trace "$turns" || fail "cannot generate key presses"
  # shellcheck disable=SC2086 # several options
  launch_cockpit "$release" run played --headless --no-watch --seed 3 $options
  browse "document.body.dataset.ready != null" "$(tab Match)" "$@"
}
cell() { echo "parseFloat(document.querySelector('#match-links td:nth-child($1)').textContent)"; } # number in this column of the link
value() { # value LABEL: prints an expression for the number with this label among the values of this machine
  echo "parseFloat([...document.querySelectorAll('.match-value')].find((x) => x.firstChild.textContent == '$1').lastChild.textContent)"
}
slide() { echo "do:{ const x = document.querySelector('#match-$1'); x.value = $2; x.oninput(); x.onchange(); }"; }
fits="[...document.querySelectorAll('#match-content *')].every((x) => x.getBoundingClientRect().right <= innerWidth + 1) &&
  document.documentElement.scrollWidth <= innerWidth"

running_match() { # with PICTURES, the match continues for the twelve seconds that the plots show
  ticks=${PICTURES:+720}
  match "--net-sim 120ms,40ms,5% --replay keys" "document.querySelectorAll('#match-players tr').length == 2" \
    "document.querySelector('#match-players').textContent.includes('this machine')" \
    "document.querySelector('#match-facts').textContent.includes('playing')" \
    "do:globalThis.tick = Number(document.querySelector('#match-tick').textContent)" \
    "Number(document.querySelector('#match-tick').textContent) > tick + ${ticks:-60}" \
    "$(cell 2) > 90 && $(cell 2) < 260" \
    "$(cell 3) > 0" "$(cell 5) > 1 && $(cell 6) > 1" "$(value 'rollbacks per second') >= 0" "$(value desyncs) === 0" \
    "document.querySelector('#match-ping').width > 100" "$fits" shot=cockpit_match.jpg size=700x1000 "$fits" \
    shot=match_700.png "do:document.documentElement.dataset.theme = 'dark'" shot=match_dark.png
  [ -z "${PICTURES-}" ] || cp cockpit_match.jpg "$PICTURES"
}
it "the tab Match shows players, ticks and traffic, and updates them during the match" running_match
it "the sliders of the simulated network change the measured ping and loss" match \
  "--net-sim 60ms,20ms,0% --replay keys" \
  "$(cell 2) > 50 && $(cell 2) < 200" "$(cell 4) < 2" "$(slide round_trip_ms 400)" "$(slide loss_percent 30)" \
  "$(cell 2) > 350" "$(cell 4) > 15 && $(cell 4) < 45" "$(value 'rollbacks per second') > 0" shot=match_bad.png \
  "$(slide round_trip_ms 10)" "document.querySelector('#match-jitter_ms').value == '10'" \
  "do:document.querySelector('#match-loss_percent').focus()" "key=Home" \
  "document.querySelector('#match-loss_percent-text').textContent == '0 %'" "key=ArrowRight" \
  "document.querySelector('#match-loss_percent-text').textContent == '1 %'" "$(cell 2) < 100" "$(cell 4) < 6" \
  "import('./wire.js').then((x) => x.request('match')).then((x) => x.network.round_trip_ms == 10 && x.network.loss_percent == 1)" \
  "walk=#panels"
it "the tab Match shows that this machine waits for a host with a round trip of 2 s" match "--net-sim 60ms,0ms,0%" \
  "document.querySelector('#match-facts').textContent.includes('playing')" \
  "do:import('./wire.js').then((x) => x.request('net_sim', { round_trip_ms: 2000, jitter_ms: 0, loss_percent: 0 }))" \
  "document.querySelector('#match-facts').textContent.includes('12 ticks ahead: waiting for the host')" \
  "$(slide round_trip_ms 40)" "document.querySelector('#match-facts').textContent.includes('playing')"
it "the tab Match of a match without a simulated network shows how to simulate one" match "--host --port 0" \
  "document.querySelector('#match-facts').textContent.includes('waiting for players')" \
  "document.querySelector('#match-network').hidden" \
  "document.querySelector('#match-command').textContent.endsWith('--host --net-sim 120ms,40ms,5% --cockpit')" \
  "document.querySelector('#match-total').textContent.startsWith('0 links')" "$fits" shot=match_host.png
it "in a game without a match, the tab Match explains how to start a match" match "" \
  "!document.querySelector('#match-empty').hidden && document.querySelector('#match-content').hidden" \
  "document.querySelector('#match-start').textContent.endsWith('played --net-sim 120ms,40ms,5% --cockpit')" \
  "document.querySelector('#match-undeclared').hidden" shot=no_match.png
