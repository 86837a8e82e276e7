# Saves in the shipped program: they restore the exact world in mid-game, can be read with SQL, and are rejected if they
# are damaged or belong to a different game.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf data

hash_at() { # hash_at TICK FILE OPTIONS…: writes the hash of Asteroids at TICK to FILE
  tick=$1
  file=$2
  shift 2
  run_for 60 "$release" play asteroids --headless --ticks "$tick" --hash "$@"
  exits 0
  grep '^tick' out >"$file"
}

continues_exactly() {
  hash_at 1100 saved --save a.sqlite
  hash_at 1100 loaded --load a.sqlite
  cmp -s saved loaded || fail "saved: $(cat saved); loaded: $(cat loaded)"
  hash_at 1500 straight
  hash_at 1500 broken --load a.sqlite
  cmp -s straight broken || fail "without a save: $(cat straight); with one: $(cat broken)"
}
it_always "a game continued from a save gives the same hashes" continues_exactly

# The demo begins 15 s after the last input. A focus that loading the save sets must not count as input.
continues_in_title() {
  # shellcheck disable=SC2046
  for game in $(every_nth 3 1 $(grep -lE 'multiplayer = ' "$root"/scripts/games/*/game.lua | xargs -n 1 dirname)); do
    run_for 60 "$release" run "$game" --headless --ticks 300 --save title.sqlite
    exits 0
    for options in "" "--load title.sqlite"; do
      # shellcheck disable=SC2086
      run_for 60 "$release" run "$game" --headless --ticks 1000 --hash every=100 $options
      exits 0
      grep -E '^tick ([4-9]|10)00 ' out >"hashes${options:+_of_load}"
    done
    [ "$(wc -l <hashes)" = 7 ] || fail "no hashes: $(cat err)"
    cmp -s hashes hashes_of_load || fail "$game: $(diff hashes hashes_of_load | head -n 4)"
  done
}
it "a save made on the title screen of a game with players continues with the same demo" continues_in_title

other_workers() {
  hash_at 1500 one --load a.sqlite --workers 1
  hash_at 1500 two --load a.sqlite --workers 2
  cmp -s one straight && cmp -s two straight || fail "$(cat one two) is not $(cat straight)"
}
it "a game continued from a save gives the same hashes with one and two workers" other_workers

queries_save() {
  run_for 20 "$release" sql a.sqlite "SELECT value FROM meta WHERE key = 'tick';
    SELECT count(*) AS n FROM entities e JOIN transform t USING (entity) WHERE e.assemblage = 'star';
    SELECT count(*) AS parts FROM entity_components WHERE component = 'star'"
  exits 0 out "1100" "150"
}
it "./shoal sql can query a save like a game" queries_save

read_only() {
  cp a.sqlite b.sqlite
  run_for 20 "$release" sql b.sqlite "UPDATE score SET points = 777"
  exits 2
  expect_one_line err
  says err "--write"
  cmp -s a.sqlite b.sqlite || fail "the save was modified"
}
it "./shoal sql does not modify a save without --write" read_only

loads_written_values() {
  cp a.sqlite b.sqlite
  run_for 20 "$release" sql b.sqlite "UPDATE score SET points = 777" --write
  exits 0
  run_for 20 "$release" play asteroids --headless --ticks 400 --load b.sqlite --exec 'return world.single.score.points'
  exits 0 out "777"
}
it "values changed by ./shoal sql --write are loaded" loads_written_values

failed_statements() { # the statements before the failed statement must change nothing, either
  cp a.sqlite b.sqlite
  run_for 20 "$release" sql b.sqlite "UPDATE score SET points = 777; UPDATE score SET points = 'many'" --write
  exits 2 err "score.points must be an integer, got 'many'"
  cmp -s a.sqlite b.sqlite || fail "the save was modified"
}
it "./shoal sql --write leaves a save unchanged if a statement fails" failed_statements

# For each game, a save must stay identical if it is written again without a change.
rewritten_saves() {
  for game in "$root"/scripts/games/*/; do
    run_for 60 "$release" run "$game" --headless --ticks 90 --save first.sqlite --temporary-saves
    exits 0
    cp first.sqlite second.sqlite
    run_for 20 "$release" sql second.sqlite "UPDATE transform SET x = x" --write
    exits 0
    cmp -s first.sqlite second.sqlite || fail "$game: the save differs after UPDATE transform SET x = x"
  done
}
it "./shoal sql --write changes nothing but the rows of its statements" rewritten_saves

accepts_edits() {
  requires loads_written_values
  cp a.sqlite b.sqlite
  sqlite3 b.sqlite "UPDATE score SET points = 778" || fail "sqlite3 failed"
  run_for 20 "$release" play asteroids --headless --ticks 400 --load b.sqlite
  exits 2
  says err "b.sqlite was edited after it was saved: score: to apply the edits, run ./shoal sql b.sqlite --accept-edits --write"
  run_for 20 "$release" sql b.sqlite "SELECT points FROM score"
  exits 2 err "--accept-edits --write"
  run_for 20 "$release" play asteroids --headless --load b.sqlite --accept-edits
  exits 2 err "run ./shoal sql FILE --accept-edits --write first"
  run_for 20 "$release" sql b.sqlite --accept-edits --write
  exits 0
  run_for 20 "$release" play asteroids --headless --ticks 400 --load b.sqlite --exec 'return world.single.score.points'
  exits 0 out "778"
}
it "a save that a different program has edited is refused until ./shoal sql --accept-edits applies the edits" accepts_edits

flip() { # flip FILE OFFSET: overwrites one byte
  printf '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

damaged() {
  cp a.sqlite b.sqlite
  size=$(wc -c <b.sqlite)
  place=$(grep -abo SHOALSNP b.sqlite | head -n 1 | cut -d: -f1)
  flip b.sqlite $((place + 30000))
  run_for 20 "$release" play asteroids --headless --ticks 400 --load b.sqlite
  exits 2 err "damaged"
  head -c $((size / 2)) a.sqlite >b.sqlite
  run_for 20 "$release" play asteroids --headless --ticks 400 --load b.sqlite
  exits 2 err "b.sqlite"
}
it "a damaged save is rejected, and the error names the file" damaged

no_save() {
  echo "this is no save" >b.sqlite
  run_for 20 "$release" play asteroids --headless --ticks 400 --load b.sqlite
  exits 2 err "is not a save"
  run_for 20 "$release" play asteroids --headless --ticks 400 --load nothing.sqlite
  exits 2 err "nothing.sqlite"
}
it "loading a missing save or a file that is not a save is an error" no_save

save_of_other_game() {
  mkdir -p other
  echo 'return { title = "Rockfall" }' >other/game.lua
  run_for 20 "$release" run other --headless --ticks 1 --load a.sqlite
  exits 2 err "asteroids"
}
it "a save of a different game is rejected" save_of_other_game

saves_by_name() {
  hash_at 100 plain
  hash_at 100 again --exec 'world.save("one")' --exec 'for e in world.each("transform") do e:destroy() end' \
    --exec 'world.load("one")'
  cmp -s plain again || fail "$(cat again) is not $(cat plain)"
  [ -s data/shoal/saves/asteroids/one.sqlite ] || fail "no file: $(find data)"
}
it "a script can save and load by name in its game's save folder" saves_by_name

names() {
  requires saves_by_name
  for name in ../one /etc/passwd a/b .hidden '' 'a..b'; do
    run_for 20 "$release" play asteroids --headless --ticks 1 --exec "world.save('$name')"
    exits 1 err "invalid save name"
  done
  [ "$(find data -type f ! -name .title ! -name game.settings.json | wc -l)" = 1 ] || fail "unexpected files: $(find data)"
}
it "save names that lead out of the save folder are rejected" names

missing_save() {
  run_for 20 "$release" play asteroids --headless --strict --ticks 1 --exec 'return world.load("never")'
  exits 0 out "false	save never not found"
  ! grep -q "^error" err || fail "$(cat err)"
}
it "loading a missing save returns false and a message" missing_save

make_game() { # make_game FOLDER ID TITLE
  mkdir -p "$1"
  echo "return { title = \"$3\", ${2:+id = \"$2\",} start = function() end }" >"$1/game.lua"
}
belongs_to_id() {
  make_game here/game "" One
  make_game there/game "" One
  make_game there/other game Other
  run_for 20 "$release" run here/game --headless --ticks 1 --exec 'world.save("mine")'
  exits 0
  for folder in there/game there/other; do
    run_for 20 "$release" run $folder --headless --ticks 1 --exec 'return world.load("mine")'
    exits 0 out true
  done
  make_game there/game "" Two
  run_for 20 "$release" run there/game --headless --ticks 1 --exec 'return world.load("mine")'
  says out "belong to the game “One”, but this is “Two”"
  run_for 20 "$release" run there/game --headless --ticks 1 --exec 'world.save("mine")'
  exits 1 err "id = \"game\" if both are the same game"
}
it "saves belong to games with the same id or, without an id, with the same title and folder name" belongs_to_id

unwritable_save() {
  run_for 20 "$release" play asteroids --headless --ticks 1 --save no/such/folder/a.sqlite
  exits 1 err "no/such/folder/a.sqlite"
}
it "the exit status is 1 if a save cannot be written" unwritable_save

misplaced_options() {
  run_for 20 "$release" sql a.sqlite "SELECT 1" --ticks 5
  exits 2 err "--ticks requires a game, got the file"
  run_for 20 "$release" sql asteroids "SELECT 1" --write
  exits 2 err "--write requires a save, got asteroids"
}
it "./shoal sql rejects options for games with a save, and options for saves with a game" misplaced_options

# The following tests alternate between an older and a newer version of a game.
version() { # version COMPONENTS FIELDS: writes the game with these components to versions/
  mkdir -p versions
  echo 'return { title = "versions", start = function()
    for i = 1, 3 do world.spawn("thing") end
  end }' >versions/game.lua
  echo "local t = shoal.types return { $1 }" >versions/components.lua
  echo "return { thing = { components = { $2 } } }" >versions/assemblages.lua
}

# Gives fields values that differ from their defaults, because fields with their default follow the assemblage.
set_poise='for e in world.each("poise") do e.poise.stability, e.poise.mana = 0.5, 7 end'

older_save() {
  rm -rf versions
  version 'poise = { stability = 0.25, mana = 5 }, extra = { note = "kept" }' 'poise = {}, extra = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --save v1.sqlite --exec "$set_poise"
  exits 0
  version 'poise = { balance = t.f64(0), shield = t.i32(3), renamed_from = { balance = "stability" } }' 'poise = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load v1.sqlite --save v2.sqlite \
    --exec 'local p = world.sql("SELECT balance, shield FROM poise")[3] return p.balance, p.shield'
  exits 0 out "0.5	3"
  says err "poise.balance: renamed from stability" "poise.mana: removed, values dropped"
  says err "the save has 3 rows of extra, which this game does not declare: the rows are kept in later saves, and restored once the game declares it again"
}
it "an old save loads with renamed fields, converted types and defaults" older_save

# The game loses its plugin for one save. Meanwhile, the list of layers changes, and an entity of a joint is destroyed.
plugin_is_missing() {
  rm -rf kept bare kept.sqlite
  mkdir -p bare
  mkdir -p kept/systems
  cat >kept/game.lua <<'END'
return { title = "Kept", plugins = { "physics" }, layers = { "hero", "foe", "shot" }, start = function()
  local a, b = world.spawn("box", { name = "a" }), world.spawn("box", { name = "b" })
  world.spawn(nil, { name = "rope", joint = { a = a, b = b, length = 12.5 } })
end }
END
  echo 'return { box = { components = { name = "", transform = {}, rigid_body = {},
    collider = { category = "foe", mask = { "hero", "shot" } } } } }' >kept/assemblages.lua
  cp -r kept bare/kept
  sed -i 's/plugins = { "physics" }, //; s/joint = {[^}]*}//' bare/kept/game.lua
  sed -i 's/layers = {[^}]*}/layers = { "shot", "hero", "wall", "foe" }/' bare/kept/game.lua
  echo 'return { box = { components = { name = "", transform = {} } } }' >bare/kept/assemblages.lua
  run_for 20 "$release" run kept --trust --headless --ticks 2 --save kept.sqlite
  exits 0
  run_for 20 "$release" run bare/kept --headless --ticks 3 --load kept.sqlite --save kept.sqlite \
    --exec 'world.find("b"):destroy()'
  exits 0
  says err "the save has 2 rows of collider of plugin physics, which this game does not declare: the rows are kept in later saves, and restored once the game loads the plugin again"
  sed -i 's/layers = {[^}]*}/layers = { "foe", "hero", "shot" }/' kept/game.lua
  run_for 20 "$release" run kept --trust --headless --ticks 4 --load kept.sqlite --exec 'local c, j = world.find("a").collider, world.find("rope").joint
    print("restored", c.category, c.mask, j.length, j.a == world.find("a"), j.b == shoal.none)'
  exits 0 out "$(printf 'restored\t1\t6\t12.5\ttrue\ttrue')"
}
it "a save keeps the components of a missing plugin, and a game that has the plugin again restores them" plugin_is_missing

