// A queue of pieces, the copy that works on it, and the memory that both processes see. The copy says through its pipe
// how each piece went and where its bytes lie.
#include "base/apart_batch.h"

#include "base/array.h"
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNED 64u // of what a piece leaves

typedef enum state_t { STATE_DONE, STATE_REFUSED, STATE_WANTS_ROOM, STATE_LOST } state_t;

// What goes through the pipe. Both ends are the same program, but the other one may not be itself any more.
typedef struct said_t {
  uint32_t state;
  uint64_t at, bytes;
  char why[APART_WHY_BYTES];
} said_t;

typedef struct item_t {
  uint64_t id;
  char *in;
  size_t in_bytes;
  said_t said; // once it is heard of
} item_t;

// at ≤ heard ≤ items.count: [0, at) came out, [at, heard) can, the copy is at `heard`.
struct apart_batch_o {
  apart_batch_desc_t desc;
  allocator_t memory;
  ARRAY(item_t) items;
  uint32_t at, heard, first; // first: of this copy
  uint32_t end;              // the copy knows of those before it
  uint32_t copies;
  bool runs;
  child_t child;
  uint8_t *shared; // NULL: there is none
};

apart_batch_o *apart_batch_create(const apart_batch_desc_t *desc) {
  shoal_assert(desc->work && desc->limit_ms > 0 && desc->room_bytes > 0, "a batch without work, time or room");
  apart_batch_o *b = calloc(1, sizeof *b);
  if (!b)
    abort();
  b->desc = *desc;
  return b;
}

static void free_shared(apart_batch_o *b) {
  if (b->shared)
    munmap(b->shared, b->desc.room_bytes);
  b->shared = NULL;
}

void apart_batch_clear(apart_batch_o *b) {
  if (b->runs)
    child_kill(&b->child);
  b->runs = false;
  free_shared(b);
  for (uint32_t i = 0; i < b->items.count; ++i)
    free(b->items.items[i].in);
  array_free(&b->memory, &b->items);
  b->at = b->heard = b->first = b->end = 0;
}

void apart_batch_destroy(apart_batch_o *b) {
  if (!b)
    return;
  apart_batch_clear(b);
  free(b);
}

void apart_batch_add(apart_batch_o *b, uint64_t id, const void *in, size_t in_bytes) {
  shoal_assert(in || in_bytes == 0, "%zu bytes are nowhere", in_bytes);
  item_t item = {.id = id, .in = calloc(1, in_bytes + 1), .in_bytes = in_bytes};
  if (!item.in)
    abort();
  memcpy(item.in, in, in_bytes);
  array_push(&b->memory, &b->items, item);
}

uint32_t apart_batch_left(const apart_batch_o *b) {
  return b->items.count - b->at;
}

uint32_t apart_batch_copies(const apart_batch_o *b) {
  return b->copies;
}

// ------------------------------------------------------------------------------------------------------------ the copy

static bool do_piece(const apart_batch_o *b, const item_t *item, size_t used, said_t *said) {
  error_t why = {0};
  apart_work_t work = {.in = item->in,
                       .in_bytes = item->in_bytes,
                       .out = b->shared + used,
                       .out_bytes = b->desc.room_bytes - used,
                       .why = &why};
  bool good = b->desc.work(&work);
  memset(said, 0, sizeof *said);
  said->state = good ? STATE_DONE : work.wants_room ? STATE_WANTS_ROOM : STATE_REFUSED;
  said->at = used;
  said->bytes = good ? work.out_bytes : 0;
  snprintf(said->why, sizeof said->why, "%.*s", (int)sizeof said->why - 1, why.text);
  return good;
}

