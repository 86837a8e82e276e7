// What an observer hears of (relation/changes.h). The numbers are part of script/abi.h.
#ifndef SHOAL_RELATION_OBSERVED_H
#define SHOAL_RELATION_OBSERVED_H

typedef enum observed_t { OBSERVED_ADD, OBSERVED_REMOVE, OBSERVED_SET, OBSERVED_KINDS } observed_t;

#endif