renamed_disabled() {
  rm -rf versions
  version 'poise = { stability = 0.25 }' 'poise = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --save disabled.sqlite \
    --exec 'for e in world.each("poise") do e:disable("poise") return end'
  exits 0
  version 'calm = { stability = 0.25, renamed_from = "poise" }' 'calm = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load disabled.sqlite --exec 'local count = 0
    for e in world.each("calm") do count = count + 1 end
    return count, world.count("calm"), world.sql("SELECT instance FROM disabled")[1].instance'
  exits 0 out "2	3	calm"
}
it "a disabled component stays disabled when its name changes after the save" renamed_disabled

restored_component() {
  requires older_save
  run_for 20 "$release" sql v2.sqlite "SELECT count(*) AS n FROM extra WHERE note = 'kept'"
  says out "3"
  version 'poise = { balance = t.f64(0), shield = t.i32(3) }, extra = { note = "" }' 'poise = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load v2.sqlite --exec 'return world.sql("SELECT note FROM extra")[3].note'
  exits 0 out "kept"
}
it "rows of a component that this version of the game lacks are kept for later versions" restored_component

lossy_conversion() {
  requires older_save
  version 'poise = { stability = t.i32(0), mana = 7 }, extra = { note = "" }' 'poise = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load v1.sqlite
  exits 2 err "poise.stability: cannot convert 0.5 from f32 to i32"
}
it "a saved value that does not fit the field's new type is an error with component and field" lossy_conversion

