// The file by which a process that checks edited items (--check-items) receives them, and returns the result. It
// receives the JSON object { "first": N, "rows": [ … ] }: the first number of new items, and rows that
// item_edit_complete has completed. Packed rows replace it (store/item_rows.h): new items have numbers, all values are
// complete, and values that equal the assemblage's are marked.
#ifndef SHOAL_ROOM_ROOM_ITEMS_H
#define SHOAL_ROOM_ROOM_ITEMS_H

// Numbers of items that a command can add: the first one is OWNED_FIRST_GIVEN plus the command's number times this.
#define ROOM_ITEMS_PER_COMMAND 65536

#endif
