// The error card: what failed, where, and the source around it, over the lower part of a game that goes on underneath.
// Plain data, made once when something fails; overlay.c shows it.
#ifndef SHOAL_OVERLAY_ERROR_CARD_H
#define SHOAL_OVERLAY_ERROR_CARD_H

#include "script/script.h"

#include <stdbool.h>
#include <stdint.h>

#define ERROR_CARD_SOURCE_AROUND 3 // lines before and after the failing one
#define ERROR_CARD_SOURCE_LINES (2 * ERROR_CARD_SOURCE_AROUND + 1)
#define ERROR_CARD_MAX_REPORTS 8

typedef enum error_card_kind_t {
  ERROR_CARD_NONE,
  ERROR_CARD_START,   // the game could not start: nothing runs
  ERROR_CARD_RELOAD,  // a change was refused: the old code runs on
  ERROR_CARD_RESTART, // a restart was refused: the old game runs on
  ERROR_CARD_RUN      // a system, a handler or a behaviour failed and stands still
} error_card_kind_t;

typedef struct error_card_line_t {
  int number;
  bool failing;
  char text[160]; // tabs as spaces, cut between characters
} error_card_line_t;

typedef struct error_card_t {
  error_card_kind_t kind;
  bool hidden;     // by F8, until the next report
  char title[160]; // "system movement stopped"
  char message[1024];
  char place[320]; // "systems/movement.lua:12", "" when unknown
  char hint[160];
  char about[640]; // the entity at hand, and what metadata says of those in the message; a line each, "" for nothing
  error_card_line_t lines[ERROR_CARD_SOURCE_LINES];
  uint32_t line_count;
  char others[ERROR_CARD_MAX_REPORTS - 1][256]; // "system ai   systems/ai.lua:3: message": reports after the first
  uint32_t other_count;
  uint32_t total; // reports in all, also those that found no room
} error_card_t;

// The first report of a card is shown in full, later ones of the same kind join the list. A report of another kind
// starts the card anew. Source is read from `game_folder`, then from `engine_folder`.
void error_card_add(error_card_t *c, error_card_kind_t kind, const script_report_t *report, const char *game_folder,
                    const char *engine_folder);
void error_card_clear(error_card_t *c);

// The same report as one line for the log: "systems/movement.lua:12: message", or only the message.
void error_card_line(const script_report_t *report, char *out, size_t out_bytes);

#endif