nested_fields() {
  rm -rf versions
  version 'poise = { look = { r = 0, deep = { hp = t.i32(1) } }, old = { x = 0 }, flat = 3 }' 'poise = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --save nested.sqlite --exec 'for e in world.each("poise") do
    e.poise.look, e.poise.old.x, e.poise.flat = { r = 0.5, deep = { hp = 7 } }, 9, 4 end'
  exits 0
  version 'poise = { look = { r = t.f64(0), deep = { points = t.i32(1), flat = 0,
    renamed_from = { points = "hp", flat = "poise.flat" } } }, new = { x = 0 }, renamed_from = { new = "old" } }' 'poise = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load nested.sqlite --exec 'for e in world.each("poise") do
    local p = e.poise
    return p.look.r, p.look.deep.points, p.look.deep.flat, p.new.x end'
  exits 0 out "0.5	7	4	9"
  says err "poise.look.deep.points: renamed from look.deep.hp"
}
it "an old save loads with renamed fields of records" nested_fields

saved_lists() {
  rm -rf versions
  version 'poise = { items = t.list(t.u32, 4), names = t.list(t.enum { "a", "b" }, 2), old = t.list(t.u8, 2) }' 'poise = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --save lists.sqlite --exec 'local n = 0
    for e in world.each("poise") do n = n + 1
    local items = {} for k = 1, n + 1 do items[k] = 10 * n + k end
    e.poise.items, e.poise.names, e.poise.old = items, { "b" }, { n } end'
  exits 0
  run_for 20 "$release" run versions --headless --ticks 2 --load lists.sqlite --exec 'for e in world.each("poise") do
    local p = e.poise if #p.items == 4 then return p.items[4], p.names[1], #p.names, p.old[1] end end'
  exits 0 out "34	b	1	3"
}
it "loading a save restores lists" saved_lists

