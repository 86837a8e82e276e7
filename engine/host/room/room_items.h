// The file that passes edited items to the process that checks them (--check-items), and passes the result back. On
// entry, it contains the JSON object { "first": N, "rows": [ … ] }: the first number of new items, and rows that
// item_edit_complete has completed. The process replaces it with packed rows (store/item_rows.h): new items have
// numbers, all values are complete, and values that equal the assemblage's are marked.
#ifndef SHOAL_ROOM_ROOM_ITEMS_H
#define SHOAL_ROOM_ROOM_ITEMS_H

// Maximum number of items that a command can add. The first item's number is OWNED_FIRST_GIVEN plus the command's
// number times this constant.
#define ROOM_ITEMS_PER_COMMAND 65536

#endif
