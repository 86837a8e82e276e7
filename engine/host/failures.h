// Reports failures of scripts and plugins: log, card, report file of a package, exit code.
#ifndef SHOAL_HOST_FAILURES_H
#define SHOAL_HOST_FAILURES_H

#include "overlay/error_card.h"

typedef struct host_o host_o;

void failures_report(host_o *h, error_card_kind_t kind, const script_report_t *report);
void failures_take(host_o *h); // reports what the running game's code has failed at since the last call

#endif
