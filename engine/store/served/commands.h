// Commands of a world's operators: rows of `command`. `./shoal world` adds a row and waits for its result. A room takes
// the rows that name it, and the owner of the world takes the rows without a room. A taken row contains the number of
// the start (`fence`, or the owner's number) that executes it. If this process ends before it has stored the result,
// the next process stores COMMAND_LOST_TEXT as the result. A command is therefore executed at most once. Rows are never
// deleted, and form the log of all commands.
#ifndef SHOAL_SERVED_COMMANDS_H
#define SHOAL_SERVED_COMMANDS_H

#include "served/room_answers.h"
#include "served/world_store.h"

#define COMMAND_KIND_BYTES 16u   // maximum size of a kind, with the '\0'
#define COMMAND_DATA_BYTES 8192u // maximum size of the arguments, with the '\0'
#define COMMAND_AUTHOR_BYTES 64u
#define COMMAND_RESULT_BYTES 65536u
// Result of a command that a process has taken, if the process ended before it stored the result.
#define COMMAND_LOST_TEXT "lost: the process ended before it stored the result; it executed the command at most once"

// --- the operator's program

typedef struct command_t {
  int64_t id;                      // number of the command, assigned by command_add
  int64_t room;                    // number of the room; 0: the owner of the world takes the command
  char room_name[ROOM_NAME_BYTES]; // name of the room, only in lists
  char kind[COMMAND_KIND_BYTES];   // name of the command, such as "emit"
  char author[COMMAND_AUTHOR_BYTES];
  int64_t age_s; // seconds since the command was added, by the store's clock
  bool is_taken, is_done;
  bool is_ok;                        // true if the command was executed
  char data[COMMAND_DATA_BYTES];     // arguments as a JSON object
  char result[COMMAND_RESULT_BYTES]; // text for the operator, if `is_done`
} command_t;

// Adds a row with the room, kind, author and data of `c`, and sets `c->id`. If `c->is_done`, also stores `is_ok` and
// the result: for commands that the caller has executed itself, in this transaction or an earlier one.
store_result_t command_add(world_store_o *s, command_t *c, error_info_t *error);
// Like command_add, in the current transaction.
store_result_t command_insert(world_store_o *s, command_t *c, error_info_t *error);
// Replaces the result of a command that was added as done: `is_ok` and `result`.
store_result_t command_replace_result(world_store_o *s, const command_t *c, error_info_t *error);
// Reads the row c->id.
store_result_t command_read(world_store_o *s, command_t *c, error_info_t *error);
// Cancels a command that no process has taken. `is_cancelled` receives false if the command is taken or done.
store_result_t command_cancel(world_store_o *s, int64_t id, bool *is_cancelled, error_info_t *error);
// Calls `visit` for the latest `count` commands, oldest first.
store_result_t command_list(world_store_o *s, uint32_t count, void (*visit)(const command_t *c), error_info_t *error);

// --- the room (room_answers.h)

// Payload of ROOM_ANSWER_COMMAND: a command that this start of the room has not taken. Each poll repeats it.
typedef struct command_offer_t {
  int64_t id;
  bool is_lost; // true if an earlier start of the room has taken the command without storing a result
  char kind[COMMAND_KIND_BYTES];
  char data[COMMAND_DATA_BYTES];
} command_offer_t;

// Payload of ROOM_CHANGE_COMMAND_TAKEN, and of its answer ROOM_ANSWER_COMMAND_TAKEN, which follows only if this start
// of the room may now execute the command.
typedef struct command_take_t {
  int64_t id;
} command_take_t;

// Payload of ROOM_CHANGE_COMMAND_DONE: this struct, then the result without a '\0'.
typedef struct command_done_t {
  int64_t id;
  bool is_ok;
} command_done_t;

store_result_t commands_poll(world_store_o *s, const room_claim_t *claim, room_answers_t *answers, error_info_t *error);
store_result_t command_taken_apply(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes, size_t size,
                                   room_answers_t *answers, error_info_t *error);
store_result_t command_done_apply(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes, size_t size,
                                  room_answers_t *answers, error_info_t *error);

// --- the owner of the world

// Takes the oldest command without a room, for the owner `owner`. Sets c->id to 0 if no command waits. Stores
// COMMAND_LOST_TEXT as the result of unfinished commands that a former owner has taken.
store_result_t command_take_of_world(world_store_o *s, int64_t owner, command_t *c, error_info_t *error);
// Stores the result of a command without a room: c->is_ok and c->result.
store_result_t command_finish(world_store_o *s, const command_t *c, error_info_t *error);
// Calls `visit` with the name of each room that has waiting commands.
store_result_t command_list_waiting_rooms(world_store_o *s, void (*visit)(void *context, const char *room),
                                          void *context, error_info_t *error);

#endif
