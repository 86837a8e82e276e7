// Reports failures of scripts and plugins: in the log, on the error card, in a package's report file, and as the exit
// code.
#ifndef SHOAL_HOST_FAILURES_H
#define SHOAL_HOST_FAILURES_H

#include "overlay/error_card.h"

typedef struct host_o host_o;

void failures_report(host_o *h, error_card_kind_t kind, const script_report_t *report);
// Reports the failures of the running game's code since the last call, and returns their number.
uint32_t failures_report_new(host_o *h);

#endif
