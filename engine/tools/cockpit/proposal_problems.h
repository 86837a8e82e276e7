// Invalid members of a request for a proposed change.
#ifndef SHOAL_COCKPIT_PROPOSAL_PROBLEMS_H
#define SHOAL_COCKPIT_PROPOSAL_PROBLEMS_H

#include <stdbool.h>

struct proposal_t;

// Reports that the member at `path` ("name", "fields.2.default") is invalid. Always returns false.
bool proposal_add_problem(struct proposal_t *proposal, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