static void run_copy(void *context, int to) {
  const apart_batch_o *b = context;
  size_t used = 0;
  bool good = true;
  apart_limit_memory();
  for (uint32_t i = b->heard; i < b->items.count && good; ++i) {
    said_t said;
    child_go_on(b->desc.limit_ms);
    good = do_piece(b, &b->items.items[i], used, &said);
    child_say(to, &said, sizeof said);
    used += (said.bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    good = good && used < b->desc.room_bytes;
  }
}

// -------------------------------------------------------------------------------------------------------- this process

static void lose(apart_batch_o *b, const char *why) {
  said_t *said = &b->items.items[b->heard++].said;
  said->state = STATE_LOST;
  snprintf(said->why, sizeof said->why, "%.*s", (int)sizeof said->why - 1, why);
}

// Its room is its own, and given back when the next piece is asked for.
static void do_here(apart_batch_o *b) {
  said_t said;
  do_piece(b, &b->items.items[b->heard], 0, &said);
  if (said.state == STATE_WANTS_ROOM)
    lose(b, "it is too large");
  else
    b->items.items[b->heard++].said = said;
}

static void begin(apart_batch_o *b) {
  const item_t *item = &b->items.items[b->heard];
  free_shared(b);
  void *shared =
      mmap(NULL, b->desc.room_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (shared == MAP_FAILED) {
    lose(b, "there is no memory to read it in");
    return;
  }
  b->shared = shared;
  if (b->desc.is_trusted && b->desc.is_trusted(item->in, item->in_bytes)) {
    do_here(b);
    return;
  }
  b->first = b->heard;
  b->end = b->items.count;
  b->runs = child_begin(&b->child, b->desc.limit_ms, run_copy, b);
  b->copies += b->runs;
  if (!b->runs)
    lose(b, "the system refuses a copy of the process to read it in");
}

static void end(apart_batch_o *b) {
  child_end(&b->child);
  b->runs = false;
}

// The copy is gone, or late, in the middle of a piece.
static void take_loss(apart_batch_o *b) {
  error_t why;
  end(b);
  if (b->child.interrupted) {
    while (b->heard < b->items.count)
      lose(b, "the program was asked to end");
    return;
  }
  if (b->heard > b->first)
    return; // it begins the next copy
  if (apart_ended_well(&b->child, &why))
    error_set(&why, "what reads it ended the program (status %d)", child_exit_code(&b->child));
  lose(b, why.text);
}

static bool is_sound(const apart_batch_o *b, said_t *said) {
  said->why[sizeof said->why - 1] = '\0';
  return said->state <= STATE_WANTS_ROOM && said->at <= b->desc.room_bytes &&
         said->bytes <= b->desc.room_bytes - said->at;
}

// What the copy says next, or that it is gone; waits for it.
static void hear(apart_batch_o *b) {
  said_t said;
  if (!child_hear(&b->child, &said, sizeof said)) {
    take_loss(b);
    return;
  }
  bool last = b->heard == b->first, sound = is_sound(b, &said);
  if (!sound)
    lose(b, "it is broken");
  else if (said.state != STATE_WANTS_ROOM)
    b->items.items[b->heard++].said = said;
  else if (last)
    lose(b, "it is too large");
  if (!sound || said.state != STATE_DONE || b->heard == b->end ||
      said.at + (said.bytes + ALIGNED - 1) / ALIGNED * ALIGNED >= b->desc.room_bytes)
    end(b);
  else
    child_renew(&b->child);
}

static void hand_out(apart_batch_o *b, apart_piece_t *out) {
  const item_t *item = &b->items.items[b->at++];
  const said_t *said = &item->said;
  bool done = said->state == STATE_DONE;
  *out = (apart_piece_t){.id = item->id, .refused = said->state == STATE_REFUSED};
  out->out = done ? b->shared + said->at : NULL;
  out->out_bytes = done ? (size_t)said->bytes : 0;
  if (!done)
    error_set(&out->why, "%s", said->why[0] ? said->why : "it is broken");
}

bool apart_batch_next(apart_batch_o *b, bool wait, apart_piece_t *out) {
  for (;;) {
    while (b->runs && child_has_news(&b->child))
      hear(b);
    if (b->at < b->heard) {
      hand_out(b, out);
      return true;
    }
    if (b->at == b->items.count) {
      apart_batch_clear(b);
      return false;
    }
    if (!b->runs)
      begin(b);
    else if (wait)
      hear(b);
    else
      return false;
  }
}