migrated_lists() {
  requires saved_lists
  version 'poise = { items = t.list(t.f64, 2), names = t.list(t.string, 3), fresh = t.list(t.u8, 4),
    renamed_from = { fresh = "old" } }' 'poise = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load lists.sqlite --exec 'local out = {}
    for e in world.each("poise") do local p = e.poise
    out[#out + 1] = json.encode { p.items, p.names, p.fresh } end
    table.sort(out) return table.concat(out, " ")'
  exits 0 out '[[11,12],["b"],[1]] [[21,22],["b"],[2]] [[31,32],["b"],[3]]'
  says err "poise.items: cut to 2 values in 2 rows" "poise.items: converted from u32 to f64"
  says err "poise.fresh: renamed from old"
  [ "$(grep -c 'poise.items' err)" = 2 ] || fail "expected two lines about poise.items: $(cat err)"
}
it "longer lists in an older save are truncated, and the number of truncated rows is reported" migrated_lists

kept_lists() {
  rm -rf versions
  version 'tag = {}, poise = { items = t.list(t.u32, 4), near = t.list(t.entity, 3) }' 'tag = {}, poise = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --save kept1.sqlite --exec 'local before
    for e in world.each("poise") do
      e.poise.items, e.poise.near, before = { 1, 2, 3 }, { e, before or e }, e
    end'
  exits 0
  version 'tag = {}' 'tag = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load kept1.sqlite --save kept2.sqlite \
    --exec 'for e in world.each("tag") do e:destroy() break end'
  exits 0
  version 'tag = {}, poise = { things = t.list(t.u32, 2), near = t.list(t.entity, 3),
    renamed_from = { things = "items" } }' 'tag = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load kept2.sqlite --exec 'local out = {}
    for e in world.each("poise") do
      local near = e.poise.near
      out[#out + 1] = json.encode(e.poise.things) .. tostring(near[1] == e) .. tostring(near[2] == shoal.none)
    end
    return table.concat(out, " ")'
  exits 0 out "[1,2]truetrue [1,2]truefalse"
}
it "lists of a component that the game lacked for a while are restored without destroyed entities" kept_lists

# A save is changed by SQL, and then loaded by a release that has changed the same component.
changed_saves() {
  version 'poise = { stability = t.f32(0.25), mana = t.i32(5, { max = 50 }), note = "" }, extra = { weight = t.i32(3) }' \
    'poise = {}, extra = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --save original.sqlite
  exits 0
  cp original.sqlite changed.sqlite
  run_for 20 "$release" sql changed.sqlite "UPDATE poise SET stability = 0.5, mana = 70, note = 'hi';
    UPDATE extra SET weight = 9; DELETE FROM entities WHERE entity = 1;
    INSERT INTO entities(assemblage) VALUES ('thing');
    INSERT OR REPLACE INTO poise(entity, mana) SELECT max(entity), 12 FROM entities" --write
  exits 0
}

loads_change() { # loads_change COMPONENTS FIELDS EXPRESSION RESULT: the release prints the expression, where `e` is an entity
  requires changed_saves
  version "$1" "$2"
  run_for 20 "$release" run versions --headless --ticks 2 --load changed.sqlite --exec 'local out = {}
    for e in world.each("'"${5:-poise}"'") do out[#out + 1] = tostring('"$3"') end
    table.sort(out) return table.concat(out, " ")'
  exits 0 out "$4"
}

added() {
  loads_change 'poise = { stability = 0.25, mana = t.i32(5), note = "", luck = t.i32(8) }, extra = { weight = t.i32(3) }' \
    'poise = {}, extra = {}' 'e.poise.mana .. e.poise.note .. e.poise.luck .. "," .. e.extra.weight' '128,3 50hi8,9 50hi8,9'
}
renamed() {
  loads_change 'balance = { renamed_from = { "poise", mind = "mana" }, stability = 0.25, mind = t.i32(5), note = "" }' \
    'balance = {}' 'e.balance.mind .. e.balance.note' '12 50hi 50hi' balance
}
moved() {
  loads_change 'poise = { stability = 0.25, note = "" }, mind = { mana = t.i32(5), renamed_from = { mana = "poise.mana" } }' \
    'poise = {}, mind = {}' 'e.mind.mana .. e.poise.note' '12 50hi 50hi'
}
split() {
  loads_change 'mind = { mana = t.i32(5), renamed_from = { mana = "poise.mana" } },
    feet = { stability = 0.25, renamed_from = { stability = "poise.stability" } }' \
    'mind = {}, feet = {}' 'e.mind.mana .. "," .. e.feet.stability' '12,0.25 50,0.5 50,0.5' mind
}
removed() {
  loads_change 'poise = { mana = t.i32(5) }' 'poise = {}' 'e.poise.mana' '12 50 50'
}
it "./shoal sql --write can change, delete and insert rows of a save" changed_saves
it "a changed save is loaded by a release that adds a field" added
it "a changed save is loaded by a release that renames a component and a field" renamed
it "a changed save is loaded by a release that moves a field" moved
it "a changed save is loaded by a release that splits a component" split
it "a changed save is loaded by a release that removes a field and a component" removed

edited_lists() {
  requires saved_lists
  version 'poise = { items = t.list(t.u32, 4), names = t.list(t.enum { "a", "b" }, 2), old = t.list(t.u8, 2) }' 'poise = {}'
  cp lists.sqlite edited.sqlite
  sqlite3 edited.sqlite "UPDATE poise SET items = '[ 7, 8 ]' WHERE items = '[11,12]'" || fail "sqlite3 failed"
  run_for 20 "$release" sql edited.sqlite --accept-edits --write
  exits 0
  run_for 20 "$release" run versions --headless --ticks 2 --load edited.sqlite --exec 'local n = 0
    for e in world.each("poise") do n = n + e.poise.items[1] end return n'
  exits 0 out "59"
}
it "a list edited in a save file is loaded after --accept-edits" edited_lists

unknown_renamed_from() {
  version 'poise = { balance = 0, renamed_from = { blance = "stability" } }' 'poise = {}'
  run_for 20 "$release" run versions --headless --ticks 1
  exits 1 err "components.lua:1" "blance"
}
it 'an unknown field in `renamed_from` is an error' unknown_renamed_from

migrates() { # a component's migrate function converts old rows of saves, as in reloads
  requires older_save
  version 'poise = { stability = t.i32(0), words = "", migrate = function(old, new, q)
    for i = 1, q.count do new.stability[i], new.words[i] = old.stability[i] * 10, "mana " .. old.mana[i] end end }' 'poise = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load v1.sqlite --save v4.sqlite \
    --exec 'local p = world.sql("SELECT stability, words FROM poise")[3] return p.stability, p.words'
  exits 0 out "5	mana 7"
  version 'poise = { stability = t.i32(0), migrate = function(old, new, q) error("not today") end }' 'poise = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load v1.sqlite
  exits 2 err "components.lua:1: migrate of poise: not today"
}
it "an old save is converted by the component's migrate function" migrates

