// Changes of rows that a room commits together with its records, and the answers of the database. Each subject has a
// file that implements its changes and defines their structs (see the table in room_changes.c). Only this process reads
// changes and answers, so structs are not encoded.
#ifndef SHOAL_SERVED_ROOM_ANSWERS_H
#define SHOAL_SERVED_ROOM_ANSWERS_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROOM_CHANGE_MAX_BYTES (4u << 20) // maximum size of a change, and of an answer

typedef enum room_change_kind_t {
  ROOM_CHANGE_CLAIM,         // a player's account joins the room: served/accounts.h
  ROOM_CHANGE_LEAVE,         // a player's account leaves the room: served/accounts.h
  ROOM_CHANGE_CODE,          // the room has refused live code: served/code_rows.h
  ROOM_CHANGE_COMMAND_TAKEN, // the room is about to execute an operator's command: served/commands.h
  ROOM_CHANGE_COMMAND_DONE,  // the result of an operator's command: served/commands.h
  ROOM_CHANGE_CHRONICLE,     // kept events of a tick: served/chronicle_rows.h
  ROOM_CHANGE_COUNT
} room_change_kind_t;

typedef struct room_change_t {
  room_change_kind_t kind;
  const uint8_t *bytes; // payload of the change; borrowed
  size_t size;
} room_change_t;

typedef enum room_answer_kind_t {
  ROOM_ANSWER_CLAIM,         // outcome of a CLAIM: served/accounts.h
  ROOM_ANSWER_LEAVE,         // outcome of a LEAVE: served/accounts.h
  ROOM_ANSWER_WANTED,        // an account of the room must leave it: served/accounts.h
  ROOM_ANSWER_CODE,          // live code that the room does not run: served/code_rows.h
  ROOM_ANSWER_COMMAND,       // an operator's command for the room: served/commands.h
  ROOM_ANSWER_COMMAND_TAKEN, // the room may execute the command: served/commands.h
} room_answer_kind_t;

typedef struct room_answer_t {
  room_answer_kind_t kind;
  const void *bytes; // payload of the answer; borrowed
  size_t size;
} room_answer_t;

// A list of answers. Zero-initialize it.
typedef struct room_answers_t {
  uint8_t *bytes; // encoded answers: the kind, the size and the bytes of each
  size_t size, capacity;
  allocator_t memory;
} room_answers_t;

// Adds a copy of an answer of at most ROOM_CHANGE_MAX_BYTES.
void room_answers_add(room_answers_t *a, room_answer_kind_t kind, const void *bytes, size_t size);
// Adds all answers of `from`.
void room_answers_append(room_answers_t *a, const room_answers_t *from);
// Reads the answer at `*at`, and advances `*at` past it. Returns true on success, or false at the end of the list.
// `out` is valid until the list changes.
bool room_answers_read(const room_answers_t *a, size_t *at, room_answer_t *out);
void room_answers_clear(room_answers_t *a); // keeps the memory
void room_answers_free(room_answers_t *a);

#endif
