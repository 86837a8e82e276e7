// The file by which a process that checks edited items (--check-items) receives them, and returns the result. It
// receives the JSON object { "first": N, "rows": [ … ] }: the first number of new items, and rows that
// item_edit_complete has completed.
#ifndef SHOAL_ROOM_ROOM_ITEMS_H
#define SHOAL_ROOM_ROOM_ITEMS_H

#include <stdint.h>

// Numbers of items that a command can add: the first one is OWNED_FIRST_GIVEN plus the command's number times this.
#define ROOM_ITEMS_PER_COMMAND 65536

// Head of the result, which replaces the file. The packed rows follow (store/item_rows.h). New items have numbers, all
// values are complete, and values that equal the assemblage's are marked.
typedef struct room_items_result_t {
  uint64_t base; // hash of the game's files and plugins
} room_items_result_t;

#endif
