// Journal records, which contain everything that enters the simulation. A snapshot and the following records reproduce
// a game exactly. Recordings, the history's input, packets between machines and rows of a database share this format.
//
// Records have consecutive numbers, because some records have no tick: a pause, a restart, a reload. A block is a run
// of encoded records. Its first record is complete, and each further record is coded as the difference from the
// previous record. If the reader has the record before a block, the block can begin with a difference, too. A block has
// no end mark, so its size must be known. The encoding is canonical: equal records have equal bytes.
//
//   head (1): kind (bits 0 to 3), FLAG_…
//   complete record: number (varint)
//   TICK, FRAME: FLAG_TICK: tick (varint), unless it is the expected tick: the previous TICK's tick plus 1
//   TICK: FLAG_INPUTS: mask of the changed players or, if the present players have changed, 0, the mask of the present
//         players, and then the mask of the changed players; for each of them:
//           CHANGE_… (1)
//           CHANGE_VALUES: mask of the changed actions (varint), and their values (1 each)
//           CHANGE_PRESSED, CHANGE_RELEASED: mask (varint)
//           CHANGE_POINTER: position (4 + 4)
//           CHANGE_MOTION: changes of motion_x and motion_y modulo 2^32 (zigzag varints)
//         FLAG_HASH: hash (varint)
//         Masks take 1 byte while only players 1 to 8 are present; otherwise, they are varints. When a player above 8
//         joins players 1 to 8, the previous mask (1) and the new mask (varint) follow the 0.
//   ITEMS: tick (varint)
//   BACK: number of ticks (varint)
//   RELOAD: hash (8)
//   FLAG_ITEMS: number of items (1), and for each of them: kind (bits 0 to 3) and index of the player (bits 4 to 6) (1)
//     or, for players above 8, kind and bit 7 (1), and the index (1); size (varint), bytes
//
// The contents of items, which the codec does not interpret:
//
//   COMMAND: widget actions (ui/widget_action.h)
//   RESULT, PARK: journal/external_result.h, journal/parked_item.h
//   JOIN: digest of the machine's token, name of the player
//   ARRIVAL: entities that the player brings, as packed rows (store/item_rows.h); precedes the player's JOIN
//   PREVIOUS, SAMPLE: journal/block.h
//   COMPONENTS: hashes of the components that have changed: for each component its index (varint) and hash (2)
#ifndef SHOAL_JOURNAL_RECORD_H
#define SHOAL_JOURNAL_RECORD_H

#include "platform/player_input.h"

#include <stddef.h>

#define RECORD_MAX_ITEMS 96u
#define RECORD_MAX_BYTES 14912u // maximum size of an encoded record of a match
// Maximum size of an encoded record without the contents of its items: the inputs of all players take less than 4 KiB.
#define RECORD_HEAD_BYTES (RECORD_MAX_ITEMS * 7u + 4096u)
// Size limit of all items of a match record; records in files may be larger.
#define RECORD_MAX_ITEM_BYTES (RECORD_MAX_BYTES - RECORD_HEAD_BYTES)
#define RECORD_MAX_NUMBER (UINT64_C(1) << 48) // maximum number of a record, and of a tick

// The values are part of the format.
typedef enum record_kind_t {
  RECORD_NONE,
  RECORD_TICK,
  RECORD_PAUSE,
  RECORD_RESUME,
  RECORD_RESTART,
  RECORD_RELOAD, // the code with this content hash runs from the next record on
  RECORD_END,    // the match is over
  // Only in games without a match:
  RECORD_FRAME,   // a frame of a paused game, before tick `tick`
  RECORD_ITEMS,   // items without a tick's inputs; they belong to `tick` (0: no tick)
  RECORD_BACK,    // the host stepped back in the history, by `tick` ticks
  RECORD_FORWARD, // the host stepped forward in the history, to its next state
  RECORD_REPLAY,  // ticks receive the input of the abandoned timeline
  RECORD_LIVE,    // ticks receive live input again
  RECORD_CONSOLE, // a console chunk runs: the most recent EXTERNAL_CONSOLE result
  // Only in matches:
  RECORD_SWITCH, // the lobby of the match ends, and the game begins
  RECORD_KIND_COUNT
} record_kind_t;

