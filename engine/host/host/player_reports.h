// Handles failures in packaged games: shows a short note to the player, and writes a report for the developers, with a
// recording of the last seconds.
#ifndef SHOAL_HOST_PLAYER_REPORTS_H
#define SHOAL_HOST_PLAYER_REPORTS_H

#include "overlay/error_card.h"

typedef struct host_o host_o;

// Handles a failure of a script or plugin: writes the report and shows the note. `line` is the line that was written to
// the log.
void player_report_failure(host_o *h, error_card_kind_t kind, const script_report_t *report, const char *line);
void player_hide_expired_notice(host_o *h); // hides the note after 15 seconds; must be called once per frame

#endif
