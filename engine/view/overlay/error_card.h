// Error card: the failure, its position and the source around it, shown over the lower part of the running game. Plain
// data, filled in when a failure is reported; overlay.c draws the card.
#ifndef SHOAL_OVERLAY_ERROR_CARD_H
#define SHOAL_OVERLAY_ERROR_CARD_H

#include "base/script_report.h"

#include <stddef.h>

#define ERROR_CARD_CONTEXT_LINES 3 // number of source lines shown before and after the failing line
#define ERROR_CARD_SOURCE_LINES (2 * ERROR_CARD_CONTEXT_LINES + 1)
#define ERROR_CARD_MAX_REPORTS 8

typedef enum error_card_kind_t {
  ERROR_CARD_NONE,
  ERROR_CARD_START,   // the game could not start; no game is running
  ERROR_CARD_RELOAD,  // a reload failed; the game runs without the change
  ERROR_CARD_RESTART, // a restart failed; the game keeps running
  ERROR_CARD_RUN,     // a system, handler or behaviour failed and is parked
  ERROR_CARD_CRASH    // a plugin crashed in the previous run, and is not loaded
} error_card_kind_t;

typedef struct error_card_line_t {
  int number;
  bool failing;
  char text[160]; // source line with expanded tabs, truncated at a character boundary
} error_card_line_t;

typedef struct error_card_t {
  error_card_kind_t kind;
  bool hidden;     // true if F8 has hidden the card, until the next report
  char title[160]; // title such as "Stopped by an error: system movement"
  char message[1024];
  char location[320]; // location such as "systems/movement.lua:12"; "" if unknown
  char hint[160];
  char about[640]; // the current entity, and metadata of the components in the message, one per line; may be ""
  error_card_line_t lines[ERROR_CARD_SOURCE_LINES];
  uint32_t line_count;
  // Reports after the first report, such as "system ai systems/ai.lua:3: message".
  char other_reports[ERROR_CARD_MAX_REPORTS - 1][256];
  uint32_t other_count;
  uint32_t total; // total number of reports, including reports that did not fit
} error_card_t;

// Returns the description of a failure kind for the log and for the titles of cards, such as "reload refused".
const char *error_card_describe(error_card_kind_t kind);
// Adds a report. A card shows its first report in full. Later reports of kind ERROR_CARD_RUN are added to the list if
// the card has this kind or ERROR_CARD_CRASH; all remaining reports replace the card. Source is read from
// `report->path` or, if that file is missing, from `game_folder` or `engine_folder`.
void error_card_add(error_card_t *card, error_card_kind_t kind, const script_report_t *report, const char *game_folder,
                    const char *engine_folder);
// Adds a report to the list below the first report, which the card must already show.
void error_card_append(error_card_t *card, const script_report_t *report);
void error_card_clear(error_card_t *card);

#endif
