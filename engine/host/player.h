// What a player sees and leaves behind when a packaged game fails: a note in plain words, and a report with the last
// seconds as a recording, for those who made it.
#ifndef SHOAL_HOST_PLAYER_H
#define SHOAL_HOST_PLAYER_H

#include "overlay/error_card.h"

typedef struct host_o host_o;

// A script failed. Writes the report and shows the note; `line` is the same as in the log.
void player_report(host_o *h, error_card_kind_t kind, const script_report_t *report, const char *line);
void player_frame(host_o *h); // the note goes away by itself

#endif
