// Questions of scripts about the chronicle of a served world (world/chronicle.lua): entities with the component
// `question`. In a room, the host reads open questions, asks the database, and adds the answer to a record as an
// external result (EXTERNAL_ANSWER), so that all machines store it in the same tick.
#ifndef SHOAL_GAME_QUESTION_STATE_H
#define SHOAL_GAME_QUESTION_STATE_H

#include "journal/external_result.h"
#include "shoal/entity.h"

typedef struct game_o game_o;

// An open question. The strings are borrowed until the world changes.
typedef struct open_question_t {
  shoal_entity entity;
  const char *sql, *parameters; // text of the query, and its values as a JSON list
  const char *line;             // file and line of the script that asked; "": unknown
} open_question_t;

// Copies the open question with index `i`, in the order of the component's rows, to `out`. Returns true on success, or
// false if fewer questions are open.
bool questions_get_open(const game_o *g, uint32_t i, open_question_t *out);
// Returns true if the entity has a question without an answer.
bool questions_is_open(const game_o *g, shoal_entity entity);

// Create the answer to a question, with one reference: the rows as a JSON list, or an error message.
external_result_t *question_create_answer(shoal_entity entity, const char *rows, size_t size, bool is_cut);
external_result_t *question_create_error(shoal_entity entity, const char *message);

// Stores the answers in the record of this tick, and emits `answered` for each. Outside of rooms, answers all open
// questions with an error. Call at the start of a tick.
void questions_answer(game_o *g);

#endif
