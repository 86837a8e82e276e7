# Former names of components, fields, assemblages, states, behaviours and events: saves of earlier versions and running
# games keep their entities, values, states and pending events.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# version COMPONENTS ASSEMBLAGES EVENTS: writes the game `den`. Its `start` and its systems are not needed for a load.
version() {
  mkdir -p den/behaviours den/systems
  echo "return { title = \"den\" }" >den/game.lua
  echo "local t = shoal.types return { $1 }" >den/components.lua
  echo "return { $2 }" >den/assemblages.lua
  echo "return { $3 }" >den/events.lua
}
runs() { # runs ARGUMENTS…: runs the game without a message about a problem
  run_for 20 "$release" run den --headless --ticks 2 "$@"
  exits 0
  ! grep -E "warning|error" err || fail "unexpected message: $(cat err)"
}

component_twice() {
  rm -rf den
  version 'bite = { power = 1, reach = { far = 2 } }' 'wolf = { components = { bite = {} } }'
  runs --save first.sqlite --exec 'local e = world.spawn("wolf") e.bite.power, e.bite.reach.far = 7, 9'
  version 'fang = { force = 1, span = { far = 2 }, renamed_from = { "bite", force = "power", span = "reach" } }' \
    'wolf = { components = { fang = {} } }'
  runs --load first.sqlite --save second.sqlite
  version 'tooth = { might = 1, length = { wide = 2, renamed_from = { wide = "far" } },
    renamed_from = { "fang", "bite", might = { "force", "power" }, length = { "span", "reach" } } }' \
    'wolf = { components = { tooth = {} } }'
  for save in first second; do
    runs --load $save.sqlite --exec 'for e in world.each("tooth") do return "might", e.tooth.might end'
    says out "might	7"
  done
}
it "a component and a field that were renamed twice keep their values in saves of both earlier versions" component_twice

split_off() {
  rm -rf den
  version 'fox = { speed = 1, dash = 0, rush = 0 }, gun = t.many { heat = 0, ammo = 0 }, score = t.single { now = 0, best = 0 }' \
    'wolf = { components = { fox = {} }, states = { initial = "awake", awake = { claw = { keep = true } }, asleep = {} } }'
  sed -i 's/return { fox/return { claw = { reach = 1, grip = 2 }, fox/' den/components.lua
  runs --save split.sqlite --exec 'local e = world.spawn("wolf", { name = "a" }) e.fox.dash, e.fox.rush, e.claw.grip = 7, 5, 9
    e:enter("asleep") world.spawn("wolf", { name = "b" }):disable("fox")
    world.spawn(nil, { gun = { left = { ammo = 3 }, right = { ammo = 4 } } }) world.single.score.best = 12
    world.define("cub", { components = { fox = { speed = 2, dash = 6 } } })
    world.tween(e, "fox.dash", 8, 0.05)'
  version 'claw = { reach = 1 }, fist = { grip = 2, renamed_from = { grip = "claw.grip" } }, fox = { speed = 1 },
    dart = { left = 0, renamed_from = { left = "fox.dash" } }, bolt = { power = t.i32(0), renamed_from = { power = "fox.rush" } },
    gun = t.many { heat = 0 }, box = t.many { rounds = 0, renamed_from = { rounds = "gun.ammo" } },
    score = t.single { now = 0 }, record = t.single { best = 0, renamed_from = { best = "score.best" } }' \
    'wolf = { components = { fox = {} }, states = { initial = "awake", awake = { claw = { keep = true }, fist = { keep = true } }, asleep = {} } }'
  shown='local a, b, box = world.find("a"), world.find("b") for e in world.each("box") do box = e.box end
    return ("%g %s %g %g %g %g"):format(a.bolt.power, b:json():find("disabled", 1, true) ~= nil, box.left.rounds, box.right.rounds,
      world.single.record.best, world.spawn("cub").dart.left)'
  run_for 20 "$release" run den --headless --ticks 12 --load split.sqlite --save again.sqlite --exec "$shown"
  exits 0 out "5 true 3 4 12 6"
  run_for 20 "$release" sql again.sqlite "SELECT round(left) FROM dart JOIN name ON name.entity = dart.entity WHERE name.value = 'a'"
  says out "8"
  version 'claw = { reach = 1 }, fist = { grip = 2, renamed_from = { grip = "claw.grip" } }, fox = { speed = 1 },
    dart = { left = 0, renamed_from = { left = "fox.dash" } }' 'wolf = { components = { fox = {} }, states = { initial = "awake",
    awake = { claw = { keep = true }, fist = { keep = true } }, asleep = {} } }'
  runs --load again.sqlite --exec 'local a = world.find("a"):enter("awake") world.spawn("wolf") return "grip", a.fist.grip, world.count("dart")'
  says out "grip	9	3"
}
it "saves, kept values, tweens and definitions follow a field that moves to a new component" split_off

tween() {
  rm -rf den
  version 'bite = { power = 1 }' 'wolf = { components = { bite = {} } }'
  runs --save tween.sqlite --exec 'world.tween(world.spawn("wolf"), "bite.power", 9, 0.1)'
  version 'fang = { force = 1, renamed_from = { "bite", force = "power" } }' 'wolf = { components = { fang = {} } }'
  run_for 20 "$release" run den --headless --ticks 12 --load tween.sqlite --save tween.sqlite
  exits 0
  run_for 20 "$release" sql tween.sqlite "SELECT force FROM fang"
  says out "9"
}
it "a saved tween continues after its component and its field were renamed" tween