split_component() {
  requires older_save
  version 'mind = { mana = 1, renamed_from = { mana = "poise.mana" } }, balance = { v = 0, renamed_from = { v = "poise.stability" } }' \
    'mind = {}, balance = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load v1.sqlite --save v5.sqlite \
    --exec 'local p = world.sql("SELECT m.mana AS m, b.v AS v FROM mind m JOIN balance b ON b.entity = m.entity")[3] return p.m, p.v'
  exits 0 out "7	0.5"
  run_for 20 "$release" sql v5.sqlite "SELECT count(*) AS n FROM sqlite_master WHERE name = 'poise'"
  says out "0"
}
it "the fields of a component that was split are loaded into both new components" split_component

renamed_component() { # a component and one of its fields have been renamed
  version 'poise = { stability = 0.25, mana = 5 }' 'poise = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --save v1.sqlite --exec "$set_poise"
  version 'balance = { v = 0, mana = 0, renamed_from = { "poise", v = "stability" } }' 'balance = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load v1.sqlite --save v6.sqlite \
    --exec 'local p = world.sql("SELECT v, mana FROM balance")[3] return p.v, p.mana'
  exits 0 out "0.5	7"
  run_for 20 "$release" run versions --headless --ticks 2 --load v1.sqlite --exec 'return world.query { "poise" }'
  says err "unknown component poise: poise is now balance, poise.stability is now balance.v"
  run_for 20 "$release" run versions --headless --ticks 2 --load v1.sqlite --exec 'return world.query { "blance" }'
  says err "did you mean balance?"
  version 'heat = t.single { value = 7 }, gun = t.many { shots = 0 }' 'gun = { left = { shots = 3 }, right = { shots = 4 } }'
  run_for 20 "$release" run versions --headless --ticks 2 --save old.sqlite --exec 'world.single.heat.value = 9'
  version 'warmth = t.single { degrees = 7, renamed_from = { "heat", degrees = "value" } },
    cannon = t.many { shots = 0, renamed_from = "gun" }' 'cannon = { left = { shots = 3 }, right = { shots = 4 } }'
  run_for 20 "$release" run versions --headless --ticks 2 --load old.sqlite \
    --exec 'local r = world.sql("SELECT sum(shots) AS n, count(*) AS k FROM cannon")[1] return world.single.warmth.degrees, r.n, r.k'
  exits 0 out "9	21	6"
}
it 'renamed components, singletons and `many` components are loaded under their new names' renamed_component

