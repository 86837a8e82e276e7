-- Writes recordings without hashes (engine/store/time/recording.h, engine/store/journal/record.h).
local ffi = require("ffi")
ffi.cdef [[
  typedef struct { char magic[8]; uint32_t format, unused; char game[128]; uint64_t seed, game_hash, engine_hash;
    uint32_t tick_rate, history_mb, history_is_set, undo, unused, memory_mb;
    char arithmetic[64]; uint64_t hash; } recording_head_t;
  typedef struct { uint64_t hash; uint32_t size, kind; } recording_chunk_t;
  uint64_t XXH3_64bits_withSeed(const void *data, size_t bytes, uint64_t seed);
]]
local xxhash = ffi.load("xxhash")

---@class RecordingFile
---@field file file*
---@field number integer number of the last record
---@field tick integer
---@field in_block integer number of records in the block
---@field expected integer tick of the next TICK or FRAME of the block, unless it contains one
---@field block string[]
---@field block_sample table<integer, integer> bytes of the last sample in the block, by offset; missing: 0
---@field sample table<integer, integer> bytes of the last sample
local M = {}
M.__index = M

-- Kinds of records and of items.
local TICK, FRAME, ITEMS, BACK = 1, 7, 8, 9
local RESUME, LIVE, CONSOLE = 3, 12, 13
local RESULT, PREVIOUS, SAMPLE = 2, 6, 7
local FLAG_TICK, FLAG_ITEMS, FOUND = 16, 128, 128
local EXTERNAL_CONSOLE, CHUNK_RECORDS = 8, 1
local BLOCK_RECORDS, FORMAT = 60, 3

-- Encodes an integer as a varint.
---@param n integer
---@return string
local function encode_number(n)
  local out = {}
  repeat
    out[#out + 1] = string.char(n % 128 + (n > 127 and 128 or 0))
    n = math.floor(n / 128)
  until n == 0
  return table.concat(out)
end

---@param path string
---@param options { game: string, seed: integer, history_mb: integer, history_is_set: boolean? }
---@return RecordingFile
function M.create(path, options)
  local head = ffi.new("recording_head_t")
  ffi.copy(head.magic, "SHOALRPL", 8)
  ffi.copy(head.game, options.game)
  head.format, head.seed, head.tick_rate, head.history_mb = FORMAT, options.seed, 60, options.history_mb
  head.history_is_set = options.history_is_set and 1 or 0
  head.hash = xxhash.XXH3_64bits_withSeed(ffi.cast("char *", head) + 16, ffi.offsetof(head, "hash") - 16, 0)
  local file = assert(io.open(path, "wb"))
  file:write(ffi.string(head, ffi.sizeof(head)))
  local recording = { file = file, number = 0, tick = 0, in_block = 0, expected = 1, block = {}, block_sample = {},
    sample = {} }
  return setmetatable(recording, M)
end

function M:end_block()
  local content = table.concat(self.block)
  if content == "" then return end
  local hash = xxhash.XXH3_64bits_withSeed(content, #content, CHUNK_RECORDS)
  local chunk = ffi.new("recording_chunk_t", hash, #content, CHUNK_RECORDS)
  self.file:write(ffi.string(chunk, ffi.sizeof(chunk)), content)
  self.block, self.block_sample, self.in_block, self.expected = {}, {}, 0, 1
end

-- Starts a record: begins a new block if the last one is full. Returns the encoded number of the record if it is the
-- first one of its block, otherwise "".
function M:begin_record()
  if self.in_block == BLOCK_RECORDS then self:end_block() end
  self.number, self.in_block = self.number + 1, self.in_block + 1
  return self.in_block == 1 and encode_number(self.number) or ""
end

-- Encodes the bytes of `sample` that differ from `self.block_sample`, and stores them there.
---@param sample table<integer, integer>
---@param bytes integer size of a sample
function M:encode_difference(sample, bytes)
  local changed, offset = {}, 0
  for i = 0, bytes - 1 do
    if (sample[i] or 0) ~= (self.block_sample[i] or 0) then
      changed[#changed + 1] = encode_number(i - offset) .. string.char(sample[i] or 0)
      offset, self.block_sample[i] = i + 1, sample[i] or 0
    end
  end
  return table.concat(changed)
end

---@param items string[]
local function encode_items(items)
  return #items > 0 and string.char(#items) .. table.concat(items) or ""
end

---@param kind integer
---@param content string
local function encode_item(kind, content)
  return string.char(kind) .. encode_number(#content) .. content
end

function M:add_input(kind, sample, bytes)
  local number, items, tick = self:begin_record(), {}, self.tick + 1
  for _, item in ipairs { { PREVIOUS, self.sample }, { SAMPLE, sample } } do
    local difference = self:encode_difference(item[2], bytes)
    if difference ~= "" then items[#items + 1] = encode_item(item[1], difference) end
  end
  local flags, encoded_tick = #items > 0 and FLAG_ITEMS or 0, ""
  if tick ~= self.expected then
    flags, encoded_tick = flags + FLAG_TICK, encode_number(tick)
  end
  self.block[#self.block + 1] = string.char(kind + flags) .. number .. encoded_tick .. encode_items(items)
  for i = 0, bytes - 1 do self.sample[i] = sample[i] end
  self.tick = kind == TICK and tick or self.tick
  self.expected = self.tick + 1
end

-- Adds a tick with the bytes of its sample, by offset.
---@param sample table<integer, integer>
---@param bytes integer size of a sample
function M:add_tick(sample, bytes) self:add_input(TICK, sample, bytes) end

-- Adds a frame of a paused game.
---@param sample table<integer, integer>
---@param bytes integer size of a sample
function M:add_frame(sample, bytes) self:add_input(FRAME, sample, bytes) end

---@param head integer kind and flags
---@param content string
function M:add_record(head, content)
  local number = self:begin_record()
  self.block[#self.block + 1] = string.char(head) .. number .. content
end

-- Goes back by one tick.
function M:rewind()
  self:add_record(BACK, encode_number(1))
  self.tick = math.max(self.tick - 1, 0)
  self.expected = math.max(self.expected - 1, 1)
end

-- Runs a line of Lua between two ticks, as the console does.
---@param line string
function M:run_console(line)
  local key = "0"
  local result = encode_item(RESULT, string.char(EXTERNAL_CONSOLE + FOUND) .. string.char(#key) .. key .. line)
  self:add_record(ITEMS + FLAG_ITEMS, encode_number(self.tick) .. encode_items { result })
  self:add_record(CONSOLE, "")
end

-- Resumes a paused game, with new input.
function M:resume()
  self:add_record(LIVE, "")
  self:add_record(RESUME, "")
end

function M:close()
  self:end_block()
  self.file:close()
end

return M