// The values are part of the format.
typedef enum record_item_kind_t {
  RECORD_ITEM_NONE,
  RECORD_ITEM_COMMAND, // command or widget action of a player
  RECORD_ITEM_RESULT,  // result from outside the simulation: a file, a plugin's data
  RECORD_ITEM_JOIN,    // the player takes part from this tick on; digest of the token, then the name
  RECORD_ITEM_LEAVE,   // the player no longer takes part
  RECORD_ITEM_PARK,    // a system or function that no longer runs after this tick
  // Only in games without a match:
  RECORD_ITEM_PREVIOUS,   // devices before the tick, if they differ from the previous record's devices
  RECORD_ITEM_SAMPLE,     // devices in the tick, if they differ from the devices before it
  RECORD_ITEM_COMPONENTS, // hashes of components after the tick
  // Only in matches:
  RECORD_ITEM_ARRIVAL, // entities that the player of the next JOIN owns
  RECORD_ITEM_KIND_COUNT
} record_item_kind_t;

typedef struct record_item_t {
  record_item_kind_t kind;
  uint8_t player; // index in player_inputs_t; 0 if the kind has no player
  uint32_t size;
  const uint8_t *bytes; // content of the item; borrowed
} record_item_t;

typedef struct record_t {
  uint64_t number; // number of the record, starting at 1
  record_kind_t kind;
  uint32_t item_count;
  // TICK: the tick that this record runs, which is greater than the previous record's tick, except after BACK. FRAME,
  // ITEMS, BACK: see above. 0 for all other kinds
  uint64_t tick;
  player_inputs_t inputs; // TICK: inputs of the players
  record_item_t items[RECORD_MAX_ITEMS];
  uint64_t hash; // TICK: hash of the state after the tick, 0: unknown; RELOAD: content hash of the sources
} record_t;

// State of the encoder or decoder between the records of a block. A zero-initialized coder is at the start of a
// complete block of a match.
typedef struct record_coder_t {
  uint64_t number, tick; // number and tick of the previous record
  player_inputs_t inputs;
  bool has_large_items; // true if the items of a record may exceed RECORD_MAX_ITEM_BYTES
} record_coder_t;

// Starts a block whose first record is coded as the difference from a record with this number, tick and inputs. The
// reader must have that record, too.
void record_coder_start(record_coder_t *coder, uint64_t number, uint64_t tick, const player_inputs_t *inputs);
// Appends a record, whose number must be the previous number plus 1, to a block. Values of inputs must be at least
// -127, and pointers finite, because readers reject values outside these limits. Ignores inputs of absent players.
// Returns the number of bytes written to `out`. Returns 0, and leaves the coder unchanged, if they exceed `capacity`.
// RECORD_HEAD_BYTES plus the size of the items always suffice, and are required for large items.
size_t record_write(record_coder_t *coder, const record_t *record, uint8_t *out, size_t capacity);
// Reads the next record of a block of `size` remaining bytes. The items of `out` point into `in`. Returns the number of
// bytes read, or 0 if the record is malformed. Safe for untrusted bytes.
size_t record_read(record_coder_t *coder, const uint8_t *in, size_t size, record_t *out);

// Returns true if a match can contain the record.
bool record_is_of_match(const record_t *record);
// Returns the total size of a record's items.
size_t record_get_item_bytes(const record_t *record);
// Returns the total size of a player's commands in a record. `player`: index in player_inputs_t.
size_t record_get_command_bytes(const record_t *record, uint32_t player);
// Returns a hash of the items' kinds, players and contents, or 0 if the record has no items.
uint64_t record_hash_items(const record_t *record);
// Return true if the inputs of a player, or of all players, are equal. Compare bits, so that NaN equals itself.
bool player_input_equals(const player_input_t *a, const player_input_t *b);
bool player_inputs_equal(const player_inputs_t *a, const player_inputs_t *b);

#endif
