// Dialogue boxes with a typewriter effect. They show their own text, or lines of sequences
// (scripts/shoal/systems/sequence.lua).
#include "ui/dialogue.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "ui/events.h"
#include "ui/measure.h"

#include <math.h>
#include <string.h>

// --- lines of sequences

static manager_o *find_saying_manager(const ui_o *ui) {
  // If the game declares its own `saying`, the built-in component is called shoal.saying.
  manager_o *m = world_find_manager(ui->world, "shoal.saying");
  return m ? m : world_find_manager(ui->world, "saying");
}

static bool is_saying(const manager_o *saying, shoal_entity e) {
  return e != 0 && manager_row(saying, e) != ROW_NONE;
}

static uint32_t read_text_field(const manager_o *m, uint32_t row, const char *field) {
  int32_t column = manager_find_column(m, field);
  return column >= 0 && m->schema.fields[column].type == FIELD_STRING
             ? (uint32_t)columns_get(&m->columns, row, (uint32_t)column)
             : 0;
}

// Returns the first enabled and unanswered line of a sequence that no box shows, or 0 if no line qualifies. A box shows
// a line until the line has been answered.
static shoal_entity find_next_speaker(ui_o *ui, const manager_o *saying) {
  for (uint32_t row = 0; row < saying->count; ++row) {
    bool is_assigned = world_is_disabled(ui->world, saying->owner[row], saying->id);
    for (uint32_t i = 0; i < ui->managers.kinds[UI_DIALOGUE]->count; ++i)
      is_assigned |= ui->columns.dialogue.source[i] == saying->owner[row];
    int32_t answer = manager_find_column(saying, "answer");
    if (!is_assigned && answer >= 0 && columns_get(&saying->columns, row, (uint32_t)answer) == 0)
      return saying->owner[row];
  }
  return 0;
}

static void show_line(ui_o *ui, uint32_t row, uint32_t text, uint32_t by, uint32_t options) {
  shoal_assert(row < ui->managers.kinds[UI_DIALOGUE]->count, "dialogue row %u is out of range (count %u)", row,
               ui->managers.kinds[UI_DIALOGUE]->count);
  const dialogue_columns *d = &ui->columns.dialogue;
  if (d->says[row] != text || d->by[row] != by || d->options[row] != options) {
    d->shown[row] = 0;
    d->choice[row] = 1;
  }
  d->says[row] = text;
  d->by[row] = by;
  d->options[row] = options;
}

void ui_update_dialogues(ui_o *ui) {
  manager_o *saying = find_saying_manager(ui), *m = ui->managers.kinds[UI_DIALOGUE];
  const dialogue_columns *d = &ui->columns.dialogue;
  for (uint32_t row = 0; row < m->count; ++row) {
    if (d->source[row] != 0 && (!saying || !is_saying(saying, d->source[row])))
      d->source[row] = 0;
    bool own = d->text[row] != 0 || d->choices[row] != 0;
    if (own)
      d->source[row] = 0;
    else if (saying && d->source[row] == 0)
      d->source[row] = find_next_speaker(ui, saying);
    uint32_t at = d->source[row] != 0 ? manager_row(saying, d->source[row]) : ROW_NONE;
    if (at != ROW_NONE)
      show_line(ui, row, read_text_field(saying, at, "text"), read_text_field(saying, at, "who"),
                read_text_field(saying, at, "choices"));
    else
      show_line(ui, row, d->text[row], own ? d->speaker[row] : 0, d->choices[row]);
  }
}

// --- the typewriter

void ui_run_typewriters(ui_o *ui, double dt_s) {
  const dialogue_columns *d = &ui->columns.dialogue;
  manager_o *m = ui->managers.kinds[UI_DIALOGUE];
  if (m->count == 0)
    return;
  ui_update_dialogues(ui);
  for (uint32_t row = 0; row < m->count; ++row) {
    float all = (float)utf8_count_characters(ui_text(ui, d->says[row])), speed = d->speed[row];
    float to = speed > 0 ? d->shown[row] + speed * (float)dt_s : all;
    d->shown[row] = to < all ? (to > 0 ? to : 0) : all;
  }
}

static void end_dialogue(ui_o *ui, const ui_node_t *n, uint32_t choice) {
  const dialogue_columns *d = &ui->columns.dialogue;
  manager_o *saying = find_saying_manager(ui);
  uint32_t row = saying && d->source[n->row] ? manager_row(saying, d->source[n->row]) : ROW_NONE;
  ui_play_sound(ui, ui->theme.palette.press);
  if (row != ROW_NONE) {
    columns_set(&saying->columns, row, (uint32_t)manager_find_column(saying, "answer"), choice);
    return;
  }
  d->text[n->row] = d->choices[n->row] = 0;
  ui_emit(ui, "dialogue_ended", n, choice, 0);
}

void ui_continue_dialogue(ui_o *ui, const ui_node_t *n) {
  const dialogue_columns *d = &ui->columns.dialogue;
  float all = (float)utf8_count_characters(ui_text(ui, d->says[n->row]));
  shoal_assert(n->kind == UI_DIALOGUE, "widget of kind %d is not a dialogue", (int)n->kind);
  if (d->shown[n->row] < all)
    d->shown[n->row] = all;
  else
    end_dialogue(ui, n, d->options[n->row] ? d->choice[n->row] : 1);
}

bool ui_move_choice(ui_o *ui, const ui_node_t *n, int step) {
  uint32_t count = ui_line_count(ui_text(ui, ui->columns.dialogue.options[n->row])),
           *at = &ui->columns.dialogue.choice[n->row];
  if (count > 1) {
    *at = step > 0 ? *at % count + 1 : *at > 1 ? *at - 1 : count;
    ui_play_sound(ui, ui->theme.palette.focus);
  }
  return true;
}

void ui_click_dialogue(ui_o *ui, const ui_node_t *n, float y) {
  const ui_look_t *look = ui_get_look(ui, n);
  uint32_t count = ui_line_count(ui_text(ui, ui->columns.dialogue.options[n->row]));
  float row = ui_row_height(ui, look), top = n->y + n->height - look->padding - row * (float)count;
  bool fully_shown = ui->columns.dialogue.shown[n->row] >=
                     (float)utf8_count_characters(ui_text(ui, ui->columns.dialogue.says[n->row]));
  if (count > 0 && fully_shown && (y < top || y >= top + row * (float)count))
    return; // the click missed the choices
  if (count > 0 && fully_shown)
    ui->columns.dialogue.choice[n->row] = 1 + (uint32_t)((y - top) / row);
  ui_continue_dialogue(ui, n);
}
