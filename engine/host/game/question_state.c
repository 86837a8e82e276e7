// Reads open questions, and stores answers in their entities.
#include "game/question_state.h"

#include "base/alloc.h"
#include "components/builtin.h"
#include "ecs/event.h"
#include "game/game.h"
#include "game/room_state.h"
#include "time/external_input.h"

#include <stdio.h>
#include <string.h>

#define COMPONENT "question"
#define KEY_BYTES 16u
#define MAX_MESSAGE_BYTES 1024u

// Columns of the component, in the order of world/chronicle.lua.
enum { SQL, PARAMETERS, LINE, ANSWERED, ERROR, CUT, ROWS };

static manager_o *find_manager(const game_o *g) {
  return g->config.kind_count > 0 ? world_find_manager(g->world, COMPONENT) : NULL;
}

static bool is_open(const manager_o *m, uint32_t row) {
  return columns_get(&m->columns, row, ANSWERED) == 0;
}

static const char *get_text(const game_o *g, const manager_o *m, uint32_t row, uint32_t column) {
  return strings_text(world_strings(g->world), (uint32_t)columns_get(&m->columns, row, column));
}

bool questions_get_open(const game_o *g, uint32_t i, open_question_t *out) {
  const manager_o *m = find_manager(g);
  for (uint32_t row = 0; m && row < m->count; ++row) {
    if (!is_open(m, row) || i-- > 0)
      continue;
    *out = (open_question_t){.entity = m->owner[row],
                             .sql = get_text(g, m, row, SQL),
                             .parameters = get_text(g, m, row, PARAMETERS),
                             .line = get_text(g, m, row, LINE)};
    return true;
  }
  return false;
}

bool questions_is_open(const game_o *g, shoal_entity entity) {
  const manager_o *m = find_manager(g);
  uint32_t row = m ? manager_row(m, entity) : ROW_NONE;
  return row != ROW_NONE && is_open(m, row);
}

// --- answers

static void format_key(shoal_entity entity, char out[KEY_BYTES]) {
  (void)snprintf(out, KEY_BYTES, "%u", entity);
}

external_result_t *question_create_answer(shoal_entity entity, const char *rows, size_t size, bool is_cut) {
  char key[KEY_BYTES];
  allocator_t memory = {0};
  format_key(entity, key);
  uint8_t *bytes = alloc_resize(&memory, NULL, 0, size + 1);
  bytes[0] = is_cut;
  memcpy(bytes + 1, rows, size);
  external_result_t *result = external_result_create(EXTERNAL_ANSWER, key, true, bytes, size + 1);
  alloc_resize(&memory, bytes, size + 1, 0);
  return result;
}

external_result_t *question_create_error(shoal_entity entity, const char *message) {
  char key[KEY_BYTES];
  format_key(entity, key);
  size_t size = strlen(message);
  return external_result_create(EXTERNAL_ANSWER, key, false, message,
                                size < MAX_MESSAGE_BYTES ? size : MAX_MESSAGE_BYTES);
}

static void set_number(game_o *g, const manager_o *m, shoal_entity e, uint32_t column, double value) {
  world_set_field(g->world, e, m->id, 0, column, value, NULL);
}

static void set_text(game_o *g, const manager_o *m, shoal_entity e, uint32_t column, const void *text, size_t size) {
  const char *end = memchr(text, '\0', size); // well-formed answers contain no '\0'
  size = end ? (size_t)(end - (const char *)text) : size;
  set_number(g, m, e, column, strings_intern_bytes(world_strings(g->world), text, size));
}

static void store_answer(game_o *g, const manager_o *m, shoal_entity e, const external_result_t *result) {
  const event_o *answered = builtin_find_event(g->world, "answered");
  bool has_rows = result->found && result->size > 0;
  if (has_rows) {
    set_number(g, m, e, CUT, result->bytes[0] != 0);
    set_text(g, m, e, ROWS, result->bytes + 1, result->size - 1);
  } else {
    set_text(g, m, e, ERROR, result->bytes, result->size);
  }
  set_number(g, m, e, ANSWERED, 1);
  if (answered)
    world_set_event_field(g->world, world_emit_event(g->world, answered->id), 0, e);
}

// Answers a question with an error, because the world is not a room of a served world.
static void refuse(game_o *g, const manager_o *m, const open_question_t *question) {
  char text[MAX_MESSAGE_BYTES];
  (void)snprintf(text, sizeof text,
                 "%s%schronicle.ask: the game does not run in a room of a served world, which has a chronicle: run "
                 "./shoal serve",
                 question->line, question->line[0] ? ": " : "");
  external_result_t *result = question_create_error(question->entity, text);
  store_answer(g, m, question->entity, result);
  external_result_release(result);
}

void questions_answer(game_o *g) {
  const manager_o *m = find_manager(g);
  bool is_room = m && m->count > 0 && room_state_is_room(g);
  open_question_t question;
  for (uint32_t i = 0; m && m->count > 0 && questions_get_open(g, i, &question);) {
    char key[KEY_BYTES];
    format_key(question.entity, key);
    const external_result_t *result =
        is_room && g->desc.external ? external_find(g->desc.external, EXTERNAL_ANSWER, key) : NULL;
    if (!is_room)
      refuse(g, m, &question);
    else if (result)
      store_answer(g, m, question.entity, result);
    else
      ++i; // the question remains open
  }
}
