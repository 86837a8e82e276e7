// Widget actions: the actions of players on widgets, in a game that declares players. The player's machine determines
// them from its own layout; all machines apply them in the tick. They are part of recordings and matches.
//
//   kind (1), entity (4), and then
//   SET: value (4)
//   CHOOSE: number (varint)
//   ANSWER: number (varint), line (varint)
//   EDIT: start (varint), erased (varint), number of bytes (1), text
//   KEYBOARD: number of bytes (1), language
#ifndef SHOAL_UI_WIDGET_ACTION_H
#define SHOAL_UI_WIDGET_ACTION_H

#include "ecs/world.h"

#define WIDGET_ACTION_TEXT_BYTES 96u // maximum length of inserted text
// Maximum size of an encoded action.
#define WIDGET_ACTION_MAX_BYTES (1u + 4u + 2u * 5u + 1u + WIDGET_ACTION_TEXT_BYTES)

// The values are part of the format.
typedef enum widget_action_kind_t {
  WIDGET_ACTION_NONE,
  WIDGET_ACTION_PRESS,    // presses a button, or the selected item of a list
  WIDGET_ACTION_TOGGLE,   // toggles a checkbox
  WIDGET_ACTION_SET,      // sets a slider to `value`
  WIDGET_ACTION_CHOOSE,   // selects item `number` of a list, or marks choice `number` of a dialogue
  WIDGET_ACTION_ANSWER,   // ends the `line` of a dialogue (a string id) with choice `number`
  WIDGET_ACTION_EDIT,     // replaces `erased` characters of an entry, starting at `start`, with `text`
  WIDGET_ACTION_SUBMIT,   // submits an entry
  WIDGET_ACTION_KEYBOARD, // opens the on-screen keyboard of an entry; `text` is the player's language
  WIDGET_ACTION_CANCEL,   // handles ui_back in a panel or dialogue that has no button for it
  WIDGET_ACTION_FOCUS,    // gives a widget the focus
  WIDGET_ACTION_KIND_COUNT
} widget_action_kind_t;

typedef struct widget_action_t {
  widget_action_kind_t kind;
  shoal_entity entity;
  float value;
  uint32_t number, line, start, erased;
  char text[WIDGET_ACTION_TEXT_BYTES + 1]; // terminated by '\0'
} widget_action_t;

// Writes an action to `out` (WIDGET_ACTION_MAX_BYTES). Returns the number of bytes.
size_t widget_action_write(const widget_action_t *action, uint8_t *out);
// Reads an action from `size` bytes. Returns the number of bytes read, or 0 if the action is malformed: truncated, of
// an unknown kind, with a non-finite value, or with a text that is not UTF-8. Safe for untrusted bytes.
size_t widget_action_read(const uint8_t *in, size_t size, widget_action_t *out);

#endif
