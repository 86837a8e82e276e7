// Live code of a world: the changes that operators have made to a game since its release. Each row of the table `code`
// contains all changes since the release, as one bundle (match/source_bundle.h). Rows are only added, with increasing
// numbers; the newest row of a release is the current code of the world. The number 0 is the release itself.
//
// The table `release` contains the folder of each release that has been served, because a reload compares a folder with
// the release, and tries the changes with the options of the rooms.
#ifndef SHOAL_SERVED_CODE_ROWS_H
#define SHOAL_SERVED_CODE_ROWS_H

#include "served/world_store.h"

#define CODE_AUTHOR_BYTES 64u            // maximum size of an author's name, with the '\0'
#define CODE_NOTE_BYTES 256u             // maximum size of a note, with the '\0'
#define CODE_MAX_BUNDLE_BYTES (2u << 20) // maximum size of a bundle
#define CODE_FOLDER_BYTES 4096u          // maximum size of a folder's path, with the '\0'
#define CODE_OPTIONS_BYTES 4096u         // maximum size of all options, with the '\0'
#define CODE_NO_FORMER INT64_MAX         // value of `former` if there is no code to return to

typedef struct code_release_t {
  uint64_t base; // hash of the release's code and data files
  char folder[CODE_FOLDER_BYTES];
  char options[CODE_OPTIONS_BYTES]; // options of room processes, separated by '\n'
} code_release_t;

// Stores the folder and the options of a release. Replaces an earlier entry of the same release.
store_result_t code_rows_set_release(world_store_o *s, const code_release_t *release, error_info_t *error);
// Reads the entry of the release that is served, or was served last. Returns STORE_DAMAGED with an error if the entry
// is malformed or the world has never been served.
store_result_t code_rows_get_release(world_store_o *s, code_release_t *out, error_info_t *error);

// A version of the code. Zero-initialize it before the first load.
typedef struct code_row_t {
  uint64_t number; // number of the code; 0: the row does not exist
  uint64_t base;   // release to which the bundle applies
  uint64_t former; // code to which `reload --back` returns; 0: the release; CODE_NO_FORMER: no code
  int64_t age_s;   // seconds since the row was added, by the store's clock; ignored by code_rows_add
  char author[CODE_AUTHOR_BYTES], note[CODE_NOTE_BYTES];
  uint8_t *bundle; // bytes of the bundle: owned by a loaded row, borrowed by code_rows_add
  size_t size;
  allocator_t memory;
} code_row_t;

// Stores the number of a release's current code.
store_result_t code_rows_get_current(world_store_o *s, uint64_t base, uint64_t *number, error_info_t *error);
// Reads the code `number` of a release. Replaces the contents of `out`, whose `number` is 0 if there is no such row.
store_result_t code_rows_load(world_store_o *s, uint64_t base, uint64_t number, code_row_t *out, error_info_t *error);
// Like code_rows_load, for the oldest code with a number above `number`.
store_result_t code_rows_load_next(world_store_o *s, uint64_t base, uint64_t number, code_row_t *out,
                                   error_info_t *error);
void code_row_free(code_row_t *row);

// Returns the number by which rows of owned entities identify the code that has written them: the number of the live
// code or, if `number` is 0, the hash of the release.
int64_t code_rows_get_key(uint64_t base, uint64_t number);

// Numbers of a release's codes in ascending order. Zero-initialize it.
typedef struct code_list_t {
  uint64_t *items;
  uint32_t count, capacity;
  allocator_t memory;
} code_list_t;

store_result_t code_rows_list(world_store_o *s, uint64_t base, code_list_t *out, error_info_t *error);
void code_list_free(code_list_t *list);
// Returns the position of a row's code in the sequence of codes: 0 for the release, i + 1 for the code items[i], or -1
// for a different release, which precedes this one.
int32_t code_list_find(const code_list_t *list, uint64_t base, int64_t key);

// Adds a row, and stores its number. `current`: number of the release's current code when `row` was tried. Returns
// STORE_LOST with an error if a different process has added a code since.
store_result_t code_rows_add(world_store_o *s, const code_row_t *row, uint64_t current, uint64_t *number,
                             error_info_t *error);

// --- changes and answers of a room's writer (room_changes.h)

// ROOM_CHANGE_CODE: the room has refused a code. Replaces its earlier refusal.
typedef struct code_refusal_t {
  uint64_t number;
  char reason[ROOM_REASON_BYTES];
} code_refusal_t;

store_result_t code_refusal_apply(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes, size_t size,
                                  room_answers_t *answers, error_info_t *error);

// Adds ROOM_ANSWER_CODE: the number (8 bytes) and the bundle of the oldest code that follows the code of the room's
// newest snapshot and that the room has not refused.
store_result_t code_poll_next(world_store_o *s, const room_claim_t *claim, room_answers_t *answers,
                              error_info_t *error);

#endif