record_twice() {
  rm -rf den
  version 'bite = { reach = { far = 2 } }' 'wolf = { components = { bite = {} } }'
  runs --save record.sqlite --exec 'local e = world.spawn("wolf") e.bite.reach.far = 9'
  version 'bite = { reach = { wide = 2, renamed_from = { wide = { "long", "far" } } } }' \
    'wolf = { components = { bite = {} } }'
  runs --load record.sqlite --exec 'for e in world.each("bite") do return "wide", e.bite.reach.wide end'
  says out "wide	9"
}
it "a record's field with several former names keeps its value from a save" record_twice

wolves='local w = world.spawn("wolf") w.bite.power = 7 w:enter("angry") local x = world.spawn("wolf")'
assemblage() {
  rm -rf den
  version 'bite = { power = 1 }, tail = { length = 3 }, gun = { heat = 0 }' \
    'wolf = { components = { bite = {} }, children = { rear = { tail = {} } },
    states = { initial = "calm", calm = { gun = { keep = true } }, angry = {} } }'
  runs --save wolf.sqlite --exec "$wolves x.gun.heat = 5 x:enter(\"angry\")"
  version 'bite = { power = 1 }, tail = { length = 4 }, cannon = { warmth = 0, renamed_from = { "gun", warmth = "heat" } }' \
    'hound = { renamed_from = { "dog", "wolf" }, components = { bite = { power = 2 } }, children = { rear = { tail = {} } },
    states = { initial = "idle", idle = { cannon = { keep = true } }, furious = {}, renamed_from = { idle = "calm",
    furious = { "mad", "angry" } } } }'
  runs --load wolf.sqlite --save hound.sqlite --exec 'local powers, tails = {}, {}
    for e in world.each("bite") do
      powers[#powers + 1] = e.bite.power .. e:state() .. e:assemblage() .. e:child("rear"):assemblage()
      tails[#tails + 1] = e:child("rear").tail.length
      e:enter("idle")
    end
    return table.concat(powers, " "), table.concat(tails, " "), world.count("hound")'
  says out "7furioushoundhound/rear 2furioushoundhound/rear	4 4	2"
  run_for 20 "$release" sql hound.sqlite "SELECT group_concat(warmth) AS heat FROM cannon"
  says out "0.0,5.0"
}
it "entities of a renamed assemblage keep changed values, states and children, and get its new defaults" assemblage

behaviour_and_event() {
  rm -rf den
  version 'seen = t.single { count = t.i32(0) }' 'wolf = { components = { prowl = {} } }' 'howl = { loud = 1 }'
  echo 'return { fields = { steps = 0 }, create = function() end, update = function(self) self.steps = self.steps + 1 end }' >den/behaviours/prowl.lua
  runs --save prowl.sqlite --exec 'world.spawn("wolf") world.after(0.05, "howl", { loud = 6 })'
  rm den/behaviours/prowl.lua
  version 'seen = t.single { count = t.i32(0) }' 'wolf = { components = { roam = {} } }' \
    'cry = { volume = 1, renamed_from = { "howl", volume = "loud" } }'
  echo 'return { fields = { steps = 0, renamed_from = { "stalk", "prowl" } }, create = function() print("created") end }' \
    >den/behaviours/roam.lua
  echo 'return { on = { cry = function(ev) print("cry", ev.count, ev.volume[1]) end } }' >den/systems/ears.lua
  run_for 20 "$release" run den --headless --ticks 10 --load prowl.sqlite --exec 'for e in world.each("roam") do print("steps", e.roam.steps) end'
  exits 0 out "steps	2" "cry	1	6"
  ! grep created out || fail "the behaviour was created again: $(cat out)"
}
it "a renamed behaviour continues, and a timer emits the renamed event" behaviour_and_event

messages() { # messages COMPONENTS ASSEMBLAGES EVENTS TEXT
  rm -rf den
  version "$1" "$2" "$3"
  run_for 20 "$release" run den --headless --ticks 1
  exits 1 err "$4"
}
conflicts() {
  messages 'a = { renamed_from = { "b", "b" } }' '' '' 'components.lua:1: renamed_from of a contains b twice: remove one'
  messages 'a = { x = 0, renamed_from = { x = { "b", 3 } } }' '' '' 'renamed_from of a.x must be the old name of a field, got 3'
  messages '' 'wolf = { renamed_from = "dog" }, dog = {}' '' \
    'assemblages.lua:1: renamed_from of wolf: the assemblage dog is still declared: remove the assemblage, or the rename'
  messages '' 'wolf = { renamed_from = "dog" }, fox = { renamed_from = "dog" }' '' \
    'fox and wolf are both renamed from dog: remove one of the renames'
  messages '' 'wolf = { states = { initial = "a", a = {}, b = {}, renamed_from = { a = "b" } } }' '' \
    'renamed_from of the state a of wolf: the state b is still declared: remove the state, or the rename'
  messages '' 'wolf = { states = { initial = "a", a = {}, renamed_from = { aa = "b" } } }' '' \
    'renamed_from of the states of wolf: unknown state aa: did you mean a?'
  messages '' '' 'cry = { renamed_from = "howl" }, howl = {}' \
    'events.lua:1: renamed_from of cry: the event howl is still declared: remove the event, or the rename'
  messages 'score = t.single { renamed_from = 3 }' '' '' 'renamed_from of score must be its old name'
}
it "a former name that is still in use, or that two declarations claim, is an error with its line" conflicts

hints() {
  rm -rf den
  version '' 'wolf = { renamed_from = "dog" }' 'cry = { renamed_from = "howl" }'
  for code in 'world.spawn("dog")' 'world.count("dog")'; do
    run_for 20 "$release" run den --headless --ticks 1 --exec "$code"
    says err "renamed to wolf"
  done
  run_for 20 "$release" run den --headless --ticks 1 --exec 'world.emit("howl")'
  says err "unknown event howl: renamed to cry"
}
it "an error about a former name of an assemblage or event gives the current name" hints
