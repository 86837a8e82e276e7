-- Shows the next frame of each moving picture: each tile plays forwards and then backwards, so that no jump is visible.
local places = require "lib.places"
local FRAMES, FRAMES_PER_SECOND = 24, 15 -- length and speed of a tile's moving picture (pictures.sh)
local EXAMPLE_FRAMES, EXAMPLE_FRAMES_PER_SECOND = 4, 5
local EXAMPLE_SECONDS = 1.2 -- time for which the examples' tile shows each example

local function tile_frame(time)
  local frame = math.floor(time * FRAMES_PER_SECOND) % (2 * FRAMES - 2)
  return frame < FRAMES and frame + 1 or 2 * FRAMES - 1 - frame
end

local function example_frame() return math.floor(world.time * EXAMPLE_FRAMES_PER_SECOND) % EXAMPLE_FRAMES + 1 end

-- Shows the picture of one example in the tile that opens the list of examples.
local function show_example(label)
  local examples = places.examples()
  local name = examples[math.floor(world.time / EXAMPLE_SECONDS) % #examples + 1].name
  if assets.exists(name .. ".jpg") then label.image = name .. ".jpg" end
  label.frame = example_frame()
end

return {
  phase = "input",
  after = { "page" },
  update = function()
    for e in world.each("tile") do
      local label = e:child("1").label
      if e:name() == "examples" then
        show_example(label)
      else
        label.frame = tile_frame(world.time + e.tile.delay)
      end
    end
    if world.single.shown.page == "examples" then world.find("example_picture").label.frame = example_frame() end
  end,
}