edited_assemblage() {
  rm -rf versions/migrations
  version 'poise = { stability = 1 }, glow = { n = 1 }, drive = { vx = 1 }' 'poise = {}, glow = {}, drive = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --save old.sqlite --exec '
    local list = {}
    for e in world.each("poise") do list[#list + 1] = e end
    list[1].poise.stability = 8
    list[3]:remove("glow")'
  exits 0
  version 'poise = { stability = 1 }, glow = { n = 1 }, motion = { vx = 5 }, light_of = { n = 4 }' \
    'poise = { stability = 2 }, glow = {}, motion = {}, light_of = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --load old.sqlite --exec '
    local poise = {}
    for e in world.each("poise") do poise[#poise + 1] = e.poise.stability end
    return world.count("motion"), world.count("light_of"), world.count("glow"), table.concat(poise, " ")'
  exits 0 out "3	3	2	8 2 2"
  says err "migrated an older save: thing: component motion added to 3 entities"
}
it "loading an older save updates entities to their edited assemblage and keeps values that the game has changed" edited_assemblage

split_by_migration() {
  requires older_save
  version 'poise = { stability = 0, renamed_from = {} }, mind = { mana = 1 }' 'poise = {}'
  mkdir -p versions/migrations
  echo 'world.sql("INSERT INTO mind(entity, mana) SELECT entity, mana FROM old_poise WHERE entity > ?", 1)' \
    >versions/migrations/0001_split.lua
  cat >versions/migrations/0002_more.lua <<'END'
for e in world.each("mind") do
  e.mind.mana = e.mind.mana + 0.5
end
END
  run_for 20 "$release" run versions --headless --ticks 2 --load v1.sqlite --save v3.sqlite
  exits 0 err "ran migrations/0001_split.lua" "ran migrations/0002_more.lua"
  run_for 20 "$release" sql v3.sqlite "SELECT entity, mana FROM mind"
  [ "$(tail -n 2 out)" = "$(printf '     2   7.5\n     3   7.5')" ] || fail "unexpected rows: $(cat out)"
}
it "migrations read the old tables and write the new tables" split_by_migration

migrates_once() {
  requires split_by_migration
  run_for 20 "$release" run versions --headless --ticks 2 --load v3.sqlite --save v4.sqlite
  exits 0
  ! grep -q "ran migrations" err || fail "$(cat err)"
  run_for 20 "$release" run versions --headless --ticks 2 --save v5.sqlite
  run_for 20 "$release" run versions --headless --ticks 2 --load v5.sqlite
  exits 0
  ! grep -q "ran migrations" err || fail "$(cat err)"
}
it "a migration runs once, and not at all for a world of the current version" migrates_once

old_component() {
  rm -rf guns && mkdir guns && cd guns || exit 1
  version 'gun = { shots = 3 }, old_gun = { shots = 4 }' 'gun = {}, old_gun = {}'
  run_for 20 "$release" run versions --headless --ticks 2 --save guns.sqlite
  mkdir versions/migrations
  echo 'for i, row in ipairs(world.sql("SELECT a.shots AS a, b.shots AS b FROM old_gun a JOIN old_old_gun b USING(entity)")) do
  print("shots", row.a, row.b)
end' >versions/migrations/0001_read.lua
  run_for 20 "$release" run versions --headless --ticks 2 --load guns.sqlite
  exits 0 out "shots	3	4"
}
it "migrations read the old tables of a game with the components gun and old_gun" old_component

failing_migration() {
  requires split_by_migration
  echo 'local x = 1
world.sql("DELETE FROM mind")
world.sql("UPDATE old_poise SET stability = 3")' >versions/migrations/0003_bad.lua
  run_for 20 "$release" run versions --headless --ticks 2 --load v3.sqlite
  exits 2 err "migrations/0003_bad.lua:3" "read-only"
  mkdir -p data/shoal/saves/versions
  cp v3.sqlite data/shoal/saves/versions/three.sqlite
  run_for 20 "$release" run versions --headless --ticks 2 --exec 'world.load("three")' --exec 'return world.count("mind"), world.count("poise")'
  exits 1 err "0003_bad.lua:3"
  says out "0	3"
}
it "if a migration fails, loading fails and the world stays unchanged" failing_migration

autosaves() {
  rm -rf auto data/shoal/saves/auto
  mkdir -p auto/systems
  echo 'return { title = "auto", autosave = 1, start = function() world.spawn("thing") end }' >auto/game.lua
  echo 'return { counter = { n = 0 } }' >auto/components.lua
  echo 'return { thing = { components = { counter = {} } } }' >auto/assemblages.lua
  echo 'return { query = { "counter" }, each = function(e) e.counter.n = e.counter.n + 1 end }' >auto/systems/counts.lua
  run_for 20 "$release" run auto --headless --ticks 90 --hash
  exits 0
  cp out with
  run_for 20 "$release" sql data/shoal/saves/auto/autosave.sqlite "SELECT n FROM counter"
  [ "$(tail -n 1 out | tr -d ' ')" = 60 ] || fail "unexpected rows: $(cat out)"
  run_for 20 "$release" run auto --headless --ticks 90 --hash --load data/shoal/saves/auto/autosave.sqlite
  cmp -s out with || fail "$(cat out) is not $(cat with)"
  sed -i 's/autosave = 1, //' auto/game.lua
  run_for 20 "$release" run auto --headless --ticks 90 --hash
  cmp -s out with || fail "without autosaves the hash is $(cat out), with them $(cat with)"
}
it "autosave = n saves every n seconds and leaves the hashes unchanged" autosaves

# The game prints its list of saves in each tick and deletes a save at tick 4.
slots() {
  rm -rf slots data/shoal/saves/slots
  mkdir -p slots/systems data/shoal/saves/slots
  echo 'return { title = "slots" }' >slots/game.lua
  echo 'no save' >data/shoal/saves/slots/bad.sqlite
  cat >slots/systems/lists.lua <<'END'
return { update = function()
  local out = {}
  for _, slot in ipairs(world.saves()) do
    out[#out + 1] = slot.name .. " " .. (slot.problem or slot.tick .. " " .. slot.time * 60 .. " " .. #slot.saved)
  end
  print(world.tick, table.concat(out, ", "))
  if world.tick == 1 then
    world.save("one")
  elseif world.tick == 2 then
    world.save("two")
  elseif world.tick == 4 then
    print(world.delete_save("one"))
    print(world.delete_save("tow"))
  end
end }
END
  run_for 20 "$release" run slots --headless --ticks 6 --record slots.replay
  exits 0
  cp out lived
  says lived "1	bad the file is not a save"
  says lived "3	bad the file is not a save, one 2 2 16, two 3 3 16"
  says lived "false	save tow not found: did you mean two?"
  says lived "5	bad the file is not a save, two 3 3 16"
  [ ! -e data/shoal/saves/slots/one.sqlite ] || fail "the save was not deleted"
}
it "a game can list its saves and delete them" slots

unreadable_folder() {
  rm -rf unreadable no_data
  mkdir -p unreadable no_data/shoal/saves/unreadable/.title # a folder cannot be read as a file
  echo 'return { title = "unreadable" }' >unreadable/game.lua
  XDG_DATA_HOME=$tmp/no_data run_for 20 "$release" run unreadable --headless --ticks 1 --exec 'print(#world.saves())'
  says out "0"
  says err "world.saves: "
}
it "world.saves returns an empty list and logs a warning if the saves cannot be listed" unreadable_folder

# The first tick writes sixteen saves, deletes some of them and requests one more.
many_slots() {
  rm -rf many data/shoal/saves/many
  mkdir -p many/systems
  echo 'return { title = "many" }' >many/game.lua
  cat >many/systems/requests.lua <<'END'
return { update = function()
  if world.tick == 1 then
    for i = 1, 12 do world.save("s" .. i) end
    print("deleted", world.delete_save("s3"))
    print("again", world.delete_save("s3"))
    print("load", world.load("s3"))
    world.save("s3")
    print("deleted", world.delete_save("s5"))
    world.save("last")
    print("one more", pcall(world.save, "more"))
  end
end }
END
  run_for 20 "$release" run many --headless --ticks 4
  exits 0 out "deleted	true" "again	false	s3 was deleted in this tick"
  says out "load	false	s3 was deleted in this tick"
  says out "too many saves in one tick (at most 16): write or delete the rest in later ticks"
  [ "$(ls data/shoal/saves/many | grep -c '\.sqlite$')" = 12 ] || fail "unexpected saves: $(ls data/shoal/saves/many)"
  [ -e data/shoal/saves/many/s3.sqlite ] && [ ! -e data/shoal/saves/many/s5.sqlite ] || fail "not in the order of the calls"
  run_for 20 "$release" run many --headless --ticks 0 --exec 'world.save("new") print("found", world.load("new"))'
  says out "found	false	new is written at the end of this tick: load it in a later tick"
}
it "saves are written and deleted at the end of the tick in the order of the calls, at most 16 per tick" many_slots

# A killed process leaves the temporary file of a save, while a different process is still writing.
stale_files() {
  rm -rf slots data/shoal/saves/slots
  mkdir -p slots data/shoal/saves/slots
  echo 'return { title = "slots" }' >slots/game.lua
  ended=$(sh -c 'echo $$')
  for name in "one.sqlite.$ended.tmp" "two.sqlite.$$.tmp" notes.tmp 12.tmp; do : >"data/shoal/saves/slots/$name"; done
  run_for 20 "$release" run slots --headless --ticks 1
  exits 0
  kept=$(ls data/shoal/saves/slots | tr '\n' ' ')
  [ "$kept" = "$(printf '%s\n' 12.tmp notes.tmp "two.sqlite.$$.tmp" | sort | tr '\n' ' ')" ] || fail "left: $kept"
}
it "temporary files of killed processes are removed from the saves folder" stale_files

# The game "steals" uses every function that changes the user's files. The user's folder contains the files that the
# game would change.
thief() {
  rm -rf steals data/shoal/saves/steals mine
  mkdir -p steals/systems data/shoal/saves/steals
  echo 'return { title = "steals", id = "steals", tick_rate = 10, autosave = 1 }' >steals/game.lua
  echo 'return { best = 0 }' >steals/settings.lua
  cat >steals/systems/steals.lua <<'END'
return { update = function()
  if world.tick == 2 then
    world.save("slot")
    world.save("new")
    world.export("level")
    settings.best = settings.best + 1
    print("deleted", world.delete_save("old"))
  elseif world.tick == 4 then
    local names = {}
    for i, save in ipairs(world.saves()) do names[i] = save.name end
    print("saves", table.concat(names, " "))
    print("settings", settings.best)
  elseif world.tick == 12 and settings.best == 501 then
    settings.best = 502 -- kept by world.load, so that tick 12 loads once
    print("loaded", world.load("slot"))
  end
end }
END
  run_for 20 "$release" run steals --headless --ticks 1 --exec 'world.save("slot") world.save("old")'
  exits 0
  echo '{"format":1,"settings":{"best":500}}' >data/shoal/saves/steals/game.settings.json
  echo '{"entities":[]}' >data/shoal/saves/steals/level.json
  echo mine >data/shoal/saves/steals/autosave.sqlite
  cp -a data/shoal/saves/steals mine
}

# steals_nothing OPTIONS…: runs the program, and compares the user's folder with its state before the run.
steals_nothing() {
  run_for 40 env TMPDIR="$tmp/temporary" "$release" "$@"
  exits 0
  diff -r mine data/shoal/saves/steals || fail "the user's files have changed"
  [ -z "$(ls "$tmp/temporary")" ] || fail "temporary files are left: $(ls "$tmp/temporary")"
}

# sees_own_saves: fails unless the run has seen the user's files and its own changes.
sees_own_saves() {
  says out "deleted	true" "saves	autosave new slot" "settings	501" "loaded	true"
}

temporary() { # temporary OPTIONS…
  rm -rf temporary && mkdir temporary
  thief
  steals_nothing run steals --headless --ticks 20 "$@"
  sees_own_saves
}
it "a run with --temporary-saves changes neither saves nor settings, but sees its own changes" temporary --temporary-saves
it "a headless run with --export changes neither saves nor settings" temporary --export made.json
it "a headless run with --types changes neither saves nor settings" temporary --types made.lua

# Ends before tick 12, in which the game loads its save.
temporary_rollback() {
  rm -rf temporary && mkdir temporary
  thief
  steals_nothing run steals --headless --ticks 11 --check-rollback 2
  says out "saves	autosave new slot"
}
it "--check-rollback changes neither saves nor settings" temporary_rollback

temporary_sql() {
  rm -rf temporary && mkdir temporary
  thief
  steals_nothing sql ./steals "SELECT best FROM settings" --ticks 20
  sees_own_saves
}
it "./shoal sql GAME changes neither saves nor settings" temporary_sql

temporary_package() {
  rm -rf temporary && mkdir temporary
  thief
  steals_nothing pack ./steals made.data
}
it "./shoal package runs the game without changing its saves or settings" temporary_package

# The user's saves differ from the saves of the recorded run.
temporary_replay() {
  rm -rf temporary && mkdir temporary
  thief
  run_for 40 "$release" run steals --headless --ticks 20 --record steals.replay --hash every=1
  exits 0
  cp out recorded
  thief
  steals_nothing run steals --headless --replay steals.replay --hash every=1
  cmp -s out recorded || fail "the replay printed: $(cat out); recorded: $(cat recorded)"
  rm data/shoal/saves/steals/old.sqlite mine/old.sqlite
  steals_nothing run steals --headless --replay steals.replay --hash every=1
  cmp -s out recorded || fail "the replay without the old save printed: $(cat out); recorded: $(cat recorded)"
}
it "a replay changes neither saves nor settings" temporary_replay

# The predicted ticks reach tick 12, which saves and deletes; the run itself ends before tick 12.
ghosts() {
  thief
  cat >steals/systems/steals.lua <<'END'
return { start = function() world.spawn(nil, { name = "it", transform = {} }) end, update = function()
  if world.tick == 1 then world.ghosts("it", 30) end
  if world.tick == 12 then
    world.save("slot")
    world.export("level")
    world.delete_save("old")
  end
end }
END
  SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy run_for 60 "$release" run steals --no-watch --ticks 8 --every-tick
  exits 0
  for name in slot.sqlite old.sqlite level.json; do
    cmp "mine/$name" "data/shoal/saves/steals/$name" || fail "$name has changed"
  done
}
it "ticks that world.ghosts predicts neither write nor delete saves" ghosts

# A folder that cannot be copied must not be replaced.
uncopied() {
  thief
  run_for 40 env TMPDIR=/proc/nowhere "$release" run steals --headless --ticks 20 --temporary-saves
  exits 1 err "this run cannot write saves: cannot create a temporary folder"
  diff -r mine data/shoal/saves/steals || fail "the user's files have changed"
}
it "a --temporary-saves run that cannot create a temporary folder does not write the user's saves" uncopied

# Rewinds, and replays the input of the abandoned timeline.
replayed_input() {
  rm -rf again data/shoal/saves/again
  mkdir -p again/systems
  echo 'return { title = "again", id = "again", tests = true }' >again/game.lua
  cat >again/systems/saves.lua <<'END'
local rewound
return { update = function()
  if world.tick == 3 then
    world.delete_save("slot")
  elseif world.tick == 5 then
    world.save("slot")
    world.export("level")
  elseif world.tick == 8 and not rewound then
    rewound = true
    world.restore(1, { replay = true })
  end
end }
END
  run_for 40 "$release" run again --headless --history 8 --ticks 12 --log debug
  exits 0
  [ "$(grep -c 'saved slot' err)" = 1 ] || fail "expected one save: $(cat err)"
  [ "$(grep -c 'exported level' err)" = 1 ] || fail "expected one export: $(cat err)"
}

it "replaying input of an abandoned timeline writes and deletes no saves, and exports no scenes" replayed_input

slots_in_replay() {
  slots
  run_for 20 "$release" run slots --headless --replay slots.replay
  exits 0
  cmp -s out lived || fail "$(cat out)"
}
it "a replay returns the recorded list of saves" slots_in_replay

# `timeout` and process managers send SIGTERM to a process and to its group, so a second signal follows immediately.
mkdir -p slow_stop/systems
echo 'return { title = "slow_stop" }' >slow_stop/game.lua
cat >slow_stop/systems/slow.lua <<'END'
return {
  update = function()
    if world.tick == 3 then
      log.info "running"
    end
  end,
  stop = function()
    log.info "stopping"
    local sum = 0
    for i = 1, 6e8 do
      sum = sum + i % 7
    end
    return sum
  end,
}
END
# Repeats the signal, because a signal that arrives before the first signal is handled has no effect.
has_exited_after() {
  kill "-$1" "$program" 2>/dev/null || true
  has_exited "$program"
}
signal_twice() { # signal_twice SIGNAL: sends the second signal while the program stops, before it writes the save
  rm -f twice.sqlite
  launch "$release" run slow_stop --headless --save twice.sqlite
  expect_log "running"
  kill "-$1" "$program"
  wait_for 20 has_exited_after "$1" || fail "still running"
  status=0
  wait "$program" || status=$?
  program=
}
second_sigterm() {
  signal_twice TERM
  exits 0
  [ "$(grep -c 'ignored a second SIGTERM' "$log")" = 1 ] || fail "expected one line about SIGTERM: $(cat "$log")"
  run_for 20 "$release" sql twice.sqlite "SELECT count(*) FROM meta"
  exits 0
}
it "a second SIGTERM does not prevent --save, and the log reports it once" second_sigterm
second_sigint() {
  signal_twice INT
  exits 130
}
it "a second SIGINT ends the program even if a save is requested" second_sigint

quiet_saves() {
  mkdir -p quiet/systems
  echo 'return { title = "quiet", id = "quiet" }' >quiet/game.lua
  cat >quiet/systems/saves.lua <<'END'
return { update = function()
  if world.tick == 1 then
    world.save("one", { toast = false })
  elseif world.tick == 2 then
    print(select(2, pcall(world.save, "one", { tost = false })))
    print(select(2, pcall(world.load, "one", true)))
    world.delete_save("one", { toast = false })
  end
end }
END
  run_for 20 "$release" run quiet --headless --ticks 4
  exits 0 err "saved one" "deleted one"
  says out "world.save has no option tost: did you mean toast?"
  says out "world.load: expected options such as { toast = false }, got true"
}
it 'world.save and world.delete_save accept the option `toast`, and unknown options are errors' quiet_saves
