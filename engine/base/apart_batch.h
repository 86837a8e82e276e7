// Much work of one kind, apart (apart.h): one copy of the process does one piece after the other, each with a limit of
// time of its own. Pieces come out in the order in which they were put in.
//
// A piece that crashes the copy, or does not come to its end, loses itself alone: what follows goes on in another copy.
// Since an earlier piece may have done the harm, it is tried once more as the first of that one. A copy that has
// refused a piece is not used any more either: what a decoder leaves behind when it gives up is not to be trusted.
//
// A piece that is trusted as this program is needs no copy, which costs some milliseconds: it is done in this process,
// while it is waited for.
// Main thread.
#ifndef SHOAL_BASE_APART_BATCH_H
#define SHOAL_BASE_APART_BATCH_H

#include "base/apart.h"

typedef struct apart_batch_o apart_batch_o;

typedef struct apart_batch_desc_t {
  bool (*work)(apart_work_t *work); // in the copy; wants_room: it is done again in another copy, where all room is free
  bool (*is_trusted)(const void *in, size_t in_bytes); // such a piece is done here, at once; NULL: none is
  size_t room_bytes;                                   // for what the pieces of one copy leave, together
  uint32_t limit_ms;                                   // for each piece
} apart_batch_desc_t;

typedef struct apart_piece_t {
  uint64_t id;
  const uint8_t *out; // NULL: it failed
  size_t out_bytes;
  bool refused; // by the work, whose words `why` are; else they are about the copy
  error_t why;
} apart_piece_t;

apart_batch_o *apart_batch_create(const apart_batch_desc_t *desc);
void apart_batch_destroy(apart_batch_o *b); // NULL is fine
// Puts a piece in; `in` is copied, and the work gets it with a '\0' behind it.
void apart_batch_add(apart_batch_o *b, uint64_t id, const void *in, size_t in_bytes);
// The next piece that has come to its end, valid until the next call; begins a copy when there is something to do.
// False: `wait` false and none has yet, or there is none left.
bool apart_batch_next(apart_batch_o *b, bool wait, apart_piece_t *out);
uint32_t apart_batch_left(const apart_batch_o *b);   // pieces that have not come out
uint32_t apart_batch_copies(const apart_batch_o *b); // that were made so far
void apart_batch_clear(apart_batch_o *b);            // drops what is left, and ends the copy

#endif
